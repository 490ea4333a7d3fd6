/**
 * Attachments in a database: bytes by hash, with the time each was last added and how many uploads wait for a message.
 * Unreferenced bytes are deleted, but not while a reference may still be on its way. The time is the database's, so it is valid for every process and server,
 * and its row is the lock under which bytes are added, referred to and deleted.
 */
import type { BlobInfo } from '@coppice/core';
import { addBlobHashesInJson, blobSourceText } from '../attachments.ts';
import { treeNoSql } from './numbers.ts';
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

/** The owner, the database, and how many milliseconds added bytes wait for a message. */
export interface BlobScope {
  readonly dialect: SqlDialect;
  readonly owner: string;
  readonly grace: number;
}

/**
 * Stores an attachment once, with the media type of its first addition, and returns that. Adding existing bytes again
 * is one more upload that waits, and restarts the waiting time. Their time row is written first, because a deletion holds that row until the bytes are
 * gone.
 */
export function* putBlob({ dialect, owner, grace }: BlobScope, info: BlobInfo, bytes: Uint8Array): SqlTask<BlobInfo> {
  yield* execute(
    `INSERT INTO blob_put (owner, hash, at, loose, waiting) VALUES ($1, $2, ${dialect.now}, 0, 1)
    ON CONFLICT (owner, hash) DO UPDATE SET at = excluded.at,
      waiting = CASE WHEN blob_put.at <= excluded.at - $3 THEN 1 ELSE blob_put.waiting + 1 END`,
    owner,
    info.hash,
    grace,
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

/** Returns the description of an attachment. */
export function* findBlob(owner: string, hash: string): SqlTask<BlobInfo | null> {
  const found = yield* queryRow('SELECT hash, size, media_type FROM blob WHERE owner = $1 AND hash = $2', owner, hash);
  return found === undefined ? null : { hash, size: sqlNumber(found, 'size'), mediaType: sqlText(found, 'media_type') };
}

/** Returns the bytes of an attachment, or a range, which the database cuts so that a large one is not fetched whole. */
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
 * Locks the attachments that a write is about to refer to until it is committed, and returns how many of them exist: a
 * concurrent collection waits, and then sees the reference. Not needed if only one transaction writes at a time.
 */
export function* lockBlobs(dialect: SqlDialect, owner: string, named: ReadonlySet<string>): SqlTask<number> {
  if (named.size === 0 || dialect.forUpdate === '') return named.size;
  return yield* execute(
    `INSERT INTO blob_put (owner, hash, at, loose, waiting)
    SELECT owner, hash, 0, 0, 0 FROM blob WHERE owner = $1 AND hash IN ${dialect.list('$2')} ORDER BY hash
    ON CONFLICT (owner, hash) DO UPDATE SET at = blob_put.at`,
    owner,
    JSON.stringify([...named]),
  );
}

/** Counts one upload less for each attachment that a message refers to now. */
export function* countDownWaitingUploads(
  dialect: SqlDialect,
  owner: string,
  hashes: ReadonlySet<string>,
): SqlTask<void> {
  if (hashes.size === 0) return;
  yield* execute(
    `UPDATE blob_put SET waiting = waiting - 1 WHERE owner = $1 AND hash IN ${dialect.list('$2')} AND waiting > 0`,
    owner,
    JSON.stringify([...hashes]),
  );
}

/**
 * Deletes attachments that nothing of their owner refers to any more: those whose references a purge removed, and those
 * that an earlier purge had to keep. Those with a waiting upload are marked for a later collection; returns how many of
 * the candidates wait for that.
 */
export function* collectBlobs({ dialect, owner, grace }: BlobScope, candidates: ReadonlySet<string>): SqlTask<number> {
  if (candidates.size > 0)
    yield* execute(
      `INSERT INTO blob_put (owner, hash, at, loose, waiting)
      SELECT owner, hash, 0, 1, 0 FROM blob WHERE owner = $1 AND hash IN ${dialect.list('$2')} ORDER BY hash
      ON CONFLICT (owner, hash) DO UPDATE SET loose = 1`,
      owner,
      JSON.stringify([...candidates]),
    );
  // Locked before references are read: a reference on its way is committed by then.
  const loose = yield* queryRows(
    `SELECT hash FROM blob_put WHERE owner = $1 AND loose = 1 AND ${isOver(dialect, '$2')} ORDER BY hash${dialect.forUpdate}`,
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

/** The condition that no upload waits any more. */
function isOver({ now }: SqlDialect, grace: string): string {
  return `(waiting = 0 OR at <= ${now} - ${grace})`;
}

/** Returns the existing candidates for which an upload waits. */
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

/** Returns the owners of attachments that an earlier purge had to keep and for which no upload waits any more. */
export function* findOwnersWithUnusedBlobs(dialect: SqlDialect, grace: number): SqlTask<readonly string[]> {
  const found = yield* queryRows(
    `SELECT DISTINCT owner FROM blob_put WHERE loose = 1 AND ${isOver(dialect, '$1')} ORDER BY owner`,
    grace,
  );
  return found.map((one) => sqlText(one, 'owner'));
}

/** Returns everything that an owner's trees and runs refer to, in current and former contents and in the trash. */
function* namedByOwner(owner: string): SqlTask<ReadonlySet<string>> {
  const like = `LIKE '%${blobSourceText}%'`;
  const named = new Set<string>();
  for (const sql of [
    `SELECT n.content AS one, n.meta AS two FROM node n JOIN tree t ON t.no = ${treeNoSql('n')} WHERE t.owner = $1 AND (n.content ${like} OR n.meta ${like})`,
    `SELECT n.content AS one, '' AS two FROM node_content n JOIN tree t ON t.id = n.tree_id WHERE t.owner = $1 AND n.content ${like}`,
    `SELECT attributes AS one, '' AS two FROM tree WHERE owner = $1 AND attributes ${like}`,
    `SELECT data AS one, '' AS two FROM run WHERE owner = $1 AND data ${like}`,
  ])
    for (const one of yield* queryRows(sql, owner))
      for (const column of ['one', 'two']) addBlobHashesInJson(sqlText(one, column), named);
  return named;
}
