/** Reads the training text of the babble model. */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** Returns the text of the included book. */
export function readBabbleText(): string {
  const file = new URL('../../providers/offline/babble/moby-dick.txt.br', import.meta.url);
  return brotliDecompressSync(readFileSync(file)).toString('utf8');
}
