/** Administers buckets: lists and adds them, and moves owners between them while they write. */
import { refuse } from '@coppice/core';
import { execute, queryRow, queryRows, readNumberColumn, readTextColumn, type SqlTask } from '../../sql/query.ts';
import { PostgresDatabase } from '../database.ts';
import { type PostgresOptions, parsePostgresSettings } from '../options.ts';
import { preparePostgresServer } from '../prepare-postgres-server.ts';
import { quoteName } from '../quote.ts';
import { BucketPool, type OpenedBucket } from './bucket-pool.ts';
import { distributeSchema } from './citus.ts';
import {
  addBucketRow,
  type Bucket,
  chooseBucketByHash,
  createBucketDirectory,
  firstBucketName,
  isBucketDirectory,
  listBucketOwners,
  requireBucket,
  setBucketState,
  setBucketUrl,
} from './directory.ts';
import { hasUnfinishedBucketMove, moveBucket } from './move-bucket.ts';
import { moveOwner } from './move-owner.ts';
import type { BucketMoveOptions, BucketMoveReport, OwnerMoveOptions, OwnerMoveReport } from './move-report.ts';

export type {
  BucketMoveOptions,
  BucketMoveProgress,
  BucketMoveReport,
  OwnerMoveOptions,
  OwnerMoveProgress,
  OwnerMoveReport,
} from './move-report.ts';

/** A bucket with its number of owners. */
export interface BucketSummary {
  readonly name: string;
  /** The host and name of the database, without user and password. */
  readonly place: string;
  readonly schema: string | null;
  readonly state: Bucket['state'];
  readonly owners: number;
}

/** The administration of a directory's buckets. The command `coppice buckets` uses it. */
export interface BucketAdmin {
  list(): Promise<readonly BucketSummary[]>;
  /**
   * Adds a bucket: a schema in the directory's database, or with `url` in another database. The first call makes the
   * database a directory; servers that have the database open cannot write until they are restarted.
   */
  add(name: string, options?: { readonly url?: string; readonly schema?: string }): Promise<void>;
  /**
   * Gives the tables of a bucket to Citus, as a distributed schema. Repeat it for each bucket after nodes were added.
   * Servers that have the bucket open must be restarted.
   */
  distribute(name: string): Promise<void>;
  moveOwner(owner: string, to: string, options?: OwnerMoveOptions): Promise<OwnerMoveReport>;
  /** Moves a whole bucket to another database, by the logical replication of PostgreSQL, while its owners write. */
  moveBucket(name: string, url: string, options?: BucketMoveOptions): Promise<BucketMoveReport>;
  /** Closes a bucket for new owners, and moves its owners to the other buckets. */
  drain(name: string, options?: OwnerMoveOptions): Promise<readonly OwnerMoveReport[]>;
  /** Opens a bucket for new owners again. */
  open(name: string): Promise<void>;
  /**
   * Changes the URL of a bucket: another password, user or host of the same database. Throws if the new URL leads to
   * other tables. Servers use it within seconds, without a restart.
   */
  setUrl(name: string, url: string): Promise<void>;
  /**
   * Returns a sentence for each inconsistency: an owner in two buckets, in none, or in a move that was interrupted, and
   * a bucket whose database cannot be used.
   */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const ownersAtOnce = 100;
const recordsAtOnce = 1_000;

/** Opens the administration of a `postgres:` URL. The database need not be a directory yet. */
export async function openBuckets(address: string, options: PostgresOptions = {}): Promise<BucketAdmin> {
  if (!/^postgres(?:ql)?:/.test(address))
    refuse('command/invalid', 'Only a PostgreSQL store has buckets. Give a postgres:// URL.');
  const directory = await PostgresDatabase.create(parsePostgresSettings(address, options));
  try {
    await preparePostgresServer(directory, options);
    return new DirectoryBuckets(new BucketPool(directory, options));
  } catch (error) {
    await directory.close();
    throw error;
  }
}

class DirectoryBuckets implements BucketAdmin {
  readonly #pool: BucketPool;

  constructor(pool: BucketPool) {
    this.#pool = pool;
  }

