/** One session file of ours: an index of its lines, and the one way by which lines are added. */
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, realpathSync, statSync, writeSync } from 'node:fs';
import {
  type Dialect,
  type SessionCommit,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  type SessionHolder,
  type SessionWarning,
  sessionVersion,
} from '@coppice/content/sessions';
import { AppError, refusalKinds } from '@coppice/core';
import { type Fields, field } from '../disk/decode.ts';
import { FolderLock, type Holder, lockedBy } from '../disk/lock.ts';
import { bytesOf, damaged, newer, onFile, step, writeAll } from '../disk/whole-files.ts';
import { type Head, headIn, parsedLine, quickHead } from './heads.ts';
import { type LinePlace, LineTable } from './line-table.ts';
import { sideOf } from './places.ts';

const lineEnd = 0x0a;
const chunkSize = 1 << 20;
const openFiles = new Map<string, JsonlFile>();

/** A header as it was read from a line of ours; undefined if it is none. */
export function headerIn(line: Fields): SessionHeader | undefined {
  const [uuid, id] = [field(line, 'uuid'), field(line, 'id')];
  if (field(line, 'type') !== 'session' || typeof uuid !== 'string') return undefined;
  return {
    ...line,
    type: 'session',
    version: sessionVersion,
    uuid,
    parentUuid: null,
    id: typeof id === 'string' ? id : uuid,
  };
}

/** A line as text: what every line begins with comes first, so that it can be told without reading the rest. */
export function lineText(entry: SessionEntry, version: number, commit: SessionCommit | null | undefined): string {
  const { type, uuid, parentUuid, version: _, commit: __, ...rest } = entry;
  return `${JSON.stringify({
    type,
    uuid,
    parentUuid,
    version,
    ...(commit === undefined ? {} : { commit: true }),
    ...rest,
    ...commit,
  })}\n`;
}

/** The text of a header. */
export function headerText(header: SessionHeader): string {
  const { type, version, uuid, parentUuid, ...rest } = header;
  return `${JSON.stringify({ type, version, uuid, parentUuid, ...rest })}\n`;
}

/** A commit on its way into a file. */
export interface LinesOfCommit {
  readonly entries: readonly SessionEntry[];
  readonly version: number;
  readonly commit: SessionCommit | null;
}

/** An open session file. */
export class JsonlFile implements SessionFile {
  readonly path: string;
  readonly dialect: Dialect = 'v2';
  #lease: FolderLock | Holder | null = null;
  #users = 0;
  #handle: number;
  #writer: number | null = null;
  #table: LineTable;
  #header: SessionHeader;
  #inode: bigint;
  // Everything before this byte is in the table and is not read again.
  #end = 0;
  #line = 0;
  #size = 0;
  // Whether the last byte of the file ends a line.
  #ended = true;
  #tail: SessionWarning | null = null;
  #block: { readonly start: number; readonly bytes: Buffer } | null = null;
  // What a failed append may have left behind, from this byte on, may not be on the disk.
  #doubtful: number | null = null;
  readonly #spoilt = new Set<number>();

