/** Row changes as statements. */
import {
  type Commit,
  type Node,
  type NodeId,
  type PreparedCommit,
  type RowChange,
  refuse,
  type TreeAttributes,
} from '@coppice/core';
import { isUndoable } from '@coppice/core/store';
import { applyPatch } from '@coppice/core/tree';
import { assertRevalidatedNode } from '../revalidate.ts';
import { copyOf } from './copies.ts';
import { loggedSteps } from './log.ts';
import { placeRow, remove, restoreRows } from './move-rows.ts';
import { execute, type Param, parsed, type Query, queryRow, queryRows, type SqlTask, sqlText } from './query.ts';
import { attributeColumns, contentText, nodeColumns, nodeParams, searchColumn } from './rows.ts';
import type { TreeScope } from './scope.ts';
import { writeVisitMarks } from './visit-marks.ts';

const insertNode = `INSERT INTO node (tree_id, ${nodeColumns}, meta_in) VALUES (${rowPositions(1, 23)})`;

/** What a commit leaves in the tree row, gathered while its changes are written. */
interface TreeRowDraft {
  rootId: string;
  activeNodeId: string | null;
  attributes: TreeAttributes;
  attributed: boolean;
  aliases: number;
  readonly version: number;
  /** Parents of nodes that this commit added. */
  readonly added: Map<string, string | null>;
  /** Visit marks that nodes of a new tree get as they are added; null where the tree is there already. */
  readonly marks: ReadonlyMap<string, NodeId> | null;
}

/** Writes a commit: its rows in order, the tree row, and the log. */
export function* writeCommit(scope: TreeScope, settled: PreparedCommit, leaf: LeafRow | null): SqlTask<void> {
  if (leaf !== null) return yield* writeLeaf(scope, settled, leaf);
  if (scope.tree === null) yield* insertTree(scope, settled);
  yield* writeRows(scope, settled);
  yield [];
  yield* writeLog(scope, settled.commit);
}

/** A node that hangs below another one. */
type LeafRow = Node & { readonly parentId: NodeId };

/** The one node of a commit that only adds a message below the active node and goes there, as most commits do. */
export function leafRowOf({ tree }: TreeScope, { changes }: PreparedCommit): LeafRow | null {
  // Not taken apart as a list: an import has thousands.
  if (tree === null || changes.length !== 2) return null;
  const [added, pointed] = changes;
  if (added?.op !== 'added' || pointed?.op !== 'pointed') return null;
  const { node } = added;
  const { parentId } = node;
  if (parentId === null || parentId !== tree.activeNodeId || pointed.nodeId !== node.id || !isPlain(node)) return null;
  return { ...node, parentId };
}

const setTree =
  'version = $2, structure_version = $3, next_seq = $4, updated_at = $5, active_node_id = $6, aliases = $7';
const logColumns = 'tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner';

function rowPositions(from: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `$${from + index}`).join(', ');
}

// The tree's row comes last, whose place among the parameters is that of a statement of its own.
const insertLeaf = `WITH added AS (INSERT INTO node (tree_id, ${nodeColumns}, meta_in) VALUES (${rowPositions(8, 23)})),
  marked AS (UPDATE node SET last_child_id = $6 WHERE tree_id = $1 AND id = $31),
  logged AS (INSERT INTO change (${logColumns}) VALUES (${rowPositions(32, 11)}))
  UPDATE tree SET ${setTree} WHERE id = $1`;

const markLeaf = 'UPDATE node SET last_child_id = $3 WHERE tree_id = $1 AND id = $2';

/**
 * Writes all of such a commit by one statement, or by one list of them. Its parts see nothing of each other, and none of
 * them has to.
 */
function* writeLeaf(scope: TreeScope, { commit, row: after }: PreparedCommit, node: LeafRow): SqlTask<void> {
  const { treeId } = scope;
  const row = [
    treeId,
    after.version,
    after.structureVersion,
    after.nextSeq,
    after.updatedAt,
    node.id,
    scope.tree?.hasAliases === true ? 1 : 0,
  ];
  const added = nodeParams(treeId, node);
  added.push(node.addedIn);
  const logged = logParams(scope, commit);
  if (scope.dialect.together) {
    yield* execute(insertLeaf, ...row, ...added, node.parentId, ...logged);
    return;
  }
  yield [
    { sql: insertNode, params: added, want: 'count' },
    { sql: markLeaf, params: [treeId, node.parentId, node.id], want: 'count' },
    { sql: updateTreeRow, params: row, want: 'count' },
    { sql: insertLog, params: logged, want: 'count' },
  ];
}

