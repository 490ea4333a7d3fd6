/** Faults in the rows of a database. They are inserted one at a time, and a check must find each. */
import { messageKit } from '@coppice/content';
import { ask, nodeId, run, type Store, textMessage, treeId } from '@coppice/core';
import { deriveId } from '../linear.ts';
import { nodeNumbersPerTree } from '../sql/numbers.ts';

const id = (name: string): string => deriveId('planted', name);
const tree = treeId(id('tree'));
const other = treeId(id('other'));

/** Creates two trees with a few messages, into which faults are inserted. */
export async function createFaultSampleTrees(store: Store): Promise<void> {
  let count = 0;
  const context = {
    actor: 'gardener',
    kit: messageKit,
    now: () => 1000,
    newId: () => deriveId('planted new', ++count),
  };
  const said = (...names: readonly string[]) =>
    names.map((name, at) => ({
      id: id(name),
      message: textMessage(at % 2 === 0 ? 'user' : 'assistant', `${name} says`),
    }));
  await run(store, { type: 'create', treeId: tree, rootId: id('root') }, context);
  await run(store, { type: 'create', treeId: other, rootId: id('other root') }, context);
  await run(store, { type: 'append', treeId: tree, messages: said('a', 'b', 'c') }, context);
  await run(store, { type: 'append', treeId: tree, parentId: nodeId(id('a')), messages: said('d') }, context);
  await run(store, { type: 'append', treeId: other, messages: said('u') }, context);
}

/** Returns the texts of all messages in the trees, by id. */
export async function readAllTexts(store: Store): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { id: found } of (await store.trees()).items) {
    const rows = await store.read(found, () => ask('rows', {}));
    for (const node of rows?.nodes ?? []) texts.set(node.id, node.text);
  }
  return texts;
}

/** A fault: the statements that insert it, the finding that a check must report, and whether a repair removes it. */
export interface SampleFault {
  readonly name: string;
  /** The beginning of the finding's code. */
  readonly code: string;
  readonly statements: readonly string[];
  readonly mends: boolean;
}

// The columns of the node table that a copied row takes over unchanged.
const copied =
  'root_of, kind, role, status, group_id, created_at, match_no, equality_key, tokens, added_in, content_in, removed_in, last_no, tool_call_id, content, search_text, meta, meta_in, marker';

const numberOf = (name: string): string => `(SELECT x.no FROM node x WHERE x.id = '${id(name)}')`;

function copy(from: string, to: { readonly no: string; readonly id: string; readonly parent: string }): string {
  return `INSERT INTO node (no, id, parent_no, position, ${copied})
    SELECT ${to.no}, '${to.id}', ${to.parent}, 'zz', ${copied} FROM node WHERE id = '${from}'`;
}

const setNode = (name: string, assignment: string): string => `UPDATE node SET ${assignment} WHERE id = '${id(name)}'`;
const setTree = (assignment: string): string => `UPDATE tree SET ${assignment} WHERE id = '${tree}'`;

const fault = (code: string, name: string, statements: readonly string[], mends = true): SampleFault => ({
  code,
  name,
  statements,
  mends,
});

/** Faults of every kind that a check finds. */
export const sampleFaults: readonly SampleFault[] = [
  fault('I01', 'no root', [`DELETE FROM node WHERE id = '${id('root')}'`]),
  fault('I01', 'two roots', [
    copy(id('root'), { no: `${numberOf('root')} + 50`, id: id('second root'), parent: 'NULL' }),
    setTree('next_seq = 51'),
    setNode('d', `parent_no = ${numberOf('second root')}`),
  ]),
  fault('I02', 'a root with a parent', [setNode('b', "role = 'root'")]),
  fault('I02', 'a message without a parent', [setNode('b', 'parent_no = NULL')]),
  fault('I03', 'a parent that is missing', [setNode('b', 'parent_no = no + 1000')]),
  fault('I04', 'a parent in another tree', [setNode('b', `parent_no = ${numberOf('u')}`)]),
  fault('I05', 'a node without a tree', [
    setNode('c', `no = no + ${100 * nodeNumbersPerTree}`),
    setTree(`active_node_id = '${id('d')}'`),
  ]),
  fault('I06', 'a circle', [setNode('b', `parent_no = ${numberOf('c')}`)]),
  // A repair cannot know which of the two is right, so it only reports them.
  fault(
    'I07',
    'an id twice',
    [copy(id('d'), { no: `${numberOf('other root')} + 50`, id: id('d'), parent: numberOf('other root') })],
    false,
  ),
  fault('I08', 'an active node that is missing', [setTree(`active_node_id = '${id('nobody')}'`)]),
  fault('I08', 'an active node of another tree', [setTree(`active_node_id = '${id('u')}'`)]),
  fault('I09', 'an active root', [setTree(`active_node_id = '${id('root')}'`)]),
  fault('I10', 'no active node in a tree that has some', [setTree('active_node_id = NULL')]),
  fault('I11', 'an unknown role', [setNode('b', "role = 'bot'")]),
  fault('I12', 'a tool result without a call', [setNode('b', "role = 'tool'")]),
  fault('I12', 'a call in a message of a user', [setNode('a', "tool_call_id = 'call'")]),
  fault('I13', 'a group below zero', [setNode('b', 'group_id = -1')]),
  fault('I14', 'a version below zero', [setTree('version = -1, structure_version = -1')]),
  fault('I15', 'a root that says something', [setNode('root', `content = '[{"type":"text","text":"x"}]'`)]),
  fault('I16', 'a message without blocks', [setNode('b', "content = '[]'")]),
  fault('I16', 'a message without content', [setNode('b', "content = ''")]),
  fault('row-unreadable', 'a content that is cut off', [setNode('b', `content = '[{"type":"text","text":"b says'`)]),
  fault('row-unreadable', 'a content that is no list of blocks', [setNode('b', `content = '"b says"'`)]),
  fault('row-unreadable', 'notes that are cut off, on a node without a parent', [
    setNode('b', `meta = '{"title":', parent_no = no + 1000`),
  ]),
  fault('row-unreadable', 'attributes that are cut off', [setTree(`attributes = '{"project":'`)]),
  fault('match-parent', 'a message that matches below another', [setNode('c', `match_no = ${numberOf('root')}`)]),
  fault('bookmark-dangling', 'a bookmark on nothing', [
    `INSERT INTO bookmark (tree_id, node_id, title, created_at, updated_at) VALUES ('${tree}', '${id('nobody')}', 'x', 0, 0)`,
  ]),
];
