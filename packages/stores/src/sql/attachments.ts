/**
 * Stores attachments in a database: the bytes by hash, when they were last added, and how many uploads wait for a
 * message. Bytes without a reference are deleted, unless an upload still waits. The clock of the database sets the
 * times, because the clocks of servers differ. The row with the time is also the lock for adding, referring to and
 * deleting the bytes.
 */
import type { BlobInfo } from '@coppice/core';
import { addBlobHashesInJson, blobSourceText } from '../attachments.ts';
import { abandonAttachmentObjects, endUpload } from './attachment-objects.ts';
import { treeNoSql } from './numbers.ts';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readTextColumn,
  type SqlDialect,
  type SqlRow,
  type SqlTask,
} from './query.ts';

/** The owner and the database, and for how many milliseconds an upload waits for its message. */
export interface BlobScope {
  readonly dialect: SqlDialect;
  readonly owner: string;
  readonly grace: number;
}

/**
 * Stores an attachment. If the bytes exist already, their first media type is kept and returned, one more upload waits
 * for a message, and the waiting time starts again. The row with the time is written first, because a deletion locks
 * that row until the bytes are deleted. With the address of an uploaded object, the row refers to the object and has no
 * bytes.
 */
export function* putBlob(
  { dialect, owner, grace }: BlobScope,
  info: BlobInfo,
  bytes: Uint8Array,
  address: string | null,
): SqlTask<BlobInfo> {
  yield* execute(
    `INSERT INTO blob_put (owner, hash, at, loose, waiting) VALUES ($1, $2, ${dialect.now}, 0, 1)
    ON CONFLICT (owner, hash) DO UPDATE SET at = excluded.at,
      waiting = CASE WHEN blob_put.at <= excluded.at - $3 THEN 1 ELSE blob_put.waiting + 1 END`,
    owner,
    info.hash,
    grace,
  );
  const row = [owner, info.hash, info.size, info.mediaType] as const;
  if (address === null)
    yield* execute(
      'INSERT INTO blob (owner, hash, size, media_type, bytes) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner, hash) DO NOTHING',
      ...row,
      bytes,
    );
  else {
    const inserted = yield* execute(
      'INSERT INTO blob (owner, hash, size, media_type, bytes, object) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (owner, hash) DO NOTHING',
      ...row,
      new Uint8Array(),
      address,
    );
    yield* endUpload(address, inserted > 0);
  }
  return (yield* findBlob(owner, info.hash)) ?? info;
}

/** Returns size and media type of an owner's attachment; null if the owner has no such attachment. */
export function* findBlob(owner: string, hash: string): SqlTask<BlobInfo | null> {
  const found = yield* queryRow('SELECT hash, size, media_type FROM blob WHERE owner = $1 AND hash = $2', owner, hash);
  return found === undefined
    ? null
    : { hash, size: readNumberColumn(found, 'size'), mediaType: readTextColumn(found, 'media_type') };
}

/** The bytes of an attachment, or the address of the object that has them. */
export interface StoredBytes {
  readonly bytes: Uint8Array;
  /** Null if the bytes are in the database. */
  readonly address: string | null;
}

/**
 * Returns the bytes of an attachment, or a range of them; null if there is no such attachment. The database cuts the
 * range, so that a large attachment need not be read completely. Bytes and address are read together, because a move of
 * attachments changes both.
 */
export function* readBlob(
  dialect: SqlDialect,
  owner: string,
  hash: string,
  start: number,
  length: number | null,
): SqlTask<StoredBytes | null> {
  const object = dialect.hasObjects ? 'CASE WHEN length(bytes) = 0 THEN object END' : 'NULL';
  const found =
    length === null
      ? yield* queryRow(
          `SELECT bytes AS part, ${object} AS object FROM blob WHERE owner = $1 AND hash = $2`,
          owner,
          hash,
        )
      : yield* queryRow(
          `SELECT substr(bytes, $3, $4) AS part, ${object} AS object FROM blob WHERE owner = $1 AND hash = $2`,
          owner,
          hash,
          start + 1,
          length,
        );
  if (found === undefined) return null;
  const { part, object: address } = found;
  return {
    bytes: part instanceof Uint8Array ? part : new Uint8Array(),
    address: typeof address === 'string' ? address : null,
  };
}

