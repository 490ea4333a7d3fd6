/**
 * Stores the short-lived records, counters and daily spending that all servers of a database share. Records and
 * counters are in unlogged tables: writes do not wait for the disk, standbys and backups do not contain the rows, and a
 * crash of the database deletes them. All times are those of the database. Nothing belongs to a connection, so
 * everything works behind a pooler.
 */
import type {
  CounterLimit,
  JsonObject,
  SharedRecord,
  SharedRecords,
  SharedSpendingLedger,
  SharedState,
} from '@coppice/core';
import {
  execute,
  queryRow,
  queryRows,
  queryRowsOfEach,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  type SqlRow,
  type SqlTask,
} from '../sql/query.ts';
import { postgresDialect } from './dialect.ts';

const { key: keyType, float, integer } = postgresDialect;

/** The statements of the migration that adds the tables. */
export const sharedStateStatements: readonly string[] = [
  `CREATE UNLOGGED TABLE shared_record (
    scope ${keyType} NOT NULL,
    key ${keyType} NOT NULL,
    stamp TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at ${float} NOT NULL,
    PRIMARY KEY (scope, key)
  )`,
  'CREATE INDEX shared_record_expired ON shared_record (expires_at)',
  `CREATE UNLOGGED TABLE shared_counter (
    name ${keyType} NOT NULL PRIMARY KEY,
    period ${float} NOT NULL,
    amount ${float} NOT NULL,
    expires_at ${float} NOT NULL
  )`,
  'CREATE INDEX shared_counter_expired ON shared_counter (expires_at)',
  // The row of the empty owner has the sum of the day.
  `CREATE TABLE spending (
    day ${keyType} NOT NULL,
    owner ${keyType} NOT NULL,
    calls ${integer} NOT NULL,
    tokens ${float} NOT NULL,
    usd ${float} NOT NULL,
    PRIMARY KEY (day, owner)
  )`,
  `CREATE UNLOGGED TABLE spending_reserved (
    id ${keyType} NOT NULL PRIMARY KEY,
    day ${keyType} NOT NULL,
    owner ${keyType} NOT NULL,
    usd ${float} NOT NULL,
    expires_at ${float} NOT NULL
  )`,
  'CREATE INDEX spending_reserved_day ON spending_reserved (day, owner)',
];

// The time of the database, the same in all places of a statement.
const now = '(CAST(extract(epoch FROM statement_timestamp()) AS DOUBLE PRECISION) * 1000)';
const until = (parameter: string) => `${now} + CAST(${parameter} AS DOUBLE PRECISION)`;

// The second key of the advisory lock of a group of records. The first key is the hash of its name.
const groupLock = 0x636f_7020;

/** The transactions of a database. */
export interface SharedStateDatabase {
  read<T>(work: () => SqlTask<T>): Promise<T>;
  write<T>(work: () => SqlTask<T>): Promise<T>;
}

/** Creates the shared records and spending of the servers of a database. */
export function createSharedState(database: SharedStateDatabase): Pick<SharedState, 'records' | 'spending'> {
  return { records: createRecords(database), spending: createSpending(database) };
}

function recordOf(row: SqlRow): SharedRecord {
  return {
    key: readTextColumn(row, 'key'),
    stamp: readTextColumn(row, 'stamp'),
    value: readJsonColumn(row, 'value', 'object') as JsonObject,
  };
}

const insertRecord = `INSERT INTO shared_record (scope, key, stamp, value, expires_at)
  VALUES ($1, $2, $3, $4, ${until('$5')})
  ON CONFLICT (scope, key) DO UPDATE SET stamp = $3, value = $4, expires_at = EXCLUDED.expires_at`;

function* isFull(group: string, key: string, most: number): SqlTask<boolean> {
  // Serialises additions to the group; the rows are counted by a later statement, which sees what was committed before.
  yield* queryRow(`SELECT pg_advisory_xact_lock(hashtext($1), ${groupLock})`, group);
  const found = yield* queryRow(
    `SELECT count(*) AS n FROM shared_record WHERE scope = $1 AND key <> $2 AND expires_at > ${now}`,
    group,
    key,
  );
  return readNumberColumn(found ?? { n: 0 }, 'n') >= most;
}

