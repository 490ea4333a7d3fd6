/** Keeps uploads of a browser in memory. */
import { joinBytes } from '@coppice/content';
import type { SpooledUpload } from '../../transfer/file-source.ts';

/** Stores an upload. The folder is not used, because a browser has none. */
export async function spoolUpload(_folder: string, source: AsyncIterable<Uint8Array>): Promise<SpooledUpload> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  const bytes = joinBytes(pieces);
  return {
    size: bytes.length,
    sourceNamed: (name) => ({ name, size: bytes.length, bytes }),
    close: () => Promise.resolve(),
  };
}
