/**
 * Moves existing attachments between the database and an object store, while people read and write. First all bytes are
 * copied and each copy is read back and compared; meanwhile every attachment is in both places. Then the old bytes are
 * deleted. An interrupted move is continued by repeating it.
 */
import { sha256Hex } from '@coppice/content';
import { AppError, isAppError, refusalKinds, refuse } from '@coppice/core';
import {
  abandonAttachmentObjects,
  beginUpload,
  deleteAttachmentObjectRows,
  endUpload,
} from '../../sql/attachment-objects.ts';
import { lockBlobs } from '../../sql/attachments.ts';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readTextColumn,
  type SqlRow,
  type SqlTask,
} from '../../sql/query.ts';
import { BucketPool } from '../buckets/bucket-pool.ts';
import { isBucketDirectory } from '../buckets/directory.ts';
import { PostgresDatabase } from '../database.ts';
import { postgresDialect } from '../dialect.ts';
import { type PostgresOptions, parsePostgresSettings } from '../options.ts';
import { isOwnerMovedError, runWithOwnerGate } from '../owner-gate.ts';
import { preparePostgresServer } from '../prepare-postgres-server.ts';
import { makeProgramTooOldError, newestSchemaVersion } from '../schema-version.ts';
import { S3ObjectStore } from './index.ts';

/** How many attachments are in one place: `database`, or a folder of an object store such as `s3://bucket/folder`. */
export interface AttachmentPlace {
  readonly place: string;
  readonly attachments: number;
  readonly bytes: number;
}

/** How far a move is. */
export interface AttachmentMoveProgress {
  readonly done: number;
  readonly total: number;
}

/** What a move of attachments did. */
export interface AttachmentMoveReport {
  readonly to: string;
  /** How many attachments were moved, with their bytes. */
  readonly moved: number;
  readonly bytes: number;
  /** A sentence for each attachment that stays where it was, because its bytes are not those of its hash. */
  readonly damaged: readonly string[];
  /** How many attachments are still in another place: damaged ones, and those of users who are being moved. */
  readonly left: number;
}

/** The administration of the attachments of a PostgreSQL store. The command `coppice attachments` uses it. */
export interface AttachmentAdmin {
  /** Where the URL says that new attachments go: `database`, or the folder of an object store. */
  readonly newPlace: string;
  /** Returns how many attachments are in each place. One that is in both during a move counts for the object store. */
  places(): Promise<readonly AttachmentPlace[]>;
  /**
   * Moves all attachments to `database` or to the folder of an object store. Rejects with `store/unavailable` if the
   * object store fails; what was copied until then is used when the move is repeated.
   */
  move(to: string, onProgress?: (progress: AttachmentMoveProgress) => void): Promise<AttachmentMoveReport>;
  close(): Promise<void>;
}

/** The database of a store or of a bucket. */
interface BlobDatabase {
  readonly database: PostgresDatabase;
  readonly isBucket: boolean;
}

/** Opens the administration of the attachments of a `postgres:` URL. */
export async function openAttachments(address: string, options: PostgresOptions = {}): Promise<AttachmentAdmin> {
  if (!/^postgres(?:ql)?:/.test(address))
    refuse('command/invalid', 'Only a PostgreSQL store can have attachments elsewhere. Give a postgres:// URL.');
  const settings = parsePostgresSettings(address, options);
  const database = await PostgresDatabase.create(settings);
  try {
    const { schemaVersion } = await preparePostgresServer(database, options);
    // This program does not know what a newer one stores with an attachment.
    if (schemaVersion > newestSchemaVersion) throw makeProgramTooOldError(settings.place);
    if (!(await database.read(isBucketDirectory)))
      return new StoredAttachments(settings.attachments, [{ database, isBucket: false }], () => database.close());
    const pool = new BucketPool(database, options);
    const all = (await pool.all()).map((bucket) => ({ database: bucket.database, isBucket: true }));
    return new StoredAttachments(settings.attachments, all, () => pool.close());
  } catch (error) {
    await database.close();
    throw error;
  }
}

const databasePlace = 'database';
const listedAtOnce = 100;
const movedAtOnce = 4;

