/** Files into a store, on the thread that asks for it. */
import type { Store } from '@coppice/core';
import { type ImportIntoEvent, type ImportIntoOptions, importInto } from '@coppice/engine/import';
import { openTables } from '@coppice/stores';
import { type FileSource, fileFrom } from './file-source.ts';

/** Imports files and lets go of the copies that were made of them; see `importInto`. */
export async function* importHere(
  store: Store,
  files: readonly FileSource[],
  options: ImportIntoOptions,
): AsyncGenerator<ImportIntoEvent> {
  const opened = await openTables({ files: files.map(fileFrom) });
  try {
    yield* importInto(store, opened.input, options);
  } finally {
    await opened.close();
  }
}
