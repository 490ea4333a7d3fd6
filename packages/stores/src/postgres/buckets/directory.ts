/**
 * Reads and writes the directory, which lists the buckets and the bucket of each owner. The first `coppice buckets add`
 * creates its tables; a database with these tables is a directory.
 */
import { createHash } from 'node:crypto';
import { AppError, refusalKinds, refuse } from '@coppice/core';
import {
  execute,
  queryRow,
  queryRows,
  readTextColumn,
  readTextColumnOrNull,
  type SqlRow,
  type SqlTask,
} from '../../sql/query.ts';

/** A bucket: a schema with all tables of a store, in the directory's database or in another one. */
export interface Bucket {
  readonly name: string;
  /** The schema of the tables; null for the tables that the database had before it became a directory. */
  readonly schema: string | null;
  /** The URL of the database; null for the database of the directory. */
  readonly url: string | null;
  /** Whether new owners are assigned to this bucket. */
  readonly state: 'open' | 'closed';
}

/** The name of the bucket with the tables that the database had before it became a directory. */
export const firstBucketName = 'main';

const tables: readonly string[] = [
  `CREATE TABLE coppice_bucket (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    schema_name TEXT,
    url TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'closed'))
  )`,
  `CREATE TABLE coppice_owner (
    owner TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    bucket TEXT COLLATE "C" NOT NULL REFERENCES coppice_bucket (name)
  )`,
  'CREATE INDEX coppice_owner_bucket ON coppice_owner (bucket)',
];

export function* isBucketDirectory(): SqlTask<boolean> {
  const found = yield* queryRow("SELECT to_regclass('coppice_bucket') IS NOT NULL AS there");
  return found?.['there'] === true;
}

/**
 * Makes a database a directory of buckets. Its existing tables become the first bucket, which all existing owners are
 * assigned to. Servers that opened the database before can no longer write to it.
 */
export function* createBucketDirectory(): SqlTask<void> {
  if (yield* isBucketDirectory()) return;
  for (const statement of tables) yield* execute(statement);
  yield* execute("INSERT INTO coppice_bucket (name, state) VALUES ($1, 'open')", firstBucketName);
  // From here on, servers that do not know of the directory cannot commit, so no new owner is missed below.
  yield* execute('UPDATE feed_epoch SET divided = TRUE');
  yield* execute('LOCK TABLE change IN SHARE MODE');
  yield* execute(
    `INSERT INTO coppice_owner (owner, bucket) SELECT DISTINCT owner, $1 FROM (
      SELECT owner FROM tree UNION SELECT owner FROM blob UNION SELECT owner FROM run UNION SELECT owner FROM external_id
    ) AS known`,
    firstBucketName,
  );
}

function bucketOf(row: SqlRow): Bucket {
  return {
    name: readTextColumn(row, 'name'),
    schema: readTextColumnOrNull(row, 'schema_name'),
    url: readTextColumnOrNull(row, 'url'),
    state: readTextColumn(row, 'state') === 'open' ? 'open' : 'closed',
  };
}

/** Returns all buckets, sorted by name. */
export function* listBuckets(): SqlTask<Bucket[]> {
  return (yield* queryRows('SELECT name, schema_name, url, state FROM coppice_bucket ORDER BY name')).map(bucketOf);
}

/** Returns a bucket by name. Throws if it does not exist. */
export function* requireBucket(name: string): SqlTask<Bucket> {
  const found = yield* queryRow('SELECT name, schema_name, url, state FROM coppice_bucket WHERE name = $1', name);
  return found === undefined ? refuse('command/invalid', `There is no bucket ${name}.`) : bucketOf(found);
}

/** Adds a bucket. Throws if the name is taken. */
export function* addBucketRow({ name, schema, url, state }: Bucket): SqlTask<void> {
  const added = yield* execute(
    'INSERT INTO coppice_bucket (name, schema_name, url, state) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING',
    name,
    schema,
    url,
    state,
  );
  if (added === 0) refuse('command/invalid', `There is a bucket ${name} already.`);
}

export function* setBucketState(name: string, state: Bucket['state']): SqlTask<void> {
  yield* execute('UPDATE coppice_bucket SET state = $2 WHERE name = $1', name, state);
}

/** Changes the database of a bucket. */
export function* setBucketUrl(name: string, url: string): SqlTask<void> {
  yield* execute('UPDATE coppice_bucket SET url = $2 WHERE name = $1', name, url);
}

/** Returns the bucket of an owner; null if the owner has none. */
export function* findBucketOfOwner(owner: string): SqlTask<string | null> {
  const found = yield* queryRow('SELECT bucket FROM coppice_owner WHERE owner = $1', owner);
  return found === undefined ? null : readTextColumn(found, 'bucket');
}

/** Assigns an owner to a bucket, unless the owner already has one. Returns the owner's bucket. */
export function* assignOwner(owner: string, bucket: string): SqlTask<string> {
  yield* execute(
    'INSERT INTO coppice_owner (owner, bucket) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING',
    owner,
    bucket,
  );
  return (yield* findBucketOfOwner(owner)) ?? bucket;
}

/**
 * Assigns a new owner to a bucket. Returns the owner's bucket: another one if the owner has one already, or if the
 * chosen one was closed meanwhile. The buckets stay locked until the transaction ends, so that a bucket that is being
 * drained gets no owner after the drain has listed them.
 */
export function* assignNewOwner(owner: string, choice: string): SqlTask<string> {
  const rows = yield* queryRows('SELECT name, schema_name, url, state FROM coppice_bucket ORDER BY name FOR SHARE');
  const known = yield* findBucketOfOwner(owner);
  if (known !== null) return known;
  const buckets = rows.map(bucketOf);
  const isOpen = buckets.some(({ name, state }) => name === choice && state === 'open');
  return yield* assignOwner(owner, isOpen ? choice : chooseBucketByHash(owner, buckets));
}

export function* reassignOwner(owner: string, bucket: string): SqlTask<void> {
  yield* execute('UPDATE coppice_owner SET bucket = $2 WHERE owner = $1', owner, bucket);
}

/** Returns the next owners of a bucket after a name, sorted. */
export function* listBucketOwners(bucket: string, after: string, limit: number): SqlTask<string[]> {
  const found = yield* queryRows(
    'SELECT owner FROM coppice_owner WHERE bucket = $1 AND owner > $2 ORDER BY owner LIMIT $3',
    bucket,
    after,
    limit,
  );
  return found.map((row) => readTextColumn(row, 'owner'));
}

/**
 * Returns the open buckets for a new owner, best first: sorted by the hash of owner name and bucket name. So a new bucket
 * gets an equal share of new owners. Existing owners stay where they are. Throws if no bucket is open.
 */
export function rankBucketsByHash(owner: string, buckets: readonly Bucket[]): readonly [string, ...string[]] {
  const [best, ...others] = buckets
    .filter(({ state }) => state === 'open')
    .map(({ name }) => ({ name, hash: createHash('sha256').update(`${name}\n${owner}`).digest('hex') }))
    .sort((a, b) => (a.hash > b.hash ? -1 : 1))
    .map(({ name }) => name);
  if (best === undefined)
    throw new AppError({
      code: 'store/unavailable',
      kind: refusalKinds['store/unavailable'],
      message: 'No bucket accepts new owners. Open one with coppice buckets open.',
    });
  return [best, ...others];
}

/** Returns the best open bucket for a new owner. */
export function chooseBucketByHash(owner: string, buckets: readonly Bucket[]): string {
  return rankBucketsByHash(owner, buckets)[0];
}
