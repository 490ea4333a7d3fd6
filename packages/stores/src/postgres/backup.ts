/** Copies of a PostgreSQL store. */
import { refuse } from '@coppice/core';
import type { Database } from './database.ts';

/** Writes a complete copy. */
export async function backUp(database: Database, to: string): Promise<void> {
  refuse('command/invalid', `${database.settings.place} cannot be copied to ${to} yet.`);
}
