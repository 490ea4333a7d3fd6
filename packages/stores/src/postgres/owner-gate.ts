/**
 * Ensures that an owner is still in a bucket. A write transaction holds shared locks of its owner and of the bucket
 * until it ends. A move takes the exclusive lock of the owner, records that the owner has left, and ends. Later
 * transactions of the owner are refused with {@link ownerMovedSqlState}.
 */
import { isAppError } from '@coppice/core';
import { encodeColumnText } from '../sql/exact-text.ts';
import { type Query, queryRowsOfEach, readTextColumn, type SqlTask } from '../sql/query.ts';
import type { TableIndex } from './build-indexes.ts';
import { postgresDialect } from './dialect.ts';

/** The SQLSTATE of a transaction that was refused, because its owner is in another bucket now. */
export const ownerMovedSqlState = 'CP001';
/**
 * The SQLSTATE of a write that was refused, because the server does not know that its database was divided into
 * buckets.
 */
export const databaseDividedSqlState = 'CP002';

/** The second keys of the advisory locks. The first key is the hash of the owner or of the schema. */
export const ownerGateLockKeys = { owner: 0x636f_7010, bucket: 0x636f_7011 } as const;

/**
 * The migration that adds the table of moved owners and its checks. An empty owner in `owner_gone` means all owners.
 */
export const ownerGateStatements: readonly string[] = [
  `CREATE TABLE owner_gone (
    owner TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    bucket TEXT NOT NULL
  )`,
  'ALTER TABLE feed_epoch ADD COLUMN divided BOOLEAN NOT NULL DEFAULT FALSE',
  'DROP INDEX change_place',
  `CREATE FUNCTION bucket_look(whose TEXT) RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM owner_gone g WHERE g.owner IN (whose, '')) THEN
        RAISE EXCEPTION 'the owner was moved to another bucket' USING ERRCODE = '${ownerMovedSqlState}';
      END IF;
    END
  $$`,
  `CREATE FUNCTION bucket_enter(whose TEXT) RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      PERFORM set_config('coppice.bucket', 'on', TRUE);
      PERFORM pg_advisory_xact_lock_shared(hashtext(current_schema()), ${ownerGateLockKeys.bucket});
      PERFORM pg_advisory_xact_lock_shared(hashtext(whose), ${ownerGateLockKeys.owner});
      PERFORM bucket_look(whose);
    END
  $$`,
];

/**
 * The unique index of commit positions. It includes the owner, because moved commits keep their positions, and another
 * owner in the new bucket may have the same ones.
 */
export const commitPositionIndex: TableIndex = {
  name: 'change_place',
  table: 'change',
  unique: true,
  definition: '(owner, id)',
};

/** Sends the check of the owner together with the first statement of the work, which saves a round trip. */
export function* runWithOwnerGate<T>(sql: string, owner: string, work: () => SqlTask<T>): SqlTask<T> {
  const gate: Query = { sql, params: [owner], want: 'rows' };
  const task = work();
  const first = task.next();
  if (first.done === true) return first.value;
  const { value } = first;
  const answers = (yield 'sql' in value ? [gate, value] : [gate, ...value]) as readonly unknown[];
  let step = task.next('sql' in value ? answers[1] : answers.slice(1));
  while (step.done !== true) step = task.next(yield step.value);
  return step.value;
}

/**
 * Runs work for several owners. Owners that are being moved are left out, because waiting for them would delay all
 * others. The work gets the owners that are in the bucket and stay there until the transaction ends.
 */
export function* runWithOwnerGates<T>(
  owners: readonly string[],
  writes: boolean,
  work: (present: ReadonlySet<string>) => SqlTask<T>,
): SqlTask<T> {
  const params = [JSON.stringify(owners.map(encodeColumnText))];
  const { list } = postgresDialect;
  const enter = `SELECT o AS owner FROM unnest(CAST($1 AS TEXT[])) AS o
    WHERE pg_try_advisory_xact_lock_shared(hashtext(current_schema()), ${ownerGateLockKeys.bucket})
    AND pg_try_advisory_xact_lock_shared(hashtext(o), ${ownerGateLockKeys.owner})`;
  // A separate statement after the locks, so that it sees what a move recorded before it released its lock.
  const gone = { sql: `SELECT owner FROM owner_gone WHERE owner = '' OR owner IN ${list('$1')}`, params };
  const [entered, left = []] = writes
    ? yield* queryRowsOfEach([{ sql: enter, params }, gone])
    : [null, (yield* queryRowsOfEach([gone]))[0]];
  const absent = new Set(left.map((row) => readTextColumn(row, 'owner')));
  const known = entered === null ? owners : entered.map((row) => readTextColumn(row, 'owner'));
  return yield* work(new Set(absent.has('') ? [] : known.filter((owner) => !absent.has(owner))));
}

/** Whether a transaction was refused because its owner was moved. */
export function isOwnerMovedError(error: unknown): boolean {
  return isAppError(error) && (error.data as { readonly state?: unknown } | undefined)?.state === ownerMovedSqlState;
}
