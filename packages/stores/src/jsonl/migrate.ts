/** Migrates a file from version 1 to version 2. A copy is written first, and then renamed over the file. */
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrateV1Session } from '@coppice/content/sessions';
import { AtomicWriter, encodeFileText, runFileOperation, syncFolder, withFileErrors } from '../disk/atomic-files.ts';
import { joinSmallPieces } from '../disk/line-file.ts';
import { parseForeignLines } from './foreign-file.ts';
import { serializeHeader } from './line-text.ts';
import { keepBackupLink, sidecarFolderOf } from './paths.ts';
import { isBlankLine, readRawLines } from './raw-lines.ts';

/**
 * Migrates a file, and keeps the old file as `.bak`. A crash leaves either the complete old file or the complete new
 * one. Unreadable lines are copied unchanged. The caller holds the lease.
 */
export function migrateSessionFile(path: string): void {
  const writer = new AtomicWriter(join(sidecarFolderOf(path), 'making'));
  writer.clear();
  const { lines } = parseForeignLines(path, 'v1');
  const { header, entries } = migrateV1Session(lines.map(({ fields }) => fields));
  const texts = [serializeHeader(header), ...entries.map((entry) => `${JSON.stringify(entry)}\n`)];
  const readable = lines.filter(({ fields }) => fields !== null);
  const numbers = new Map(readable.map(({ at }, index) => [at.line, index]));
  const pieces = function* () {
    for (const { line, bytes } of readRawLines(path)) {
      const index = numbers.get(line);
      if (index !== undefined) yield encodeFileText(texts[index] ?? '');
      // An unreadable line is copied. If it was cut off, it gets a line end, so that the next line starts a new one.
      else if (!isBlankLine(bytes)) yield Buffer.concat([bytes, Buffer.from('\n')]);
    }
  };
  const temporaryPath = writer.make(joinSmallPieces(pieces()), 'session', true);
  withFileErrors(path, () => {
    try {
      chmodSync(temporaryPath, statSync(path).mode);
      keepBackupLink(path, 'bak', 2);
      runFileOperation('session', 'rename', () => renameSync(temporaryPath, path));
      syncFolder(dirname(path), 'session');
    } catch (error) {
      rmSync(temporaryPath, { force: true });
      throw error;
    } finally {
      writer.clear();
    }
  });
}
