/** Reads the bytes of an open file, and caches the last block. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { withFileErrors } from '../disk/atomic-files.ts';
import { readFileState, type SessionFileState } from './node-index.ts';
import { makeFileClosedError } from './refusals.ts';

/** The block size for sequential reads. */
export const readBlockBytes = 1 << 20;
const jumpSize = 1 << 14;
const twoBytes = Buffer.alloc(2);
// The number of bytes compared to detect whether the file was rewritten.
const markSize = 64;

/** A file open for reading. */
export class FileBytes {
  readonly #path: string;
  // Cleared on close, because the system reuses the descriptor for the next file.
  #handle: number;
  // The inode identifies the file even if its path has another file now. The link count shows whether it lost a name.
  readonly #inode: number;
  #names: number;
  // The last bytes before the offset up to which the file was read.
  #mark: { readonly place: number; readonly bytes: Buffer } = { place: 0, bytes: Buffer.alloc(0) };
  #block: { readonly start: number; readonly bytes: Buffer } | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#handle = withFileErrors(path, () => openSync(path, 'r'));
    const { ino, nlink } = withFileErrors(path, () => fstatSync(this.#handle));
    [this.#inode, this.#names] = [ino, nlink];
  }

  /** Whether the file still has this size and all its names, and its last change was at this time. */
  isStill(size: number, changedAt: number): boolean {
    const now = this.#reading(() => fstatSync(this.#handle));
    return now.size === size && now.nlink === this.#names && now.ctimeMs === changedAt;
  }

  /** Returns the time of the last change of the file. */
  changedAt(): number {
    return this.#reading(() => fstatSync(this.#handle).ctimeMs);
  }

  /** Whether the path still leads to this file. If so, its link count is updated. */
  isAt({ ino, nlink }: { readonly ino: number; readonly nlink: number }): boolean {
    if (ino === this.#inode) this.#names = nlink;
    return ino === this.#inode;
  }

  /** Returns the current size. */
  size(): number {
    return this.#reading(() => fstatSync(this.#handle).size);
  }

  /** Returns the state of the file, which differs after every change. */
  state(): SessionFileState {
    return this.#reading(() => readFileState(this.#handle));
  }

  /**
   * Returns 0 if the file ends at an offset, 1 if it is longer and
   * −1 if it is shorter. This is faster than reading the size.
   */
  goesPast(place: number): number {
    return this.#reading(() => readSync(this.#handle, twoBytes, 0, 2, place - 1)) - 1;
  }

  /** Whether the byte at an offset has the given value. */
  goesOnWith(byte: number, place: number): boolean {
    return this.#reading(() => readSync(this.#handle, twoBytes, 0, 1, place)) > 0 && twoBytes[0] === byte;
  }

  /**
   * Keeps the bytes before an offset up to which the file was read. `bytes` end at that offset, if the caller has them.
   */
  mark(place: number, bytes?: Buffer): void {
    if (place === this.#mark.place) return;
    const start = Math.max(0, place - markSize);
    const last = bytes === undefined ? this.read(start, place - start) : Buffer.from(bytes.subarray(-markSize));
    this.#mark = { place, bytes: last };
  }

  /** Whether the file still contains those bytes. If not, it was rewritten in place. */
  isMarked(): boolean {
    const { place, bytes } = this.#mark;
    return this.read(place - bytes.length, bytes.length).equals(bytes);
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
    // After the last line a large block is read; after a jump only a small one.
    const near = block !== null && offset >= block.start && offset <= block.start + block.bytes.length + readBlockBytes;
    const bytes = this.read(offset, Math.max(length, Math.min(near ? readBlockBytes : jumpSize, size - offset)));
    this.#block = { start: offset, bytes };
    return bytes.subarray(0, length);
  }

  /** Drops the cached block, because the file has changed. */
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
