/** Reads uploads in a browser, where they are in memory. */
import type { InputFile } from '@coppice/content/formats';
import { type FileSource, openInMemoryFile } from '../../transfer/file-source.ts';
import { refuseInBrowser } from './refuse.ts';

/** Opens a source as an input file. Throws for a file on a disk. */
export function openFileSource(source: FileSource): InputFile {
  return 'bytes' in source ? openInMemoryFile(source) : refuseInBrowser(`The file ${source.name} on a disk`);
}