  private constructor(path: string) {
    this.path = path;
    this.#handle = onFile(path, () => openSync(path, 'r'));
    try {
      this.#inode = onFile(path, () => fstatSync(this.#handle, { bigint: true }).ino);
      this.#table = this.#newTable();
      this.#header = this.#readHeader();
      this.#scan();
    } catch (error) {
      closeSync(this.#handle);
      throw error;
    }
  }

  /**
   * Opens a file of ours, to be read until its lease is taken. Within a process a file is opened once, so that all who
   * work on it know of each other's lines and share the lease.
   */
  static open(path: string): JsonlFile {
    const real = onFile(path, () => realpathSync(path));
    const there = openFiles.get(real);
    const file = there ?? new JsonlFile(real);
    file.#users++;
    openFiles.set(real, file);
    file.refresh();
    return file;
  }

  #newTable(): LineTable {
    return new LineTable((index, at) => {
      if (this.#table.lengthAt(index) !== at.length) return false;
      const before = Buffer.from(this.#bytesAt(this.#table.offsetAt(index), at.length));
      return before.equals(this.#bytesAt(at.offset, at.length));
    });
  }

  #readHeader(): SessionHeader {
    let bytes = Buffer.alloc(0);
    for (let end = -1; end < 0; ) {
      const more = this.#readAt(bytes.length, Math.max(1 << 16, bytes.length));
      bytes = Buffer.concat([bytes, more]);
      end = bytes.indexOf(lineEnd);
      if (end < 0 && more.length === 0) end = bytes.length;
      if (end >= 0) bytes = bytes.subarray(0, end);
      if (end >= 0) break;
    }
    const line = parsedLine(bytes);
    const header = line === undefined ? undefined : headerIn(line);
    if (header === undefined || line === undefined)
      throw damaged(this.path, bytes.length === 0 ? 'is empty' : 'has a first line that is no session header');
    const version = field(line, 'version');
    if (typeof version === 'number' && version > sessionVersion) throw newer(this.path, version, sessionVersion);
    return header;
  }

  get header(): SessionHeader {
    return this.#header;
  }

  get writable(): boolean {
    return this.#lease instanceof FolderLock;
  }

  get holder(): SessionHolder | null {
    return this.#lease === null || this.#lease instanceof FolderLock ? null : this.#lease;
  }

  get warnings(): readonly SessionWarning[] {
    return this.#tail === null ? this.#table.warnings : [...this.#table.warnings, this.#tail];
  }

  get size(): number {
    return this.#table.size;
  }

  get version(): number {
    return this.#table.version;
  }

  /** All bytes of the file that were looked at. */
  get bytes(): number {
    return this.#size;
  }

  indexOf(uuid: string): number {
    return this.#table.indexOf(uuid);
  }

  uuidAt(index: number): string {
    return this.#table.uuidAt(index);
  }

  typeAt(index: number): string {
    return this.#table.typeAt(index);
  }

  parentAt(index: number): number {
    return this.#table.parentAt(index);
  }

  isOurs(index: number): boolean {
    return this.#table.isOurs(index);
  }

  /** The commit that a line belongs to. */
  versionAt(index: number): number {
    return this.#table.versionAt(index);
  }

  /** Whether a line was slipped in before a commit that knew nothing of it. */
  isLate(index: number): boolean {
    return this.#table.isLate(index);
  }

  /** Whether the lines of a commit cannot be read any more. */
  isLost(version: number): boolean {
    return this.#table.isLost(version);
  }

  entryAt(index: number): SessionEntry {
    const [type, uuid, above] = [this.typeAt(index), this.uuidAt(index), this.parentAt(index)];
    const parentUuid = above < 0 ? null : this.uuidAt(above);
    const offset = this.#table.offsetAt(index);
    const line = parsedLine(this.#bytesAt(offset, this.#table.lengthAt(index)));
    if (line !== undefined) return { ...line, type, uuid, parentUuid };
    if (!this.#spoilt.has(index)) {
      this.#spoilt.add(index);
      const number = this.#table.lineAt(index);
      const message = `Line ${number} (byte ${offset}) cannot be read beyond its beginning.`;
      this.#table.warnings.push({ code: 'damaged', message, line: number, offset, uuid });
    }
    return { type, uuid, parentUuid, damaged: true };
  }

  restAt(index: number): Uint8Array | null {
    const bytes = this.#bytesAt(this.#table.offsetAt(index), this.#table.lengthAt(index));
    const head = bytes.includes(0) ? null : quickHead(bytes, 0, bytes.length);
    return head === null || head.rest >= bytes.length ? null : bytes.subarray(head.rest);
  }

  #readAt(offset: number, length: number): Buffer {
    return this.#readInto(Buffer.allocUnsafe(length), offset, length);
  }

  #readInto(bytes: Buffer, offset: number, length: number): Buffer {
    let read = 0;
    while (read < length) {
      const count = onFile(this.path, () => readSync(this.#handle, bytes, read, length - read, offset + read));
      if (count === 0) break;
      read += count;
    }
    return bytes.subarray(0, read);
  }

  #bytesAt(offset: number, length: number): Buffer {
    const block = this.#block;
    if (block !== null && offset >= block.start && offset + length <= block.start + block.bytes.length)
      return block.bytes.subarray(offset - block.start, offset - block.start + length);
    // Whoever goes on where the last block ended reads on; whoever jumps is not made to read what lies between.
    const near = block !== null && offset >= block.start && offset <= block.start + block.bytes.length + chunkSize;
    const start = offset;
    const bytes = this.#readAt(start, Math.max(length, Math.min(near ? chunkSize : 1 << 14, this.#size - start)));
    this.#block = { start, bytes };
    return bytes.subarray(0, length);
  }

  /** Reads what is new at the end of the file into the table; what was just written there need not be read back. */
  #scan(added?: { readonly at: number; readonly bytes: Uint8Array }): number {
    const before = this.#table.size;
    const stat = onFile(this.path, () => fstatSync(this.#handle));
    this.#size = stat.size;
    this.#tail = null;
    let line = this.#line;
    let from = this.#end;
    let held: Buffer[] = [];
    let heldAt = from;
    let at = from;
    const take = (bytes: Buffer, offset: number) => {
      line++;
      this.#take(bytes, { line, offset, length: bytes.length });
      if (!this.#table.open) [this.#end, this.#line] = [offset + bytes.length + 1, line];
    };
    // One piece of memory for all chunks: nothing of a line is kept but its head, and what is held over is copied.
    const alone = added !== undefined && added.at === at && at + added.bytes.length === stat.size;
    const room = alone ? null : Buffer.allocUnsafe(Math.min(chunkSize, Math.max(0, stat.size - at)));
    while (at < stat.size) {
      const chunk =
        room === null
          ? Buffer.from(added?.bytes ?? [])
          : this.#readInto(room, at, Math.min(room.length, stat.size - at));
      if (chunk.length === 0) break;
      let start = 0;
      for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, start)) {
        const piece = chunk.subarray(start, end);
        take(held.length === 0 ? piece : Buffer.concat([...held, piece]), heldAt);
        held = [];
        start = end + 1;
        heldAt = at + start;
      }
      if (start < chunk.length) held.push(Buffer.from(chunk.subarray(start)));
      at += chunk.length;
    }
    from = heldAt;
    const rest = held.length === 0 ? null : Buffer.concat(held);
    this.#ended = rest === null;
    if (rest !== null) this.#last(rest, { line: line + 1, offset: from, length: rest.length });
    if (this.#table.open) this.#unfinished();
    this.#table.settle();
    return this.#table.size - before;
  }

  /** The last line of a file that does not end in one: whole but for its end, or torn. */
  #last(bytes: Buffer, at: LinePlace): void {
    const parsed = parsedLine(bytes);
    const head = parsed === undefined ? null : headIn(parsed);
    if (head !== null || at.line === 1) {
      this.#take(bytes, at);
      if (!this.#table.open) [this.#end, this.#line] = [at.offset + at.length, at.line];
      return;
    }
    const message = `The last line (${at.line}, byte ${at.offset}) is cut off after ${at.length} bytes; it was never acknowledged.`;
    this.#tail = { code: 'torn', message, line: at.line, offset: at.offset };
  }

  /** The file ends in the middle of a commit: it is looked at again when there is more. */
  #unfinished(): void {
    this.#tail ??= {
      code: 'torn',
      message: `The last commit, from line ${this.#line + 1} (byte ${this.#end}) on, is not complete; it was never acknowledged.`,
      line: this.#line + 1,
      offset: this.#end,
    };
    this.#table.forget();
  }

  #take(bytes: Buffer, at: LinePlace): void {
    if (at.line === 1) {
      const head: Head = { type: 'session', uuid: this.#header.uuid, parentUuid: null, version: 0, commit: false };
      this.#table.begin(head, at, this.#header['format'] !== 'linear');
      return;
    }
    // A blank line ends what was begun and not finished.
    if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d)) return this.#table.drop(at);
    const quick = bytes.includes(0) ? null : quickHead(bytes, 0, bytes.length);
    if (quick !== null) return this.#table.add(quick, at);
    const line = parsedLine(bytes);
    const head = line === undefined ? null : headIn(line);
    if (head !== null) this.#table.add(head, at);
    else this.#table.damage(at, line === undefined ? 'cannot be read' : 'has no type or no id');
  }

  /** The size of the file. Refuses where it is not the one that was opened: what is known of it would be wrong. */
  #sizeNow(): number {
    const now = onFile(this.path, () => statSync(this.path, { bigint: true, throwIfNoEntry: false }));
    if (now !== undefined && now.ino === this.#inode && Number(now.size) >= this.#end) return Number(now.size);
    throw new AppError({
      code: 'store/locked',
      kind: refusalKinds['store/locked'],
      message: `${this.path} was replaced or cut by somebody else: close it and open it again.`,
      data: { path: this.path },
    });
  }

  refresh(): number {
    const size = onFile(this.path, () => fstatSync(this.#handle).size);
    if (size === this.#size) return 0;
    this.#block = null;
    return this.#scan();
  }

  /** Takes the lease, if it can be had: one that another process gave up meanwhile is taken over. */
  lease(): void {
    if (!(this.#lease instanceof FolderLock)) this.#lease = FolderLock.take(sideOf(this.path));
  }

  /** Refuses where nothing may be written. */
  checkWritable(): FolderLock {
    const lease = this.#lease;
    if (lease instanceof FolderLock) {
      lease.check();
      return lease;
    }
    if (lease !== null) throw lockedBy(this.path, lease);
    throw new AppError({
      code: 'tree/read-only',
      kind: refusalKinds['tree/read-only'],
      message: `${this.path} was opened to be read only.`,
      data: { path: this.path },
    });
  }

  async append(entries: readonly SessionEntry[], commit?: SessionCommit): Promise<void> {
    this.checkWritable();
    if (this.#sizeNow() !== this.#size) this.refresh();
    this.#write([{ entries, version: this.version + 1, commit: commit ?? null }], this.#size);
  }

  /** Adds the lines of a commit, or of several in a row, in one write, on the disk when this returns. */
  write(commits: readonly LinesOfCommit[]): void {
    this.checkWritable();
    this.#write(commits, this.#sizeNow());
  }

  #write(commits: readonly LinesOfCommit[], found: number): void {
    const texts = commits.flatMap(({ entries, version, commit }) =>
      entries.map((entry, index) => lineText(entry, version, index === entries.length - 1 ? commit : undefined)),
    );
    const version = commits[0]?.version;
    if (texts.length === 0 || version === undefined) return;
    const added = onFile(this.path, () => {
      this.#writer ??= openSync(this.path, 'a');
      const writer = this.#writer;
      const size = this.#settleDoubt() ? fstatSync(writer).size : found;
      if (version !== this.version + 1) throw this.overtaken(version);
      // A line that was cut off is ended, and a commit that was not finished is closed off by a blank line.
      const before = size === this.#size ? `${this.#ended ? '' : '\n'}${this.#tail === null ? '' : '\n'}` : '\n';
      const bytes = bytesOf(before + texts.join(''));
      try {
        step('session', 'append', () => writeAll(writer, bytes));
        step('session', 'fsync', () => fdatasyncSync(writer));
      } catch (error) {
        this.#doubtful = Math.min(this.#doubtful ?? size, size);
        throw error;
      }
      return { at: size, bytes };
    });
    this.#block = null;
    this.#scan(added);
  }

  /** The refusal of a write that was planned before somebody added a commit, or before one that failed turned up. */
  overtaken(version: number): AppError {
    return new AppError({
      code: 'store/unavailable',
      kind: refusalKinds['store/unavailable'],
      message: `${this.path} is at version ${this.version}, which was not expected: try again.`,
      data: { path: this.path, version: this.version, expected: version },
      retryable: true,
    });
  }

  /**
   * Writes what a failed append left behind once more, the same bytes at the same place, and waits until they are on the
   * disk. A file system that has reported a failed write once takes the pages for clean and would report it never again.
   */
  #settleDoubt(): boolean {
    if (this.#doubtful === null) return false;
    const handle = openSync(this.path, 'r+');
    try {
      const size = fstatSync(handle).size;
      for (let at = this.#doubtful; at < size; ) {
        const bytes = this.#readAt(at, Math.min(chunkSize, size - at));
        if (bytes.length === 0) break;
        for (let done = 0; done < bytes.length; )
          done += writeSync(handle, bytes, done, bytes.length - done, at + done);
        at += bytes.length;
      }
      step('session', 'fsync', () => fdatasyncSync(handle));
    } finally {
      closeSync(handle);
    }
    this.#doubtful = null;
    this.#block = null;
    this.#scan();
    return true;
  }

  /** Takes in a file that was put in the place of this one by whoever holds the lease. */
  reopen(): void {
    this.#closeHandles();
    this.#handle = onFile(this.path, () => openSync(this.path, 'r'));
    this.#inode = onFile(this.path, () => fstatSync(this.#handle, { bigint: true }).ino);
    [this.#end, this.#line, this.#size, this.#ended] = [0, 0, 0, true];
    [this.#tail, this.#block, this.#doubtful] = [null, null, null];
    this.#spoilt.clear();
    this.#table = this.#newTable();
    this.#header = this.#readHeader();
    this.#scan();
  }

  close(): void {
    if (--this.#users > 0) return;
    openFiles.delete(this.path);
    this.#closeHandles();
    if (this.#lease instanceof FolderLock) this.#lease.release();
    this.#lease = null;
  }

  #closeHandles(): void {
    if (this.#handle >= 0) closeSync(this.#handle);
    if (this.#writer !== null) closeSync(this.#writer);
    this.#handle = -1;
    this.#writer = null;
  }
}
