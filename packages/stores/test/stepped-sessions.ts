/**
 * Database sessions that stop before every statement until the test releases it, like the isolation tests of
 * PostgreSQL.
 */
import type { Client } from 'pg';
import { PostgresDatabase } from '../src/postgres/database.ts';
import { findListParameters, postgresDialect, toPostgresSql } from '../src/postgres/dialect.ts';
import { isTransactionRace } from '../src/postgres/failures.ts';
import { queryEventRows, queryNewestPositions } from '../src/postgres/feed-positions.ts';
import { parsePostgresSettings } from '../src/postgres/options.ts';
import { newestSchemaVersion, programSchemaSetting } from '../src/postgres/schema-version.ts';
import type { SqlEngine } from '../src/sql/engine.ts';
import { type Query, runAsync, type SqlTask } from '../src/sql/query.ts';
import { SqlStore } from '../src/sql/store.ts';

/** One session: a store whose writes stop before every statement until the test releases it. */
export interface SteppedSession {
  readonly store: SqlStore;
  /**
   * Releases the next statement. Resolves to `answered`, to `blocked` if it waits for a lock, or to `over` if there is
   * none.
   */
  step(): Promise<'answered' | 'blocked' | 'over'>;
  /** Releases all further statements. */
  run(): void;
  close(): Promise<void>;
}

export interface SteppedSessionOptions {
  readonly isolation: 'READ COMMITTED' | 'SERIALIZABLE';
  /**
   * Whether the row of the tree is locked first. Without that lock, only the unique version prevents two writes of one
   * version.
   */
  readonly lock: boolean;
}

// A statement of these tests takes about a millisecond. After this many milliseconds it counts as waiting for a lock.
const patience = 30;

class Gate {
  #free = false;
  #waiting: (() => void) | null = null;
  #arrived: (() => void) | null = null;
  over = false;

  /** Waits until the test releases the next statement. The session calls it before each statement. */
  async pass(): Promise<void> {
    if (this.#free) return;
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
      this.#arrived?.();
    });
  }

  /** Releases one statement, and waits until the session stops at the next one. */
  async step(): Promise<'answered' | 'blocked' | 'over'> {
    if (this.#waiting === null && !(await this.#arrival())) return this.over ? 'over' : 'blocked';
    const go = this.#waiting;
    this.#waiting = null;
    go?.();
    if (await this.#arrival()) return 'answered';
    return this.over ? 'over' : 'blocked';
  }

  async #arrival(): Promise<boolean> {
    if (this.#waiting !== null) return true;
    if (this.over) return false;
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), patience);
      this.#arrived = () => {
        clearTimeout(timer);
        resolve(!this.over);
      };
    });
  }

  finish(): void {
    this.over = true;
    this.#arrived?.();
  }

  open(): void {
    this.#free = true;
    this.#waiting?.();
    this.#waiting = null;
  }
}

/** Opens a session on a database that has tables already. */
export async function openSteppedSession(
  url: string,
  { isolation, lock }: SteppedSessionOptions,
): Promise<SteppedSession> {
  const database = await PostgresDatabase.create(parsePostgresSettings(url, { pool: 1 }));
  const gate = new Gate();
  const once = async <T>(client: Client, make: () => SqlTask<T>): Promise<T> => {
    await client.query(
      `BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL ${programSchemaSetting} = '${newestSchemaVersion}'`,
    );
    try {
      // Statements that the driver sends together are still released one by one.
      let before: Promise<unknown> = Promise.resolve();
      const answer = async (query: Query) => {
        await gate.pass();
        const lists = findListParameters(query.sql);
        const values = query.params.map((param, at) => (lists.has(at) ? JSON.parse(String(param)) : param));
        const { rows, rowCount } = await client.query(toPostgresSql(query.sql), values);
        if (query.want === 'cells') return rows.map((row) => Object.values(row));
        return query.want === 'rows' ? rows : (rowCount ?? 0);
      };
      const result = await runAsync(make(), (query) => {
        before = before.then(() => answer(query));
        return before;
      });
      await gate.pass();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
  };
  const engine: SqlEngine = {
    dialect: lock ? postgresDialect : { ...postgresDialect, forUpdate: '' },
    supports: { durable: true, processes: true, search: false, crossProcessFeed: false, history: true },
    snapshot: (work) => database.read(work),
    transaction: async (make) => {
      const client = database.client();
      await client.connect();
      try {
        for (;;) {
          try {
            return await once(client, make);
          } catch (error) {
            if (!isTransactionRace(error)) throw error;
          }
        }
      } finally {
        gate.finish();
        await client.end();
      }
    },
    announce: () => undefined,
    changed: () => Promise.resolve(),
    changeMark: () => '',
    events: queryEventRows,
    latest: queryNewestPositions,
    search: () => Promise.resolve([]),
    info: () => ({ kind: 'stepped', place: '', readOnly: false, schemaVersion: 1, notes: [] }),
    damage: () => Promise.resolve([]),
    backup: () => Promise.resolve(),
    close: () => database.close(),
  };
  const store = new SqlStore(engine, {});
  return { store, step: () => gate.step(), run: () => gate.open(), close: () => store.close() };
}
