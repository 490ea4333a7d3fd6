import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice rm', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O19] moves what follows up, or takes it along; says first what would go', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    expect(await bed.json(['rm', tree, nodes[1] ?? '', '--cascade', '--dry-run'])).toMatchObject({ count: 2 });
    await bed.json(['rm', tree, nodes[1] ?? '']);
    expect(await bed.json(['show', tree])).toMatchObject({ nodes: [{ id: nodes[0] }, { id: nodes[2] }] });
    expect((await bed.run(['rm', tree, nodes[0] ?? '', '--cascade'])).out).toContain('you are at the beginning.');
    expect(await bed.json(['show', tree])).toMatchObject({ activeNodeId: null, nodes: [] });
  });

  it('[O19] puts a tree into the trash, never the root alone', async () => {
    const { tree } = await bed.grow('One');
    expect(await bed.run(['rm', tree, 'root'])).toMatchObject({ code: 5 });
    expect((await bed.run(['rm', tree, '--dry-run'])).out).toContain('The tree with its 1 node would go');
    expect((await bed.run(['rm', tree])).out).toContain(`coppice restore ${tree}`);
    expect(await bed.json(['ls'])).toMatchObject({ items: [] });
  });
});
