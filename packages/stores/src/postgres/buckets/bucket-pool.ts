/** The open buckets of a directory. Each database has one connection pool, and each bucket one engine. */
import { AppError, isAppError, refusalKinds, refuse } from '@coppice/core';
import type { AttachmentObjectStore } from '../../sql/attachment-objects.ts';
import { queryRow, type SqlTask } from '../../sql/query.ts';
import { SqlStore } from '../../sql/store.ts';
import { PostgresDatabase } from '../database.ts';
import { PostgresEngine } from '../engine.ts';
import { type PostgresOptions, parsePostgresSettings } from '../options.ts';
import { preparePostgresServer } from '../prepare-postgres-server.ts';
import { findDistributedCommitLevel } from './citus.ts';
import { assignNewOwner, type Bucket, findBucketOfOwner, listBuckets, rankBucketsByHash } from './directory.ts';

/** A bucket that is open, with its connections. */
export interface OpenedBucket {
  readonly bucket: Bucket;
  readonly database: PostgresDatabase;
  /** The store for operations on all owners of the bucket. */
  readonly store: SqlStore;
  /** Returns the store of an owner without checking that the owner is in this bucket. */
  unchecked(owner: string): SqlStore;
}

// How long connections to the old database of a moved bucket stay open. Must exceed the time that a call waits for a
// move of its owner.
const retiredMs = 60_000;
// How long a bucket that did not answer gets no new owners.
const unreachableMs = 30_000;
// More owners than a server serves at once. Looking up an owner that is not cached takes one query of the directory.
const mostCached = 10_000;

/** Opens the buckets of a directory when they are first needed, and caches which bucket each owner is in. */
export class BucketPool {
  readonly directory: PostgresDatabase;
  readonly #options: PostgresOptions;
  readonly #databases = new Map<string, Promise<PostgresDatabase>>();
  readonly #open = new Map<string, Promise<OpenedBucket>>();
  /** Buckets in a database that they were moved away from. */
  readonly #retired = new Set<Promise<OpenedBucket>>();
  readonly #homes = new Map<string, string>();
  /** Until when a bucket counts as unreachable, so that new users do not wait for it each time. */
  readonly #unreachableUntil = new Map<string, number>();
  #buckets: readonly Bucket[] = [];

  /** The object store for the attachments of all buckets. */
  readonly objects: AttachmentObjectStore | undefined;

  constructor(directory: PostgresDatabase, options: PostgresOptions, objects?: AttachmentObjectStore) {
    if (options.isolation === 'serializable')
      refuse(
        'command/invalid',
        'Buckets need the isolation level read committed: with serializable a move could miss a write.',
      );
    this.directory = directory;
    this.#options = options;
    this.objects = objects;
  }

