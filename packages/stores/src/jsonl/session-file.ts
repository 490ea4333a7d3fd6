/** A session file of version 2: a table of its lines, and functions to append lines. */
import { realpathSync, statSync } from 'node:fs';
import {
  type CommitLine,
  renamePiFields,
  resolveFirstKept,
  type SessionCommit,
  type SessionDialect,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  type SessionHolder,
  type SessionWarning,
} from '@coppice/content/sessions';
import { ownField } from '@coppice/core/decode';
import { toDiskError, withFileErrors } from '../disk/atomic-files.ts';
import { FileBytes } from './file-bytes.ts';
import { readSessionHeader } from './file-header.ts';
import { FileLease } from './file-lease.ts';
import { makeIncompleteCommitWarning, makeIncompleteLineWarning } from './incomplete-tail.ts';
import {
  type LinePrefix,
  mayContainAnotherLine,
  mayNeedParsing,
  parseFirstObject,
  parseJsonLine,
  prefixOfParsedLine,
  scanLinePrefix,
  splitLineParts,
} from './line-prefix.ts';
import { type LineLocation, LineTable } from './line-table.ts';
import { type CommitEntries, serializeCommitLines, serializeEntry } from './line-text.ts';
import type { ByteRange, SessionFileState } from './node-index.ts';
import { forEachLine, isBlankLine } from './raw-lines.ts';
import { makeFileChangedError, makeFileReplacedError } from './refusals.ts';
import { SessionLineWriter } from './session-line-writer.ts';

// Written lines are added to the table when this many have accumulated.
const rowMost = 64;
// Written lines are also added when they have this many bytes, because their texts stay in memory until then.
const rowBytes = 1 << 20;
const openFiles = new Map<string, JsonlFile>();

/** An open session file of version 2. */
export class JsonlFile implements SessionFile {
  readonly path: string;
  readonly dialect: SessionDialect = 'v2';
  readonly lease: FileLease;
  #users = 0;
  #file: FileBytes;
  readonly #writer: SessionLineWriter;
  #table: LineTable;
  #header: SessionHeader;
  #headerLine = 1;
  // The table contains all lines before this offset.
  #end = 0;
  #lines = 0;
  #size = 0;
  // Whether the last byte of the file ends a line.
  #ended = true;
  #tail: SessionWarning | null = null;
  readonly #unreadable = new Set<number>();
  // The lines that this process wrote and that are not in the table yet, and the number of their last commit.
  #written: string[] = [];
  #writtenVersion = 0;
  // Whether the file was truncated or overwritten.
  #isOverwritten = false;
  // The change time of the file after the last write of this process, or before the first read.
  #changedAt = Number.NaN;
  // Whether another program has changed the file since that time.
  #wasChanged = false;
  /** How many times the file was replaced by a rewritten one since it was opened. */
  generation = 0;

