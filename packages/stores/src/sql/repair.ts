/** Repairs a database: first unreadable rows, then the structure of each tree. No message is deleted. */
import { type Bookmark, type FsckReport, type Node, type TreeId, treeId } from '@coppice/core';
import { deriveId } from '../linear.ts';
import { repairRows } from '../repair.ts';
import { answerRead } from './answers.ts';
import { nodeTableColumns } from './numbered-schema.ts';
import {
  firstNodeNumberOfTree,
  inTreeByIdSql,
  inTreeSql,
  nodeNumberByIdSql,
  nodeNumbersPerTree,
  treeNoSql,
} from './numbers.ts';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readTextColumn,
  readTextColumnOrNull,
  type SqlDialect,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import { insertedNodeValues } from './rows.ts';
import { readTreeBase, readTreeRow, type TreeScope } from './scope.ts';
import { keepUnreadableAsText, repairedEmptyContent, unreadableRowCode } from './unreadable.ts';
import { insertNodeSql } from './write.ts';

type RepairFinding = FsckReport['findings'][number];

/** Repairs the trees that findings are about. Returns one sentence for each change. */
export function* repairDatabase(
  dialect: SqlDialect,
  owner: string,
  findings: readonly RepairFinding[],
): SqlTask<string[]> {
  const done: string[] = [];
  const trees = new Set<TreeId>();
  for (const { code, treeId: tree } of findings)
    if (code === unreadableRowCode && tree !== null && !trees.has(tree)) {
      trees.add(tree);
      // Unreadable rows are repaired first, because the other repairs have to read them.
      yield* keepUnreadableAsText(tree, done);
    }
  for (const { code, id, treeId: tree } of findings) {
    if (tree === null) continue;
    trees.add(tree);
    if (code.startsWith('I05')) yield* adopt(dialect, owner, tree, id, done);
    else yield* repairRow(code.slice(0, 3), tree, id, done);
  }
  for (const tree of trees) yield* repairStoredTree(dialect, tree, done);
  return done;
}

/**
 * Creates a tree row for nodes without one, under the tree number that is part of their numbers. Its log starts with
 * the current rows, because the history is unknown.
 */
function* adopt(dialect: SqlDialect, owner: string, tree: TreeId, node: string, done: string[]): SqlTask<void> {
  const found = yield* queryRow(`SELECT ${treeNoSql('n')} AS no FROM node n WHERE n.id = $1`, node);
  const no = readNumberColumn(found ?? {}, 'no');
  if ((yield* queryRow('SELECT id FROM tree WHERE no = $1', no)) !== undefined) return;
  const [top] = yield* queryRows(
    `SELECT max(n.no) - CAST($1 AS BIGINT) AS seq, max(n.created_at) AS at FROM node n WHERE ${inTreeSql('n')}`,
    firstNodeNumberOfTree(no),
  );
  const at = top === undefined ? 0 : readNumberColumn(top, 'at');
  const attributes = JSON.stringify({ project: 'default', title: 'Recovered' });
  const roots = yield* takeRoots(dialect, no);
  yield* execute(
    `INSERT INTO tree (no, id, owner, root_id, version, structure_version, next_seq, created_at, updated_at, project, title, pinned, attributes)
    VALUES ($7, $1, $2, $3, 1, 1, $4, $5, $5, 'default', 'Recovered', 0, $6)`,
    tree,
    owner,
    deriveId('mended-root', tree),
    top === undefined ? 0 : readNumberColumn(top, 'seq') + 1,
    at,
    attributes,
    no,
  );
  for (const root of roots) yield* putBack(root);
  if (dialect.name === 'postgres')
    yield* queryRow("SELECT setval(pg_get_serial_sequence('tree', 'no'), (SELECT max(no) FROM tree))");
  yield* execute(
    `UPDATE node SET added_in = 1, content_in = 1, meta_in = 1, removed_in = CASE WHEN removed_in IS NULL THEN NULL ELSE 1 END WHERE ${inTreeSql('node')}`,
    firstNodeNumberOfTree(no),
  );
  yield* execute(
    `INSERT INTO change (tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner)
    VALUES ($1, 1, $2, $3, $4, 'do', 0, 1, 0, '[]', $3)`,
    tree,
    deriveId('mended-act', tree),
    owner,
    at,
  );
  done.push(`the tree ${tree} was missing; its nodes are in a new tree with that id, named Recovered`);
}

