/** Imports files on the calling thread. */
import type { Store } from '@coppice/core';
import { type ImportIntoEvent, type ImportIntoOptions, importInto } from '@coppice/engine/import';
import { openForeignTables } from '@coppice/stores';
import { openFileSource } from '#platform/open-file';
import type { FileSource } from './file-source.ts';

/** Imports files and deletes their temporary copies; see `importInto`. */
export async function* importOnThisThread(
  store: Store,
  files: readonly FileSource[],
  options: ImportIntoOptions,
): AsyncGenerator<ImportIntoEvent> {
  const opened = await openForeignTables({ files: files.map(openFileSource) });
  try {
    yield* importInto(store, opened.input, options);
  } finally {
    await opened.close();
  }
}
