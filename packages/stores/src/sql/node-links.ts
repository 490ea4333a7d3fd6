/** Reads the links between nodes that a commit needs while its rows are written. */
import type { NodeId, NodeLink, Read, ReadProgram } from '@coppice/core';
import { inTreeByIdSql } from './numbers.ts';
import { queryRows, type SqlTask } from './query.ts';
import { nodeLinkOf, selectNamedColumns } from './rows.ts';
import { nodeIdOfRow } from './scope.ts';

/** Returns a node and its ancestors, nearest first, at most `limit`. */
export function* queryAncestorLinks(base: number, of: NodeId, limit: number): SqlTask<NodeLink[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE up(no, id, parent_no, kind, last_no, level) AS (
      SELECT s.no, s.id, s.parent_no, s.kind, s.last_no, 1 FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2
      UNION ALL
      SELECT n.no, n.id, n.parent_no, n.kind, n.last_no, up.level + 1 FROM up JOIN node n ON n.no = up.parent_no WHERE up.level < $3
    ) SELECT ${selectNamedColumns('up', 'id, parent_id, kind, last_child_id')} FROM up ORDER BY level`,
    base,
    of,
    limit,
  );
  return found.map(nodeLinkOf);
}

/**
 * Returns the nodes that share a match parent: the node itself and, if it is a marker, the markers and first messages
 * below it.
 */
export function* queryNodesWithSharedMatch(base: number, of: NodeId): SqlTask<NodeId[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE reach(no, id, kind) AS (
      SELECT s.no, s.id, s.kind FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2
      UNION ALL
      SELECT n.no, n.id, n.kind FROM reach JOIN node n ON n.parent_no = reach.no WHERE reach.kind <> 'message' AND n.id <> $2
    ) SELECT id FROM reach`,
    base,
    of,
  );
  return found.map(nodeIdOfRow);
}

/** Runs a read program about links of nodes on the current rows. */
export function* driveNodeLinkReads<T>(base: number, program: ReadProgram<T>): SqlTask<T> {
  let step = program.next();
  while (!step.done) step = program.next(yield* answerLink(base, step.value));
  return step.value;
}

function* answerLink(base: number, read: Read): SqlTask<readonly NodeLink[] | readonly NodeId[]> {
  if (read.ask === 'ancestors') return yield* queryAncestorLinks(base, read.of, read.limit);
  if (read.ask === 'sharedMatch') return yield* queryNodesWithSharedMatch(base, read.of);
  throw new Error(`Rows of a step do not depend on ${read.ask}.`);
}