function createRecords(database: SharedStateDatabase): SharedRecords {
  return {
    async find(group, key) {
      const sql = `SELECT key, stamp, value FROM shared_record WHERE scope = $1 AND key = $2 AND expires_at > ${now}`;
      const row = await database.read(() => queryRow(sql, group, key));
      return row === undefined ? null : recordOf(row);
    },
    async list(group) {
      const sql = `SELECT key, stamp, value FROM shared_record WHERE scope = $1 AND expires_at > ${now} ORDER BY key`;
      return (await database.read(() => queryRows(sql, group))).map(recordOf);
    },
    put(group, key, value, { keepMs, expected, most }) {
      const stamp = crypto.randomUUID();
      const params = [group, key, stamp, JSON.stringify(value), keepMs] as const;
      return database.write(function* () {
        if (most !== undefined && (yield* isFull(group, key, most))) return null;
        let written: number;
        if (expected === undefined) written = yield* execute(insertRecord, ...params);
        else if (expected === null)
          written = yield* execute(`${insertRecord} WHERE shared_record.expires_at <= ${now}`, ...params);
        else
          written = yield* execute(
            `UPDATE shared_record SET stamp = $3, value = $4, expires_at = ${until('$5')}
            WHERE scope = $1 AND key = $2 AND stamp = $6 AND expires_at > ${now}`,
            ...params,
            expected,
          );
        return written > 0 ? stamp : null;
      });
    },
    async take(group, key) {
      const sql = `DELETE FROM shared_record WHERE scope = $1 AND key = $2 RETURNING key, stamp, value, expires_at > ${now} AS valid`;
      const row = await database.write(() => queryRow(sql, group, key));
      return row === undefined || row.valid !== true ? null : recordOf(row);
    },
    async renew(names, keepMs) {
      if (names.length === 0) return 0;
      const pairs = JSON.stringify(names.map(({ group, key }) => [group, key]));
      const sql = `UPDATE shared_record r SET expires_at = ${until('$2')} FROM ${postgresDialect.pairs('$1')} AS p
        WHERE r.scope = p.a COLLATE "C" AND r.key = p.b COLLATE "C" AND r.expires_at > ${now}`;
      return database.write(() => execute(sql, pairs, keepMs));
    },
    async count(name, amount, limit) {
      if (amount > limit.most) return null;
      const row = await database.write(() => countWork(name, amount, limit));
      return row === undefined ? null : readNumberColumn(row, 'amount');
    },
    async periodLeft(periodMs) {
      const row = await database.read(() => queryRow(`SELECT ${now} AS now`));
      return periodMs - (readNumberColumn(row ?? { now: 0 }, 'now') % periodMs);
    },
    sweep: () =>
      database.write(function* () {
        let deleted = 0;
        for (const table of ['shared_record', 'shared_counter'])
          deleted += yield* execute(`DELETE FROM ${table} WHERE expires_at <= ${now}`);
        return deleted + (yield* execute(`DELETE FROM spending_reserved WHERE expires_at <= ${now}`));
      }),
  };
}

function countWork(name: string, amount: number, { most, periodMs }: CounterLimit): SqlTask<SqlRow | undefined> {
  const period = `floor(${now} / CAST($3 AS DOUBLE PRECISION))`;
  const sum =
    'CASE WHEN shared_counter.period = EXCLUDED.period THEN shared_counter.amount ELSE 0 END + EXCLUDED.amount';
  return queryRow(
    `INSERT INTO shared_counter (name, period, amount, expires_at)
    VALUES ($1, ${period}, $2, (${period} + 1) * CAST($3 AS DOUBLE PRECISION))
    ON CONFLICT (name) DO UPDATE SET amount = ${sum}, period = EXCLUDED.period, expires_at = EXCLUDED.expires_at
    WHERE ${sum} <= CAST($4 AS DOUBLE PRECISION) RETURNING amount`,
    name,
    amount,
    periodMs,
    most,
  );
}

/** The owner of the row with the sum of a day. */
const wholeDay = '';

function createSpending(database: SharedStateDatabase): SharedSpendingLedger {
  return {
    async on(day) {
      const sql = 'SELECT usd FROM spending WHERE day = $1 AND owner = $2';
      const row = await database.read(() => queryRow(sql, day, wholeDay));
      return row === undefined ? 0 : readNumberColumn(row, 'usd');
    },
    add: (day, { owner, calls, tokens, usd }) =>
      database.write(function* () {
        for (const one of owner === null ? [wholeDay] : [wholeDay, owner])
          yield* execute(
            `INSERT INTO spending (day, owner, calls, tokens, usd) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (day, owner) DO UPDATE SET calls = spending.calls + EXCLUDED.calls,
              tokens = spending.tokens + EXCLUDED.tokens, usd = spending.usd + EXCLUDED.usd`,
            day,
            one,
            calls,
            tokens,
            usd,
          );
      }),
    reserve: (day, owner, keepMs, amountOf) =>
      database.write(function* () {
        yield* lockDay(day);
        const [spent = [], reserved = []] = yield* queryRowsOfEach([
          {
            sql: 'SELECT owner, usd FROM spending WHERE day = $1 AND owner IN ($2, $3)',
            params: [day, wholeDay, owner],
          },
          {
            sql: `SELECT coalesce(sum(usd), 0) AS day, coalesce(sum(usd) FILTER (WHERE owner = $2), 0) AS own
              FROM spending_reserved WHERE day = $1 AND expires_at > ${now}`,
            params: [day, owner],
          },
        ]);
        const spentBy = (who: string) => {
          const row = spent.find((one) => one.owner === who);
          return row === undefined ? 0 : readNumberColumn(row, 'usd');
        };
        const [held = { day: 0, own: 0 }] = reserved;
        const amount = amountOf(
          { spent: spentBy(wholeDay), reserved: readNumberColumn(held, 'day') },
          { spent: spentBy(owner), reserved: readNumberColumn(held, 'own') },
        );
        if (amount === null) return null;
        const id = crypto.randomUUID();
        yield* execute(
          `INSERT INTO spending_reserved (id, day, owner, usd, expires_at) VALUES ($1, $2, $3, $4, ${until('$5')})`,
          id,
          day,
          owner,
          amount,
          keepMs,
        );
        return id;
      }),
    async release(id) {
      await database.write(() => execute('DELETE FROM spending_reserved WHERE id = $1', id));
    },
    async byOwner(day) {
      const sql = 'SELECT owner, calls, tokens, usd FROM spending WHERE day = $1 AND owner <> $2 ORDER BY owner';
      return (await database.read(() => queryRows(sql, day, wholeDay))).map((row) => ({
        owner: readTextColumn(row, 'owner'),
        calls: readNumberColumn(row, 'calls'),
        tokens: readNumberColumn(row, 'tokens'),
        usd: readNumberColumn(row, 'usd'),
      }));
    },
  };
}

/** Lets one transaction at a time reserve on a day. */
function* lockDay(day: string): SqlTask<void> {
  yield* queryRow(`SELECT pg_advisory_xact_lock(hashtext($1), ${groupLock})`, `spending ${day}`);
}
