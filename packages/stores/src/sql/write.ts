/** Writes a commit to the tables: row changes, the tree row and the log. */
import {
  type Commit,
  type Node,
  type NodeId,
  type PreparedCommit,
  type RowChange,
  refuse,
  type TreeAttributes,
} from '@coppice/core';
import { CommitRows, isUndoable } from '@coppice/core/store';
import { applyPatch, insertedNodes, rowChanges } from '@coppice/core/tree';
import { assertNodeStillValid } from '../revalidate.ts';
import { buildCopyOriginQuery } from './copies.ts';
import { encodeLoggedSteps } from './log.ts';
import { markSubtreeRows } from './mark-rows.ts';
import { driveNodeLinkReads } from './node-links.ts';
import { firstNodeNumberOfTree, inTreeByIdSql, nodeNumberByIdSql, nodeNumberOf } from './numbers.ts';
import {
  execute,
  type Query,
  queryRow,
  queryRows,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  type SqlParameter,
  type SqlTask,
} from './query.ts';
import {
  attributeColumnValues,
  buildColumnAssignments,
  insertedNodeColumnCount,
  insertedNodeColumns,
  insertedNodeValues,
  type LinkedNodeNumbers,
} from './rows.ts';
import { baseOfScope, type TreeScope } from './scope.ts';

/** The statement that inserts a node. Its parameters are those of {@link insertedNodeValues}. */
export const insertNodeSql = `INSERT INTO node (${insertedNodeColumns}) VALUES (${rowPositions(1, insertedNodeColumnCount)})`;

/** The fields of the tree row as they change while a commit is written. */
interface TreeRowDraft {
  activeNodeId: NodeId | null;
  attributes: TreeAttributes;
  hasNewAttributes: boolean;
  aliases: number;
  readonly version: number;
  /** The first number of the tree's nodes. */
  readonly base: number;
  /** The row numbers of nodes that this commit inserted or looked up, by id. */
  readonly numbers: Map<NodeId, number>;
  /** Insert statements that have not been sent yet. */
  inserts: Query[];
}

/** Writes a commit: its rows in order, the tree row, and the log. Returns the row changes. */
export function* writeCommit(scope: TreeScope, prepared: PreparedCommit): SqlTask<readonly RowChange[]> {
  const leaf = findNewLeaf(scope, prepared.commit);
  if (leaf !== null) {
    yield* writeLeaf(scope, prepared, leaf.node);
    return leaf.changes;
  }
  const base = scope.tree === null ? yield* insertTree(scope, prepared) : scope.tree.base;
  const changes = yield* writeCommitRows(scope, prepared, base);
  yield [];
  yield* appendCommitToLog(scope, prepared.commit);
  return changes;
}

/** A new node that is not the root. */
type LeafRow = Node & { readonly parentId: NodeId };

/**
 * Returns the new node if a commit only adds one message below the active node, or beside it, and selects it, as most
 * commits do. Returns null for other commits.
 */
function findNewLeaf(
  { tree, parentOfActive = null }: TreeScope,
  commit: Commit,
): { readonly node: LeafRow; readonly changes: readonly RowChange[] } | null {
  if (tree === null || commit.steps.length !== 2) return null;
  const rows = new CommitRows(commit, tree.activeNodeId, parentOfActive);
  const changes = commit.steps.flatMap((step) => rows.take(step).rows);
  const [added, active, mark] = changes;
  if (added?.op !== 'added' || active?.op !== 'tree' || mark === undefined || changes.length !== 3) return null;
  const { node } = added;
  const { parentId } = node;
  if (parentId === null || active.activeNodeId !== node.id) return null;
  return isMarkOf(mark, parentId, node.id) && isPlain(node) ? { node: { ...node, parentId }, changes } : null;
}

function isMarkOf(change: RowChange, parent: NodeId, child: NodeId): boolean {
  return (
    isVisitMark(change) &&
    change.op === 'updated' &&
    change.nodeIds.length === 1 &&
    change.nodeIds[0] === parent &&
    change.set.lastChildId === child
  );
}

