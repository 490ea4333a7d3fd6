import { describe, expect, test } from 'vitest';
import { nodeId, treeId } from '../ids.ts';
import { runReads } from '../reads.ts';
import { assistant, refusalOf, runAndCheck, stepTypesOf, TestTree, testUuid, user } from '../testing/index.ts';
import { createPlanContext } from '../testing/plan-context.ts';
import { allBookmarks, emptyTree, findAnyNode } from '../tree.ts';
import { type ImportCommand, type ImportNode, planImport } from './import.ts';

const q: ImportNode = { id: testUuid(11), parentId: null, order: 0, message: user('q'), createdAt: 5 };
const a1: ImportNode = { id: testUuid(12), parentId: testUuid(11), order: 1, message: assistant('a1'), group: 3 };
const a2: ImportNode = { id: testUuid(13), parentId: testUuid(11), order: 0, message: assistant('a2'), group: 3 };

function importing(nodes: readonly ImportNode[], rest: Partial<ImportCommand> = {}): ImportCommand {
  return { type: 'import', treeId: treeId(testUuid(1)), nodes, ...rest };
}

async function imported(nodes: readonly ImportNode[], rest: Partial<ImportCommand> = {}): Promise<TestTree> {
  const fixture = new TestTree();
  await fixture.run(importing(nodes, rest));
  return fixture;
}

