/** The one way by which bytes come to the end of a session file: one write, and one wait for the disk. */
import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs';
import { fileStep, writeFully } from '../disk/atomic-files.ts';
import { failpoint, isArmed } from '../failpoints.ts';
import { chunkSize, type FileBytes } from './file-bytes.ts';

/** The end of a file that is added to. */
export class LineWriter {
  readonly #path: string;
  #handle: number | null = null;
  // What a failed append may have left behind, from this byte on, may not be on the disk.
  #doubtful: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Adds a text to a file of a size; it is on the disk when this returns. Gives its length in bytes. */
  append(text: string, size: number): number {
    this.#handle ??= openSync(this.#path, 'a');
    const handle = this.#handle;
    const length = Buffer.byteLength(text);
    try {
      // Asked once: a save passes all of them.
      const armed = isArmed();
      if (armed) failpoint('disk-session-before-append');
      const written = writeSync(handle, text);
      if (written < length) writeFully(handle, Buffer.from(text).subarray(written));
      if (armed) failpoint('disk-session-after-append');
      if (armed) failpoint('disk-session-before-fsync');
      fdatasyncSync(handle);
      if (armed) failpoint('disk-session-after-fsync');
    } catch (error) {
      this.#doubtful = Math.min(this.#doubtful ?? size, size);
      throw error;
    }
    return length;
  }

  /** Whether an append failed and what it left was not settled yet. */
  get inDoubt(): boolean {
    return this.#doubtful !== null;
  }

  /**
   * Writes what a failed append left behind once more, the same bytes at the same place, and waits until they are on the
   * disk. A file system that has reported a failed write once takes the pages for clean and would report it never again.
   */
  settle(file: FileBytes): void {
    if (this.#doubtful === null) return;
    const handle = openSync(this.#path, 'r+');
    try {
      const size = fstatSync(handle).size;
      for (let at = this.#doubtful; at < size; ) {
        const bytes = file.read(at, Math.min(chunkSize, size - at));
        if (bytes.length === 0) break;
        for (let done = 0; done < bytes.length; )
          done += writeSync(handle, bytes, done, bytes.length - done, at + done);
        at += bytes.length;
      }
      fileStep('session', 'fsync', () => fdatasyncSync(handle));
    } finally {
      closeSync(handle);
    }
    this.#doubtful = null;
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
    this.#doubtful = null;
  }
}
