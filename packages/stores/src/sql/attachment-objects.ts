/**
 * The bytes of attachments in an object store. The table `blob_object` lists the objects that no attachment refers to:
 * those that are being uploaded, and those whose attachment was deleted. So no object is forgotten if a process ends
 * after it has changed only one of database and object store. Each upload has a new address, so deleting an object
 * never affects another upload of the same bytes.
 */
import { AppError, type FsckReport, refusalKinds, refuse } from '@coppice/core';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readTextColumn,
  type SqlDialect,
  type SqlTask,
} from './query.ts';

/** A byte range of an object. */
export interface ObjectByteRange {
  readonly start: number;
  readonly length: number;
}

/** An object store for the bytes of attachments. Its methods reject with `store/unavailable` if it cannot be used. */
export interface AttachmentObjectStore {
  /** Where new attachments are stored; null if they go into the database. */
  readonly place: string | null;
  /** Returns an address that was never used before; null if new attachments go into the database. */
  newAddress(): string | null;
  /** Stores bytes, which have this SHA-256. They are durable when the promise resolves. */
  put(address: string, bytes: Uint8Array, hash: string): Promise<void>;
  /** Returns the bytes or a part of them; null if there is no such object. */
  read(address: string, range: ObjectByteRange | null): Promise<Uint8Array | null>;
  /** Returns the number of bytes; null if there is no such object. */
  size(address: string): Promise<number | null>;
  /** Deletes an object. An object that does not exist is no error. */
  remove(address: string): Promise<void>;
  /** Returns why new attachments cannot be stored; null if they can. */
  check(): Promise<string | null>;
}

/** The statements of the migration that adds the address of an object to attachments. */
export function addBlobObjectSql({ key, float }: SqlDialect): readonly string[] {
  return [
    'ALTER TABLE blob ADD COLUMN object TEXT',
    // The time is that of the upload; 0 if no attachment will refer to the object.
    `CREATE TABLE blob_object (
      object ${key} NOT NULL PRIMARY KEY,
      at ${float} NOT NULL
    )`,
  ];
}

// Longer than an upload takes. After that the object may be deleted, so `endUpload` refuses a process that was
// suspended for longer.
const uploadMs = 86_400_000;
const removedAtOnce = 100;
const checkedAtOnce = 100;

/** Records that an object is about to be uploaded. */
export function* beginUpload({ now }: SqlDialect, address: string): SqlTask<void> {
  yield* execute(`INSERT INTO blob_object (object, at) SELECT $1, ${now}`, address);
}

/** Ends an upload: an attachment refers to its object now, or never will. */
export function* endUpload(address: string, isUsed: boolean): SqlTask<void> {
  if (!isUsed) {
    yield* execute('UPDATE blob_object SET at = 0 WHERE object = $1', address);
    return;
  }
  if ((yield* execute('DELETE FROM blob_object WHERE object = $1 AND at > 0', address)) > 0) return;
  throw new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: 'The upload of an attachment took too long. Upload it again.',
  });
}

/** Marks the objects of attachments that are about to be deleted. `condition` selects rows of the table `blob`. */
export function* abandonAttachmentObjects(condition: string, ...params: readonly string[]): SqlTask<void> {
  yield* execute(
    `INSERT INTO blob_object (object, at) SELECT object, 0 FROM blob WHERE ${condition} AND object IS NOT NULL
    ON CONFLICT (object) DO UPDATE SET at = 0`,
    ...params,
  );
}

/** Returns some objects to delete: no attachment refers to them, or their upload broke off. */
export function* takeAbandonedAttachmentObjects({ now }: SqlDialect): SqlTask<readonly string[]> {
  yield* execute(`UPDATE blob_object SET at = 0 WHERE at > 0 AND at <= ${now} - ${uploadMs}`);
  // After a move of the whole bucket, the rows here are copies, and the objects belong to the other database.
  const found = yield* queryRows(
    `SELECT object FROM blob_object WHERE at = 0 AND NOT EXISTS (SELECT 1 FROM owner_gone WHERE owner = '')
    ORDER BY object LIMIT ${removedAtOnce}`,
  );
  return found.map((row) => readTextColumn(row, 'object'));
}

/** Whether any object is marked for deletion. */
export function* hasAbandonedAttachmentObjects(): SqlTask<boolean> {
  return (yield* queryRow('SELECT 1 AS yes FROM blob_object WHERE at = 0 LIMIT 1')) !== undefined;
}

/** Deletes the rows of objects that were deleted from the object store. */
export function* deleteAttachmentObjectRows({ list }: SqlDialect, addresses: readonly string[]): SqlTask<void> {
  yield* execute(`DELETE FROM blob_object WHERE object IN ${list('$1')}`, JSON.stringify(addresses));
}

/** An attachment with its object. */
export interface StoredAttachmentObject {
  readonly owner: string;
  readonly hash: string;
  readonly address: string;
  readonly size: number;
}

/** Returns the next attachments, of all owners, that have an object, in the order of owner and hash. */
export function* listAttachmentObjects(
  after: Pick<StoredAttachmentObject, 'owner' | 'hash'>,
): SqlTask<readonly StoredAttachmentObject[]> {
  const found = yield* queryRows(
    `SELECT owner, hash, object, size FROM blob WHERE object IS NOT NULL AND (owner, hash) > ($1, $2)
    ORDER BY owner, hash LIMIT ${checkedAtOnce}`,
    after.owner,
    after.hash,
  );
  return found.map((row) => ({
    owner: readTextColumn(row, 'owner'),
    hash: readTextColumn(row, 'hash'),
    address: readTextColumn(row, 'object'),
    size: readNumberColumn(row, 'size'),
  }));
}

/** Throws the error for an attachment whose row exists, but whose object does not. */
export function throwAttachmentObjectMissing(address: string, hash: string): never {
  return refuse('store/damaged', `The object ${address} of the attachment ${hash} is missing.`, { hash });
}

/** Returns a finding for each attachment whose object is missing or has another size. */
export async function checkAttachmentObjects(
  objects: AttachmentObjectStore,
  stored: readonly StoredAttachmentObject[],
): Promise<FsckReport['findings']> {
  const found = await Promise.all(
    stored.map(async ({ hash, address, size }) => {
      const actual = await objects.size(address);
      if (actual === size) return null;
      const what = actual === null ? 'is missing' : `has ${actual} bytes instead of ${size}`;
      return {
        code: 'attachment-object',
        severity: 'error' as const,
        id: hash,
        message: `The object ${address} of the attachment ${hash} ${what}.`,
        treeId: null,
      };
    }),
  );
  return found.filter((finding) => finding !== null);
}
