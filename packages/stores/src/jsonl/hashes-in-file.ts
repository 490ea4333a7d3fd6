/** Which attachments a session's file may name, by its text: other tools' lines are read as they are. */
import { closeSync, openSync, readSync } from 'node:fs';
import { onFile, systemCode } from '../disk/atomic-files.ts';

const chunkSize = 1 << 20;
const hash = /[0-9a-f]{64}/g;

/** Everything in a file that reads like the hash of bytes; nothing where the file is gone. */
export function* hashesInFile(path: string): Generator<string, void, undefined> {
  const handle = onFile(path, () => {
    try {
      return openSync(path, 'r');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
  });
  if (handle === null) return;
  try {
    const chunk = Buffer.allocUnsafe(chunkSize);
    let rest = '';
    for (;;) {
      const read = onFile(path, () => readSync(handle, chunk, 0, chunk.length, null));
      if (read === 0) return;
      const text = rest + chunk.toString('latin1', 0, read);
      for (const [found] of text.matchAll(hash)) yield found;
      // What began before the end of this piece is seen whole with the next one.
      rest = text.slice(-63);
    }
  } finally {
    closeSync(handle);
  }
}
