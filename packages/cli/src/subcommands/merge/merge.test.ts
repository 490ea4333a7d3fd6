import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice merge', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed({ env: { COPPICE_MODEL: 'offline/guide' } });
  });
  afterEach(() => bed.close());

  it('[O34] brings a side branch back as a summary of its own, a given one, or its messages', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    const side = nodes[2] ?? '';
    await bed.json(['edit', tree, nodes[1] ?? '', 'Other way']);
    expect(await bed.json(['merge', tree, side, '--summary', 'It led nowhere.'])).toMatchObject({
      summary: 'It led nowhere.',
    });
    const { nodes: after } = await bed.json(['show', tree]);
    expect(after).toMatchObject([{}, { text: 'Other way' }, { kind: 'branch-summary' }]);
    await bed.json(['undo', tree]);
    const written = await bed.json(['merge', tree, side]);
    expect(String(written['summary'])).toContain('Two');
    await bed.json(['undo', tree]);
    await bed.json(['merge', tree, side, '--messages']);
    expect(await bed.json(['show', tree])).toMatchObject({
      nodes: [{ text: 'One' }, { text: 'Other way' }, { text: 'Two' }, { text: 'Three' }],
    });
  });
});
