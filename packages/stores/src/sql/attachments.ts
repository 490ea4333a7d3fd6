/**
 * Attachments in a database: bytes by their hash, and when each was put last. Bytes that nothing names any more go, but
 * not while somebody may still be on the way to naming them: the time is the database's own, so it counts for every
 * process and server, and the row that holds it is the lock under which bytes are put, named and taken.
 */
import type { BlobInfo } from '@coppice/core';
import { addHashes, blobMark } from '../attachments.ts';
import {
  execute,
  queryRow,
  queryRows,
  type SqlDialect,
  type SqlRow,
  type SqlTask,
  sqlNumber,
  sqlText,
} from './query.ts';

/** Whose attachments, in which database, and for how many milliseconds bytes that were put wait for a message. */
export interface BlobScope {
  readonly dialect: SqlDialect;
  readonly owner: string;
  readonly grace: number;
}

/**
 * Keeps an attachment once, as what it was first said to be, and tells what that is. Bytes that are there already are
 * waited for anew. Its row of the times comes first: whoever takes bytes away holds that row until they are gone.
 */
export function* putBlob({ dialect, owner }: BlobScope, info: BlobInfo, bytes: Uint8Array): SqlTask<BlobInfo> {
  yield* execute(
    `INSERT INTO blob_put (owner, hash, at, loose) VALUES ($1, $2, ${dialect.now}, 0)
    ON CONFLICT (owner, hash) DO UPDATE SET at = excluded.at`,
    owner,
    info.hash,
  );
  yield* execute(
    'INSERT INTO blob (owner, hash, size, media_type, bytes) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner, hash) DO NOTHING',
    owner,
    info.hash,
    info.size,
    info.mediaType,
    bytes,
  );
  return (yield* findBlob(owner, info.hash)) ?? info;
}

/** What is known of an attachment. */
export function* findBlob(owner: string, hash: string): SqlTask<BlobInfo | null> {
  const found = yield* queryRow('SELECT hash, size, media_type FROM blob WHERE owner = $1 AND hash = $2', owner, hash);
  return found === undefined ? null : { hash, size: sqlNumber(found, 'size'), mediaType: sqlText(found, 'media_type') };
}

/** The bytes of an attachment, or a range of them; the database cuts, so that a large one is not fetched whole. */
export function* readBlob(
  owner: string,
  hash: string,
  start: number,
  length: number | null,
): SqlTask<Uint8Array | null> {
  const found =
    length === null
      ? yield* queryRow('SELECT bytes AS part FROM blob WHERE owner = $1 AND hash = $2', owner, hash)
      : yield* queryRow(
          'SELECT substr(bytes, $3, $4) AS part FROM blob WHERE owner = $1 AND hash = $2',
          owner,
          hash,
          start + 1,
          length,
        );
  const part = found?.part;
  return part instanceof Uint8Array ? part : found === undefined ? null : new Uint8Array();
}

/**
 * Holds the attachments that something is about to name until it is committed, and tells how many of them are there: who
 * collects meanwhile waits, and then sees the name. Where one transaction writes at a time nobody collects meanwhile.
 */
export function* holdBlobs(dialect: SqlDialect, owner: string, named: ReadonlySet<string>): SqlTask<number> {
  if (named.size === 0 || dialect.forUpdate === '') return named.size;
  return yield* execute(
    `INSERT INTO blob_put (owner, hash, at, loose)
    SELECT owner, hash, 0, 0 FROM blob WHERE owner = $1 AND hash IN ${dialect.list('$2')} ORDER BY hash
    ON CONFLICT (owner, hash) DO UPDATE SET at = blob_put.at`,
    owner,
    JSON.stringify([...named]),
  );
}

/**
 * Takes those attachments away that nothing of their owner's names any more: of what a purge took the names of, and of
 * what was still waited for at an earlier one. What was put too short a time ago is marked as loose for a later one;
 * answers how many of the candidates wait for that.
 */