/** A change that sets the visit mark of one node to a child. */
type NewMark = Extract<RowChange, { op: 'updated' }> & { readonly set: { readonly lastChildId: NodeId } };

function isNewMark(change: RowChange): change is NewMark {
  return (
    isVisitMark(change) && change.op === 'updated' && change.nodeIds.length === 1 && change.set.lastChildId != null
  );
}

/** Sets all visit marks of a path with one statement, because a path may have hundreds of nodes. */
function* writeMarks({ dialect }: TreeScope, base: number, marks: readonly NewMark[]): SqlTask<void> {
  yield* execute(
    dialect.setVisitMarks,
    base,
    JSON.stringify(Object.fromEntries(marks.map(({ nodeIds, set }) => [nodeIds[0], set.lastChildId]))),
  );
}

/** Whether a change only sets a visit mark. */
export function isVisitMark(change: RowChange): boolean {
  return (
    change.op === 'updated' &&
    change.meta === undefined &&
    Object.keys(change.set).every((key) => key === 'lastChildId')
  );
}

const setTree =
  'version = $2, structure_version = $3, next_seq = $4, updated_at = $5, active_node_id = $6, aliases = $7';
const logColumns = 'tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner';

function rowPositions(from: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `$${from + index}`).join(', ');
}

// The tree row is updated last, but its parameters come first, so that their numbers are the same as in
// `updateTreeRow`.
const insertLeaf = `WITH added AS (INSERT INTO node (${insertedNodeColumns}) VALUES (${rowPositions(8, insertedNodeColumnCount)})),
  marked AS (UPDATE node SET last_no = $8 WHERE no = $10),
  logged AS (INSERT INTO change (${logColumns}) VALUES (${rowPositions(8 + insertedNodeColumnCount, 11)}))
  UPDATE tree SET ${setTree} WHERE id = $1`;

const markLeaf = 'UPDATE node SET last_no = $2 WHERE no = $1';

/**
 * Writes a commit that adds one message, with one statement or one list of statements. One statement can write all
 * rows, because none of its parts has to see the changes of another.
 */
function* writeLeaf(scope: TreeScope, { commit, row: after }: PreparedCommit, node: LeafRow): SqlTask<void> {
  const { treeId } = scope;
  const base = baseOfScope(scope);
  const row = [
    treeId,
    after.version,
    after.structureVersion,
    after.nextSeq,
    after.updatedAt,
    node.id,
    scope.tree?.hasAliases === true ? 1 : 0,
  ];
  const parent = yield* numberIn(scope, new Map(), node.parentId);
  const match = node.matchParent === node.parentId ? parent : yield* numberIn(scope, new Map(), node.matchParent);
  const added = insertedNodeValues(base, node, { parent, match, last: null });
  const logged = logParams(scope, commit);
  if (scope.dialect.together) {
    yield* execute(insertLeaf, ...row, ...added, ...logged);
    return;
  }
  yield [
    { sql: insertNodeSql, params: added, want: 'count' },
    { sql: markLeaf, params: [parent, nodeNumberOf(base, node.seq)], want: 'count' },
    { sql: updateTreeRow, params: row, want: 'count' },
    { sql: insertLog, params: logged, want: 'count' },
  ];
}

/** Returns the row number of a node in the tree; null if the id is null or the tree has no such node. */
function* numberIn(scope: TreeScope, numbers: Map<NodeId, number>, id: NodeId | null): SqlTask<number | null> {
  if (id === null) return null;
  const known = numbers.get(id);
  if (known !== undefined) return known;
  // The planner usually read the parent of the node that it inserts, so its number is known.
  const head = scope.prefetched?.parentInfo?.head.id === id ? scope.prefetched.parentInfo.head : scope.heads?.get(id);
  const base = baseOfScope(scope);
  const no = head === undefined ? yield* lookUpNumber(id) : nodeNumberOf(base, head.seq);
  if (no !== null) numbers.set(id, no);
  return no;
}

