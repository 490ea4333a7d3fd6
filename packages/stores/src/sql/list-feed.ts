/** The feed over all trees of an owner: its positions and cursors. */
import { type TreeListEvent, treeId } from '@coppice/core';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { queryRow, queryRows, type SqlRow, type SqlTask, sqlNumber, sqlText } from './query.ts';

/** More lanes than any database uses; a cursor has one number for each. */
const mostLanes = 16;

/** A change with the positions after it. */
export interface FeedEvent {
  readonly lane: number;
  readonly place: number;
  readonly treeId: TreeListEvent['treeId'];
  readonly version: number;
}

/** Converts a row with the columns id, lane, tree_id and version. */
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

/** Writes positions as a cursor. */
export function encodePositionsCursor(places: readonly number[]): string {
  return encodeCursor('changes', places.length === 0 ? [0] : places);
}

/** Reads the positions of a cursor. Throws `cursor/invalid` if it is none. */
export function decodePositionsCursor(cursor: string): readonly number[] {
  const parts = decodeCursor('changes', 'numbers', cursor, mostLanes);
  return parts.map(Number);
}

/** Returns the changes of an owner after a log number, where numbers are assigned in the order of commits. */
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

/** Returns the newest log number over all owners. */
export function* queryNewestChange(): SqlTask<readonly number[]> {
  const found = yield* queryRow('SELECT coalesce(max(id), 0) AS n FROM change');
  return [sqlNumber(found ?? { n: 0 }, 'n')];
}

/** The looks of the followers of one owner that are at the same positions. */
interface OwnerLooks {
  followers: number;
  mark: string;
  looks: Map<string, Promise<readonly FeedEvent[]>>;
}

/**
 * Shares the looks at the log between the followers of an owner: after a commit one query answers all of them, however
 * many pages are open.
 */
export class SharedFeedQueries {
  readonly #owners = new Map<string, OwnerLooks>();

  /** Adds a follower; the returned function removes it. */
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
   * Looks for changes after the positions, or waits for a look of another follower with the same positions and mark.
   * The mark must be taken before the call: a look with the same mark includes everything that was announced before.
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