const placesSql = `SELECT coalesce(substring(object FROM '^(.*)/[^/]*$'), '${databasePlace}') AS place,
    count(*) AS attachments, coalesce(sum(size), 0) AS bytes FROM blob GROUP BY 1 ORDER BY 1`;

interface BlobRow {
  readonly owner: string;
  readonly hash: string;
  readonly size: number;
  readonly object: string;
}

function blobRowOf(row: SqlRow): BlobRow {
  const { object } = row;
  return {
    owner: readTextColumn(row, 'owner'),
    hash: readTextColumn(row, 'hash'),
    size: readNumberColumn(row, 'size'),
    object: typeof object === 'string' ? object : '',
  };
}

/** Returns the next attachments, of all owners, that meet a condition. `$3` is the folder of the object store. */
function* listBlobs(condition: string, after: BlobRow, folder: string): SqlTask<readonly BlobRow[]> {
  const found = yield* queryRows(
    `SELECT owner, hash, size, object FROM blob WHERE (owner, hash) > ($1, $2) AND ${condition}
    ORDER BY owner, hash LIMIT ${listedAtOnce}`,
    after.owner,
    after.hash,
    folder,
  );
  return found.map(blobRowOf);
}

const beforeAll: BlobRow = { owner: '', hash: '', size: 0, object: '' };

/** One direction of a move: which attachments are left to copy and to delete, and how one of them is treated. */
interface Direction {
  /** The condition of attachments that are not in the new place. `$3` is the folder of the object store. */
  readonly toCopy: string;
  /** The condition of attachments in both places, whose old bytes are left to delete. */
  readonly toDelete: string;
  /** Copies an attachment. Returns why it is damaged, or null. */
  copy(at: BlobDatabase, row: BlobRow): Promise<string | null>;
  /** Deletes the old bytes of an attachment. Returns whether it did. */
  deleteOld(at: BlobDatabase, row: BlobRow): Promise<boolean>;
}

class StoredAttachments implements AttachmentAdmin {
  readonly newPlace: string;
  readonly #databases: readonly BlobDatabase[];
  readonly #closeAll: () => Promise<void>;

  constructor(place: string | null, databases: readonly BlobDatabase[], closeAll: () => Promise<void>) {
    this.newPlace = place === null ? databasePlace : place.replace(/\/+$/, '');
    this.#databases = databases;
    this.#closeAll = closeAll;
  }

