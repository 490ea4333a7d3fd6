/** Lists over trees, commits and removed nodes. */
import {
  actId,
  type CommitKind,
  type CommitSummary,
  type ListEvent,
  type NodeId,
  nodeId,
  type Page,
  previewOf,
  type TrashItem,
  type TreeId,
  type TreeQuery,
  type TreeSummary,
  treeId,
} from '@coppice/core';
import { fromCursor, toCursor } from '../cursor.ts';
import { pageLimit } from '../limits.ts';
import { stepCounts } from './log.ts';
import { number, type Param, rows, text, type Work } from './query.ts';
import { messageOf, nodeColumns, plainRow, searchTextOf, treeColumns, treeOf } from './rows.ts';
import type { Scope } from './scope.ts';

/** Trees of an owner, the one changed last first. */
export function* listTrees(owner: string, query: TreeQuery): Work<Page<TreeSummary>> {
  const limit = pageLimit(query.limit);
  const params: Param[] = [owner, limit + 1];
  const conditions = ['owner = $1', query.trashed === true ? 'trashed_at IS NOT NULL' : 'trashed_at IS NULL'];
  const also = (condition: (parameter: string) => string, value: Param) => {
    params.push(value);
    conditions.push(condition(`$${params.length}`));
  };
  if (query.project !== undefined) also((p) => `project = ${p}`, query.project);
  if (query.folder !== undefined) also((p) => `folder = ${p}`, query.folder);
  if (query.pinned !== undefined) also((p) => `pinned = ${p}`, query.pinned ? 1 : 0);
  if (query.forest !== undefined) conditions.push(query.forest ? 'forest_key IS NOT NULL' : 'forest_key IS NULL');
  // Tags are a list inside the attributes' JSON; a tag is found there by its own JSON text.
  if (query.tag !== undefined)
    also((p) => `attributes LIKE ${p} ESCAPE '!'`, `%"tags":[%${escapedLike(JSON.stringify(query.tag))}%`);
  if (query.title !== undefined)
    also((p) => `lower(title) LIKE ${p} ESCAPE '!'`, `%${escapedLike(query.title.toLowerCase())}%`);
  if (query.cursor !== undefined) {
    const [at, id] = fromCursor('trees', ['number', 'string'], query.cursor);
    params.push(Number(at), String(id));
    conditions.push(`(updated_at, id) < ($${params.length - 1}, $${params.length})`);
  }
  const found = yield* rows(
    `SELECT ${treeColumns} FROM tree WHERE ${conditions.join(' AND ')} ORDER BY updated_at DESC, id DESC LIMIT $2`,
    ...params,
  );
  const items = found.slice(0, limit).map((one): TreeSummary => {
    const tree = treeOf(one);
    return { ...plainRow(tree), format: tree.format };
  });
  const last = items[items.length - 1];
  return {
    items,
    cursor: found.length > limit && last !== undefined ? toCursor('trees', [last.updatedAt, last.id]) : null,
  };
}

function escapedLike(part: string): string {
  return part.replace(/[!%_]/g, '!$&');
}

/** The commits of a tree, newest first. */
export function* history(tree: TreeId, before: number, limit: number): Work<CommitSummary[]> {
  const found = yield* rows(
    'SELECT * FROM change WHERE tree_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3',
    tree,
    before,
    limit,
  );
  return found.map((one) => ({
    version: number(one, 'version'),
    actId: actId(text(one, 'act_id')),
    actor: text(one, 'actor'),
    at: number(one, 'at'),
    kind: text(one, 'kind') as CommitKind,
    structural: number(one, 'structural') === 1,
    steps: stepCounts(text(one, 'steps')),
  }));
}

/** What lies in a tree's trash: the tops of what commits removed, newest first, and how much went with each. */
export function* trash(scope: Scope): Work<TrashItem[]> {
  const tree = scope.treeId;
  const tops = yield* rows(
    `SELECT ${nodeColumns.replace(/\w+/g, 'n.$&')}, c.at AS removed_at FROM node n
    LEFT JOIN node p ON p.tree_id = n.tree_id AND p.id = n.parent_id
    LEFT JOIN change c ON c.tree_id = n.tree_id AND c.version = n.removed_in
    WHERE n.tree_id = $1 AND n.removed_in IS NOT NULL AND (p.removed_in IS NULL OR p.removed_in <> n.removed_in)
    ORDER BY n.removed_in DESC, n.seq`,
    tree,
  );
  const items: TrashItem[] = [];
  for (const one of tops) {
    const removedIn = number(one, 'removed_in');
    const id = nodeId(text(one, 'id'));
    const message = messageOf(one, text(one, 'role') as 'user');
    items.push({
      treeId: tree,
      nodeId: id,
      removedIn,
      at: one.removed_at === null ? 0 : number(one, 'removed_at'),
      count: (yield* removedTogether(tree, id, removedIn)).length,
      preview: previewOf({ text: searchTextOf(one, message), meta: JSON.parse(text(one, 'meta')) }, 0),
    });
  }
  return items;
}

/** The ids that a commit removed with a node, itself included. */
export function* removedTogether(tree: TreeId, top: NodeId, removedIn: number): Work<NodeId[]> {
  const found = yield* rows(
    `WITH RECURSIVE gone(id) AS (
      SELECT id FROM node WHERE tree_id = $1 AND id = $2 AND removed_in = $3
      UNION ALL
      SELECT n.id FROM gone JOIN node n ON n.tree_id = $1 AND n.parent_id = gone.id WHERE n.removed_in = $3
    ) SELECT id FROM gone`,
    tree,
    top,
    removedIn,
  );
  return found.map((one) => nodeId(text(one, 'id')));
}

/** Changes of an owner's trees after a number of the log, in the log's order. */
export function* listEvents(owner: string, since: number, limit: number): Work<ListEvent[]> {
  const found = yield* rows(
    'SELECT id, tree_id, version FROM change WHERE id > $1 AND owner = $2 ORDER BY id LIMIT $3',
    since,
    owner,
    limit,
  );
  return found.map((one) => ({
    cursor: toCursor('changes', [number(one, 'id')]),
    treeId: treeId(text(one, 'tree_id')),
    version: number(one, 'version'),
  }));
}