  private constructor(path: string) {
    this.path = path;
    this.#file = new FileBytes(path);
    this.#writer = new SessionLineWriter(path);
    this.lease = new FileLease(path);
    try {
      this.#changedAt = this.#file.changedAt();
      this.#table = this.#newTable();
      this.#header = this.#readHeader();
      this.#scan();
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /**
   * Opens a file for reading. It can be written after its lease is taken. A process opens each file once, so that all
   * users of the file see each other's lines and share the lease.
   */
  static open(path: string): JsonlFile {
    const real = withFileErrors(path, () => realpathSync(path));
    const there = openFiles.get(real);
    const file = there ?? new JsonlFile(real);
    file.#users++;
    openFiles.set(real, file);
    file.refresh();
    return file;
  }

  #newTable(): LineTable {
    return new LineTable((before, at) => {
      if (before.length !== at.length) return false;
      return Buffer.from(this.#line(before.offset, at.length)).equals(this.#line(at.offset, at.length));
    });
  }

  #readHeader(): SessionHeader {
    const { header, at, warning } = readSessionHeader(this.path, this.#file);
    this.#headerLine = at.line;
    const head: LinePrefix = {
      type: 'session',
      uuid: header.uuid,
      parentUuid: null,
      version: 0,
      commit: false,
      lines: 1,
    };
    this.#table.begin(head, at, header['format'] !== 'linear');
    if (warning !== null) this.#table.warnings.push(warning);
    return header;
  }

  get header(): SessionHeader {
    return this.#header;
  }

  get writable(): boolean {
    return this.lease.isHeld;
  }

  get holder(): SessionHolder | null {
    return this.lease.holder;
  }

  get warnings(): readonly SessionWarning[] {
    const found = this.#addWrittenLines().findings();
    return this.#tail === null ? found : [...found, this.#tail];
  }

  get size(): number {
    return this.#addWrittenLines().size;
  }

  get version(): number {
    return this.#written.length === 0 ? this.#table.version : this.#writtenVersion;
  }

  indexOf(uuid: string): number {
    const found = this.#table.indexOf(uuid);
    return found < 0 && this.#written.length > 0 ? this.#addWrittenLines().indexOf(uuid) : found;
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

  versionAt(index: number): number {
    return this.#table.versionAt(index);
  }

  /** Whether a line was inserted before commits with lower numbers than its own. */
  isLate(index: number): boolean {
    return this.#table.isLate(index);
  }

  get hasDetached(): boolean {
    return this.#table.hasDetached;
  }

  /**
   * Returns the parent id in a line if the line is shown below another one, because that parent is missing or a
   * descendant.
   */
  namedParentAt(index: number): string | undefined {
    return this.#table.namedAt(index);
  }

  entryAt(index: number): SessionEntry {
    if (index === 0) return this.#header;
    const [type, uuid, above] = [this.typeAt(index), this.uuidAt(index), this.parentAt(index)];
    const parentUuid = above < 0 ? null : this.uuidAt(above);
    const offset = this.#table.offsetAt(index);
    const bytes = this.#line(offset, this.#table.lengthAt(index));
    const line = parseJsonLine(bytes);
    const named = line === undefined || ownField(line, 'uuid') !== undefined ? line : renamePiFields(line);
    if (named !== undefined) return resolveFirstKept(this, index, { ...named, type, uuid, parentUuid });
    if (!this.#unreadable.has(index)) {
      this.#unreadable.add(index);
      const number = this.#table.lineAt(index);
      const message = `Line ${number} (byte ${offset}) cannot be read beyond its beginning.`;
      this.#table.warnings.push({ code: 'damaged', message, line: number, offset, uuid });
    }
    return { ...(parseFirstObject(bytes) ?? { damaged: true }), type, uuid, parentUuid };
  }

  rangeAt(index: number): ByteRange {
    return { offset: this.#table.offsetAt(index), length: this.#table.lengthAt(index) };
  }

  /**
   * Returns the state of the file if it contains exactly the lines that were read and written here; null if another
   * program may have changed it. Any later change gives another state.
   */
  knownState(): SessionFileState | null {
    const before = this.#file.state();
    this.refresh();
    const isWhole =
      this.#isUnchanged() && !this.#wasChanged && this.#tail === null && this.#ended && !this.#writer.hasFailedAppend;
    const now = withFileErrors(this.path, () => statSync(this.path, { throwIfNoEntry: false }));
    const isOne = now !== undefined && this.#file.isSameFile(now) && this.#file.isMarkIntact();
    return isWhole && isOne && before.size === this.#end ? before : null;
  }

  restAt(index: number): Uint8Array | null {
    // The reference of a compaction to an entry may have to be resolved, so its line cannot be used as it is.
    if (this.typeAt(index) === 'compaction') return null;
    const bytes = this.#line(this.#table.offsetAt(index), this.#table.lengthAt(index));
    const head = bytes.includes(0) ? null : scanLinePrefix(bytes, 0, bytes.length);
    return head === null || head.rest >= bytes.length ? null : bytes.subarray(head.rest);
  }

  #line(offset: number, length: number): Buffer {
    return this.#file.line(offset, length, this.#size);
  }

  /** Reads new lines at the end of the file into the table. */
  #scan(): void {
    const size = this.#file.size();
    this.#file.forget();
    this.#written = [];
    if (!this.#file.isMarkIntact()) {
      // The file was overwritten before the known end, so the offsets in the table are wrong. The next write is
      // refused.
      [this.#isOverwritten, this.#size] = [true, size];
      return;
    }
    // The last line was read without a line end. What follows belongs to that line, not to a new one.
    const inLine = !this.#ended && this.#end === this.#size;
    const goesOn = size > this.#end;
    const isEnd = inLine && this.#file.hasByteAt(0x0a, this.#end);
    if (isEnd) this.#end++;
    let line = this.#lines - (inLine && goesOn && !isEnd ? 1 : 0);
    this.#size = size;
    this.#tail = null;
    const { rest, offset } = forEachLine(this.#file, this.#end, size, mayNeedParsing, (bytes, offset, odd) => {
      line++;
      this.#take(bytes, { line, offset, length: bytes.length }, odd);
      if (!this.#table.open) [this.#end, this.#lines] = [offset + bytes.length + 1, line];
    });
    this.#ended = rest === null && (goesOn || !inLine);
    if (rest !== null) this.#last(rest, { line: line + 1, offset, length: rest.length });
    if (this.#table.end()) {
      const isWhole = rest !== null && this.#tail === null;
      [this.#end, this.#lines] = isWhole ? [offset + rest.length, line + 1] : [offset, line];
    }
    if (this.#table.open) {
      // The file ends in the middle of a commit, which is read again when more lines were appended.
      this.#tail ??= makeIncompleteCommitWarning(this.#lines + 1, this.#end);
      this.#table.forget();
    }
    this.#table.assignPending();
    this.#file.mark(this.#end);
  }

  /** Reads the last line of a file if it has no line end. If it cannot be parsed, a warning is recorded. */
  #last(bytes: Buffer, at: LineLocation): void {
    const parsed = parseJsonLine(bytes);
    const head = parsed === undefined ? null : prefixOfParsedLine(parsed);
    if (head !== null || at.line === this.#headerLine) {
      this.#take(bytes, at);
      if (!this.#table.open) [this.#end, this.#lines] = [at.offset + at.length, at.line];
      return;
    }
    this.#tail = makeIncompleteLineWarning(at);
  }

  #take(bytes: Buffer, at: LineLocation, odd = true): void {
    if (at.line === this.#headerLine) return;
    // Coppice writes an empty line to end an unfinished commit; an editor may have given it a carriage return.
    if (isBlankLine(bytes)) return bytes.length === 0 || bytes[0] === 0x0d ? this.#table.drop(at) : undefined;
    const quick = odd && mayNeedParsing(bytes) ? null : scanLinePrefix(bytes, 0, bytes.length);
    this.#table.line();
    if (quick !== null && !mayContainAnotherLine(bytes, quick)) return this.#table.add(quick, at);
    for (const { head, why, from, to } of splitLineParts(bytes)) {
      const place = { line: at.line, offset: at.offset + from, length: to - from };
      if (head === null) this.#table.damage(place, why);
      else this.#table.add(head, place);
    }
  }

  /**
   * Returns the size of the file. Throws if the path leads to another file, or if the file was truncated or
   * overwritten, because the table would be wrong.
   */
  #sizeNow(): number {
    const now = withFileErrors(this.path, () => statSync(this.path, { throwIfNoEntry: false }));
    const known = this.#isOverwritten ? Number.POSITIVE_INFINITY : this.#written.length === 0 ? this.#end : this.#size;
    const isOne = now !== undefined && this.#file.isSameFile(now) && now.size >= known;
    if (isOne && this.#file.isMarkIntact()) return now.size;
    throw makeFileReplacedError(this.path);
  }

  refresh(): number {
    const known = this.#table.size + this.#written.length;
    const isStill = this.#isUnchanged();
    this.#addWrittenLines(isStill);
    if (!isStill && this.#file.size() !== this.#size) this.#scan();
    return this.#table.size - known;
  }

  claim(): boolean {
    return this.lease.claim();
  }

  /**
   * Throws if this process may not write; returns the size of the file. The lease is checked at intervals and when
   * another process has appended. In between another process may take the lease, but it reads the file before it
   * writes, so it sees the lines of this process.
   */
  #checkAccess(): number {
    const now = Date.now();
    const good = this.lease.isValidAt(now);
    if (!good) this.lease.check();
    const size = this.#sizeNow();
    if (good && size !== this.#size) this.lease.check();
    if (!good) this.lease.recordCheck(now);
    return size;
  }

  append(entries: readonly SessionEntry[], commit: SessionCommit | null = null): void {
    this.#prepareWrite();
    const version = this.version + 1;
    this.#write(serializeCommitLines({ entries, version, commit }), version, version, this.#size);
  }

  appendLine(line: CommitLine): void {
    this.#prepareWrite();
    const version = this.version + 1;
    line.version = version;
    this.#write(serializeEntry(line), version, version, this.#size);
  }

  /** Prepares a write: throws if this process may not write, and reads the lines of other processes. */
  #prepareWrite(): void {
    if (this.#canWriteNow()) return;
    if (this.#checkAccess() !== this.#size) this.#scan();
    this.#addWrittenLines();
  }

  /**
   * Whether this process may write without further checks, because the open file has not changed since its last write.
   */
  #canWriteNow(): boolean {
    const isShort = this.#written.length < rowMost && this.#size - this.#end < rowBytes;
    const isWell = !this.#writer.hasFailedAppend && !this.#isOverwritten && isShort;
    return this.#isUnchanged() && isWell && this.lease.isValidAt(Date.now());
  }

  /** Whether no other program has changed the file since the last write of this process. */
  #isUnchanged(): boolean {
    const isStill = this.#file.isUnchanged(this.#size, this.#changedAt);
    this.#wasChanged ||= !isStill;
    return isStill;
  }

  /** Appends the lines of one or several commits with one write, and syncs them. */
  write(commits: readonly CommitEntries[]): void {
    const [first, last] = [commits[0], commits.at(-1)];
    if (first === undefined || last === undefined) return;
    const size = this.#canWriteNow() ? this.#size : this.#checkAccess();
    this.#write(commits.flatMap(serializeCommitLines), first.version, last.version, size);
  }

  #write(lines: string | readonly string[], version: number, lastVersion: number, found: number): void {
    const text = typeof lines === 'string' ? lines : lines.join('');
    if (text === '') return;
    try {
      const size = this.#writer.hasFailedAppend ? this.#recoverFailedAppend() : found;
      if (version !== this.version + 1) throw makeFileChangedError(this, version);
      // After a cut-off line a line end is written first. A blank line marks an unfinished commit as ended.
      if (size !== this.#size || !this.#ended || this.#tail !== null) {
        const before = size === this.#size && !this.#ended && this.#tail !== null ? '\n\n' : '\n';
        this.#writer.append(before + text, size);
        this.#changedAt = this.#file.changedAt();
        this.#scan();
      } else {
        const length = this.#writer.append(text, size);
        this.#changedAt = this.#file.changedAt();
        // The texts are known, so the table is filled from them without reading the file.
        if (typeof lines === 'string') this.#written.push(lines);
        else for (const line of lines) this.#written.push(line);
        this.#writtenVersion = lastVersion;
        this.#size = size + length;
      }
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }

  /**
   * Adds the lines that this process wrote to the table. If another process wrote too, the file is read instead,
   * because the offsets differ.
   */
  #addWrittenLines(isStill = false): LineTable {
    if (this.#written.length === 0) return this.#table;
    const past = isStill ? 0 : this.#file.compareSize(this.#size);
    this.#isOverwritten ||= past < 0;
    if (past !== 0) this.#scan();
    for (const text of this.#written) {
      const bytes = Buffer.from(text);
      const length = bytes.length - 1;
      this.#take(bytes.subarray(0, length), { line: ++this.#lines, offset: this.#end, length }, false);
      this.#end += bytes.length;
      this.#file.mark(this.#end, bytes);
    }
    this.#table.assignPending();
    this.#written = [];
    this.#file.forget();
    return this.#table;
  }

  /** Makes the end of the file durable after a failed append, and reads it. Returns the size of the file. */
  #recoverFailedAppend(): number {
    this.#writer.syncFailedAppend(this.#file);
    this.#scan();
    return this.#file.size();
  }

  /** Opens the new file, after this process has replaced the old one. */
  reopen(): void {
    this.generation++;
    this.#file.close();
    this.#writer.close();
    this.#file = new FileBytes(this.path);
    [this.#end, this.#lines, this.#size, this.#ended, this.#tail] = [0, 0, 0, true, null];
    [this.#written, this.#isOverwritten, this.#wasChanged] = [[], false, false];
    this.#changedAt = this.#file.changedAt();
    this.#unreadable.clear();
    this.#table = this.#newTable();
    this.#header = this.#readHeader();
    this.#scan();
  }

  close(): void {
    if (--this.#users !== 0) return;
    openFiles.delete(this.path);
    this.#file.close();
    this.#writer.close();
    this.lease.release();
  }
}
