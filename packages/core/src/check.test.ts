import { describe, expect, test } from 'vitest';
import { checkRows, checkTree, type TreeFindingCode, treeFindingSeverities } from './check.ts';
import { emptyChildList, insertChild } from './child-list.ts';
import { nodeId } from './ids.ts';
import { textMessage } from './message.ts';
import type { Bookmark, Node } from './node.ts';
import { mapGet, mapPut } from './persistent-map.ts';
import { buildTree, testRootId } from './testing/build-tree.ts';
import { toolCallMessage, toolResultMessage, user } from './testing/test-tree.ts';
import { allNodes, type Tree, type TreeRow } from './tree.ts';

const clean = buildTree(`
a
  b
    c*
  d
#m
  e`);

interface Rows {
  readonly row: TreeRow;
  readonly nodes: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
}

const rows: Rows = { row: clean, nodes: allNodes(clean), bookmarks: [] };
const mark = (id: string): Bookmark => ({ nodeId: nodeId(id), title: id, createdAt: 1, updatedAt: 1 });

/** Returns the rows with one node changed. */
function node(id: string, change: Partial<Node>): Rows {
  return { ...rows, nodes: rows.nodes.map((one) => (one.id === id ? { ...one, ...change } : one)) };
}

function row(change: Partial<TreeRow>): Rows {
  return { ...rows, row: { ...rows.row, ...change } };
}

const twin = (id: string, change: Partial<Node>): Rows => ({
  ...rows,
  nodes: [...rows.nodes, ...rows.nodes.filter((one) => one.id === id).map((one) => ({ ...one, ...change }))],
});

const spoken = (message: Node['message']): Partial<Node> => ({ message, role: message?.role ?? 'root' });
const call = toolCallMessage('k', 'look');
const odd = { role: 'user', content: [{ type: 'tool-use', id: 'k', name: 'look', parameters: {} }] } as const;
const formless = {
  role: 'assistant',
  content: [{ type: 'tool-use', id: 'k', name: 'look', parameters: null }],
} as const;

/** One broken invariant for every code that can be found in rows alone, with the id at which it is reported. */
const faults: readonly (readonly [TreeFindingCode, string, Rows])[] = [
  ['I01 root-count', 'tree', { ...rows, nodes: rows.nodes.slice(1) }],
  ['I01 root-count', 'tree', twin('root', { id: nodeId('other'), seq: 0.5 })],
  ['I01 root-count', 'tree', row({ rootId: nodeId('a') })],
  ['I02 root<=>null-parent', 'a', node('a', { parentId: null })],
  ['I02 root<=>null-parent', 'root', node('root', { parentId: nodeId('a') })],
  ['I03 dangling-parent', 'b', node('b', { parentId: nodeId('lost') })],
  ['I03 dangling-parent', 'd', node('d', { parentId: nodeId('lost'), removedIn: 2 })],
  ['I06 unreachable(cycle/orphan)', 'b', node('b', { parentId: nodeId('c') })],
  ['I06 unreachable(cycle/orphan)', 'd', node('d', { parentId: nodeId('d'), removedIn: 2 })],
  ['I07 duplicate-id', 'd', twin('d', { seq: 0.5, position: 'a9' })],
  ['I08 active-missing-or-foreign', 'tree', row({ activeNodeId: nodeId('lost') })],
  ['I08 active-missing-or-foreign', 'tree', node('c', { removedIn: 2 })],
  ['I09 active-is-root', 'tree', row({ activeNodeId: testRootId })],
  ['I10 active-null-iff-empty', 'tree', row({ activeNodeId: null })],
  ['I11 bad-role', 'a', node('a', { role: 'assistant' })],
  ['I12 tool_call_id<=>tool-role', 'a', node('a', { message: { ...user('a'), tool_call_id: 'k' } })],
  ['I12 tool_call_id<=>tool-role', 'c', node('c', spoken({ role: 'tool', content: user('c').content }))],
  ['I13 bad-group', 'a', node('a', { groupId: -1 })],
  ['I13 bad-group', 'a', node('a', { groupId: 1.5 })],
  ['I13 bad-group', 'root', node('root', { groupId: 1 })],
  ['I14 version-negative', 'tree', row({ version: -1 })],
  ['I15 root-has-content', 'root', node('root', spoken(user('x')))],
  ['I15 root-has-content', 'a', node('a', { message: null, role: 'root' })],
  ['I16 empty-content', 'a', node('a', { message: { role: 'user', content: [] } })],
  ['J1 blank', 'a', node('a', { message: textMessage('user', ' \n') })],
  ['J1 block', 'a', node('a', { message: { role: 'user', content: [JSON.parse('{"text":"x"}')] } })],
  ['J1 block', 'a', node('a', { message: { role: 'user', content: [JSON.parse('null')] } })],
  ['J2 tool-use', 'a', node('a', { message: odd })],
  ['J2 tool-use', 'b', node('b', { message: { ...call, content: [...call.content, ...call.content] } })],
  ['J2 tool-use', 'b', node('b', { message: JSON.parse(JSON.stringify(formless)) })],
  ['J3 tool-call', 'b', node('b', { message: call })],
  ['J3 tool-result', 'c', node('c', spoken(toolResultMessage('k', 'x')))],
  ['J6 equal-siblings', 'd', node('d', { key: (clean && mapGet(clean.nodes, 'b')?.node.key) ?? null })],
  ['J27 status', 'a', node('a', { status: JSON.parse('"done"') })],
  ['bookmark-dangling', 'lost', { ...rows, bookmarks: [mark('lost')] }],
  ['bookmark-dangling', 'root', { ...rows, bookmarks: [mark('root')] }],
  ['bookmark-dangling', 'd', { ...node('d', { removedIn: 2 }), bookmarks: [mark('d')] }],
  ['bookmark-twice', 'd', { ...rows, bookmarks: [mark('d'), mark('d')] }],
  ['key', 'a', node('a', { key: null })],
  ['key', 'm', node('m', { key: 'k' })],
  ['live-below-removed', 'c', node('b', { removedIn: 2 })],
  ['match-parent', 'c', node('c', { matchParent: nodeId('a') })],
  ['match-parent', 'e', node('e', { matchParent: nodeId('m') })],
  ['position', 'a', node('a', { position: '' })],
  ['position', 'a', node('a', { position: 'a00' })],
  ['position-twice', 'd', node('d', { position: 'a0' })],
  ['seq-twice', 'd', node('d', { seq: 1 })],
  ['seq-twice', 'd', node('d', { seq: 99 })],
  ['version-ahead', 'a', node('a', { addedIn: 3 })],
  ['version-ahead', 'a', node('a', { contentIn: 3 })],
  ['version-ahead', 'd', node('d', { removedIn: 3 })],
  ['version-ahead', 'tree', row({ structureVersion: 3 })],
];

