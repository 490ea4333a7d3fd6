/**
 * Append-only files of JSON lines. Each line ends with a checksum, so that incomplete and altered lines are detected.
 * Only byte 0x0A ends a line.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { FieldMap } from '@coppice/core';
import { AppError, refusalKinds } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import {
  type AtomicWriter,
  encodeFileText,
  type FilePurpose,
  osErrorCode,
  runFileOperation,
  toDiskError,
  withFileErrors,
  writeAllBytes,
} from './atomic-files.ts';

const lineEnd = 0x0a;
const chunkSize = 1 << 20;
// The length of the checksum field at the end of a line, such as `,"crc":"01234567"}`.
const sealLength = 18;

/** Returns the checksum of bytes as eight hex digits. */
export function crc32Hex(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, '0');
}

/** Serialises an object to a line that ends with its checksum. */
export function encodeChecksummedLine(value: object): Uint8Array {
  const body = encodeFileText(JSON.stringify(value).slice(0, -1));
  return Buffer.concat([body, encodeFileText(`,"crc":"${crc32Hex(body)}"}\n`)]);
}

/** A line of a file: its decoded value, or the reason why it cannot be read. */
export type ChecksummedLine =
  | { readonly ok: true; readonly value: FieldMap; readonly at: LineRange }
  | { readonly ok: false; readonly why: string; readonly torn: boolean; readonly at: LineRange };

/** The location of a line: its number from 1, its offset and length in bytes, and whether it ends with a line break. */
export interface LineRange {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly ended: boolean;
}

function readLine(bytes: Uint8Array, at: LineRange): ChecksummedLine {
  const body = bytes.subarray(0, Math.max(0, bytes.length - sealLength));
  const seal = Buffer.from(bytes.subarray(body.length)).toString('latin1');
  const sum = /^,"crc":"([0-9a-f]{8})"\}$/.exec(seal)?.[1];
  // A power cut leaves a short line or NUL bytes, and JSON text never contains NUL.
  const torn = sum === undefined || body.includes(0);
  if (sum === undefined) return { ok: false, why: 'is cut off', torn, at };
  if (sum !== crc32Hex(body)) return { ok: false, why: 'does not match its checksum', torn, at };
  try {
    const value: unknown = JSON.parse(`${Buffer.from(body).toString('utf8')}}`);
    if (isFieldMap(value)) return { ok: true, value, at };
  } catch {
    // The checksum is valid but the text is not JSON, so another program wrote the line.
  }
  return { ok: false, why: 'is no JSON object', torn, at };
}

/** Yields the lines of a file, including unreadable ones. Yields nothing if the file does not exist. */
export function* readLinesOfFile(path: string): Generator<ChecksummedLine, void, undefined> {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    if (osErrorCode(error) === 'ENOENT') return;
    throw toDiskError(error, path);
  }
  try {
    let pieces: Uint8Array[] = [];
    let line = 0;
    let offset = 0;
    const take = (ended: boolean): ChecksummedLine => {
      const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      pieces = [];
      line++;
      const place = { line, offset, length: bytes.length, ended };
      offset += bytes.length + (ended ? 1 : 0);
      return readLine(bytes, place);
    };
    let left = fstatSync(handle).size;
    for (;;) {
      // Lines keep a reference to the buffer of their chunk. So each chunk gets a new buffer, no larger than needed.
      const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(chunkSize, left)));
      const read = withFileErrors(path, () => readSync(handle, chunk, 0, chunk.length, null));
      if (read === 0) break;
      left -= read;
      let start = 0;
      for (let end = chunk.indexOf(lineEnd); end >= 0 && end < read; end = chunk.indexOf(lineEnd, start)) {
        pieces.push(chunk.subarray(start, end));
        start = end + 1;
        yield take(true);
      }
      if (start < read) pieces.push(chunk.subarray(start, read));
    }
    if (pieces.length > 0) yield take(false);
  } finally {
    closeSync(handle);
  }
}

/** The length of a file and its last byte, as they were when the file was last read. */
export interface FileTail {
  readonly bytes: number;
  /** Whether the last byte is a line break. */
  readonly ended: boolean;
}

/** An append-only file of lines. It remembers the length of the file, so no other process may write to the file. */
export class LineFile {
  readonly path: string;
  readonly #part: FilePurpose;
  #tail: FileTail;
  #handle: number | null = null;
  // A failed append may have left bytes that were never acknowledged; they are removed before the next one.
  #hasFailedAppend = false;

  constructor(path: string, part: FilePurpose, tail: FileTail) {
    this.path = path;
    this.#part = part;
    this.#tail = tail;
  }

  get tail(): FileTail {
    return this.#tail;
  }

  /** Appends lines, all or none. With `sync` they are durable on return. */
  append(lines: readonly Uint8Array[], sync: boolean): void {
    withFileErrors(this.path, () => {
      const handle = this.#opened();
      if (this.#hasFailedAppend) this.#truncateToEnd(handle);
      this.#assertUnchanged(handle);
      const bytes = Buffer.concat(this.#tail.ended ? lines : [Uint8Array.of(lineEnd), ...lines]);
      try {
        runFileOperation(this.#part, 'append', () => writeAllBytes(handle, bytes));
        if (sync) runFileOperation(this.#part, 'fsync', () => fsyncSync(handle));
      } catch (error) {
        this.#hasFailedAppend = true;
        try {
          this.#truncateToEnd(handle);
        } catch {
          // The next append truncates the file first, and throws if that fails too.
        }
        throw error;
      }
      this.#tail = { bytes: this.#tail.bytes + bytes.length, ended: true };
    });
  }

  #opened(): number {
    this.#handle ??= openSync(this.path, 'a+');
    return this.#handle;
  }

  #truncateToEnd(handle: number): void {
    ftruncateSync(handle, this.#tail.bytes);
    fsyncSync(handle);
    this.#hasFailedAppend = false;
  }

  #assertUnchanged(handle: number): void {
    if (fstatSync(handle).size === this.#tail.bytes) return;
    throw new AppError({
      code: 'store/locked',
      kind: refusalKinds['store/locked'],
      message: `${this.path} was changed by another program: close the store and open it again.`,
      data: { path: this.path },
    });
  }

  /**
   * Replaces all lines by renaming a new file over the old one. If the rename fails, the old file is restored. If that
   * fails too, the content is unknown, and every append throws until the file is opened again.
   */
  rewrite(lines: Iterable<Uint8Array>, writer: AtomicWriter): void {
    let bytes = 0;
    const counted = function* () {
      for (const line of lines) {
        bytes += line.length;
        yield line;
      }
    };
    this.close();
    const old = writer.keep(this.path);
    try {
      writer.replace(this.path, joinSmallPieces(counted()), this.#part, true);
    } catch (error) {
      if (old !== null) writer.putBack(old, this.path);
      throw error;
    }
    if (old !== null) rmSync(old, { force: true });
    this.#tail = { bytes, ended: true };
    this.#hasFailedAppend = false;
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
  }
}

/** Joins small pieces to larger ones, so that writing them takes fewer system calls. */
export function* joinSmallPieces(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < chunkSize) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}
