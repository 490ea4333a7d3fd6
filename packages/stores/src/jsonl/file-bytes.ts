/**
 * Reads the bytes of an open session file. It caches the last block and detects whether the file was replaced or
 * rewritten.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { withFileErrors } from '../disk/atomic-files.ts';
import { readFileState, type SessionFileState } from './node-index.ts';
import { makeFileClosedError } from './refusals.ts';

/** The number of bytes that are read at once if a file is read from beginning to end. */
export const sequentialReadSize = 1 << 20;
const jumpSize = 1 << 14;
const twoBytes = Buffer.alloc(2);
// The number of bytes compared to detect whether the file was rewritten.
const markSize = 64;

export class FileBytes {
  readonly #path: string;
  // Set to −1 on close, because the system may assign the same descriptor to the next file.
  #handle: number;
  // The inode identifies the file even if the path leads to another file now. A lower link count shows that a name was
  // deleted.
  readonly #inode: number;
  #linkCount: number;
  // A copy of the last bytes that were read, to detect whether the file was rewritten before that offset.
  #mark: { readonly offset: number; readonly bytes: Buffer } = { offset: 0, bytes: Buffer.alloc(0) };
  #block: { readonly start: number; readonly bytes: Buffer } | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#handle = withFileErrors(path, () => openSync(path, 'r'));
    const { ino, nlink } = withFileErrors(path, () => fstatSync(this.#handle));
    [this.#inode, this.#linkCount] = [ino, nlink];
  }

  /** Whether the file is unchanged: it has this size and change time, and none of its names was deleted. */
  isUnchanged(size: number, changedAt: number): boolean {
    const now = this.#reading(() => fstatSync(this.#handle));
    return now.size === size && now.nlink === this.#linkCount && now.ctimeMs === changedAt;
  }

  /** Returns the change time of the file (`ctime`), which programs cannot set. */
  changedAt(): number {
    return this.#reading(() => fstatSync(this.#handle).ctimeMs);
  }

  /** Whether this file is still the one with the given inode. If so, the link count is updated. */
  isSameFile({ ino, nlink }: { readonly ino: number; readonly nlink: number }): boolean {
    if (ino === this.#inode) this.#linkCount = nlink;
    return ino === this.#inode;
  }

  size(): number {
    return this.#reading(() => fstatSync(this.#handle).size);
  }

  /** Returns the state of the file: size, times and a checksum. Every change of the file changes the state. */
  state(): SessionFileState {
    return this.#reading(() => readFileState(this.#handle));
  }

  /**
   * Compares the file's size with an offset: 0 if the file ends there, 1 if it is longer, −1 if it is shorter. Reading
   * two bytes is faster than a stat call.
   */
  compareSize(offset: number): number {
    return this.#reading(() => readSync(this.#handle, twoBytes, 0, 2, offset - 1)) - 1;
  }

  hasByteAt(byte: number, offset: number): boolean {
    return this.#reading(() => readSync(this.#handle, twoBytes, 0, 1, offset)) > 0 && twoBytes[0] === byte;
  }

  /**
   * Remembers the last bytes before an offset. `bytes` are the bytes that end there; without them they are read from
   * the file.
   */
  mark(offset: number, bytes?: Buffer): void {
    if (offset === this.#mark.offset) return;
    const start = Math.max(0, offset - markSize);
    const last = bytes === undefined ? this.read(start, offset - start) : Buffer.from(bytes.subarray(-markSize));
    this.#mark = { offset, bytes: last };
  }

  /**
   * Whether the file still contains the bytes that {@link mark} remembered. If not, the file was rewritten in place.
   */
  isMarkIntact(): boolean {
    const { offset, bytes } = this.#mark;
    return this.read(offset - bytes.length, bytes.length).equals(bytes);
  }

  /** Reads bytes at an offset; fewer at the end of the file. */
  read(offset: number, length: number): Buffer {
    return this.readInto(Buffer.allocUnsafe(length), offset, length);
  }

  /** Like {@link read}, into an existing buffer. */
  readInto(bytes: Buffer, offset: number, length: number): Buffer {
    let read = 0;
    while (read < length) {
      const count = this.#reading(() => readSync(this.#handle, bytes, read, length - read, offset + read));
      if (count === 0) break;
      read += count;
    }
    return bytes.subarray(0, read);
  }

  /** Reads a line; `size` is the size of the file. The returned buffer is valid until the next call. */
  line(offset: number, length: number, size: number): Buffer {
    const block = this.#block;
    if (block !== null && offset >= block.start && offset + length <= block.start + block.bytes.length)
      return block.bytes.subarray(offset - block.start, offset - block.start + length);
    // Lines are often read in sequence. Then a large block is read; after a jump only a small one.
    const near =
      block !== null && offset >= block.start && offset <= block.start + block.bytes.length + sequentialReadSize;
    const bytes = this.read(offset, Math.max(length, Math.min(near ? sequentialReadSize : jumpSize, size - offset)));
    this.#block = { start: offset, bytes };
    return bytes.subarray(0, length);
  }

  /** Drops the cached block, because the file may have changed. */
  forget(): void {
    this.#block = null;
  }

  #reading<T>(work: () => T): T {
    if (this.#handle < 0) throw makeFileClosedError(this.#path);
    return withFileErrors(this.#path, work);
  }

  close(): void {
    closeSync(this.#handle);
    this.#handle = -1;
  }
}