const columns = nodeTableColumns.split(', ');
const putBackSql = `INSERT INTO node (${nodeTableColumns}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`;

/**
 * Deletes the root rows of a tree number and returns them. On PostgreSQL a trigger on a new tree row inserts and
 * deletes a root row to reserve the id, which an existing root would prevent.
 */
function* takeRoots({ name }: SqlDialect, no: number): SqlTask<readonly SqlRow[]> {
  if (name !== 'postgres') return [];
  return yield* queryRows(`DELETE FROM node WHERE root_of = $1 RETURNING ${nodeTableColumns}`, no);
}

function* putBack(row: SqlRow): SqlTask<void> {
  const values = columns.map((column) => {
    const value = row[column];
    return typeof value === 'number' ? value : readTextColumnOrNull(row, column);
  });
  yield* execute(putBackSql, ...values);
}

const rootText = JSON.stringify([{ type: 'text', text: 'A second root was here.' }]);

/** Repairs a row that violates a rule by itself. Its metadata keeps the old values. */
function* repairRow(code: string, tree: TreeId, id: string, done: string[]): SqlTask<void> {
  const base = yield* readTreeBase(tree);
  const set = function* (
    assignments: string,
    kept: Readonly<Record<string, unknown>>,
    sentence: string,
  ): SqlTask<void> {
    const found = yield* queryRow(`SELECT meta FROM node WHERE ${inTreeByIdSql('node')} AND id = $2`, base, id);
    if (found === undefined) return;
    const meta: object = JSON.parse(readTextColumn(found, 'meta'));
    const changed = yield* execute(
      `UPDATE node SET ${assignments}, meta = $3 WHERE ${inTreeByIdSql('node')} AND id = $2`,
      base,
      id,
      JSON.stringify({ ...meta, ...kept }),
    );
    if (changed > 0) done.push(`${id} ${sentence}`);
  };
  const found = yield* queryRow(
    `SELECT role, kind, tool_call_id, content FROM node WHERE ${inTreeByIdSql('node')} AND id = $2`,
    base,
    id,
  );
  switch (code) {
    case 'I01':
      return yield* repairRoots(tree, done);
    case 'I02':
    case 'I11': {
      const role = found === undefined ? '' : readTextColumn(found, 'role');
      // A missing parent is repaired later, with the structure of the tree. Here only an invalid role is repaired.
      if (
        found === undefined ||
        readTextColumn(found, 'kind') === 'root' ||
        ['system', 'user', 'assistant', 'tool'].includes(role)
      )
        return;
      return yield* set(
        "role = 'user', tool_call_id = NULL",
        { recoveredRole: role },
        `had the role ${role} and is a user's`,
      );
    }
    case 'I12': {
      const call = found === undefined ? null : readTextColumnOrNull(found, 'tool_call_id');
      if (call === null) return yield* set("tool_call_id = 'unknown'", {}, 'answers an unknown call');
      return yield* set('tool_call_id = NULL', { recoveredCall: call }, `answered ${call} although it is no tool's`);
    }
    case 'I13':
      return yield* set('group_id = 0', {}, 'is in no group');
    case 'I14': {
      yield* execute(
        'UPDATE tree SET version = (SELECT coalesce(max(c.version), 0) FROM change c WHERE c.tree_id = $1) WHERE id = $1',
        tree,
      );
      done.push(`the version of ${tree} was set to that of its last commit`);
      return;
    }
    case 'I15':
      // A message that only had the role of a root was repaired as I02 and keeps its content.
      if (found === undefined || readTextColumn(found, 'kind') !== 'root') return;
      return yield* set(
        "content = '[]'",
        { recoveredContent: found?.content },
        'is a root, and its old content is kept in its metadata',
      );
    case 'I16':
      return yield* set(`content = '${repairedEmptyContent}', search_text = NULL`, {}, 'said nothing, and says so');
  }
}

// The SQL of the number of the root, for the tree with base `$1`.
const rootNo = `(SELECT r.no FROM tree t JOIN node r ON r.id = t.root_id WHERE t.no = CAST($1 AS BIGINT) / ${nodeNumbersPerTree})`;

