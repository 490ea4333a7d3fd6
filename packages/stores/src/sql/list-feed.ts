/** The feed over all trees of an owner: its positions and cursors. */
import { type TreeListEvent, treeId } from '@coppice/core';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { queryRow, queryRows, type SqlRow, type SqlTask, sqlNumber, sqlText } from './query.ts';

/** More lanes than any database uses. A cursor has one number per lane. */
const mostLanes = 16;

/** A change of a tree, with its lane and position in the log. */
export interface FeedEvent {
  readonly lane: number;
  readonly place: number;
  readonly treeId: TreeListEvent['treeId'];
  readonly version: number;
}

/** Decodes a row with the columns id, lane, tree_id and version. */
export function decodeFeedEvent(row: SqlRow): FeedEvent {
  return {
    lane: row['lane'] === undefined ? 0 : sqlNumber(row, 'lane'),
    place: sqlNumber(row, 'id'),
    treeId: treeId(sqlText(row, 'tree_id')),
    version: sqlNumber(row, 'version'),
  };
}

/** Returns the positions after an event. */
export function advancePositions(places: readonly number[], { lane, place }: FeedEvent): number[] {
  return Array.from({ length: Math.max(places.length, lane + 1) }, (_, at) =>
    at === lane ? place : (places[at] ?? 0),
  );
}

/** Encodes positions as a cursor. */
export function encodePositionsCursor(places: readonly number[]): string {
  return encodeCursor('changes', places.length === 0 ? [0] : places);
}

/** Decodes the positions in a cursor. Throws `cursor/invalid` if the cursor is not valid. */
export function decodePositionsCursor(cursor: string): readonly number[] {
  const parts = decodeCursor('changes', 'numbers', cursor, mostLanes);
  return parts.map(Number);
}

/** Returns the changes of an owner after a log number, in a database that numbers commits in order. */
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

/** Returns the newest log number of all owners. */
export function* queryNewestChange(): SqlTask<readonly number[]> {
  const found = yield* queryRow('SELECT coalesce(max(id), 0) AS n FROM change');
  return [sqlNumber(found ?? { n: 0 }, 'n')];
}

/** The queries of the followers of one owner, by the positions that they start from. */
interface OwnerLooks {
  followers: number;
  mark: string;
  looks: Map<string, Promise<readonly FeedEvent[]>>;
}

/**
 * Shares the queries of the log between the followers of an owner. After a commit, one query answers all of them,
 * however many pages are open.
 */
export class SharedFeedQueries {
  readonly #owners = new Map<string, OwnerLooks>();

  /** Adds a follower. The returned function removes it. */
  follow(owner: string): () => void {
    const shared = this.#owners.get(owner) ?? { followers: 0, mark: '', looks: new Map() };
    this.#owners.set(owner, shared);
    shared.followers++;
    return () => {
      shared.followers--;
      if (shared.followers === 0 && this.#owners.get(owner) === shared) this.#owners.delete(owner);
    };
  }

  /**
   * Queries the changes after the positions, or waits for the same query of another follower. Queries are shared if
   * they have the same positions and mark. The mark must be taken before the call; then the query includes everything
   * that was announced before.
   */
  look(
    owner: string,
    places: readonly number[],
    mark: string | undefined,
    look: () => Promise<readonly FeedEvent[]>,
  ): Promise<readonly FeedEvent[]> {
    const shared = this.#owners.get(owner);
    if (shared === undefined || mark === undefined) return look();
    if (shared.mark !== mark) {
      shared.mark = mark;
      shared.looks = new Map();
    }
    const { looks } = shared;
    const key = places.join(' ');
    const known = looks.get(key);
    if (known !== undefined) return known;
    const made = look();
    looks.set(key, made);
    made.catch(() => looks.delete(key));
    return made;
  }
}
