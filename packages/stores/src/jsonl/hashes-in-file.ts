/**
 * Finds attachments that a session file may refer to. The text is scanned for hashes, because entries of other tools
 * are not decoded.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { osErrorCode, withFileErrors } from '../disk/atomic-files.ts';

const chunkSize = 1 << 20;
const hash = /[0-9a-f]{64}/g;

/** Yields every text in a file that looks like a hash. Yields nothing if the file does not exist. */
export function* findHashesInFile(path: string): Generator<string, void, undefined> {
  const handle = withFileErrors(path, () => {
    try {
      return openSync(path, 'r');
    } catch (error) {
      if (osErrorCode(error) === 'ENOENT') return null;
      throw error;
    }
  });
  if (handle === null) return;
  try {
    const chunk = Buffer.allocUnsafe(chunkSize);
    let rest = '';
    for (;;) {
      const read = withFileErrors(path, () => readSync(handle, chunk, 0, chunk.length, null));
      if (read === 0) return;
      const text = rest + chunk.toString('latin1', 0, read);
      for (const [found] of text.matchAll(hash)) yield found;
      // A hash may be split between two chunks, so the last 63 characters are scanned again with the next chunk.
      rest = text.slice(-63);
    }
  } finally {
    closeSync(handle);
  }
}
