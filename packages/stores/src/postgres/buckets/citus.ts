/**
 * Buckets on Citus: a bucket can be a distributed schema, whose tables Citus keeps on one of its workers and moves to
 * another one. Programs connect to the coordinator, or to any other node, but to the same one for one bucket, because
 * the locks of an owner are taken there.
 */
import { refuse } from '@coppice/core';
import { execute, queryRow, queryRows, readTextColumn, type SqlTask } from '../../sql/query.ts';
import type { PostgresDatabase } from '../database.ts';
import { quoteLiteral, quoteName } from '../quote.ts';

/** The values of `synchronous_commit` with which a commit is durable: how strictly the workers wait for it. */
export type SynchronousCommitLevel = 'on' | 'remote_apply';

function* hasCitus(): SqlTask<boolean> {
  return (yield* queryRow("SELECT 1 AS yes FROM pg_extension WHERE extname = 'citus'")) !== undefined;
}

/**
 * Returns how strictly commits to the current schema wait, if it is a distributed schema; null if it is an ordinary one.
 * A stricter setting of a worker, which also waits for its standby servers, is kept.
 */
export function* findDistributedCommitLevel(): SqlTask<SynchronousCommitLevel | null> {
  if (!(yield* hasCitus())) return null;
  const found = yield* queryRow(
    'SELECT 1 AS yes FROM pg_dist_schema WHERE schemaid = to_regnamespace(current_schema())',
  );
  if (found === undefined) return null;
  const rows = yield* queryRows("SELECT result AS level FROM run_command_on_all_nodes('SHOW synchronous_commit')");
  return rows.some((row) => readTextColumn(row, 'level') === 'remote_apply') ? 'remote_apply' : 'on';
}

/** Refuses a database whose nodes cannot hold the tables of a bucket. */
function* assertFitCitus(place: string): SqlTask<void> {
  if (!(yield* hasCitus()))
    refuse('command/invalid', `The database ${place} has no Citus. Create its extension there first.`);
  const triggers = yield* queryRows(
    "SELECT result AS allowed FROM run_command_on_all_nodes('SHOW citus.enable_unsafe_triggers')",
  );
  if (triggers.some((row) => readTextColumn(row, 'allowed') !== 'on'))
    refuse(
      'command/invalid',
      `The tables of Coppice have triggers. Set citus.enable_unsafe_triggers = on on every node of ${place}.`,
    );
}

function* distributeTables(schema: string): SqlTask<void> {
  const done = yield* queryRow('SELECT 1 AS yes FROM pg_dist_schema WHERE schemaid = to_regnamespace($1)', schema);
  if (done === undefined) yield* execute('SELECT citus_schema_distribute(to_regnamespace($1))', schema);
}

function* createSequences(schema: string, place: string): SqlTask<void> {
  const create = quoteLiteral(`CREATE SEQUENCE IF NOT EXISTS ${quoteName(schema)}.change_number`);
  const created = yield* queryRows(`SELECT success, result FROM run_command_on_all_nodes(${create})`);
  const failed = created.find((row) => row['success'] !== true);
  if (failed !== undefined) refuse('command/invalid', `A node of ${place} failed: ${readTextColumn(failed, 'result')}`);
}

/**
 * Makes a schema with the tables of a bucket a distributed schema, and creates the sequence on each node, because Citus
 * does not copy it. A repeated call creates the sequence on nodes that were added since.
 */
export async function distributeSchema(database: PostgresDatabase, schema: string): Promise<void> {
  const { place } = database.settings;
  await database.read(() => assertFitCitus(place));
  await database.maintain(() => distributeTables(schema));
  // Only a trigger uses this sequence, so Citus does not know that the tables need it. Each node has its own: positions
  // on another node begin a new epoch. Nodes are asked after the commit, because until then the schema is locked.
  await database.write(() => createSequences(schema, place));
}
