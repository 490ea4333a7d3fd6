/** Appends bytes to a session file, with one write and one sync. */
import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs';
import { runFileOperation, writeAllBytes } from '../disk/atomic-files.ts';
import { failpoint, isFaultArmed } from '../failpoints.ts';
import { type FileBytes, sequentialReadSize } from './file-bytes.ts';

/** Appends to a session file. After a failed append, `syncFailedAppend` makes the end of the file durable. */
export class SessionLineWriter {
  readonly #path: string;
  #handle: number | null = null;
  // The offset from which a failed append may have left bytes that are not on disk; null if no append failed.
  #failedAt: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Appends a text to a file of the given size, and syncs it. Returns its length in bytes. */
  append(text: string, size: number): number {
    this.#handle ??= openSync(this.#path, 'a');
    const handle = this.#handle;
    const length = Buffer.byteLength(text);
    try {
      // Looked up once, because an append passes four failpoints.
      const armed = isFaultArmed();
      if (armed) failpoint('disk-session-before-append');
      const written = writeSync(handle, text);
      if (written < length) writeAllBytes(handle, Buffer.from(text).subarray(written));
      if (armed) failpoint('disk-session-after-append');
      if (armed) failpoint('disk-session-before-fsync');
      fdatasyncSync(handle);
      if (armed) failpoint('disk-session-after-fsync');
    } catch (error) {
      this.#failedAt = Math.min(this.#failedAt ?? size, size);
      throw error;
    }
    return length;
  }

  /** Whether an append failed and {@link syncFailedAppend} was not called since. */
  get hasFailedAppend(): boolean {
    return this.#failedAt !== null;
  }

  /**
   * Writes the bytes that a failed append left a second time, at the same offset, and syncs them. Syncing alone is not
   * enough: after a failed sync the system may treat the pages as written and report no error.
   */
  syncFailedAppend(file: FileBytes): void {
    if (this.#failedAt === null) return;
    const handle = openSync(this.#path, 'r+');
    try {
      const size = fstatSync(handle).size;
      for (let at = this.#failedAt; at < size; ) {
        const bytes = file.read(at, Math.min(sequentialReadSize, size - at));
        if (bytes.length === 0) break;
        for (let done = 0; done < bytes.length; )
          done += writeSync(handle, bytes, done, bytes.length - done, at + done);
        at += bytes.length;
      }
      runFileOperation('session', 'fsync', () => fdatasyncSync(handle));
    } finally {
      closeSync(handle);
    }
    this.#failedAt = null;
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
    this.#failedAt = null;
  }
}
