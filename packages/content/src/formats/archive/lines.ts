// The lines of an archive. Each line is a JSON object. The first line is a head. Each tree has lines for its row,
// nodes, external ids and bookmarks, and an end line with a checksum over all its lines. Blobs come before the first
// tree that needs them. The last line ends the archive.
import { sha256Hex } from '../../sha256.ts';

/** The version of the archives that Coppice writes. Readers refuse newer versions. */
export const archiveVersion = 1;

/**
 * A checksum over lines. Each line is hashed together with the checksum so far, so that changed, missing or reordered
 * lines are detected.
 */
export class LineChecksum {
  #sum = '';

  add(line: string): void {
    this.#sum = sha256Hex(this.#sum + sha256Hex(line));
  }

  get value(): string {
    return this.#sum;
  }
}

/** How many bytes of an attachment are written into one line. */
export const blobPartBytes = 384 * 1024;