/** Writes the rows of a commit in order, and the tree row. */
export function* writeRows(scope: TreeScope, settled: PreparedCommit): SqlTask<void> {
  const { tree } = scope;
  const draft: TreeRowDraft = {
    rootId: tree?.rootId ?? '',
    activeNodeId: tree?.activeNodeId ?? null,
    attributes: tree?.attributes ?? {},
    attributed: false,
    aliases: tree?.hasAliases === true ? 1 : 0,
    version: settled.row.version,
    added: new Map(),
    marks: tree === null ? marksOf(settled.changes) : null,
  };
  yield [];
  yield* writeChangedRows(scope, draft, settled.changes);
  yield* updateTree(scope, draft, settled);
}

// So many that a database far away is not waited for at each, and so few that a long import holds few of them as parameters.
const nodesAtOnce = 64;

/** Writes changes in order. Nodes that only come in go many at a time: an import adds thousands. */
function* writeChangedRows(scope: TreeScope, draft: TreeRowDraft, changes: readonly RowChange[]): SqlTask<void> {
  for (let at = 0; at < changes.length; ) {
    const inserts = insertsFrom(scope, draft, changes, at);
    if (inserts.length > 0) yield inserts;
    at += Math.max(1, inserts.length);
    const last = changes[at - 1];
    if (last !== undefined && !isPlainAddition(last)) yield* writeChange(scope, draft, last);
  }
}

function isPlainAddition(change: RowChange): boolean {
  return change.op === 'added' && isPlain(change.node);
}

/** Whether a node is one row and nothing beside it. */
function isPlain({ aliases, meta }: Node): boolean {
  return aliases.length === 0 && meta.copiedFrom === undefined && meta.pickedFrom === undefined;
}

/** The statements that add nodes, from a place on, up to one with more than its row. */
function insertsFrom(scope: TreeScope, draft: TreeRowDraft, changes: readonly RowChange[], from: number): Query[] {
  const inserts: Query[] = [];
  for (let at = from; at < changes.length && inserts.length < nodesAtOnce; at++) {
    const change = changes[at];
    if (change?.op !== 'added') break;
    inserts.push(insertOf(scope, draft, change.node));
    if (!isPlainAddition(change)) break;
  }
  return inserts;
}

/** The statement that adds a node. */
function insertOf({ treeId, inTurns }: TreeScope, draft: TreeRowDraft, node: Node): Query {
  if (inTurns === true) assertRevalidatedNode(node);
  const params = nodeParams(treeId, node, draft.marks?.get(node.id) ?? node.lastChildId);
  params.push(node.addedIn);
  draft.added.set(node.id, node.parentId);
  if (node.parentId === null) draft.rootId = node.id;
  return { sql: insertNode, params, want: 'count' };
}

/**
 * The visit marks of a tree that a commit makes, where it only adds nodes and goes to one of them: an import of ten thousand
 * messages would otherwise touch most of its rows twice.
 */
function marksOf(changes: readonly RowChange[]): ReadonlyMap<string, NodeId> | null {
  const parents = new Map<NodeId, NodeId | null>();
  let to: NodeId | null = null;
  for (const change of changes) {
    if (change.op === 'added') parents.set(change.node.id, change.node.parentId);
    else if (change.op === 'placed') return null;
    else if (change.op === 'pointed') {
      if (to !== null || change.nodeId === null) return null;
      to = change.nodeId;
    }
  }
  const marks = new Map<string, NodeId>();
  for (let at = to; at !== null; ) {
    const parent: NodeId | null | undefined = parents.get(at);
    if (parent === undefined) return null;
    if (parent !== null) marks.set(parent, at);
    at = parent;
  }
  return marks;
}

/** Makes the tree row that a first commit's rows hang on. */
function* insertTree(scope: TreeScope, { changes, commit }: PreparedCommit): SqlTask<void> {
  const root = changes.find((change) => change.op === 'added');
  const rootId = root?.op === 'added' ? root.node.id : '';
  if ((yield* queryRow('SELECT id FROM node WHERE id = $1', scope.treeId)) !== undefined)
    refuse('id/taken', `The id ${scope.treeId} is taken by a node of another tree.`, { treeId: scope.treeId });
  // Found by its attributes from the first statement on, so that two makers of one forest tree meet here.
  const born = changes.reduce<TreeAttributes>(
    (set, change) => (change.op === 'attributed' ? applyPatch(set, change.set) : set),
    {},
  );
  yield* execute(
    `INSERT INTO tree (id, owner, root_id, version, structure_version, next_seq, created_at, updated_at, project, folder, title, pinned, trashed_at, forest_key, attributes)
    VALUES ($1, $2, $3, 0, 0, 0, $4, $4, $5, $6, $7, $8, $9, $10, $11)`,
    scope.treeId,
    scope.owner,
    rootId,
    commit.at,
    ...attributeColumns(born),
  );
}

