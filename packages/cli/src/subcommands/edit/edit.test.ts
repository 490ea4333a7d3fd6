import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice edit', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O14] adds a variant and keeps the old branch; edits in place only on request', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    const edited = await fixture.json(['edit', tree, nodes[0] ?? '', 'Uno']);
    expect(edited['nodeId']).not.toBe(nodes[0]);
    expect(await fixture.json(['show', tree, nodes[1] ?? ''])).toMatchObject({
      nodes: [{ text: 'One' }, { text: 'Two' }],
    });
    expect(await fixture.json(['edit', tree, nodes[1] ?? '', '--in-place', 'Dos'])).toMatchObject({ nodeId: nodes[1] });
    expect(await fixture.run(['edit', tree, '@', '--in-place', '--prefix', 'x'])).toMatchObject({ code: 2 });
  });
});
