/**
 * Import and export as the main entry has them: the formats of other programs are loaded with the first use, because
 * they are a fifth of the modules of the engine and most processes neither import nor export.
 */
import type { ExportEvent, ImportInput } from '@coppice/content/formats';
import type { Store } from '@coppice/core';
import type { ExportFromOptions } from './export-from.ts';
import type { ImportIntoEvent, ImportIntoOptions } from './import-into.ts';

export type { ExportFromOptions, ImportIntoEvent, ImportIntoOptions };

/**
 * Imports an input into a store and yields progress events; the report is the last one. Each conversation is one commit
 * with ids derived from its source, so repeating the import, even after a crash, adds only what is missing. Throws if
 * the input cannot be read at all or the store fails.
 */
export async function* importInto(
  store: Store,
  input: ImportInput,
  options: ImportIntoOptions = {},
): AsyncGenerator<ImportIntoEvent> {
  const loaded = await import('./import-into.ts');
  yield* loaded.importInto(store, input, options);
}

/**
 * Writes trees of a store in a format: files in chunks, then the report. Holds one tree in memory at a time. Throws
 * on a format that cannot be written and on unknown trees or nodes.
 */
export async function* exportFrom(store: Store, options: ExportFromOptions): AsyncGenerator<ExportEvent> {
  const loaded = await import('./export-from.ts');
  yield* loaded.exportFrom(store, options);
}
