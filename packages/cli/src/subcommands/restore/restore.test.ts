import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice restore', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O18] brings back a tree, a node and a version', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two', 'Three');
    await bed.json(['rm', tree, nodes[1] ?? '', '--cascade']);
    await bed.json(['restore', tree, nodes[1] ?? '']);
    expect(await bed.json(['tree', tree])).toMatchObject({ nodes: nodes.map((id) => ({ id })) });
    await bed.json(['rm', tree]);
    await bed.json(['restore', tree]);
    await bed.json(['restore', tree, '--at', '2']);
    expect(await bed.json(['tree', tree])).toMatchObject({ nodes: [{ id: nodes[0] }] });
  });

  it('[O18] last, alone, is the tree that was deleted last, and not one that is there', async () => {
    const [kept, gone] = [await bed.grow('Kept'), await bed.grow('Gone')];
    await bed.json(['rm', 'last']);
    expect(await bed.json(['restore', 'last'])).toMatchObject({ treeId: gone.tree, changed: true });
    expect(await bed.json(['trash'])).toMatchObject({ items: [] });
    expect(await bed.run(['restore', 'last'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('There is no deleted tree to bring back.'),
    });
    expect(await bed.json(['show', kept.tree])).toMatchObject({ version: 2 });
  });
});
