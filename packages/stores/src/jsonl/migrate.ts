/** Migrates a file from version 1 to version 2: a copy is written first and replaces the file by one rename. */
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrateV1 } from '@coppice/content/sessions';
import { AtomicWriter, bytesOfFile, fileStep, onFile, syncFolder } from '../disk/atomic-files.ts';
import { gatherLines } from '../disk/line-file.ts';
import { parsedLines } from './foreign-file.ts';
import { headerText } from './line-text.ts';
import { keepBeside, sidecarFolder } from './paths.ts';
import { isBlankLine, linesIn } from './raw-lines.ts';

/**
 * Migrates a file. The old one is kept as `.bak`. A crash leaves the old or the new file complete; an unreadable line
 * is copied as it is. The caller holds the lease.
 */
export function migrateFile(path: string): void {
  const bench = new AtomicWriter(join(sidecarFolder(path), 'making'));
  bench.clear();
  const { lines } = parsedLines(path, 'v1');
  const { header, entries } = migrateV1(lines.map(({ fields }) => fields));
  const texts = [headerText(header), ...entries.map((entry) => `${JSON.stringify(entry)}\n`)];
  const readable = lines.filter(({ fields }) => fields !== null);
  const numbers = new Map(readable.map(({ at }, index) => [at.line, index]));
  const pieces = function* () {
    for (const { line, bytes } of linesIn(path)) {
      const index = numbers.get(line);
      if (index !== undefined) yield bytesOfFile(texts[index] ?? '');
      // An unreadable line is kept; a cut-off one gets a line end, so that the next line is not appended to it.
      else if (!isBlankLine(bytes)) yield Buffer.concat([bytes, Buffer.from('\n')]);
    }
  };
  const made = bench.make(gatherLines(pieces()), 'session', true);
  onFile(path, () => {
    try {
      chmodSync(made, statSync(path).mode);
      keepBeside(path, 'bak', 2);
      fileStep('session', 'rename', () => renameSync(made, path));
      syncFolder(dirname(path), 'session');
    } catch (error) {
      rmSync(made, { force: true });
      throw error;
    } finally {
      bench.clear();
    }
  });
}