  /** Reads the list of buckets again. If a bucket was moved, the connections to its old database are closed later. */
  async reload(): Promise<readonly Bucket[]> {
    this.#buckets = await this.directory.read(() => listBuckets());
    const current = new Set(this.#buckets.map(keyOf));
    for (const [key, opening] of this.#open) {
      if (current.has(key)) continue;
      this.#open.delete(key);
      this.#retired.add(opening);
      // Closed later, so that calls in progress still learn that the bucket was moved.
      setTimeout(() => void this.#closeRetired(opening), retiredMs).unref();
    }
    return this.#buckets;
  }

  async #closeRetired(opening: Promise<OpenedBucket>): Promise<void> {
    if (this.#retired.delete(opening)) await opening.then(({ store }) => store.close()).catch(() => undefined);
  }

  /**
   * Returns the bucket of an owner for a feed. A new owner gets a bucket, because a feed must follow the bucket to which
   * the owner's first write goes. A directory that takes no writes assigns none.
   */
  async homeForFeed(owner: string): Promise<OpenedBucket> {
    return this.homeOf(owner, true).catch((error: unknown) => {
      if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
      return this.homeOf(owner, false);
    });
  }

  /** Returns the bucket of an owner. An owner without a bucket gets one if the call is for a write. */
  async homeOf(owner: string, forWriting: boolean): Promise<OpenedBucket> {
    const known = this.#homes.get(owner);
    if (known !== undefined) return this.named(known);
    const assigned = await this.directory.read(() => findBucketOfOwner(owner));
    if (assigned !== null) return this.named(this.#remember(owner, assigned));
    const [best, ...others] = rankBucketsByHash(owner, await this.reload());
    const choice = await this.#chooseReachable(best, others);
    if (!forWriting) return this.named(choice);
    return this.named(this.#remember(owner, await this.directory.write(() => assignNewOwner(owner, choice))));
  }

  /**
   * Returns the first bucket whose database answers, so that new users can begin while another bucket is down; the best
   * one if none answers.
   */
  async #chooseReachable(best: string, others: readonly string[]): Promise<string> {
    if (others.length === 0) return best;
    for (const name of [best, ...others]) if (await this.#isReachable(name)) return name;
    return best;
  }

  async #isReachable(name: string): Promise<boolean> {
    const now = performance.now();
    if ((this.#unreachableUntil.get(name) ?? 0) > now) return false;
    try {
      const { database } = await this.named(name);
      await database.read(() => queryRow('SELECT 1 AS yes'));
      return true;
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#unreachableUntil.set(name, performance.now() + unreachableMs);
      return false;
    }
  }

  #remember(owner: string, bucket: string): string {
    this.#homes.set(owner, bucket);
    if (this.#homes.size > mostCached) {
      const [oldest] = this.#homes.keys();
      if (oldest !== undefined) this.#homes.delete(oldest);
    }
    return bucket;
  }

  /** Drops the cached bucket of an owner and reads the list of buckets again, because the owner was moved. */
  async forget(owner: string): Promise<void> {
    this.#homes.delete(owner);
    await this.reload();
  }

  async all(): Promise<readonly OpenedBucket[]> {
    return Promise.all((await this.reload()).map((bucket) => this.#opened(bucket)));
  }

  /** Runs work on all buckets at once, and returns the outcome of each in the order of their names. */
  async allSettled<T>(work: (bucket: OpenedBucket) => Promise<T>): Promise<readonly PromiseSettledResult<T>[]> {
    return Promise.allSettled((await this.#listOrLast()).map(async (bucket) => work(await this.#opened(bucket))));
  }

  /** Returns the buckets of the directory; while the directory is down, those that were read last. */
  async #listOrLast(): Promise<readonly Bucket[]> {
    return this.reload().catch((error: unknown) => {
      if (!isAppError(error) || this.#buckets.length === 0) throw error;
      return this.#buckets;
    });
  }

  /** Opens a bucket by name. Throws if the directory has no such bucket. */
  async named(name: string): Promise<OpenedBucket> {
    const bucket =
      this.#buckets.find((one) => one.name === name) ?? (await this.reload()).find((one) => one.name === name);
    if (bucket === undefined)
      throw new AppError({
        code: 'store/unavailable',
        kind: refusalKinds['store/unavailable'],
        message: `The directory refers to the bucket ${name}, which does not exist.`,
      });
    return this.#opened(bucket);
  }

  #opened(bucket: Bucket): Promise<OpenedBucket> {
    const key = keyOf(bucket);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opening = this.#openBucket(bucket);
    this.#open.set(key, opening);
    // A failed opening is not cached, so the next caller tries again.
    opening.catch(() => this.#open.delete(key));
    return opening;
  }

  /** Returns the database of a bucket. Buckets in the same database share its connection pool. */
  async databaseOf(bucket: Pick<Bucket, 'schema' | 'url'>): Promise<PostgresDatabase> {
    const { url, schema } = bucket;
    if (url === null) return this.directory.withSchema(schema);
    const known = this.#databases.get(url) ?? PostgresDatabase.create(parsePostgresSettings(url, this.#options));
    this.#databases.set(url, known);
    return (await known).withSchema(schema);
  }

  /** Returns the database of a bucket with the settings that its schema needs. */
  async #preparedDatabaseOf(bucket: Bucket): Promise<PostgresDatabase> {
    const database = await this.databaseOf(bucket);
    const commit = await database.read(findDistributedCommitLevel);
    return commit === null ? database : database.asDistributed(commit);
  }

  async #openBucket(bucket: Bucket): Promise<OpenedBucket> {
    const database = await this.#preparedDatabaseOf(bucket);
    const opened = { ...(await preparePostgresServer(database, this.#options)), isBucket: true, objects: this.objects };
    const engine = new PostgresEngine(opened);
    await engine.start();
    const store = new SqlStore(engine, this.#options);
    return { bucket, database, store, unchecked: (owner) => new SqlStore(engine, { ...this.#options, owner }) };
  }

  write<T>(work: () => SqlTask<T>): Promise<T> {
    return this.directory.write(work);
  }

  /** Closes all buckets and all connections, the directory's too. */
  async close(): Promise<void> {
    for (const opening of [...this.#retired]) await this.#closeRetired(opening);
    for (const opening of this.#open.values()) await opening.then(({ store }) => store.close()).catch(() => undefined);
    for (const database of this.#databases.values()) await database.then((one) => one.close()).catch(() => undefined);
    await this.directory.close();
  }
}

/** The location of a bucket, which changes when the bucket is moved. */
function keyOf({ url, schema }: Bucket): string {
  return `${url ?? ''} ${schema ?? ''}`;
}