  async #assertDirectory(): Promise<void> {
    if (!(await this.#pool.directory.read(isBucketDirectory)))
      refuse('command/invalid', 'This store has no buckets. Add one with coppice buckets add.');
  }

  async list(): Promise<readonly BucketSummary[]> {
    if (!(await this.#pool.directory.read(isBucketDirectory))) return [];
    const counts = await this.#pool.directory.read(ownerCounts);
    const summaries: BucketSummary[] = [];
    for (const bucket of await this.#pool.reload()) {
      const { settings } = await this.#pool.databaseOf(bucket);
      const { name, schema, state } = bucket;
      summaries.push({ name, place: settings.place, schema, state, owners: counts.get(name) ?? 0 });
    }
    return summaries;
  }

  async add(name: string, options: { readonly url?: string; readonly schema?: string } = {}): Promise<void> {
    if (!/^[a-z][a-z0-9_]{0,40}$/.test(name))
      refuse(
        'command/invalid',
        'A bucket is named by lower-case letters, digits and underscores, beginning with a letter.',
      );
    const schema = options.schema ?? `coppice_${name}`;
    const { directory } = this.#pool;
    const url = options.url ?? null;
    await this.#assertNewBucket(name, schema, url);
    if (name === firstBucketName && !(await directory.read(isBucketDirectory)))
      refuse('command/invalid', `The bucket ${firstBucketName} contains the existing tables. Choose another name.`);
    const database = await this.#pool.databaseOf({ schema: null, url });
    await database.write(function* () {
      yield* execute(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
    });
    await preparePostgresServer(database.withSchema(schema), {});
    const occupied = await database.withSchema(schema).read(function* () {
      return yield* queryRow('SELECT owner FROM tree LIMIT 1');
    });
    if (occupied !== undefined)
      refuse(
        'command/invalid',
        `The schema ${schema} of ${database.settings.place} already has trees. Choose an empty schema.`,
      );
    await this.#openSchema(database.withSchema(schema));
    await directory.write(function* () {
      yield* createBucketDirectory();
      yield* addBucketRow({ name, schema, url, state: 'open' });
    });
  }

  /** Throws if a bucket has this name or these tables. Otherwise the records of that bucket would be changed. */
  async #assertNewBucket(name: string, schema: string, url: string | null): Promise<void> {
    if (!(await this.#pool.directory.read(isBucketDirectory))) return;
    const placeOf = async (one: Pick<Bucket, 'url' | 'schema'>) =>
      `${(await this.#pool.databaseOf(one)).settings.place} ${one.schema}`;
    const wanted = await placeOf({ url, schema });
    for (const bucket of await this.#pool.reload()) {
      if (bucket.name === name) refuse('command/invalid', `There is a bucket ${name} already.`);
      if ((await placeOf(bucket)) === wanted)
        refuse('command/invalid', `The schema ${schema} is that of the bucket ${bucket.name}. Choose an empty schema.`);
    }
  }

  /**
   * Lets owners into the schema of a new bucket. If a bucket was moved away from the schema before, the schema has a
   * record that all owners are gone. That record is replaced by one for each known owner, because a server may still
   * look for these owners there.
   */
  async #openSchema(schema: PostgresDatabase): Promise<void> {
    await schema.write(() => execute('UPDATE feed_epoch SET divided = TRUE'));
    const moved = await schema.read(() => queryRow("SELECT 1 AS yes FROM owner_gone WHERE owner = ''"));
    if (moved === undefined) return;
    const { directory } = this.#pool;
    for (let after = ''; ; ) {
      const owners = await directory.read(() => listOwners(after, recordsAtOnce));
      const last = owners.at(-1);
      if (last === undefined) break;
      await schema.write(() => recordOwnersGone(owners));
      after = last.owner;
    }
    await schema.write(() => execute("DELETE FROM owner_gone WHERE owner = ''"));
  }

  async distribute(name: string): Promise<void> {
    await this.#assertDirectory();
    const bucket = await this.#pool.directory.read(() => requireBucket(name));
    const { schema } = bucket;
    if (schema === null)
      refuse(
        'command/invalid',
        `The tables of ${name} are not in a schema of their own. Move its users to another bucket.`,
      );
    const database = await this.#pool.databaseOf(bucket);
    await distributeSchema(database, schema);
  }

  async moveOwner(owner: string, to: string, options?: OwnerMoveOptions): Promise<OwnerMoveReport> {
    await this.#assertDirectory();
    return moveOwner(this.#pool, owner, to, options);
  }

  async moveBucket(name: string, url: string, options?: BucketMoveOptions): Promise<BucketMoveReport> {
    await this.#assertDirectory();
    return moveBucket(this.#pool, name, url, options);
  }

  async drain(name: string, options?: OwnerMoveOptions): Promise<readonly OwnerMoveReport[]> {
    await this.#assertDirectory();
    await this.#pool.directory.read(() => requireBucket(name));
    if (!(await this.#pool.reload()).some((bucket) => bucket.state === 'open' && bucket.name !== name))
      refuse('command/invalid', `There is no other open bucket for the users of ${name}. Add or open one.`);
    await this.#pool.write(() => setBucketState(name, 'closed'));
    const reports: OwnerMoveReport[] = [];
    const open = await this.#pool.reload();
    for (let after = ''; ; ) {
      const owners = await this.#pool.directory.read(() => listBucketOwners(name, after, ownersAtOnce));
      for (const owner of owners)
        reports.push(await moveOwner(this.#pool, owner, chooseBucketByHash(owner, open), options));
      const last = owners.at(-1);
      if (last === undefined) return reports;
      after = last;
    }
  }

  async open(name: string): Promise<void> {
    await this.#assertDirectory();
    await this.#pool.directory.read(() => requireBucket(name));
    await this.#pool.write(() => setBucketState(name, 'open'));
  }

  async setUrl(name: string, url: string): Promise<void> {
    await this.#assertDirectory();
    const bucket = await this.#pool.directory.read(() => requireBucket(name));
    if (bucket.url === null)
      refuse('command/invalid', `The bucket ${name} is in the database of the store: change the URL of the store.`);
    const target = await this.#pool.databaseOf({ schema: bucket.schema, url });
    if (!(await this.#hasDataOf(name, target)))
      refuse(
        'command/invalid',
        `${target.settings.place} does not have the data of the bucket ${name}. To move it there, use coppice buckets move-bucket.`,
      );
    await this.#pool.write(() => setBucketUrl(name, url));
    await this.#pool.reload();
  }

  /**
   * Whether a database has the data of a bucket. The old URL may not work any more, so that the owners of the trees are
   * compared with those that the directory assigned to the bucket.
   */
  async #hasDataOf(name: string, target: PostgresDatabase): Promise<boolean> {
    const { directory } = this.#pool;
    if (!(await target.read(isOpenBucketSchema))) return false;
    const owners = await target.read(listTreeOwners);
    if (owners.length === 0) return ((await directory.read(ownerCounts)).get(name) ?? 0) === 0;
    const homes = await directory.read(() => homesOf(owners));
    return owners.every((owner) => homes.get(owner) === name);
  }

  async check(): Promise<readonly string[]> {
    await this.#assertDirectory();
    const buckets = await this.#pool.reload();
    const outcomes = await this.#pool.allSettled((bucket) => this.#checkBucket(bucket));
    return outcomes.flatMap((outcome, at) =>
      outcome.status === 'fulfilled'
        ? outcome.value
        : `The bucket ${buckets[at]?.name ?? at} cannot be checked: ${outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason)}`,
    );
  }

  async #checkBucket({ bucket, database }: OpenedBucket): Promise<readonly string[]> {
    const findings: string[] = [];
    const found = await database.read(ownersHere);
    const bucketsOfOwners = await this.#pool.directory.read(() => homesOf(found.map(({ owner }) => owner)));
    const closedFor = found.find(({ owner }) => owner === '')?.gone;
    if (closedFor !== undefined && closedFor !== null)
      findings.push(`The bucket ${bucket.name} is closed, on the way to ${closedFor}: repeat the move.`);
    else if (await database.read(() => hasUnfinishedBucketMove(bucket.name)))
      findings.push(`The bucket ${bucket.name} is being copied to another database: repeat the move if it broke off.`);
    for (const { owner, trees, gone } of found) {
      const home = bucketsOfOwners.get(owner);
      const at = `The owner ${owner}`;
      if (gone !== null && home === bucket.name)
        findings.push(`${at} is in an interrupted move from ${bucket.name} to ${gone}: repeat the move.`);
      else if (trees > 0 && home === undefined)
        findings.push(`${at} has trees in ${bucket.name} and is in no bucket of the directory.`);
      else if (trees > 0 && home !== bucket.name && home !== undefined)
        findings.push(
          gone === null
            ? `${at} is in ${home}, and ${bucket.name} has ${trees} trees of an interrupted move or an older backup: they are not used. Moving the owner there deletes them first.`
            : `${at} is in ${home}, and ${trees} trees that a move left in ${bucket.name} were not deleted: repeat the move to ${home}.`,
        );
    }
    return findings;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

interface OwnerHome {
  readonly owner: string;
  readonly bucket: string;
}

function* listOwners(after: string, limit: number): SqlTask<readonly OwnerHome[]> {
  const rows = yield* queryRows(
    'SELECT owner, bucket FROM coppice_owner WHERE owner > $1 ORDER BY owner LIMIT $2',
    after,
    limit,
  );
  return rows.map((row) => ({ owner: readTextColumn(row, 'owner'), bucket: readTextColumn(row, 'bucket') }));
}

function* recordOwnersGone(owners: readonly OwnerHome[]): SqlTask<void> {
  for (const { owner, bucket } of owners)
    yield* execute(
      'INSERT INTO owner_gone (owner, bucket) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING',
      owner,
      bucket,
    );
}

/** Whether the tables of a bucket are in the schema, and the bucket was not moved away from it. */
function* isOpenBucketSchema(): SqlTask<boolean> {
  const tables = yield* queryRow(
    "SELECT to_regclass('feed_epoch') IS NOT NULL AND to_regclass('owner_gone') IS NOT NULL AS yes",
  );
  if (tables?.['yes'] !== true) return false;
  const found = yield* queryRow(
    "SELECT 1 AS yes FROM feed_epoch WHERE divided AND NOT EXISTS (SELECT 1 FROM owner_gone WHERE owner = '')",
  );
  return found !== undefined;
}

function* listTreeOwners(): SqlTask<readonly string[]> {
  const rows = yield* queryRows(`SELECT DISTINCT owner FROM tree ORDER BY owner LIMIT ${ownersAtOnce}`);
  return rows.map((row) => readTextColumn(row, 'owner'));
}

function* ownerCounts(): SqlTask<ReadonlyMap<string, number>> {
  const rows = yield* queryRows('SELECT bucket, count(*) AS n FROM coppice_owner GROUP BY bucket');
  return new Map(rows.map((row) => [readTextColumn(row, 'bucket'), readNumberColumn(row, 'n')]));
}

interface OwnerHere {
  readonly owner: string;
  readonly trees: number;
  /** The bucket that the owner was moved to; null if the owner is still here. */
  readonly gone: string | null;
}

function* ownersHere(): SqlTask<readonly OwnerHere[]> {
  const rows = yield* queryRows(
    `SELECT coalesce(t.owner, g.owner) AS owner, coalesce(t.n, 0) AS trees, g.bucket AS gone
    FROM (SELECT owner, count(*) AS n FROM tree GROUP BY owner) AS t FULL JOIN owner_gone g ON g.owner = t.owner`,
  );
  return rows.map((row) => ({
    owner: readTextColumn(row, 'owner'),
    trees: readNumberColumn(row, 'trees'),
    gone: typeof row['gone'] === 'string' ? row['gone'] : null,
  }));
}

function* homesOf(owners: readonly string[]): SqlTask<ReadonlyMap<string, string>> {
  const rows = yield* queryRows(
    'SELECT owner, bucket FROM coppice_owner WHERE owner IN (SELECT unnest(CAST($1 AS TEXT[])))',
    JSON.stringify(owners),
  );
  return new Map(rows.map((row) => [readTextColumn(row, 'owner'), readTextColumn(row, 'bucket')]));
}
