/** Reads links between rows of one tree, which a commit needs between its writes. */
import type { NodeId, NodeLink, Read, ReadProgram } from '@coppice/core';
import { queryRows, type SqlTask } from './query.ts';
import { nodeLinkOf } from './rows.ts';
import { idOfRow } from './scope.ts';

/** Returns a node and its ancestors, nearest first, at most `limit`. */
export function* ancestorLinks(tree: string, of: NodeId, limit: number): SqlTask<NodeLink[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE up(id, parent_id, kind, last_child_id, level) AS (
      SELECT id, parent_id, kind, last_child_id, 1 FROM node WHERE tree_id = $1 AND id = $2
      UNION ALL
      SELECT n.id, n.parent_id, n.kind, n.last_child_id, up.level + 1
      FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id WHERE up.level < $3
    ) SELECT id, parent_id, kind, last_child_id FROM up ORDER BY level`,
    tree,
    of,
    limit,
  );
  return found.map(nodeLinkOf);
}

/** Returns a node and, below a marker, the markers and first messages with the same match parent. */
export function* sharedMatch(tree: string, of: NodeId): SqlTask<NodeId[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE reach(id, kind) AS (
      SELECT id, kind FROM node WHERE tree_id = $1 AND id = $2
      UNION ALL
      SELECT n.id, n.kind FROM reach JOIN node n ON n.tree_id = $1 AND n.parent_id = reach.id WHERE reach.kind <> 'message' AND n.id <> $2
    ) SELECT id FROM reach`,
    tree,
    of,
  );
  return found.map(idOfRow);
}

/** Runs the read program that follows from a step, on the current rows. */
export function* driveLinks<T>(tree: string, program: ReadProgram<T>): SqlTask<T> {
  let step = program.next();
  while (!step.done) step = program.next(yield* answerLink(tree, step.value));
  return step.value;
}

function* answerLink(tree: string, read: Read): SqlTask<readonly NodeLink[] | readonly NodeId[]> {
  if (read.ask === 'ancestors') return yield* ancestorLinks(tree, read.of, read.limit);
  if (read.ask === 'sharedMatch') return yield* sharedMatch(tree, read.of);
  throw new Error(`Rows of a step do not depend on ${read.ask}.`);
}
