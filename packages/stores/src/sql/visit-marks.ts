/** Visit marks: which child of each node was last on the way to the active one. */
import { type NodeId, nodeId } from '@coppice/core';
import { execute, queryRow, queryRows, type SqlTask, sqlText, sqlTextOrNull } from './query.ts';
import { refuseCycle } from './scope.ts';

/** From where to where the pointer goes. */
export interface VisitMark {
  readonly before: string | null;
  readonly to: NodeId | null;
  /** Parents of nodes that the same commit added. */
  readonly added: ReadonlyMap<string, string | null>;
}

const firstStride = 8;

/**
 * Marks the way to the active node. Above the fork between the old path and the new one every mark is right already,
 * so both paths are fetched piecewise upwards until they meet: a reply under a deep leaf costs one update.
 */
export function* writeVisitMarks(tree: string, { before, to, added }: VisitMark): SqlTask<void> {
  if (to === null || to === before) return;
  const parent = added.get(to) ?? (yield* parentOfVisited(tree, to));
  if (parent === null) return;
  if (parent === before) return yield* markVisit(tree, parent, to);
  // From one variant to the next: the fork is right above both.
  if (before !== null && (yield* parentOfVisited(tree, before)) === parent) return yield* markVisit(tree, parent, to);
  const newWay = new VisitPath(tree, to);
  const oldWay = before === null ? null : new VisitPath(tree, before);
  for (let stride = firstStride; ; stride *= 2) {
    yield* newWay.climb(stride);
    if (oldWay !== null) yield* oldWay.climb(stride);
    const fork = oldWay === null ? -1 : newWay.ids.findIndex((id) => oldWay.has(id));
    if (fork === -1 && !(newWay.done && (oldWay === null || oldWay.done))) continue;
    const end = fork === -1 ? newWay.ids.length - 1 : fork;
    // The old path's own end may be the fork, or the new one's: then nothing above changes.
    for (let at = 0; at < end; at++) {
      const child = newWay.ids[at];
      const mother = newWay.ids[at + 1];
      if (child !== undefined && mother !== undefined) yield* markVisit(tree, mother, child);
    }
    return;
  }
}

function* parentOfVisited(tree: string, id: string): SqlTask<string | null> {
  return sqlTextOrNull(
    (yield* queryRow('SELECT parent_id FROM node WHERE tree_id = $1 AND id = $2', tree, id)) ?? {},
    'parent_id',
  );
}

function* markVisit(tree: string, parent: string, child: string): SqlTask<void> {
  yield* execute(
    'UPDATE node SET last_child_id = $3 WHERE tree_id = $1 AND id = $2 AND (last_child_id IS NULL OR last_child_id <> $3)',
    tree,
    parent,
    child,
  );
}

/** A path upwards, fetched piece by piece, the node itself first and the root last. */
class VisitPath {
  readonly ids: string[] = [];
  readonly #set = new Set<string>();
  readonly #tree: string;
  #next: string | null;

  constructor(tree: string, from: string) {
    this.#tree = tree;
    this.#next = from;
  }

  get done(): boolean {
    return this.#next === null;
  }

  has(id: string): boolean {
    return this.#set.has(id);
  }

  *climb(stride: number): SqlTask<void> {
    if (this.#next === null) return;
    const found = yield* queryRows(
      `WITH RECURSIVE up(id, parent_id, level) AS (
        SELECT id, parent_id, 1 FROM node WHERE tree_id = $1 AND id = $2
        UNION ALL
        SELECT n.id, n.parent_id, up.level + 1 FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id WHERE up.level < $3
      ) SELECT id, parent_id FROM up ORDER BY level`,
      this.#tree,
      this.#next,
      stride,
    );
    for (const one of found) {
      if (this.has(sqlText(one, 'id'))) refuseCycle(sqlText(one, 'id'));
      this.ids.push(nodeId(sqlText(one, 'id')));
      this.#set.add(sqlText(one, 'id'));
    }
    const last = found[found.length - 1];
    this.#next = last === undefined ? null : sqlTextOrNull(last, 'parent_id');
  }
}