  async places(): Promise<readonly AttachmentPlace[]> {
    const sums = new Map<string, AttachmentPlace>();
    for (const { database } of this.#databases)
      for (const row of await database.read(() => queryRows(placesSql))) {
        const place = readTextColumn(row, 'place');
        const { attachments, bytes } = sums.get(place) ?? { attachments: 0, bytes: 0 };
        sums.set(place, {
          place,
          attachments: attachments + readNumberColumn(row, 'attachments'),
          bytes: bytes + readNumberColumn(row, 'bytes'),
        });
      }
    return [...sums.values()];
  }

  async move(to: string, onProgress?: (progress: AttachmentMoveProgress) => void): Promise<AttachmentMoveReport> {
    const place = to.replace(/\/+$/, '');
    const folder = place === databasePlace ? '' : place;
    const objects = new S3ObjectStore(folder === '' ? null : folder, process.env);
    const direction = folder === '' ? new ToDatabase(objects) : new ToObjects(objects);
    await this.#assertPossible(folder, objects);
    const total = await this.#count(direction, folder);
    const damaged: string[] = [];
    let done = 0;
    const step = () => onProgress?.({ done: ++done, total: Math.max(done, total) });
    for (const at of this.#databases)
      await eachBlob(at, direction.toCopy, folder, async (row) => {
        const why = await direction.copy(at, row).catch(ignoreMovedOwner);
        if (typeof why === 'string') damaged.push(why);
        step();
      });
    let [moved, bytes] = [0, 0];
    for (const at of this.#databases)
      await eachBlob(at, direction.toDelete, folder, async (row) => {
        if ((await direction.deleteOld(at, row).catch(ignoreMovedOwner)) === true) {
          moved++;
          bytes += row.size;
        }
        step();
      });
    return { to: place, moved, bytes, damaged, left: await this.#countLeft(direction, folder) };
  }

  /** Throws before anything is copied if the object store cannot be used, or another one has attachments. */
  async #assertPossible(folder: string, objects: S3ObjectStore): Promise<void> {
    const problem = await objects.check();
    if (problem !== null) throw unavailable(`The object store ${folder} cannot be used: ${problem}.`);
    if (folder === '') return;
    const elsewhere = (await this.places()).find(({ place }) => place !== databasePlace && place !== folder);
    if (elsewhere !== undefined)
      refuse(
        'command/invalid',
        `${elsewhere.attachments} attachments are in ${elsewhere.place}. Move them to the database first, then to ${folder}.`,
      );
  }

  /** Returns the number of steps: an attachment that is copied and deleted takes two. */
  async #count({ toCopy, toDelete }: Direction, folder: string): Promise<number> {
    return 2 * (await this.#countWhere(toCopy, folder)) + (await this.#countWhere(toDelete, folder));
  }

  async #countLeft({ toCopy, toDelete }: Direction, folder: string): Promise<number> {
    return this.#countWhere(`(${toCopy} OR ${toDelete})`, folder);
  }

  async #countWhere(condition: string, folder: string): Promise<number> {
    let sum = 0;
    for (const { database } of this.#databases) {
      // The first two parameters are those of a list of attachments.
      const sql = `SELECT count(*) AS n FROM blob WHERE (owner, hash) > ($1, $2) AND ${condition}`;
      sum += readNumberColumn((await database.read(() => queryRow(sql, '', '', folder))) ?? { n: 0 }, 'n');
    }
    return sum;
  }

  close(): Promise<void> {
    return this.#closeAll();
  }
}

/** Calls a function for each attachment that meets a condition, for some of them at once. */
async function eachBlob(
  { database }: BlobDatabase,
  condition: string,
  folder: string,
  work: (row: BlobRow) => Promise<void>,
): Promise<void> {
  for (let after = beforeAll; ; ) {
    const from = after;
    const rows = await database.read(() => listBlobs(condition, from, folder));
    const last = rows.at(-1);
    if (last === undefined) return;
    const waiting = [...rows];
    const next = async (): Promise<void> => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) await work(row);
    };
    const outcomes = await Promise.allSettled(Array.from({ length: movedAtOnce }, next));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    after = last;
  }
}

/** Changes the row of an attachment, under the lock that a purge of the attachment takes too. */
function changeBlob<T>({ database, isBucket }: BlobDatabase, row: BlobRow, work: () => SqlTask<T>): Promise<T> {
  const locked = function* () {
    yield* lockBlobs(postgresDialect, row.owner, new Set([row.hash]));
    return yield* work();
  };
  return database.write(isBucket ? () => runWithOwnerGate('SELECT bucket_enter($1)', row.owner, locked) : locked);
}

/** The owner of an attachment is being moved to another bucket; the attachment is counted as left. */
function ignoreMovedOwner(error: unknown): null {
  if (!isOwnerMovedError(error)) throw error;
  return null;
}

const where = 'owner = $1 AND hash = $2';

class ToObjects implements Direction {
  readonly toCopy = "object IS NULL AND $3 <> ''";
  readonly toDelete = "length(bytes) > 0 AND starts_with(object, $3 || '/')";
  readonly #objects: S3ObjectStore;

  constructor(objects: S3ObjectStore) {
    this.#objects = objects;
  }

  async copy(at: BlobDatabase, row: BlobRow): Promise<string | null> {
    const { owner, hash } = row;
    const { database } = at;
    const stored = await database.read(() => queryRow(`SELECT bytes FROM blob WHERE ${where}`, owner, hash));
    const bytes = stored?.bytes;
    // The attachment was purged, or moved with its owner.
    if (!(bytes instanceof Uint8Array)) return null;
    if (sha256Hex(bytes) !== hash) return describeDamage(row, 'the database');
    const address = this.#objects.newAddress();
    if (address === null) throw new Error('The object store has no folder for new objects.');
    await database.write(() => beginUpload(postgresDialect, address));
    let isUsed = false;
    try {
      await this.#objects.put(address, bytes, hash);
      const written = await this.#objects.read(address, null);
      if (written === null || sha256Hex(written) !== hash)
        throw unavailable(`The object store returned other bytes for ${address} than it was given.`);
      isUsed = await changeBlob(at, row, () => useObject(row, address));
      return null;
    } finally {
      if (!isUsed) await this.#discard(database, address);
    }
  }

