/** The settings of the server that every transaction of a store has. */
import type { PostgresSettings } from './options.ts';
import { quoteLiteral, quoteName } from './quote.ts';
import { newestSchemaVersion, programSchemaSetting } from './schema-version.ts';

/**
 * Settings for the server's query planner. Every statement finds rows by a key, in tables with the trees of all owners.
 * A plan that was made while a table was small or had no statistics would scan the whole table for each row, and would
 * be cached.
 */
const planning: readonly (readonly [string, string])[] = [
  ...['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan', 'material'].map((way) => [`enable_${way}`, 'off'] as const),
  ['jit', 'off'],
  ['plan_cache_mode', 'force_generic_plan'],
];

// An acknowledged write must be durable, whatever the server or another user of the connection has configured. A
// stricter setting, which also waits for standby servers, is kept.
const waitsForDisk = `CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END`;

/** The name of a setting, and its value as SQL. */
export type ServerSetting = readonly [name: string, value: string];

/** Returns the settings that are the same for every transaction of a connection, with their values as SQL. */
export function listTransactionSettings({ statementTimeout, lockTimeout }: PostgresSettings): readonly ServerSetting[] {
  return [
    ...planning.map(([name, value]) => [name, `'${value}'`] as const),
    ['statement_timeout', `'${statementTimeout}'`],
    ['lock_timeout', `'${lockTimeout}'`],
    ['idle_in_transaction_session_timeout', `'${statementTimeout}'`],
    ['synchronous_commit', waitsForDisk],
    [programSchemaSetting, `'${newestSchemaVersion}'`],
  ];
}

/** Returns the search path that a store in a schema of its own needs; nothing for other stores. */
export function listSearchPathSettings({ schema }: PostgresSettings): readonly ServerSetting[] {
  return schema === null ? [] : [['search_path', quoteLiteral(quoteName(schema))]];
}

/**
 * Returns the statements that apply settings to a transaction on a distributed schema of Citus. Only `SET LOCAL` reaches
 * the worker with the tables. Its checks read the setting of a bucket, which `bucket_enter` changes only on this node.
 */
export function distributedSettingsSql(settings: PostgresSettings, commit: 'on' | 'remote_apply'): string {
  const values: readonly ServerSetting[] = [
    ['citus.propagate_set_commands', quoteLiteral('local')],
    ['coppice.bucket', quoteLiteral('on')],
    ...listTransactionSettings(settings),
  ];
  const other = new Map([
    ['synchronous_commit', quoteLiteral(commit)],
    // Citus finds the worker by the values of a statement, which a generic plan does not have.
    ['plan_cache_mode', quoteLiteral('auto')],
  ]);
  const calls: string[] = [];
  if (settings.schema !== null) calls.push(`SET LOCAL search_path TO ${quoteName(settings.schema)}`);
  for (const [name, value] of values) calls.push(`SET LOCAL ${name} TO ${other.get(name) ?? value}`);
  return calls.join('; ');
}

/** Returns the statement that applies settings, for one transaction or for as long as the connection exists. */
export function applySettingsSql(settings: readonly ServerSetting[], scope: 'transaction' | 'connection'): string {
  const calls = settings.map(([name, value]) => `set_config('${name}', ${value}, ${scope === 'transaction'})`);
  return `SELECT ${calls.join(', ')}`;
}
