/**
 * The temporary trees of all servers of a database: a store of its own in a schema of its own, whose tables are
 * unlogged. So lists, searches, feeds, checks and backups of the main store never see them, and neither the log of the
 * database nor a standby contains them. The schema is created when it is first needed.
 */
import { AppError, isAppError, type TreeId, treeId } from '@coppice/core';
import type { StoreOptions } from '../options.ts';
import { execute, type Query, queryRow, queryRows, readTextColumn, type SqlTask } from '../sql/query.ts';
import { SqlStore } from '../sql/store.ts';
import { postgresDialect } from './dialect.ts';
import { type OpenedPostgres, PostgresEngine } from './engine.ts';
import { preparePostgresServer } from './prepare-postgres-server.ts';
import { quoteName } from './quote.ts';

/** The schema of the temporary trees, beside that of the main store. */
function temporarySchemaOf(schema: string | null): string {
  return `${schema ?? 'coppice'}_temporary`;
}

// The key of the advisory lock for creating the schema.
const schemaLock = 0x636f_7021;

// These tables have rows that must survive a crash of the database, or the tables would have to be created again.
const logged: ReadonlySet<string> = new Set(['coppice_schema', 'feed_epoch']);

const createsTable = /^\s*CREATE TABLE (IF NOT EXISTS )?(\w+)/;

/** Creates the tables of a migration as unlogged tables. */
function* withUnloggedTables<T>(task: SqlTask<T>): SqlTask<T> {
  const change = (query: Query): Query => {
    const [, , table] = createsTable.exec(query.sql) ?? [];
    if (table === undefined || logged.has(table)) return query;
    return { ...query, sql: query.sql.replace('CREATE TABLE', 'CREATE UNLOGGED TABLE') };
  };
  let step = task.next();
  while (step.done !== true) {
    const { value } = step;
    step = task.next(yield 'sql' in value ? change(value) : value.map(change));
  }
  return step.value;
}

function* createSchema(name: string): SqlTask<void> {
  // The lock lets one server at a time create the schema. Without it, the second would fail despite IF NOT EXISTS.
  yield* queryRows('SELECT pg_advisory_xact_lock($1)', schemaLock);
  yield* execute(`CREATE SCHEMA IF NOT EXISTS ${quoteName(name)}`);
}

function throwNoSchema(name: string, error: unknown): never {
  if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
  throw new AppError({
    code: error.code,
    kind: error.kind,
    message: `Temporary trees need the schema ${name}, which the database user may not create: create it for this user, or grant CREATE on the database.`,
    data: error.data,
    cause: error,
  });
}

/** The temporary trees of all servers, before they are used for the first time. */
export interface TemporaryTreesOfServers {
  readonly store: SqlStore;
  /** Whether this process has used the temporary trees. */
  readonly isUsed: boolean;
  /** Deletes the trees of all owners that were not changed for this many milliseconds. Returns their number. */
  discardUnused(ms: number): Promise<number>;
}

/** Creates the store of the temporary trees beside a store. The database is changed when it is first used. */
export function createTemporaryStore(opened: OpenedPostgres, options: StoreOptions): TemporaryTreesOfServers {
  const { database, access } = opened;
  const { schema } = database.settings;
  const bare = database.withSchema(temporarySchemaOf(schema));
  let engine: PostgresEngine | null = null;
  let isUsed = false;
  const prepared = bare.preparedBy(async () => {
    await access
      .write(() => database.write(() => createSchema(temporarySchemaOf(schema))))
      .catch((error: unknown) => throwNoSchema(temporarySchemaOf(schema), error));
    await preparePostgresServer(bare, {}, withUnloggedTables);
    if (!(await bare.read(hasTreeUse))) await access.write(() => bare.write(() => execute(createTreeUse)));
    await engine?.start();
    isUsed = true;
  });
  engine = new PostgresEngine({
    ...opened,
    database: prepared,
    durable: false,
    isBucket: false,
    notes: [],
    nodes: -1,
    objects: undefined,
  });
  const store = new SqlStore(engine, options);
  return {
    store,
    get isUsed() {
      return isUsed;
    },
    async discardUnused(ms) {
      if (!(await database.read(() => hasSchema(temporarySchemaOf(schema))))) return 0;
      await access.write(() => prepared.write(noteTreeUse));
      const found = await prepared.read(() => queryRows(unusedTrees, ms));
      for (const row of found)
        await discardIfThere(store.forOwner(readTextColumn(row, 'owner')), treeId(readTextColumn(row, 'id')));
      return found.length;
    },
  };
}

/**
 * When each tree was first found at its version, by the clock of the database. The time in the row of the tree comes from
 * the clock of the server that wrote it, which may be wrong.
 */
const createTreeUse = `CREATE UNLOGGED TABLE IF NOT EXISTS tree_use (
    no BIGINT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    at ${postgresDialect.float} NOT NULL
  )`;

// Asked first, because creating needs a right on the schema even if the table exists.
function* hasTreeUse(): SqlTask<boolean> {
  const found = yield* queryRow("SELECT to_regclass('tree_use') IS NOT NULL AS yes");
  return found?.['yes'] === true;
}

/** Records the time for the trees that were changed since the last call, and forgets trees that were deleted. */
function* noteTreeUse(): SqlTask<void> {
  yield* execute(
    `INSERT INTO tree_use (no, version, at) SELECT t.no, t.version, ${postgresDialect.now} FROM tree t
    WHERE NOT EXISTS (SELECT 1 FROM tree_use u WHERE u.no = t.no AND u.version = t.version) ORDER BY t.no
    ON CONFLICT (no) DO UPDATE SET version = EXCLUDED.version, at = EXCLUDED.at`,
  );
  yield* execute('DELETE FROM tree_use u WHERE NOT EXISTS (SELECT 1 FROM tree t WHERE t.no = u.no)');
}

const unusedTrees = `SELECT t.id, t.owner FROM tree t JOIN tree_use u ON u.no = t.no AND u.version = t.version
  WHERE u.at <= ${postgresDialect.now} - CAST($1 AS DOUBLE PRECISION) ORDER BY t.id LIMIT 1000`;

/** Discards a tree, unless another server did so at the same moment. */
async function discardIfThere(store: SqlStore, id: TreeId): Promise<void> {
  await store.discard(id).catch((error: unknown) => {
    if (!isAppError(error) || error.kind !== 'not-found') throw error;
  });
}

function* hasSchema(name: string): SqlTask<boolean> {
  return (yield* queryRow('SELECT 1 AS yes FROM pg_namespace WHERE nspname = $1', name)) !== undefined;
}