describe('an import', () => {
  test('[P85] makes the whole tree in one commit', async () => {
    const fixture = new TestTree();
    const state: ImportNode = { id: testUuid(14), parentId: testUuid(13), order: 0, message: user(' '), kind: 'state' };
    const command = importing(
      [q, { ...a1, bookmark: { title: 'good', createdAt: 3 } }, { ...a2, status: 'pending' }, state],
      {
        attributes: { title: 't', systemPrompt: 'p' },
        activeId: testUuid(12),
      },
    );
    const { commit, result } = await fixture.run(command);
    expect(result).toEqual({
      treeId: testUuid(1),
      created: true,
      added: [testUuid(11), testUuid(12), testUuid(13), testUuid(14)],
      present: [],
      left: [],
      refreshed: [],
    });
    expect(commit?.version).toBe(1);
    expect(fixture.drawing()).toEqual(['q', '  a2', '     ', '  a1 *']);
    expect(fixture.tree.attributes).toMatchObject({ title: 't', systemPrompt: 'p' });
    expect(fixture.node(testUuid(11)).createdAt).toBe(5);
    expect([fixture.node(testUuid(12)).groupId, fixture.node(testUuid(13)).groupId]).toEqual([3, 3]);
    expect(fixture.node(testUuid(13)).status).toBe('error');
    expect(fixture.node(testUuid(14))).toMatchObject({ kind: 'state', key: null, matchParent: testUuid(13) });
    expect(allBookmarks(fixture.tree)).toMatchObject([
      { nodeId: testUuid(12), title: 'good', createdAt: 3, updatedAt: 3 },
    ]);
  });

  test('[P85] makes the newest node active by default, and none in an empty tree', async () => {
    expect((await imported([q, a1])).active).toBe(testUuid(12));
    expect((await imported([])).active).toBeNull();
    expect(emptyTree(treeId(testUuid(1))).version).toBe(0);
  });

  test('[P86] repeated commits nothing, whatever the user did meanwhile', async () => {
    const fixture = await imported([q, a1, a2]);
    await fixture.run({
      type: 'edit',
      treeId: fixture.treeId,
      nodeId: nodeId(testUuid(12)),
      content: 'mine',
      mode: 'in-place',
    });
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [nodeId(testUuid(13))] });
    const before = fixture.tree;
    const { commit, result } = await fixture.run(importing([q, a1, a2], { attributes: { title: 'theirs' } }));
    expect(commit).toBeNull();
    expect(result).toMatchObject({ created: false, added: [], present: [testUuid(11), testUuid(12), testUuid(13)] });
    expect(fixture.tree).toBe(before);
  });

  test('[P117] updates the nodes that it names, with their source, and no others', async () => {
    const fixture = await imported([q, { ...a1, meta: { source: { type: 'model' }, tags: ['mine'] } }, a2]);
    const grown = { ...a1, message: assistant('a1 and more'), meta: { source: { type: 'model', model_name: 'm' } } };
    const other = { ...a2, message: assistant('other') };
    const command = importing([q, grown, other], { refresh: [testUuid(12), testUuid(99)] });
    const { result } = await fixture.run(command);
    expect(result).toMatchObject({ refreshed: [testUuid(12)], added: [] });
    expect(fixture.drawing().map((line) => line.replace(' *', ''))).toEqual(['q', '  a2', '  a1 and more']);
    expect(fixture.node(testUuid(12)).meta).toEqual({ source: { type: 'model', model_name: 'm' }, tags: ['mine'] });
    expect((await fixture.run(command)).commit).toBeNull();
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [nodeId(testUuid(12))] });
    const again = importing([q, { ...grown, message: assistant('later') }, other], { refresh: [testUuid(12)] });
    expect((await fixture.run(again)).commit).toBeNull();
  });

  test('[P86] adds only new nodes, and leaves the active node unchanged', async () => {
    const fixture = await imported([q, a1, a2], { activeId: testUuid(12) });
    const [mine] = await fixture.addMessages(['mine']);
    const more: ImportNode = { id: testUuid(15), parentId: testUuid(13), order: 0, message: user('more') };
    const outcome = await runAndCheck(fixture, importing([q, a1, a2, more], { activeId: testUuid(15) }));
    expect(stepTypesOf(outcome)).toEqual(['insert']);
    expect(fixture.active).toBe(mine);
    expect(fixture.drawing()).toEqual(['q', '  a2', '    more', '  a1', '    mine *']);
  });

  test('[P86] selects its own last node if the active node is where the previous import left it', async () => {
    const fixture = await imported([q, a1, a2], { activeId: testUuid(12) });
    const more = (id: string): ImportNode => ({ id, parentId: testUuid(12), order: 0, message: user(id) });
    await fixture.run(importing([q, a1, more(testUuid(15))], { activeId: testUuid(15), follows: testUuid(12) }));
    expect(fixture.active).toBe(testUuid(15));
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: nodeId(testUuid(13)) });
    await fixture.run(importing([q, a1, more(testUuid(16))], { activeId: testUuid(16), follows: testUuid(15) }));
    expect(fixture.active).toBe(testUuid(13));
    await fixture.run(importing([q, a1], { activeId: testUuid(12), follows: testUuid(13) }));
    expect(fixture.active).toBe(testUuid(13));
  });

  test('[P87] adds a new variant to the group of its siblings', async () => {
    const fixture = await imported([q, a1, a2]);
    const a3: ImportNode = { id: testUuid(16), parentId: testUuid(11), order: 2, message: assistant('a3'), group: 3 };
    const other: ImportNode = { id: testUuid(17), parentId: testUuid(11), order: 3, message: assistant('x'), group: 9 };
    await runAndCheck(fixture, importing([q, a1, a2, a3, other]));
    expect(fixture.node(testUuid(16)).groupId).toBe(fixture.node(testUuid(12)).groupId);
    expect(fixture.node(testUuid(17)).groupId).toBe(4);
  });

  test('[P88] leaves out nodes whose parent the user removed', async () => {
    const fixture = await imported([q, a1]);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [nodeId(testUuid(12))], mode: 'cascade' });
    const more: ImportNode = { id: testUuid(15), parentId: testUuid(12), order: 0, message: user('more') };
    const below: ImportNode = { id: testUuid(16), parentId: testUuid(15), order: 0, message: assistant('below') };
    const { result, commit } = await fixture.run(importing([q, a1, more, below]));
    expect(commit).toBeNull();
    expect(result.left).toEqual([testUuid(15), testUuid(16)]);
  });

  test('[P89] imports removed nodes, which can be restored from the trash', async () => {
    const below: ImportNode = { id: testUuid(15), parentId: testUuid(13), order: 0, message: user('below') };
    const fixture = await imported([q, a1, { ...a2, removed: true }, below]);
    expect(fixture.drawing()).toEqual(['q', '  a1 *']);
    expect(findAnyNode(fixture.tree, testUuid(15))?.removedIn).toBe(1);
    await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: nodeId(testUuid(13)) });
    expect(fixture.drawing()).toEqual(['q', '  a2', '    below', '  a1 *']);
  });

  test('[P90] with invalid data is refused as a whole', async () => {
    const fixture = await TestTree.make();
    const bad = (node: Partial<ImportNode>) => refusalOf(fixture, importing([q, { ...a1, ...node }]));
    expect(await bad({ message: user(' ') })).toBe('message/blank');
    expect(await bad({ message: { role: 'tool', content: [] } })).toBe('message/blank');
    expect(await bad({ parentId: testUuid(99) })).toBe('tree/broken-path');
    expect(await bad({ id: testUuid(11) })).toBe('id/taken');
    expect(await bad({ id: 'msg-1' })).toBe('id/invalid');
    expect(await refusalOf(fixture, importing([q], { attributes: { trashedAt: 1 } }))).toBe('tree/root-protected');
    const elsewhere = { treeId: treeId(testUuid(2)), rootId: testUuid(11) };
    expect(await refusalOf(fixture, importing([q], elsewhere))).toBe('id/taken');
  });

  test('[P116] of many nodes pauses every few hundred, a short one only at its beginning', () => {
    const pausesOf = (count: number) => {
      const nodes = Array.from({ length: count }, (_, index) => ({
        id: testUuid(10_000 + index),
        parentId: index === 0 ? null : testUuid(9_999 + index),
        order: 1,
        message: user(`message ${index}`),
      }));
      let pauses = 0;
      const command = importing(nodes);
      const reading = planImport(command, createPlanContext(command.treeId));
      runReads(reading, (read) => {
        if (read.ask === 'pause') pauses++;
        return read.ask === 'taken' ? [] : null;
      });
      return pauses;
    };
    expect([pausesOf(10), pausesOf(5_000)]).toEqual([2, 20]);
  });
});
