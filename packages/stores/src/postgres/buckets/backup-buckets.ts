/**
 * Writes a backup of all buckets. Moves are refused meanwhile, because the backup could have a moved owner twice or not
 * at all.
 * Rows that an interrupted move left in another bucket are not copied.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkProgress } from '@coppice/core';
import { queryRows, readTextColumn, type SqlTask } from '../../sql/query.ts';
import { type BucketToBackUp, backUpDatabases } from '../backup.ts';
import type { PostgresDatabase } from '../database.ts';
import { postgresDialect } from '../dialect.ts';
import type { BucketPool, OpenedBucket } from './bucket-pool.ts';
import { bucketMoveLock } from './moved-tables.ts';
import { type BucketConnection, connectBucket, queryFirstColumn } from './row-copy.ts';

const ownersAtOnce = 1_000;
const pollMs = 100;

/** Waits for moves in progress, then copies the directory and its buckets into one file. */
export async function backUpBuckets(
  pool: BucketPool,
  to: string,
  onProgress?: (progress: WorkProgress) => void,
): Promise<void> {
  const guard = await connectBucket(pool.directory);
  try {
    await lockMoves(guard);
    const buckets = await pool.all();
    const list: BucketToBackUp[] = [];
    for (const { bucket, database } of buckets)
      list.push({ database, without: await findOwnersElsewhere(pool.directory, buckets, bucket.name) });
    await backUpDatabases(pool.directory, list, pool.objects, to, onProgress);
  } finally {
    await guard.end();
  }
}

/**
 * Begins a transaction that holds the lock of moves, as soon as no move is in progress. Polls for the lock, because a
 * statement that waits for the lock would occupy a connection of a pooler, which a move may need to finish.
 */
async function lockMoves(guard: BucketConnection): Promise<void> {
  for (;;) {
    await guard.begin('READ COMMITTED');
    const [free] = await queryFirstColumn(guard, `SELECT pg_try_advisory_xact_lock(${bucketMoveLock})`);
    if (free === 't') return;
    await guard.commit();
    await sleep(pollMs);
  }
}

/** Returns the owners who have rows in a bucket although their data is in another bucket. */
async function findOwnersElsewhere(
  directory: PostgresDatabase,
  buckets: readonly OpenedBucket[],
  name: string,
): Promise<readonly string[]> {
  const databases = new Map(buckets.map(({ bucket, database }) => [bucket.name, database]));
  const here = databases.get(name);
  if (here === undefined) return [];
  const found: string[] = [];
  for (let after = ''; ; ) {
    const from = after;
    const owners = await here.read(() => listOwnersWithRows(from));
    const last = owners.at(-1);
    if (last === undefined) return found;
    const homes = await directory.read(() => readPairs('coppice_owner', owners));
    for (const home of new Set([name, ...homes.values()])) {
      const ownersOfHome = owners.filter((owner) => (homes.get(owner) ?? name) === home);
      // The table `owner_gone` of that bucket names the new bucket of an owner before the directory does.
      const gone = await databases.get(home)?.read(() => readPairs('owner_gone', ownersOfHome));
      found.push(...ownersOfHome.filter((owner) => (gone?.get(owner) ?? home) !== name));
    }
    after = last;
  }
}

function* listOwnersWithRows(after: string): SqlTask<readonly string[]> {
  const of = (table: string) =>
    `(SELECT DISTINCT owner FROM ${table} WHERE owner > $1 ORDER BY owner LIMIT ${ownersAtOnce})`;
  const tables = ['tree', 'blob', 'run'].map(of).join(' UNION ');
  const rows = yield* queryRows(`SELECT owner FROM (${tables}) AS u ORDER BY owner LIMIT ${ownersAtOnce}`, after);
  return rows.map((row) => readTextColumn(row, 'owner'));
}

/** Returns the bucket that a table names for each of some owners. */
function* readPairs(table: 'coppice_owner' | 'owner_gone', owners: readonly string[]): SqlTask<Map<string, string>> {
  const rows = yield* queryRows(
    `SELECT owner, bucket FROM ${table} WHERE owner IN ${postgresDialect.list('$1')}`,
    JSON.stringify(owners),
  );
  return new Map(rows.map((row) => [readTextColumn(row, 'owner'), readTextColumn(row, 'bucket')]));
}
