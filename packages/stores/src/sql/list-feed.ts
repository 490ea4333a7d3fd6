/** Reads the feed over all trees of an owner, and encodes its cursors. */
import { type TreeListEvent, treeId } from '@coppice/core';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { queryRow, queryRows, readNumberColumn, readTextColumn, type SqlRow, type SqlTask } from './query.ts';

/** The maximum number of lanes in a cursor, which has one position per lane. No database uses as many. */
const mostLanes = 16;

/** A change of a tree, with its lane and its position in that lane's log. */
export interface FeedEvent {
  readonly lane: number;
  readonly position: number;
  readonly treeId: TreeListEvent['treeId'];
  readonly version: number;
}

/** Decodes a row with the columns id, lane, tree_id and version. */
export function decodeFeedEvent(row: SqlRow): FeedEvent {
  return {
    lane: row['lane'] === undefined ? 0 : readNumberColumn(row, 'lane'),
    position: readNumberColumn(row, 'id'),
    treeId: treeId(readTextColumn(row, 'tree_id')),
    version: readNumberColumn(row, 'version'),
  };
}

/** Returns the positions of a follower that has received an event. */
export function advancePositions(positions: readonly number[], { lane, position }: FeedEvent): number[] {
  return Array.from({ length: Math.max(positions.length, lane + 1) }, (_, at) =>
    at === lane ? position : (positions[at] ?? 0),
  );
}

export function encodePositionsCursor(positions: readonly number[]): string {
  return encodeCursor('changes', positions.length === 0 ? [0] : positions);
}

/**
 * Decodes the positions in a cursor. Throws `cursor/invalid` if {@link encodePositionsCursor} did not make the cursor.
 */
export function decodePositionsCursor(cursor: string): readonly number[] {
  const parts = decodeCursor('changes', 'numbers', cursor, mostLanes);
  return parts.map(Number);
}

/** Returns the changes of an owner after a log id, in a database whose log ids follow the order of commits. */
export function* queryChangesAfter(
  owner: string,
  [since = 0]: readonly number[],
  limit: number,
): SqlTask<readonly SqlRow[]> {
  return yield* queryRows(
    'SELECT id, tree_id, version FROM change WHERE id > $1 AND owner = $2 ORDER BY id LIMIT $3',
    since,
    owner,
    limit,
  );
}

/** Returns the newest log id of all owners, as the position of the only lane. */
export function* queryNewestChange(): SqlTask<readonly number[]> {
  const found = yield* queryRow('SELECT coalesce(max(id), 0) AS n FROM change');
  return [readNumberColumn(found ?? { n: 0 }, 'n')];
}

/** The queries of one owner's followers since `mark` last changed, by the positions that the queries start from. */
interface OwnerQueries {
  followers: number;
  mark: string;
  queries: Map<string, Promise<readonly FeedEvent[]>>;
}

/**
 * Shares queries between the followers of an owner. After a commit one query answers all followers with the same
 * positions, however many pages are open.
 */
export class SharedFeedQueries {
  readonly #owners = new Map<string, OwnerQueries>();

  /** Adds a follower. The returned function removes it. */
  follow(owner: string): () => void {
    const shared = this.#owners.get(owner) ?? { followers: 0, mark: '', queries: new Map() };
    this.#owners.set(owner, shared);
    shared.followers++;
    return () => {
      shared.followers--;
      if (shared.followers === 0 && this.#owners.get(owner) === shared) this.#owners.delete(owner);
    };
  }

  /**
   * Runs a query for the changes after the positions, or returns the same query of another follower. Queries are shared
   * if positions and mark are equal. The caller must get the mark before this call, so that the query includes every
   * change that was announced before.
   */
  run(
    owner: string,
    positions: readonly number[],
    mark: string | undefined,
    query: () => Promise<readonly FeedEvent[]>,
  ): Promise<readonly FeedEvent[]> {
    const shared = this.#owners.get(owner);
    if (shared === undefined || mark === undefined) return query();
    if (shared.mark !== mark) {
      shared.mark = mark;
      shared.queries = new Map();
    }
    const { queries } = shared;
    const key = positions.join(' ');
    const known = queries.get(key);
    if (known !== undefined) return known;
    const newQuery = query();
    queries.set(key, newQuery);
    newQuery.catch(() => queries.delete(key));
    return newQuery;
  }
}
