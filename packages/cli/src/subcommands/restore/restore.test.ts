import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice restore', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O18] restores a tree, a node and a version', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    await fixture.json(['rm', tree, nodes[1] ?? '', '--cascade']);
    await fixture.json(['restore', tree, nodes[1] ?? '']);
    expect(await fixture.json(['tree', tree])).toMatchObject({ nodes: nodes.map((id) => ({ id })) });
    await fixture.json(['rm', tree]);
    await fixture.json(['restore', tree]);
    await fixture.json(['restore', tree, '--at', '2']);
    expect(await fixture.json(['tree', tree])).toMatchObject({ nodes: [{ id: nodes[0] }] });
  });

  it('[O18] last, without a node, is the tree that was deleted last, not a live one', async () => {
    const [kept, gone] = [await fixture.createChat('Kept'), await fixture.createChat('Gone')];
    await fixture.json(['rm', 'last']);
    expect(await fixture.json(['restore', 'last'])).toMatchObject({ treeId: gone.tree, changed: true });
    expect(await fixture.json(['trash'])).toMatchObject({ items: [] });
    expect(await fixture.run(['restore', 'last'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('There is no deleted chat to restore.'),
    });
    expect(await fixture.json(['show', kept.tree])).toMatchObject({ version: 2 });
  });
});
