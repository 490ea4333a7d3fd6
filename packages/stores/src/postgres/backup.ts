/**
 * Copies everything into one file that the SQLite store can open, from one snapshot while others write. The server's
 * own tools copy large databases faster, but this needs none of them.
 */

import { execute, queryRows, type SqlTask } from '../sql/query.ts';
import { writeTables } from '../table-file.ts';
import type { PostgresDatabase } from './database.ts';

// Attachments are large, so few are held in memory at once.
const atOnce: ReadonlyMap<string, number> = new Map([['blob', 8]]);
const usualAtOnce = 500;

/** Writes the copy; the file appears only when it is complete. Throws if the file exists. */
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