function* lookUpNumber(id: NodeId): SqlTask<number | null> {
  const found = yield* queryRow(`SELECT ${nodeNumberByIdSql('$1')} AS no`, id);
  return found === undefined || found.no === null ? null : readNumberColumn(found, 'no');
}

/** Looks up the row numbers of the parent, the match parent and the visited child of a new node. */
function* numbersOf(scope: TreeScope, numbers: Map<NodeId, number>, node: Node): SqlTask<LinkedNodeNumbers> {
  const parent = yield* numberIn(scope, numbers, node.parentId);
  const match = node.matchParent === node.parentId ? parent : yield* numberIn(scope, numbers, node.matchParent);
  return { parent, match, last: yield* numberIn(scope, numbers, node.lastChildId) };
}

/** Writes the rows of a commit in order, and the tree row. Returns the row changes. */
export function* writeCommitRows(
  scope: TreeScope,
  prepared: PreparedCommit,
  base: number,
): SqlTask<readonly RowChange[]> {
  const { tree } = scope;
  const draft: TreeRowDraft = {
    activeNodeId: tree?.activeNodeId ?? null,
    attributes: tree?.attributes ?? {},
    hasNewAttributes: false,
    aliases: tree?.hasAliases === true ? 1 : 0,
    version: prepared.row.version,
    base,
    // The numbers of all inserted nodes are known in advance, because a node may refer to one that is inserted after
    // it.
    numbers: new Map(
      insertedNodes(prepared.commit.steps).map(({ id }, at) => [id, nodeNumberOf(base, prepared.commit.seq + at)]),
    ),
    inserts: [],
  };
  yield [];
  const rows = new CommitRows(prepared.commit, draft.activeNodeId, scope.parentOfActive);
  const written: RowChange[] = [];
  for (const step of prepared.commit.steps) {
    const { rows: own, follow } = rows.take(step);
    yield* writeChanges(scope, draft, own, written);
    if (follow === null) continue;
    yield* sendInserts(draft);
    const followed = yield* driveNodeLinkReads(base, follow);
    if (followed.length < 2 || !followed.every(isNewMark)) yield* writeChanges(scope, draft, followed, written);
    else {
      yield* writeMarks(scope, base, followed);
      for (const change of followed) written.push(change);
    }
  }
  yield* sendInserts(draft);
  yield* updateTree(scope, draft, prepared);
  return written;
}

// Large enough to save round trips, and small enough that the parameters of a long import stay small.
const nodesAtOnce = 64;

/** Writes changes in order. Inserts are sent in batches, because an import may have thousands of them. */
function* writeChanges(
  scope: TreeScope,
  draft: TreeRowDraft,
  changes: readonly RowChange[],
  written: RowChange[],
): SqlTask<void> {
  for (const change of changes) {
    written.push(change);
    if (change.op === 'added') draft.inserts.push(yield* insertOf(scope, draft, change.node));
    if (change.op === 'added' && isPlain(change.node) && draft.inserts.length < nodesAtOnce) continue;
    yield* sendInserts(draft);
    yield* writeChange(scope, draft, change);
  }
}

function* sendInserts(draft: TreeRowDraft): SqlTask<void> {
  if (draft.inserts.length === 0) return;
  const { inserts } = draft;
  draft.inserts = [];
  yield inserts;
}

/** Whether a node has neither aliases nor an origin, so that it needs only a row in the node table. */
function isPlain({ aliases, meta }: Node): boolean {
  return aliases.length === 0 && meta.copiedFrom === undefined && meta.pickedFrom === undefined;
}

function* insertOf(scope: TreeScope, { base, numbers }: TreeRowDraft, node: Node): SqlTask<Query> {
  if (scope.inTurns === true) assertNodeStillValid(node);
  const params = insertedNodeValues(base, node, yield* numbersOf(scope, numbers, node));
  return { sql: insertNodeSql, params, want: 'count' };
}

