/** One session file of ours: an index of its lines, and the one way by which lines are added. */
import { realpathSync, statSync } from 'node:fs';
import {
  type Dialect,
  type SessionCommit,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  type SessionHolder,
  type SessionWarning,
  sessionVersion,
  withKept,
} from '@coppice/content/sessions';
import { AppError, isAppError, refusalKinds } from '@coppice/core';
import { field } from '../disk/decode.ts';
import { FolderLock, type Holder, lockedBy } from '../disk/lock.ts';
import { bytesOf, damaged, newer, onFile } from '../disk/whole-files.ts';
import { chunkSize, FileBytes } from './file-bytes.ts';
import { type Head, headIn, parsedLine, quickHead } from './heads.ts';
import { type LinePlace, LineTable } from './line-table.ts';
import { headerIn, type LinesOfCommit, linesOf, type OwnLine } from './line-text.ts';
import { LineWriter } from './line-writer.ts';
import { sideOf } from './places.ts';
import { firstLine, isBlankLine } from './raw-lines.ts';
import { openedToRead, replaced } from './refusals.ts';

const lineEnd = 0x0a;
// For so many milliseconds a lease that was looked at is taken to be there.
const leaseGood = 500;
const openFiles = new Map<string, JsonlFile>();

/** An open session file. */
export class JsonlFile implements SessionFile {
  readonly path: string;
  readonly dialect: Dialect = 'v2';
  #lease: FolderLock | Holder | null = null;
  // Whether the lease is to be had as soon as that can be.
  #wanted = false;
  #leaseSeen = Number.NEGATIVE_INFINITY;
  #users = 0;
  #file: FileBytes;
  readonly #writer: LineWriter;
  #table: LineTable;
  #header: SessionHeader;
  #headerLine = 1;
  // Everything before this byte is in the table and is not read again.
  #end = 0;
  #lines = 0;
  #size = 0;
  // Whether the last byte of the file ends a line.
  #ended = true;
  #tail: SessionWarning | null = null;
  readonly #spoilt = new Set<number>();

