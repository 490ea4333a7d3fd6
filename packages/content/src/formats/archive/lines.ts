// The lines of an archive. One JSON object a line: a head, then for each tree its row, its nodes, names and bookmarks and
// an end with a sum over all its lines; blobs stand before the first tree that needs them; the last line ends the archive.
import { sha256Hex } from '../../sha256.ts';

/** The version that is written. Readers refuse a newer one. */
export const archiveVersion = 1;

/** A sum over lines: each is hashed onto what came before, so that none can be changed, left out or exchanged unseen. */
export class LineSum {
  #sum = '';

  add(line: string): void {
    this.#sum = sha256Hex(this.#sum + sha256Hex(line));
  }

  get value(): string {
    return this.#sum;
  }
}

/** How many bytes of an attachment one line holds. */
export const blobPart = 384 * 1024;
