/** The bytes of a file that is open to be read, with the last piece of it kept. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { onFile } from '../disk/atomic-files.ts';
import { sessionClosed } from './refusals.ts';

/** How much is read at once by whoever reads on. */
export const chunkSize = 1 << 20;
const jumpSize = 1 << 14;
const twoBytes = Buffer.alloc(2);
// By so many bytes it is told whether a file is still the one that was read so far.
const markSize = 64;

/** A file that is read from. */
export class FileBytes {
  readonly #path: string;
  // None once it is closed: the system gives the number to the next file that is opened.
  #handle: number;
  // Which file it is, whatever has its name later, and how many names it has.
  readonly #inode: number;
  #names: number;
  // The last bytes before a place.
  #mark: { readonly place: number; readonly bytes: Buffer } = { place: 0, bytes: Buffer.alloc(0) };
  #block: { readonly start: number; readonly bytes: Buffer } | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#handle = onFile(path, () => openSync(path, 'r'));
    const { ino, nlink } = onFile(path, () => fstatSync(this.#handle));
    [this.#inode, this.#names] = [ino, nlink];
  }

  /** Whether the file has a size and its names, and nothing about it changed after a time, such as a name that it lost. */
  isStill(size: number, since: number): boolean {
    const now = fstatSync(this.#handle);
    return now.size === size && now.nlink === this.#names && now.ctimeMs <= since;
  }

  /** Whether it is this file that was found at its path; a name that it got or lost elsewhere meanwhile is noted then. */
  isAt({ ino, nlink }: { readonly ino: number; readonly nlink: number }): boolean {
    if (ino === this.#inode) this.#names = nlink;
    return ino === this.#inode;
  }

  /** How many bytes there are now. */
  size(): number {
    return this.#reading(() => fstatSync(this.#handle).size);
  }

  /** Whether the file ends at a place (0), goes past it (1) or does not come so far (−1): quicker than asking for its size. */
  goesPast(place: number): number {
    return this.#reading(() => readSync(this.#handle, twoBytes, 0, 2, place - 1)) - 1;
  }

  /** Whether the byte at a place is a certain one. */
  goesOnWith(byte: number, place: number): boolean {
    return this.#reading(() => readSync(this.#handle, twoBytes, 0, 1, place)) > 0 && twoBytes[0] === byte;
  }

  /** Notes what stands before a place up to which the file was read; `bytes` end there, if they are at hand. */
  mark(place: number, bytes?: Buffer): void {
    if (place === this.#mark.place) return;
    const start = Math.max(0, place - markSize);
    const last = bytes === undefined ? this.read(start, place - start) : Buffer.from(bytes.subarray(-markSize));
    this.#mark = { place, bytes: last };
  }

  /** Whether that still stands there: else the file was written anew in its place. */
  isMarked(): boolean {
    const { place, bytes } = this.#mark;
    return this.read(place - bytes.length, bytes.length).equals(bytes);
  }

  /** Bytes from a place on, fewer at the end of the file. */
  read(offset: number, length: number): Buffer {
    return this.readInto(Buffer.allocUnsafe(length), offset, length);
  }

  /** The same into memory that is there. */
  readInto(bytes: Buffer, offset: number, length: number): Buffer {
    let read = 0;
    while (read < length) {
      const count = this.#reading(() => readSync(this.#handle, bytes, read, length - read, offset + read));
      if (count === 0) break;
      read += count;
    }
    return bytes.subarray(0, read);
  }

  /** A line of a file of so many bytes. Good until the next one is asked for. */
  line(offset: number, length: number, size: number): Buffer {
    const block = this.#block;
    if (block !== null && offset >= block.start && offset + length <= block.start + block.bytes.length)
      return block.bytes.subarray(offset - block.start, offset - block.start + length);
    // Whoever goes on where the last block ended reads on; whoever jumps is not made to read what lies between.
    const near = block !== null && offset >= block.start && offset <= block.start + block.bytes.length + chunkSize;
    const bytes = this.read(offset, Math.max(length, Math.min(near ? chunkSize : jumpSize, size - offset)));
    this.#block = { start: offset, bytes };
    return bytes.subarray(0, length);
  }

  /** Forgets the piece that is kept: the file has changed. */
  forget(): void {
    this.#block = null;
  }

  #reading<T>(work: () => T): T {
    if (this.#handle < 0) throw sessionClosed(this.#path);
    return onFile(this.#path, work);
  }

  close(): void {
    closeSync(this.#handle);
    this.#handle = -1;
  }
}
