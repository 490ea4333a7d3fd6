import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice undo', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O18] undoes the last act, prints how to redo it, and refuses when there is nothing to undo', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    expect(await fixture.json(['undo', tree])).toMatchObject({ activeNodeId: nodes[0] });
    const { out } = await fixture.run(['undo', tree]);
    expect(out).toContain('Undid 1 change in "Untitled"; it is now empty.');
    expect(out).toContain(`Redo with coppice redo ${tree.slice(-8)}.`);
    expect((await fixture.run(['redo', tree])).out).toContain(`Undo with coppice undo ${tree.slice(-8)}.`);
    await fixture.run(['undo', tree]);
    expect(await fixture.run(['undo', tree])).toMatchObject({ code: 5 });
  });

  it('[O81] without a tree restores a tree that was deleted last, and leaves the others unchanged', async () => {
    const kept = await fixture.createChat('Kept one', 'Kept two');
    await fixture.run(['append', '--new', '--title', 'Plans', 'First']);
    await fixture.run(['rm', 'Plans']);
    const { code, out } = await fixture.run(['undo']);
    expect([code, out]).toEqual([0, expect.stringContaining('Undid the deletion of "Plans"; it is back.')]);
    expect(await fixture.json(['show', 'Plans'])).toMatchObject({ nodes: [{ text: 'First' }] });
    expect(await fixture.json(['show', kept.tree])).toMatchObject({ nodes: { length: 2 } });
    expect((await fixture.run(['redo'])).out).toContain('"Plans"; it is in the trash.');
    expect(await fixture.json(['ls'])).toMatchObject({ items: [{ id: kept.tree }] });
  });

  it('[O81] without a tree undoes the last act in whichever tree it was, newest first', async () => {
    const one = await fixture.createChat('One');
    const two = await fixture.createChat('Two');
    await fixture.json(['append', one.tree, 'More of one']);
    expect(await fixture.json(['undo'])).toMatchObject({ treeId: one.tree, title: 'Untitled', trashed: false });
    expect(await fixture.json(['undo'])).toMatchObject({ treeId: two.tree });
    expect(await fixture.json(['show', one.tree])).toMatchObject({ nodes: [{ text: 'One' }] });
  });

  it('[O81] with a tree undoes the last act in that tree', async () => {
    const one = await fixture.createChat('One', 'Two');
    await fixture.createChat('Other');
    expect(await fixture.json(['undo', one.tree])).toMatchObject({ treeId: one.tree, activeNodeId: one.nodes[0] });
  });
});
