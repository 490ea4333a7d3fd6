/**
 * A copy of everything in one file, which the SQLite store opens. It is read from one moment while others write; the
 * server's own tools copy larger databases faster, and this needs none of them.
 */

import { execute, queryRows, type SqlTask } from '../sql/query.ts';
import { writeTables } from '../table-file.ts';
import type { PostgresDatabase } from './database.ts';

// Attachments are large: few of them are held at once.
const atOnce: ReadonlyMap<string, number> = new Map([['blob', 8]]);
const usualAtOnce = 500;

/** Writes the copy; it is complete under its name or not there at all. Refuses to overwrite a file. */
export async function backUpPostgres(database: PostgresDatabase, to: string): Promise<void> {
  await writeTables(to, (tables) =>
    database.read(function* (): SqlTask<void> {
      tables.clear();
      for (const { name, columns } of tables.list) {
        const cursor = `copy_of_${name}`;
        yield* execute(`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${name}`);
        for (;;) {
          const part = yield* queryRows(`FETCH ${atOnce.get(name) ?? usualAtOnce} FROM ${cursor}`);
          if (part.length === 0) break;
          tables.add(name, part);
        }
        yield* execute(`CLOSE ${cursor}`);
      }
    }),
  );
}
