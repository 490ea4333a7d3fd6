import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bed, makeBed } from '../../testing/index.ts';

describe('coppice undo', () => {
  let bed: Bed;
  beforeEach(() => {
    bed = makeBed();
  });
  afterEach(() => bed.close());

  it('[O18] takes back the last act, says how to do it again, and refuses when there is nothing', async () => {
    const { tree, nodes } = await bed.grow('One', 'Two');
    expect(await bed.json(['undo', tree])).toMatchObject({ activeNodeId: nodes[0] });
    const { out } = await bed.run(['undo', tree]);
    expect(out).toContain('Undid 1 change in "Untitled"; it is now empty.');
    expect(out).toContain(`coppice redo ${tree}`);
    expect(await bed.run(['undo', tree])).toMatchObject({ code: 5 });
  });

  it('[O81] without a tree brings back a tree that was deleted last, and leaves the others alone', async () => {
    const kept = await bed.grow('Kept one', 'Kept two');
    await bed.run(['append', '--new', '--title', 'Plans', 'First']);
    await bed.run(['rm', 'Plans']);
    const { code, out } = await bed.run(['undo']);
    expect([code, out]).toEqual([0, expect.stringContaining('Undid the deletion of "Plans"; it is back.')]);
    expect(await bed.json(['show', 'Plans'])).toMatchObject({ nodes: [{ text: 'First' }] });
    expect(await bed.json(['show', kept.tree])).toMatchObject({ nodes: { length: 2 } });
    expect((await bed.run(['redo'])).out).toContain('"Plans"; it is in the trash.');
    expect(await bed.json(['ls'])).toMatchObject({ items: [{ id: kept.tree }] });
  });

  it('[O81] without a tree takes back the last act in whichever tree it was, newest first', async () => {
    const one = await bed.grow('One');
    const two = await bed.grow('Two');
    await bed.json(['append', one.tree, 'More of one']);
    expect(await bed.json(['undo'])).toMatchObject({ treeId: one.tree, title: 'Untitled', trashed: false });
    expect(await bed.json(['undo'])).toMatchObject({ treeId: two.tree });
    expect(await bed.json(['show', one.tree])).toMatchObject({ nodes: [{ text: 'One' }] });
  });

  it('[O81] with a tree takes back the last act in that one', async () => {
    const one = await bed.grow('One', 'Two');
    await bed.grow('Other');
    expect(await bed.json(['undo', one.tree])).toMatchObject({ treeId: one.tree, activeNodeId: one.nodes[0] });
  });
});
