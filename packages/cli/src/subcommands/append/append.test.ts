import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice append', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O10] adds at the end of the active branch, below a node, and to a new tree', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two');
    const below = await fixture.json(['append', tree, '--parent', nodes[0] ?? '', 'Other']);
    expect(below).toMatchObject({ treeId: tree, changed: true });
    const shown = await fixture.json(['show', tree]);
    expect(shown).toMatchObject({ activeNodeId: below['nodeId'], nodes: [{ id: nodes[0] }, { id: below['nodeId'] }] });
  });

  it('[O10] reads the text from a pipe without its last line feed', async () => {
    const said = await fixture.json(['append', '--new'], 'from a pipe\n');
    expect(await fixture.json(['show', String(said['treeId'])])).toMatchObject({ nodes: [{ text: 'from a pipe' }] });
  });

  it('[O10] adds an equal message only once, and reports it', async () => {
    const { tree, nodes } = await fixture.createChat('One');
    const again = await fixture.run(['append', tree, '--parent', 'root', 'One']);
    expect(again.out).toContain('Nothing changed.');
    expect(await fixture.json(['append', tree, '--parent', 'root', 'One'])).toMatchObject({
      nodeId: nodes[0],
      changed: false,
    });
  });

  it('[O10] a blank title counts as no title', async () => {
    await fixture.json(['append', '--new', '--title', ' ', 'Hello']);
    expect((await fixture.run(['ls'])).out).toContain('Hello');
    expect(await fixture.json(['show', 'last'])).toMatchObject({ title: 'Untitled' });
  });

  it('[O10] refuses a command without a tree, and a blank text for an existing tree', async () => {
    const { tree } = await fixture.createChat('One');
    expect(await fixture.run(['append'])).toMatchObject({ code: 2 });
    const blank = { code: 2, out: '', err: 'The message is empty.\n' };
    expect(await fixture.run(['append', tree, ''])).toEqual(blank);
    expect(await fixture.run(['append', tree], ' \n')).toEqual(blank);
    expect((await fixture.run(['append', tree, ' ', '--json'])).err).toContain('"code":"message/blank"');
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{ text: 'One' }] });
  });

  it('[O10] leaves no empty tree after a refused first message, and reports a new tree without messages', async () => {
    for (const words of [
      ['--id', 'mine', 'Hello'],
      ['--parent', '@', 'Hello'],
    ])
      expect(await fixture.run(['append', '--new', ...words])).toMatchObject({ code: 2 });
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
    expect((await fixture.run(['append', '--new', ' '])).out).toMatch(/^Started [0-9a-f-]{36}; it has no messages/);
    expect(await fixture.run(['append', 'last', '--title', 'Late', 'Hello'])).toMatchObject({ code: 2 });
    expect(await fixture.json(['show', 'last'])).toMatchObject({ title: 'Untitled', nodes: [] });
  });
});