  /**
   * Deletes an object, unless an attachment refers to it after all: the answer of a commit may have been lost. If the
   * database cannot be asked, a later upload or purge deletes the object.
   */
  async #discard(database: PostgresDatabase, address: string): Promise<void> {
    try {
      const unused = 'UPDATE blob_object SET at = 0 WHERE object = $1';
      if ((await database.write(() => execute(unused, address))) > 0)
        await removeObject(this.#objects, database, address);
    } catch (error) {
      if (!isAppError(error)) throw error;
    }
  }

  async deleteOld(at: BlobDatabase, row: BlobRow): Promise<boolean> {
    const { owner, hash, size, object } = row;
    if ((await this.#objects.size(object)) !== size) return false;
    const sql = `UPDATE blob SET bytes = '' WHERE ${where} AND object = $3 AND length(bytes) > 0`;
    return (await changeBlob(at, row, () => execute(sql, owner, hash, object))) > 0;
  }
}

/** Gives an attachment its object, unless the attachment was purged or has one. Returns whether it did. */
function* useObject({ owner, hash }: BlobRow, address: string): SqlTask<boolean> {
  const sql = `UPDATE blob SET object = $3 WHERE ${where} AND object IS NULL`;
  const isUsed = (yield* execute(sql, owner, hash, address)) > 0;
  if (isUsed) yield* endUpload(address, true);
  return isUsed;
}

class ToDatabase implements Direction {
  readonly toCopy = "object IS NOT NULL AND length(bytes) <> size AND $3 = ''";
  readonly toDelete = "object IS NOT NULL AND length(bytes) = size AND $3 = ''";
  readonly #objects: S3ObjectStore;

  constructor(objects: S3ObjectStore) {
    this.#objects = objects;
  }

  async copy(at: BlobDatabase, row: BlobRow): Promise<string | null> {
    const { owner, hash, object } = row;
    const bytes = await this.#objects.read(object, null);
    if (bytes === null || sha256Hex(bytes) !== hash) {
      const sql = `SELECT 1 AS yes FROM blob WHERE ${where} AND object = $3`;
      const isStored = (await at.database.read(() => queryRow(sql, owner, hash, object))) !== undefined;
      return isStored ? describeDamage(row, object) : null;
    }
    const sql = `UPDATE blob SET bytes = $4 WHERE ${where} AND object = $3`;
    await changeBlob(at, row, () => execute(sql, owner, hash, object, bytes));
    return null;
  }

  async deleteOld(at: BlobDatabase, row: BlobRow): Promise<boolean> {
    const { owner, hash, object } = row;
    const isDone = await changeBlob(at, row, function* () {
      // The bytes that are read later are those of the database, so these are compared again.
      const condition = `${where} AND object = $3 AND encode(sha256(bytes), 'hex') = hash`;
      yield* abandonAttachmentObjects(condition, owner, hash, object);
      return (yield* execute(`UPDATE blob SET object = NULL WHERE ${condition}`, owner, hash, object)) > 0;
    });
    if (isDone) await removeObject(this.#objects, at.database, object);
    return isDone;
  }
}

/** Deletes an object that is marked for deletion. If that fails, a later upload or purge deletes it. */
async function removeObject(objects: S3ObjectStore, database: PostgresDatabase, address: string): Promise<void> {
  try {
    await objects.remove(address);
    await database.write(() => deleteAttachmentObjectRows(postgresDialect, [address]));
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}

function describeDamage({ owner, hash }: BlobRow, place: string): string {
  return `The attachment ${hash} of ${owner} is damaged in ${place}: it stays there. Purge its messages, or restore it from a backup.`;
}

function unavailable(message: string): AppError {
  return new AppError({ code: 'store/unavailable', kind: refusalKinds['store/unavailable'], message });
}
