/** Describes the store of session files for the conformance suite, and has a helper function for its tests. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStore } from '../src/jsonl/index.ts';
import { createFolderSubject } from './folder-subject.ts';

/** Returns the paths of the session files in a folder, sorted. */
export function listSessionFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));
}

export const jsonlSubject = createFolderSubject({
  name: 'jsonl',
  open: (place, options) => SessionStore.open(place, options),
  spoil: (place, how) => {
    for (const path of listSessionFiles(place)) {
      const text = readFileSync(path, 'utf8');
      const end = text.indexOf('\n');
      const header = text.slice(0, end);
      const spoilt = how === 'newer' ? header.replace('"version":2', '"version":9') : header.slice(0, -7);
      writeFileSync(path, spoilt + text.slice(end));
    }
  },
});