/** Converts every root except the one that the tree row names to a marker, so that its descendants stay below it. */
function* repairRoots(tree: TreeId, done: string[]): SqlTask<void> {
  const base = yield* readTreeBase(tree);
  const others = yield* queryRows(
    `SELECT n.id FROM node n JOIN tree t ON t.no = ${treeNoSql('n')}
    WHERE ${inTreeSql('n')} AND n.kind = 'root' AND n.removed_in IS NULL AND n.id <> t.root_id
      AND EXISTS (SELECT 1 FROM node r WHERE r.id = t.root_id AND r.removed_in IS NULL AND ${treeNoSql('r')} = t.no)`,
    base,
  );
  for (const other of others) {
    const id = readTextColumn(other, 'id');
    yield* execute(
      `UPDATE node SET kind = 'state', role = 'system', content = $3, search_text = NULL, equality_key = NULL,
        parent_no = ${rootNo}, match_no = ${rootNo}, root_of = NULL, position = position || $4
      WHERE ${inTreeByIdSql('node')} AND id = $2`,
      base,
      id,
      rootText,
      // The position contains the id, so it is unique.
      `${id.replaceAll('-', '')}V`,
    );
    done.push(`${id}, a second root of ${tree}, was converted to a marker below the first root`);
  }
}

/** Repairs the parents, positions and the active node of a tree, with the rules that all stores share. */
function* repairStoredTree(dialect: SqlDialect, id: TreeId, done: string[]): SqlTask<void> {
  const [home] = yield* queryRows('SELECT owner FROM tree WHERE id = $1', id);
  if (home === undefined) return;
  const owner = readTextColumn(home, 'owner');
  const scope: TreeScope = { dialect, owner, treeId: id, tree: yield* readTreeRow(owner, id) };
  if (scope.tree === null) return;
  const all = yield* answerRead(scope, { ask: 'rows' });
  if (all === null || typeof all !== 'object' || !('nodes' in all) || !('bookmarks' in all) || !('row' in all)) return;
  const mended = repairRows(all);
  const before = new Map(all.nodes.map((node) => [node.id, node]));
  const { base } = scope.tree;
  // A new root is inserted first, because other nodes refer to it.
  for (const node of mended.nodes)
    if (!before.has(node.id)) yield* execute(insertNodeSql, ...insertedNodeValues(base, node, noLinks));
  for (const node of mended.nodes) {
    const old = before.get(node.id);
    if (old !== undefined && old !== node) yield* updateNode(base, node);
  }
  yield* deleteBookmarks(id, all.bookmarks, mended.bookmarks);
  yield* execute(
    'UPDATE tree SET root_id = $2, active_node_id = $3, next_seq = $4 WHERE id = $1',
    id,
    mended.row.rootId,
    mended.row.activeNodeId,
    mended.row.nextSeq,
  );
  for (const sentence of mended.repaired) done.push(sentence);
}

// A new root refers to no other node.
const noLinks = { parent: null, match: null, last: null };

function* updateNode(base: number, node: Node): SqlTask<void> {
  yield* execute(
    `UPDATE node SET parent_no = ${nodeNumberByIdSql('$3')}, root_of = CASE WHEN CAST($3 AS TEXT) IS NULL THEN root_of END,
      position = $4, group_id = $5, match_no = ${nodeNumberByIdSql('$6')}, removed_in = $7, meta = $8
    WHERE ${inTreeByIdSql('node')} AND id = $2`,
    base,
    node.id,
    node.parentId,
    node.position,
    node.groupId,
    node.matchParent,
    node.removedIn,
    JSON.stringify(node.meta),
  );
}

function* deleteBookmarks(tree: TreeId, before: readonly Bookmark[], after: readonly Bookmark[]): SqlTask<void> {
  const kept = new Set(after.map((mark) => mark.nodeId));
  for (const { nodeId } of before)
    if (!kept.has(nodeId)) yield* execute('DELETE FROM bookmark WHERE tree_id = $1 AND node_id = $2', tree, nodeId);
}

/**
 * Returns the tree that a finding is about. For a node without a tree, returns the id of the tree that a repair
 * creates.
 */
export function* findTreeOfFinding(id: string): SqlTask<TreeId | null> {
  const found = yield* queryRow(
    `SELECT t.id, ${treeNoSql('n')} AS no FROM node n LEFT JOIN tree t ON t.no = ${treeNoSql('n')} WHERE n.id = $1
    UNION ALL SELECT id, no FROM tree WHERE id = $1 LIMIT 1`,
    id,
  );
  if (found === undefined) return null;
  return treeId(readTextColumnOrNull(found, 'id') ?? deriveId('mended-tree', String(readNumberColumn(found, 'no'))));
}
