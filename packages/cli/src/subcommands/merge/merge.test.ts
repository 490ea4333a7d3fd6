import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice merge', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture({ env: { COPPICE_MODEL: 'offline/guide' } });
  });
  afterEach(() => fixture.close());

  it('[O34] merges a branch as a generated summary, a given one, or its messages', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    const side = nodes[2] ?? '';
    await fixture.json(['edit', tree, nodes[1] ?? '', 'Other way']);
    expect(await fixture.json(['merge', tree, side, '--summary', 'It led nowhere.'])).toMatchObject({
      summary: 'It led nowhere.',
    });
    const { nodes: after } = await fixture.json(['show', tree]);
    expect(after).toMatchObject([{}, { text: 'Other way' }, { kind: 'branch-summary' }]);
    await fixture.json(['undo', tree]);
    const written = await fixture.json(['merge', tree, side]);
    expect(String(written['summary'])).toContain('Two');
    await fixture.json(['undo', tree]);
    await fixture.json(['merge', tree, side, '--messages']);
    expect(await fixture.json(['show', tree])).toMatchObject({
      nodes: [{ text: 'One' }, { text: 'Other way' }, { text: 'Two' }, { text: 'Three' }],
    });
  });
});