/** Inserts the tree row, which the rows of the first commit refer to. Returns the base of the tree's row numbers. */
function* insertTree(scope: TreeScope, { commit }: PreparedCommit): SqlTask<number> {
  const changes = rowChanges(commit.steps, commit);
  const root = changes.find((change) => change.op === 'added');
  const rootId = root?.op === 'added' ? root.node.id : '';
  if ((yield* queryRow('SELECT id FROM node WHERE id = $1', scope.treeId)) !== undefined)
    refuse('id/taken', `The id ${scope.treeId} is taken by a message of another chat.`, { treeId: scope.treeId });
  // The attributes are inserted with the row: if two transactions create the same forest tree, its unique key makes one
  // of them fail here.
  const born = changes.reduce<TreeAttributes>(
    (set, change) => (change.op === 'tree' ? applyPatch(set, change.attributes ?? {}) : set),
    {},
  );
  yield* execute(
    `INSERT INTO tree (id, owner, root_id, version, structure_version, next_seq, created_at, updated_at, project, folder, title, pinned, trashed_at, forest_key, attributes)
    VALUES ($1, $2, $3, 0, 0, 0, $4, $4, $5, $6, $7, $8, $9, $10, $11)`,
    scope.treeId,
    scope.owner,
    rootId,
    commit.at,
    ...attributeColumnValues(born),
  );
  const found = yield* queryRow('SELECT no FROM tree WHERE id = $1', scope.treeId);
  return firstNodeNumberOfTree(readNumberColumn(found ?? {}, 'no'));
}

function* updateTree(scope: TreeScope, draft: TreeRowDraft, { row: after }: PreparedCommit): SqlTask<void> {
  const params: SqlParameter[] = [
    scope.treeId,
    after.version,
    after.structureVersion,
    after.nextSeq,
    after.updatedAt,
    draft.activeNodeId,
    draft.aliases,
  ];
  if (!draft.hasNewAttributes) yield* execute(updateTreeRow, ...params);
  else
    yield* execute(
      `UPDATE tree SET ${setTree}, project = $8, folder = $9, title = $10, pinned = $11, trashed_at = $12, forest_key = $13, attributes = $14 WHERE id = $1`,
      ...params,
      ...attributeColumnValues(draft.attributes),
    );
}

const insertLog = `INSERT INTO change (${logColumns}) VALUES (${rowPositions(1, 11)})`;
const updateTreeRow = `UPDATE tree SET ${setTree} WHERE id = $1`;

export function* appendCommitToLog(scope: TreeScope, commit: Commit): SqlTask<void> {
  yield* execute(insertLog, ...logParams(scope, commit));
}

function logParams(scope: TreeScope, commit: Commit): SqlParameter[] {
  return [
    scope.treeId,
    commit.version,
    commit.actId,
    commit.actor,
    commit.at,
    commit.kind,
    commit.seq,
    commit.structural ? 1 : 0,
    isUndoable(commit.steps) ? 1 : 0,
    encodeLoggedSteps(commit.steps),
    scope.owner,
  ];
}

/** Writes one change. The row of an added node is already written, so only its rows in other tables follow. */
function* writeChange(scope: TreeScope, draft: TreeRowDraft, change: RowChange): SqlTask<void> {
  const { treeId: tree } = scope;
  switch (change.op) {
    case 'added': {
      const copied = buildCopyOriginQuery(tree, change.node.id, change.node.meta);
      if (copied !== null) yield copied;
      return yield* writeAliases(tree, draft, change.node.id, change.node.aliases);
    }
    case 'updated':
      return yield* updateRows(scope, draft, change);
    case 'marked':
      return yield* markSubtreeRows(draft.base, change);
    case 'bookmarked':
      if (change.bookmark === null)
        yield* execute('DELETE FROM bookmark WHERE tree_id = $1 AND node_id = $2', tree, change.nodeId);
      else
        yield* execute(
          `INSERT INTO bookmark (tree_id, node_id, title, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (tree_id, node_id) DO UPDATE SET title = $3, created_at = $4, updated_at = $5`,
          tree,
          change.nodeId,
          change.bookmark.title,
          change.bookmark.createdAt,
          change.bookmark.updatedAt,
        );
      return;
    case 'tree':
      if (change.activeNodeId !== undefined) draft.activeNodeId = change.activeNodeId;
      if (change.attributes === undefined) return;
      draft.attributes = applyPatch(draft.attributes, change.attributes);
      draft.hasNewAttributes = true;
  }
}

