import { expect, test } from 'vitest';
import { loadSqliteModule, SqliteConnection, type SqliteDatabase, type SqliteStatement } from './driver.ts';

/** Returns the same database with a driver that can only return rows as objects. */
function withoutLists(database: SqliteDatabase): SqliteDatabase {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql): SqliteStatement {
      const statement = database.prepare(sql);
      return {
        all: (...params) => statement.all(...params),
        get: (...params) => statement.get(...params),
        iterate: (...params) => statement.iterate(...params),
        run: (...params) => statement.run(...params),
      };
    },
  };
}

test.each([
  ['lists', (database: SqliteDatabase) => database],
  ['objects only', withoutLists],
])('[L180] a row as cells is the row by names, from a driver with %s', (_, through) => {
  const connection = new SqliteConnection(through(new (loadSqliteModule().DatabaseSync)(':memory:')));
  connection.database.exec('CREATE TABLE node (id TEXT, position TEXT, seq INTEGER, content TEXT, meta TEXT)');
  const odd = 'half \ud800 nul \u0000 mark \u001a0041';
  const params = [odd, 'a0', 7, JSON.stringify([odd]), null];
  connection.query({ sql: 'INSERT INTO node VALUES ($1, $2, $3, $4, $5)', params, want: 'count' });
  for (const sql of [
    'SELECT * FROM node WHERE id = $1',
    'SELECT id, position, seq, content, meta FROM node WHERE id = $1',
  ]) {
    const [cells] = connection.cells(sql, odd);
    const [row] = connection.page(sql, odd);
    expect(cells).toEqual(params);
    expect(Object.values(row ?? {})).toEqual(params);
  }
  connection.close();
});