/**
 * Locks the attachments that a commit will refer to, until the transaction ends. A concurrent deletion waits, and then
 * finds the reference. Returns how many of the attachments exist. If the database allows only one write transaction at
 * a time, nothing is locked or looked up, and the number of hashes is returned.
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

/** Counts one waiting upload less for each attachment that a message refers to now. */
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
 * Deletes attachments that no data of their owner refers to: the candidates of a purge, and those that an earlier purge
 * did not delete. If an upload may still wait, the attachment is only marked for a later deletion. Returns the number
 * of such attachments.
 */
export function* deleteUnusedBlobs(
  { dialect, owner, grace }: BlobScope,
  candidates: ReadonlySet<string>,
): SqlTask<number> {
  if (candidates.size > 0)
    yield* execute(
      `INSERT INTO blob_put (owner, hash, at, loose, waiting)
      SELECT owner, hash, 0, 1, 0 FROM blob WHERE owner = $1 AND hash IN ${dialect.list('$2')} ORDER BY hash
      ON CONFLICT (owner, hash) DO UPDATE SET loose = 1`,
      owner,
      JSON.stringify([...candidates]),
    );
  // The rows are locked before references are read, so that a concurrent commit that refers to them is either visible
  // or waits.
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
  for (const one of loose) (still.has(readTextColumn(one, 'hash')) ? named : gone).push(readTextColumn(one, 'hash'));
  const inList = `owner = $1 AND hash IN ${dialect.list('$2')}`;
  if (named.length > 0) yield* execute(`UPDATE blob_put SET loose = 0 WHERE ${inList}`, owner, JSON.stringify(named));
  if (gone.length > 0 && dialect.hasObjects) yield* abandonAttachmentObjects(inList, owner, JSON.stringify(gone));
  if (gone.length > 0)
    for (const table of ['blob', 'blob_put'])
      yield* execute(`DELETE FROM ${table} WHERE ${inList}`, owner, JSON.stringify(gone));
  return waiting.filter((hash) => !still.has(hash)).length;
}

/** Returns the SQL condition that no upload of an attachment waits any more. */
function isOver({ now }: SqlDialect, grace: string): string {
  return `(waiting = 0 OR at <= ${now} - ${grace})`;
}

/** Returns the candidates that exist and still have a waiting upload. */
function* waitingOf(
  { list }: SqlDialect,
  owner: string,
  candidates: ReadonlySet<string>,
  due: readonly SqlRow[],
): SqlTask<string[]> {
  if (candidates.size === 0) return [];
  const over = new Set(due.map((one) => readTextColumn(one, 'hash')));
  const found = yield* queryRows(
    `SELECT hash FROM blob WHERE owner = $1 AND hash IN ${list('$2')}`,
    owner,
    JSON.stringify([...candidates]),
  );
  return found.map((one) => readTextColumn(one, 'hash')).filter((hash) => !over.has(hash));
}

/** Returns the owners of marked attachments for which no upload waits any more. */
export function* findOwnersWithUnusedBlobs(dialect: SqlDialect, grace: number): SqlTask<readonly string[]> {
  const found = yield* queryRows(
    `SELECT DISTINCT owner FROM blob_put WHERE loose = 1 AND ${isOver(dialect, '$1')} ORDER BY owner`,
    grace,
  );
  return found.map((one) => readTextColumn(one, 'owner'));
}

/** Returns the attachments that an owner's trees and runs refer to, in current, replaced and removed messages. */
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
      for (const column of ['one', 'two']) addBlobHashesInJson(readTextColumn(one, column), named);
  return named;
}