  private constructor(path: string) {
    this.path = path;
    this.#file = new FileBytes(path);
    this.#writer = new LineWriter(path);
    try {
      this.#table = this.#newTable();
      this.#header = this.#readHeader();
      this.#scan();
    } catch (error) {
      this.#file.close();
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
      const before = Buffer.from(this.#line(this.#table.offsetAt(index), at.length));
      return before.equals(this.#line(at.offset, at.length));
    });
  }

  #readHeader(): SessionHeader {
    const { bytes, line: number } = firstLine(this.#file);
    this.#headerLine = number;
    const line = parsedLine(bytes);
    const header = line === undefined ? undefined : headerIn(line);
    if (header === undefined || line === undefined)
      throw damaged(this.path, isBlankLine(bytes) ? 'is empty' : 'has a first line that is no session header');
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
    const line = parsedLine(this.#line(offset, this.#table.lengthAt(index)));
    if (line !== undefined) return withKept(this, index, { ...line, type, uuid, parentUuid });
    if (!this.#spoilt.has(index)) {
      this.#spoilt.add(index);
      const number = this.#table.lineAt(index);
      const message = `Line ${number} (byte ${offset}) cannot be read beyond its beginning.`;
      this.#table.warnings.push({ code: 'damaged', message, line: number, offset, uuid });
    }
    return { type, uuid, parentUuid, damaged: true };
  }

  restAt(index: number): Uint8Array | null {
    // What a compaction names may have to be named otherwise.
    if (this.typeAt(index) === 'compaction') return null;
    const bytes = this.#line(this.#table.offsetAt(index), this.#table.lengthAt(index));
    const head = bytes.includes(0) ? null : quickHead(bytes, 0, bytes.length);
    return head === null || head.rest >= bytes.length ? null : bytes.subarray(head.rest);
  }

  #line(offset: number, length: number): Buffer {
    return this.#file.line(offset, length, this.#size);
  }

  /** Reads what is new at the end of the file into the table. */
  #scan(): number {
    const before = this.#table.size;
    const size = this.#file.size();
    this.#file.forget();
    this.#size = size;
    this.#tail = null;
    let line = this.#lines;
    let from = this.#end;
    let held: Buffer[] = [];
    let heldAt = from;
    let at = from;
    const take = (bytes: Buffer, offset: number) => {
      line++;
      this.#take(bytes, { line, offset, length: bytes.length });
      if (!this.#table.open) [this.#end, this.#lines] = [offset + bytes.length + 1, line];
    };
    // One piece of memory for all chunks: nothing of a line is kept but its head, and what is held over is copied.
    const room = Buffer.allocUnsafe(Math.min(chunkSize, Math.max(0, size - at)));
    while (at < size) {
      const chunk = this.#file.readInto(room, at, Math.min(room.length, size - at));
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
    if (head !== null || at.line === this.#headerLine) {
      this.#take(bytes, at);
      if (!this.#table.open) [this.#end, this.#lines] = [at.offset + at.length, at.line];
      return;
    }
    const message = `The last line (${at.line}, byte ${at.offset}) is cut off after ${at.length} bytes; it was never acknowledged.`;
    this.#tail = { code: 'torn', message, line: at.line, offset: at.offset };
  }

  /** The file ends in the middle of a commit: it is looked at again when there is more. */
  #unfinished(): void {
    this.#tail ??= {
      code: 'torn',
      message: `The last commit, from line ${this.#lines + 1} (byte ${this.#end}) on, is not complete; it was never acknowledged.`,
      line: this.#lines + 1,
      offset: this.#end,
    };
    this.#table.forget();
  }

  #take(bytes: Buffer, at: LinePlace): void {
    if (at.line < this.#headerLine) return;
    if (at.line === this.#headerLine) {
      const head: Head = { type: 'session', uuid: this.#header.uuid, parentUuid: null, version: 0, commit: false };
      this.#table.begin(head, at, this.#header['format'] !== 'linear');
      return;
    }
    // A blank line ends what was begun and not finished.
    if (isBlankLine(bytes)) return this.#table.drop(at);
    const quick = bytes.includes(0) ? null : quickHead(bytes, 0, bytes.length);
    if (quick !== null) return this.#table.add(quick, at);
    const line = parsedLine(bytes);
    const head = line === undefined ? null : headIn(line);
    if (head !== null) this.#table.add(head, at);
    else this.#table.damage(at, line === undefined ? 'cannot be read' : 'has no type or no id');
  }

  /** The size of the file. Refuses where it is not the one that was opened: what is known of it would be wrong. */
  #sizeNow(): number {
    const now = onFile(this.path, () => statSync(this.path, { throwIfNoEntry: false }));
    if (now !== undefined && now.ino === this.#file.inode && now.size >= this.#end) return now.size;
    throw replaced(this.path);
  }

  refresh(): number {
    return this.#file.size() === this.#size ? 0 : this.#scan();
  }

  /** Takes the lease, if it can be had: one that another process gave up meanwhile is taken over. */
  lease(): void {
    if (!(this.#lease instanceof FolderLock)) this.#lease = FolderLock.take(sideOf(this.path));
  }

  /** Takes the lease, as {@link claim} does, now or as soon as it can be had. */
  want(): boolean {
    this.#wanted = true;
    return this.claim();
  }

  claim(): boolean {
    try {
      if (this.#wanted) this.lease();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'tree/read-only') throw error;
    }
    return this.writable;
  }

  /** Refuses where nothing may be written. */
  checkWritable(): FolderLock {
    if (this.#wanted) this.lease();
    const lease = this.#lease;
    if (lease instanceof FolderLock) {
      lease.check();
      return lease;
    }
    if (lease !== null) throw lockedBy(this.path, lease);
    throw openedToRead(this.path);
  }

  /**
   * Refuses where nothing may be written; else tells the size of the file. The lease is looked at when anybody has added
   * to the file, and now and then: a process that has taken it and written nothing yet reads what is added here first.
   */
  #lookAround(): number {
    const now = performance.now();
    const held = this.#lease instanceof FolderLock && now - this.#leaseSeen < leaseGood;
    if (!held) this.checkWritable();
    const size = this.#sizeNow();
    if (held && size !== this.#size) this.checkWritable();
    if (!held) this.#leaseSeen = now;
    return size;
  }

  async append(entries: readonly SessionEntry[], commit?: SessionCommit): Promise<void> {
    if (this.#lookAround() !== this.#size) this.refresh();
    this.#write([{ entries, version: this.version + 1, commit: commit ?? null }], this.#size);
  }

  /** Adds the lines of a commit, or of several in a row, in one write, on the disk when this returns. */
  write(commits: readonly LinesOfCommit[]): void {
    this.#write(commits, this.#lookAround());
  }

  #write(commits: readonly LinesOfCommit[], found: number): void {
    const [first] = commits;
    const version = first?.version;
    const lines = first !== undefined && commits.length === 1 ? linesOf(first) : commits.flatMap(linesOf);
    if (lines.length === 0 || version === undefined) return;
    onFile(this.path, () => {
      const size = this.#settleDoubt() ? this.#file.size() : found;
      if (version !== this.version + 1) throw this.overtaken(version);
      // A line that was cut off is ended, and a commit that was not finished is closed off by a blank line.
      const before = size === this.#size ? `${this.#ended ? '' : '\n'}${this.#tail === null ? '' : '\n'}` : '\n';
      const [only] = lines;
      const text = only !== undefined && lines.length === 1 ? only.text : lines.map((line) => line.text).join('');
      const bytes = bytesOf(before + text);
      const after = this.#writer.append(bytes, size);
      // Lines that nobody else's came between are known already, and need not be read back.
      if (before === '' && size === this.#end && after === size + bytes.length) this.#own(lines, after);
      else this.#scan();
    });
  }

  /** Enters lines that were just written where the table ended. */
  #own(lines: readonly OwnLine[], size: number): void {
    for (const { head, text } of lines) {
      const length = lines.length === 1 ? size - this.#end - 1 : Buffer.byteLength(text) - 1;
      this.#table.add(head, { line: ++this.#lines, offset: this.#end, length });
      this.#end += length + 1;
    }
    this.#size = size;
    this.#file.forget();
    this.#table.settle();
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

  #settleDoubt(): boolean {
    if (!this.#writer.inDoubt) return false;
    this.#writer.settle(this.#file);
    this.#scan();
    return true;
  }

  /** Takes in a file that was put in the place of this one by whoever holds the lease. */
  reopen(): void {
    this.#file.close();
    this.#writer.close();
    this.#file = new FileBytes(this.path);
    [this.#end, this.#lines, this.#size, this.#ended, this.#tail] = [0, 0, 0, true, null];
    this.#spoilt.clear();
    this.#table = this.#newTable();
    this.#header = this.#readHeader();
    this.#scan();
  }

  close(): void {
    if (--this.#users !== 0) return;
    openFiles.delete(this.path);
    this.#file.close();
    this.#writer.close();
    if (this.#lease instanceof FolderLock) this.#lease.release();
    this.#lease = null;
  }
}