/** Updates the columns of rows, and the rows in other tables that depend on them. */
function* updateRows(
  { treeId: tree, dialect }: TreeScope,
  draft: TreeRowDraft,
  { nodeIds, set, meta }: Extract<RowChange, { op: 'updated' }>,
): SqlTask<void> {
  if (set.contentIn !== undefined) for (const id of nodeIds) yield* keepContent(tree, draft, id, set.contentIn);
  const { sql, values } = buildColumnAssignments(set);
  if (values.length > 0) {
    const [only, ...more] = nodeIds;
    if (only !== undefined && more.length === 0)
      yield* execute(`UPDATE node SET ${sql} WHERE ${inTreeByIdSql('node')} AND id = $2`, draft.base, only, ...values);
    else
      yield* execute(
        `UPDATE node SET ${sql} WHERE ${inTreeByIdSql('node')} AND id IN ${dialect.list('$2')}`,
        draft.base,
        JSON.stringify(nodeIds),
        ...values,
      );
  }
  for (const id of nodeIds) {
    if (set.aliases !== undefined) yield* writeAliases(tree, draft, id, set.aliases);
    if (meta === undefined) continue;
    const now = yield* queryRow(`SELECT n.meta FROM node n WHERE ${inTreeByIdSql('n')} AND n.id = $2`, draft.base, id);
    yield* execute(
      `UPDATE node SET meta = $3, meta_in = $4 WHERE ${inTreeByIdSql('node')} AND id = $2`,
      draft.base,
      id,
      JSON.stringify(applyPatch(readJsonColumn(now ?? { meta: '{}' }, 'meta', 'object') as Node['meta'], meta)),
      draft.version,
    );
  }
}

/**
 * Stores the current content under the version that wrote it, and deletes its aliases. Called before the content is
 * replaced.
 */
function* keepContent(tree: string, draft: TreeRowDraft, id: NodeId, version: number): SqlTask<void> {
  const old =
    draft.aliases > 0
      ? yield* queryRows(
          'SELECT match_parent, equality_key FROM node_alias WHERE tree_id = $1 AND node_id = $2 ORDER BY place',
          tree,
          id,
        )
      : [];
  const aliases = old.map((one) => ({
    matchParent: readTextColumn(one, 'match_parent'),
    key: readTextColumn(one, 'equality_key'),
  }));
  // If one commit replaces a content twice, only the first old content is stored: the second was never visible.
  yield* execute(
    `INSERT INTO node_content (tree_id, node_id, version, status, equality_key, tokens, content, search_text, aliases)
    SELECT $1, id, content_in, status, equality_key, tokens, content, search_text, $3 FROM node WHERE id = $2 AND content_in < $4
    ON CONFLICT (tree_id, node_id, version) DO NOTHING`,
    tree,
    id,
    JSON.stringify(aliases),
    version,
  );
  if (aliases.length > 0) yield* execute('DELETE FROM node_alias WHERE tree_id = $1 AND node_id = $2', tree, id);
}

function* writeAliases(tree: string, draft: TreeRowDraft, id: string, aliases: Node['aliases']): SqlTask<void> {
  for (const [index, alias] of aliases.entries()) {
    draft.aliases = 1;
    yield* execute(
      'INSERT INTO node_alias (tree_id, match_parent, equality_key, node_id, place) VALUES ($1, $2, $3, $4, $5)',
      tree,
      alias.matchParent,
      alias.key,
      id,
      index,
    );
  }
}