function* updateTree(scope: TreeScope, draft: TreeRowDraft, { row: after }: PreparedCommit): SqlTask<void> {
  const params: Param[] = [
    scope.treeId,
    after.version,
    after.structureVersion,
    after.nextSeq,
    after.updatedAt,
    draft.activeNodeId,
    draft.aliases,
  ];
  if (!draft.attributed) yield* execute(updateTreeRow, ...params);
  else
    yield* execute(
      `UPDATE tree SET ${setTree}, project = $8, folder = $9, title = $10, pinned = $11, trashed_at = $12, forest_key = $13, attributes = $14 WHERE id = $1`,
      ...params,
      ...attributeColumns(draft.attributes),
    );
}

const insertLog = `INSERT INTO change (${logColumns}) VALUES (${rowPositions(1, 11)})`;
const updateTreeRow = `UPDATE tree SET ${setTree} WHERE id = $1`;

/** Writes a commit into the log. */
export function* writeLog(scope: TreeScope, commit: Commit): SqlTask<void> {
  yield* execute(insertLog, ...logParams(scope, commit));
}

function logParams(scope: TreeScope, commit: Commit): Param[] {
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
    loggedSteps(commit.steps),
    scope.owner,
  ];
}

/** Writes one change; of a node that was added, what goes beside its row. */
function* writeChange(scope: TreeScope, draft: TreeRowDraft, change: RowChange): SqlTask<void> {
  const { treeId: tree } = scope;
  switch (change.op) {
    case 'added': {
      const copied = copyOf(tree, change.node.id, change.node.meta);
      if (copied !== null) yield copied;
      return yield* writeAliases(tree, draft, change.node.id, change.node.aliases);
    }
    case 'placed':
      draft.added.delete(change.nodeId);
      return yield* placeRow(tree, change);
    case 'written':
      return yield* writeContent(tree, draft, change);
    case 'grouped':
      yield* execute(
        'UPDATE node SET group_id = $3 WHERE tree_id = $1 AND id = $2',
        tree,
        change.nodeId,
        change.groupId,
      );
      return;
    case 'annotated': {
      const now = yield* queryRow('SELECT meta FROM node WHERE tree_id = $1 AND id = $2', tree, change.nodeId);
      const meta = applyPatch(parsed(now ?? { meta: '{}' }, 'meta') as Node['meta'], change.set);
      yield* execute(
        'UPDATE node SET meta = $3, meta_in = $4 WHERE tree_id = $1 AND id = $2',
        tree,
        change.nodeId,
        JSON.stringify(meta),
        draft.version,
      );
      return;
    }
    case 'removed':
      return yield* remove(tree, change);
    case 'restored':
      return yield* restoreRows(tree, change);
    case 'pointed':
      if (draft.marks === null)
        yield* writeVisitMarks(tree, { before: draft.activeNodeId, to: change.nodeId, added: draft.added });
      draft.activeNodeId = change.nodeId;
      return;
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
    case 'attributed':
      draft.attributes = applyPatch(draft.attributes, change.set);
      draft.attributed = true;
      return;
  }
}

function* writeContent(
  tree: string,
  draft: TreeRowDraft,
  change: Extract<RowChange, { op: 'written' }>,
): SqlTask<void> {
  const { nodeId: id, content } = change;
  const old =
    draft.aliases > 0
      ? yield* queryRows(
          'SELECT match_parent, equality_key FROM node_alias WHERE tree_id = $1 AND node_id = $2 ORDER BY place',
          tree,
          id,
        )
      : [];
  const aliases = old.map((one) => ({ matchParent: sqlText(one, 'match_parent'), key: sqlText(one, 'equality_key') }));
  // Two replaces of one commit keep the first old content: the one that a version wrote.
  yield* execute(
    `INSERT INTO node_content (tree_id, node_id, version, status, equality_key, tokens, content, search_text, aliases)
    SELECT tree_id, id, content_in, status, equality_key, tokens, content, search_text, $3 FROM node WHERE tree_id = $1 AND id = $2 AND content_in < $4
    ON CONFLICT (tree_id, node_id, version) DO NOTHING`,
    tree,
    id,
    JSON.stringify(aliases),
    change.version,
  );
  yield* execute(
    'UPDATE node SET status = $3, equality_key = $4, tokens = $5, content = $6, search_text = $7, content_in = $8 WHERE tree_id = $1 AND id = $2',
    tree,
    id,
    content.status,
    content.key,
    content.tokens,
    contentText(content.message),
    searchColumn(content.message, content.text),
    change.version,
  );
  if (aliases.length > 0) yield* execute('DELETE FROM node_alias WHERE tree_id = $1 AND node_id = $2', tree, id);
  yield* writeAliases(tree, draft, id, content.aliases);
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
