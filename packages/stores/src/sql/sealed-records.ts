/** Stores encrypted records in a table, which all servers on the same database share. */
import type { JsonObject, SealedRecords } from '@coppice/core';
import { execute, queryRows, readJsonColumn, readTextColumn, type SqlDialect, type SqlTask } from './query.ts';
import type { SqlTransactions } from './side-stores.ts';

function* readVersion(): SqlTask<string> {
  const rows = yield* queryRows('SELECT stamp FROM sealed_record ORDER BY id');
  return rows.map((row) => readTextColumn(row, 'stamp')).join(' ');
}

function* readAll(lock = ''): SqlTask<Map<string, JsonObject>> {
  const rows = yield* queryRows(`SELECT id, record FROM sealed_record ORDER BY id${lock}`);
  return new Map(rows.map((row) => [readTextColumn(row, 'id'), readJsonColumn(row, 'record', 'object') as JsonObject]));
}

function* write(id: string, record: JsonObject): SqlTask<void> {
  yield* execute(
    'INSERT INTO sealed_record (id, stamp, record) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET stamp = $2, record = $3',
    id,
    crypto.randomUUID(),
    JSON.stringify(record),
  );
}

/** Creates the store of encrypted records of a database. */
export function createSealedRecordStore({ forUpdate }: SqlDialect, transactions: SqlTransactions): SealedRecords {
  return {
    version: () => transactions.snapshot(readVersion),
    load: () => transactions.snapshot(() => readAll()),
    put: (id, record) => transactions.transaction(() => write(id, record)),
    remove: (id) =>
      transactions.transaction(function* () {
        return (yield* execute('DELETE FROM sealed_record WHERE id = $1', id)) > 0;
      }),
    rewrite: (seal) =>
      transactions.transaction(function* () {
        const records = yield* readAll(forUpdate);
        for (const [id, record] of records) yield* write(id, seal(id, record));
        return records.size;
      }),
  };
}
