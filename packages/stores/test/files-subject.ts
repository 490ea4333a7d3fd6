/** Describes the folder store for the conformance suite. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSystemStore } from '../src/files/index.ts';
import { createFolderSubject } from './folder-subject.ts';

export function makeTemporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'coppice-files-'));
}

export const filesSubject = createFolderSubject({
  name: 'files',
  open: (place, options) => FileSystemStore.open(place, options),
  spoil: (place, how) => {
    if (how === 'newer')
      writeFileSync(join(place, '.coppice', 'format.json'), '{"format":"coppice/files","formatVersion":2}\n');
    else
      for (const name of readdirSync(place)) {
        const journal = join(place, name, 'journal.jsonl');
        if (!existsSync(journal)) continue;
        const bytes = readFileSync(journal);
        bytes.write('XXXX', Math.floor(bytes.length / 2));
        writeFileSync(journal, bytes);
      }
  },
});
