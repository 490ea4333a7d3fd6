/**
 * The gate of a bucket: whether an owner is still in it. A transaction that writes holds a shared lock of its owner and
 * of the bucket until it ends; a move takes the lock alone, notes that the owner is gone, and releases it. Whoever comes
 * later is refused with {@link ownerMovedSqlState}, whatever it believed.
 */
import { isAppError } from '@coppice/core';
import { encodeColumnText } from '../sql/exact-text.ts';
import { type Query, queryRowsOfEach, type SqlTask, sqlText } from '../sql/query.ts';
import type { TableIndex } from './build-indexes.ts';
import { postgresDialect } from './dialect.ts';

/** The SQLSTATE of a transaction of an owner that is in another bucket now. */
export const ownerMovedSqlState = 'CP001';
/** The SQLSTATE of a server that does not know that its database was divided into buckets. */
export const databaseDividedSqlState = 'CP002';

/** The second halves of the advisory locks; the first is the owner or the schema. */
export const ownerGateLockKeys = { owner: 0x636f_7010, bucket: 0x636f_7011 } as const;

/** Added in a later table version. An empty owner stands for all. */
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

/** Commits keep their position when their owner is moved, and another owner may have the same one there. */
export const commitPositionIndex: TableIndex = {
  name: 'change_place',
  table: 'change',
  unique: true,
  definition: '(owner, id)',
};

/** Sends the gate's statement together with the first one of the work, so that it costs no round trip. */
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
 * Runs work of several owners behind the gate. It does not wait for owners that are being moved, because the others
 * would wait too: the work gets those that are in the bucket and stay there until the transaction ends.
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
  // After the locks, in a statement of its own, which sees what a move has noted before it released them.
  const gone = { sql: `SELECT owner FROM owner_gone WHERE owner = '' OR owner IN ${list('$1')}`, params };
  const [entered, left = []] = writes
    ? yield* queryRowsOfEach([{ sql: enter, params }, gone])
    : [null, (yield* queryRowsOfEach([gone]))[0]];
  const absent = new Set(left.map((row) => sqlText(row, 'owner')));
  const known = entered === null ? owners : entered.map((row) => sqlText(row, 'owner'));
  return yield* work(new Set(absent.has('') ? [] : known.filter((owner) => !absent.has(owner))));
}

/** Whether a transaction was refused because its owner was moved. */
export function isOwnerMovedError(error: unknown): boolean {
  return isAppError(error) && (error.data as { readonly state?: unknown } | undefined)?.state === ownerMovedSqlState;
}