export function* collectBlobs({ dialect, owner, grace }: BlobScope, candidates: ReadonlySet<string>): SqlTask<number> {
  if (candidates.size > 0)
    yield* execute(
      `INSERT INTO blob_put (owner, hash, at, loose)
      SELECT owner, hash, 0, 1 FROM blob WHERE owner = $1 AND hash IN ${dialect.list('$2')} ORDER BY hash
      ON CONFLICT (owner, hash) DO UPDATE SET loose = 1`,
      owner,
      JSON.stringify([...candidates]),
    );
  // Locked before anybody is asked what they name: a name that was on its way is committed by then.
  const loose = yield* queryRows(
    `SELECT hash FROM blob_put WHERE owner = $1 AND loose = 1 AND at <= ${dialect.now} - $2 ORDER BY hash${dialect.forUpdate}`,
    owner,
    grace,
  );
  const waiting = yield* waitingOf(dialect, owner, candidates, loose);
  if (loose.length === 0 && waiting.length === 0) return 0;
  const still = yield* namedByOwner(owner);
  const gone: string[] = [];
  const named: string[] = [];
  for (const one of loose) (still.has(sqlText(one, 'hash')) ? named : gone).push(sqlText(one, 'hash'));
  const inList = `owner = $1 AND hash IN ${dialect.list('$2')}`;
  if (named.length > 0) yield* execute(`UPDATE blob_put SET loose = 0 WHERE ${inList}`, owner, JSON.stringify(named));
  if (gone.length > 0)
    for (const table of ['blob', 'blob_put'])
      yield* execute(`DELETE FROM ${table} WHERE ${inList}`, owner, JSON.stringify(gone));
  return waiting.filter((hash) => !still.has(hash)).length;
}

/** The candidates that are there and whose time is not over yet. */
function* waitingOf(
  { list }: SqlDialect,
  owner: string,
  candidates: ReadonlySet<string>,
  due: readonly SqlRow[],
): SqlTask<string[]> {
  if (candidates.size === 0) return [];
  const over = new Set(due.map((one) => sqlText(one, 'hash')));
  const found = yield* queryRows(
    `SELECT hash FROM blob WHERE owner = $1 AND hash IN ${list('$2')}`,
    owner,
    JSON.stringify([...candidates]),
  );
  return found.map((one) => sqlText(one, 'hash')).filter((hash) => !over.has(hash));
}

/** Whose attachments an earlier purge left loose and nobody waits for any more. */
export function* ownersWithLoose(dialect: SqlDialect, grace: number): SqlTask<readonly string[]> {
  const found = yield* queryRows(
    `SELECT DISTINCT owner FROM blob_put WHERE loose = 1 AND at <= ${dialect.now} - $1 ORDER BY owner`,
    grace,
  );
  return found.map((one) => sqlText(one, 'owner'));
}

/** Everything that an owner's trees and runs name, now, before or in the trash. */
function* namedByOwner(owner: string): SqlTask<ReadonlySet<string>> {
  const like = `LIKE '%${blobMark}%'`;
  const named = new Set<string>();
  for (const sql of [
    `SELECT n.content AS one, n.meta AS two FROM node n JOIN tree t ON t.id = n.tree_id WHERE t.owner = $1 AND (n.content ${like} OR n.meta ${like})`,
    `SELECT n.content AS one, '' AS two FROM node_content n JOIN tree t ON t.id = n.tree_id WHERE t.owner = $1 AND n.content ${like}`,
    `SELECT attributes AS one, '' AS two FROM tree WHERE owner = $1 AND attributes ${like}`,
    `SELECT data AS one, '' AS two FROM run WHERE owner = $1 AND data ${like}`,
  ])
    for (const one of yield* queryRows(sql, owner))
      for (const column of ['one', 'two']) addHashes(sqlText(one, column), named);
  return named;
}