describe('the check of a tree', () => {
  test('[T36] finds nothing on clean data', () => {
    expect(checkTree(clean)).toEqual([]);
    expect(checkRows(rows.row, rows.nodes, [mark('a'), mark('b')])).toEqual([]);
  });

  test.each(faults)('[T37] finds %s at %s in damaged data', (code, id, { row: one, nodes, bookmarks }) => {
    const found = checkRows(one, nodes, bookmarks);
    expect(found).toContainEqual({
      code,
      severity: treeFindingSeverities[code],
      id,
      message: expect.stringMatching(/\.$/),
    });
  });

  test('[T37] each code has a test with damaged data', () => {
    const sample = new Set<string>([...faults.map(([code]) => code), 'children-list', 'size']);
    expect(Object.keys(treeFindingSeverities).filter((code) => !sample.has(code))).toEqual([]);
  });

  test('[T37] finds child lists and counts that do not match the nodes', () => {
    const entry = mapGet(clean.nodes, 'a');
    if (entry === undefined) throw new Error('The drawing has a.');
    const codes = (tree: Tree) => checkTree(tree).map((finding) => finding.code);
    const unlisted = { ...clean, nodes: mapPut(clean.nodes, { ...entry, children: emptyChildList }) };
    expect(codes(unlisted)).toEqual(['children-list']);
    const foreign = {
      ...clean,
      nodes: mapPut(clean.nodes, { ...entry, children: insertChild(entry.children, 'a9', nodeId('e')) }),
    };
    expect(codes(foreign)).toContain('children-list');
    expect(codes({ ...clean, size: 7 })).toEqual(['size']);
  });
});

describe('tool calls', () => {
  const conversation = (messages: readonly (Node['message'] | null)[]): Rows => {
    const names = ['a', 'b', 'c'];
    return {
      ...rows,
      nodes: rows.nodes.map((one) => {
        const message = messages[names.indexOf(one.id)];
        return message == null ? one : { ...one, ...spoken(message) };
      }),
    };
  };
  const codes = ({ row: one, nodes, bookmarks }: Rows) => checkRows(one, nodes, bookmarks).map(({ code }) => code);

  test('[T38] are matched with results below them, with only results and markers in between', () => {
    expect(codes(conversation([call, toolResultMessage('k', 'x'), user('next')]))).toEqual(
      expect.not.arrayContaining(['J3 tool-result']),
    );
    expect(codes(conversation([call, user('no result'), null]))).toContain('J3 tool-call');
    expect(codes(conversation([call, user('in between'), toolResultMessage('k', 'late')]))).toContain('J3 tool-result');
    expect(codes(conversation([null, call, toolResultMessage('other', 'x')]))).toContain('J3 tool-result');
    expect(codes(conversation([null, call, toolResultMessage('k', 'x')]))).toEqual([]);
  });

  test('[T38] in a chain of 20,000 results are examined once each', () => {
    const [root, first] = rows.nodes;
    if (root === undefined || first === undefined) throw new Error('The drawing has nodes.');
    const chain: Node[] = [root];
    for (let i = 0; i < 20_000; i++) {
      const parentId = i === 0 ? root.id : nodeId(`n${i - 1}`);
      const message = toolResultMessage('k', 'x');
      chain.push({ ...first, ...spoken(message), id: nodeId(`n${i}`), parentId, matchParent: parentId, seq: i + 1 });
    }
    const found = checkRows({ ...clean, activeNodeId: nodeId('n19999'), nextSeq: 20_001 }, chain, []);
    expect(found.filter(({ code }) => code !== 'J3 tool-result')).toEqual([]);
    expect(found).toHaveLength(20_000);
  });
});
