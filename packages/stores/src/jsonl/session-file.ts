/** One session file of ours: an index of its lines, and the only way to append lines. */
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
import { warnIncompleteCommit, warnIncompleteLine } from './incomplete-tail.ts';
import {
  type LinePrefix,
  mayContainAnotherLine,
  mayNeedParsing,
  parseFirstObject,
  parseLine,
  prefixOfParsedLine,
  scanLinePrefix,
  splitLineParts,
} from './line-prefix.ts';
import { type LineLocation, LineTable } from './line-table.ts';
import { type CommitEntries, serializeCommitLines, serializeEntry } from './line-text.ts';
import { LineWriter } from './line-writer.ts';
import type { ByteRange, SessionFileState } from './node-index.ts';
import { forEachLine, isBlankLine } from './raw-lines.ts';
import { makeFileChangedError, makeFileReplacedError } from './refusals.ts';

// The number of written lines after which they are added to the table.
const rowMost = 64;
// The same in bytes, because their texts are held until then.
const rowBytes = 1 << 20;
const openFiles = new Map<string, JsonlFile>();

/** An open session file. */
export class JsonlFile implements SessionFile {
  readonly path: string;
  readonly dialect: SessionDialect = 'v2';
  readonly lease: FileLease;
  #users = 0;
  #file: FileBytes;
  readonly #writer: LineWriter;
  #table: LineTable;
  #header: SessionHeader;
  #headerLine = 1;
  // Everything before this offset is in the table and is not read again.
  #end = 0;
  #lines = 0;
  #size = 0;
  // Whether the last byte of the file ends a line.
  #ended = true;
  #tail: SessionWarning | null = null;
  readonly #spoilt = new Set<number>();
  // Lines of ours that are not in the table yet; their last commit; whether lines of ours were removed.
  #fresh: string[] = [];
  #freshVersion = 0;
  #isCut = false;
  // When the system last saw a change of ours, or of the file before it was first read; whether there was another one
  // since.
  #changedAt = Number.NaN;
  #isTouched = false;
  /** How many times the lease holder put another file in place of the one that was opened. */
  generation = 0;

  private constructor(path: string) {
    this.path = path;
    this.#file = new FileBytes(path);
    this.#writer = new LineWriter(path);
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
   * Opens a file of ours for reading, until its lease is taken. A process opens each file once, so that all users see
   * each other's lines and share the lease.
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
    const head: LinePrefix = { type: 'session', uuid: header.uuid, parentUuid: null, version: 0, commit: false };
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
    const found = this.#settle().findings();
    return this.#tail === null ? found : [...found, this.#tail];
  }

  get size(): number {
    return this.#settle().size;
  }

  get version(): number {
    return this.#fresh.length === 0 ? this.#table.version : this.#freshVersion;
  }

  indexOf(uuid: string): number {
    const found = this.#table.indexOf(uuid);
    return found < 0 && this.#fresh.length > 0 ? this.#settle().indexOf(uuid) : found;
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

  /** Returns the commit of a line. */
  versionAt(index: number): number {
    return this.#table.versionAt(index);
  }

  /** Whether a line was inserted before a commit that did not know of it. */
  isLate(index: number): boolean {
    return this.#table.isLate(index);
  }

  get hasDetached(): boolean {
    return this.#table.hasDetached;
  }

  /** Returns the parent that a line names, if that is missing and the line is shown below another one. */
  namedParentAt(index: number): string | undefined {
    return this.#table.namedAt(index);
  }

  entryAt(index: number): SessionEntry {
    if (index === 0) return this.#header;
    const [type, uuid, above] = [this.typeAt(index), this.uuidAt(index), this.parentAt(index)];
    const parentUuid = above < 0 ? null : this.uuidAt(above);
    const offset = this.#table.offsetAt(index);
    const bytes = this.#line(offset, this.#table.lengthAt(index));
    const line = parseLine(bytes);
    const named = line === undefined || ownField(line, 'uuid') !== undefined ? line : renamePiFields(line);
    if (named !== undefined) return resolveFirstKept(this, index, { ...named, type, uuid, parentUuid });
    if (!this.#spoilt.has(index)) {
      this.#spoilt.add(index);
      const number = this.#table.lineAt(index);
      const message = `Line ${number} (byte ${offset}) cannot be read beyond its beginning.`;
      this.#table.warnings.push({ code: 'damaged', message, line: number, offset, uuid });
    }
    return { ...(parseFirstObject(bytes) ?? { damaged: true }), type, uuid, parentUuid };
  }

  /** Returns where the bytes of a line are. */
  rangeAt(index: number): ByteRange {
    return { offset: this.#table.offsetAt(index), length: this.#table.lengthAt(index) };
  }

  /**
   * Returns the state of the file if its lines are exactly those that were read and written here; null if another
   * program may have changed some. A change after this call gives another state.
   */
  knownState(): SessionFileState | null {
    const before = this.#file.state();
    this.refresh();
    const isWhole = this.#isStill() && !this.#isTouched && this.#tail === null && this.#ended && !this.#writer.inDoubt;
    const now = withFileErrors(this.path, () => statSync(this.path, { throwIfNoEntry: false }));
    const isOne = now !== undefined && this.#file.isAt(now) && this.#file.isMarked();
    return isWhole && isOne && before.size === this.#end ? before : null;
  }

  restAt(index: number): Uint8Array | null {
    // The reference of a compaction may need to be changed.
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
    this.#fresh = [];
    if (!this.#file.isMarked()) {
      // Known lines were overwritten, so it is unclear where to continue.
      [this.#isCut, this.#size] = [true, size];
      return;
    }
    // A last line without an end was read already; its line end, or text appended to it, is not a new line.
    const inLine = !this.#ended && this.#end === this.#size;
    const goesOn = size > this.#end;
    const isEnd = inLine && this.#file.goesOnWith(0x0a, this.#end);
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
      // The file ends in the middle of a commit, which is read again when more is appended.
      this.#tail ??= warnIncompleteCommit(this.#lines + 1, this.#end);
      this.#table.forget();
    }
    this.#table.settle();
    this.#file.mark(this.#end);
  }

  /** Reads the last line of a file without a line end: it is complete or cut off. */
  #last(bytes: Buffer, at: LineLocation): void {
    const parsed = parseLine(bytes);
    const head = parsed === undefined ? null : prefixOfParsedLine(parsed);
    if (head !== null || at.line === this.#headerLine) {
      this.#take(bytes, at);
      if (!this.#table.open) [this.#end, this.#lines] = [at.offset + at.length, at.line];
      return;
    }
    this.#tail = warnIncompleteLine(at);
  }

  #take(bytes: Buffer, at: LineLocation, odd = true): void {
    if (at.line === this.#headerLine) return;
    // A blank line ends an unfinished commit.
    if (isBlankLine(bytes)) return this.#table.drop(at);
    const quick = odd && mayNeedParsing(bytes) ? null : scanLinePrefix(bytes, 0, bytes.length);
    this.#table.line();
    if (quick !== null && !mayContainAnotherLine(bytes, quick)) return this.#table.add(quick, at);
    for (const { head, why, from, to } of splitLineParts(bytes)) {
      const place = { line: at.line, offset: at.offset + from, length: to - from };
      if (head === null) this.#table.damage(place, why);
      else this.#table.add(head, place);
    }
  }

  /** Returns the size of the file. Throws if it is not the file that was opened, because the table would be wrong. */
  #sizeNow(): number {
    const now = withFileErrors(this.path, () => statSync(this.path, { throwIfNoEntry: false }));
    const known = this.#isCut ? Number.POSITIVE_INFINITY : this.#fresh.length === 0 ? this.#end : this.#size;
    const isOne = now !== undefined && this.#file.isAt(now) && now.size >= known;
    if (isOne && this.#file.isMarked()) return now.size;
    throw makeFileReplacedError(this.path);
  }

  refresh(): number {
    const known = this.#table.size + this.#fresh.length;
    const isStill = this.#isStill();
    this.#settle(isStill);
    if (!isStill && this.#file.size() !== this.#size) this.#scan();
    return this.#table.size - known;
  }

  claim(): boolean {
    return this.lease.claim();
  }

  /**
   * Throws if nothing may be written; otherwise returns the size of the file. The lease is checked when another process
   * has appended, and from time to time: a process that has taken it but not written yet first reads what is added
   * here.
   */
  #lookAround(): number {
    const now = Date.now();
    const good = this.lease.isGoodAt(now);
    if (!good) this.lease.check();
    const size = this.#sizeNow();
    if (good && size !== this.#size) this.lease.check();
    if (!good) this.lease.seen(now);
    return size;
  }

  append(entries: readonly SessionEntry[], commit: SessionCommit | null = null): void {
    this.#look();
    const version = this.version + 1;
    this.#write(serializeCommitLines({ entries, version, commit }), version, version, this.#size);
  }

  appendLine(line: CommitLine): void {
    this.#look();
    const version = this.version + 1;
    line.version = version;
    this.#write(serializeEntry(line), version, version, this.#size);
  }

  /** Checks before a save whether this process may write, and reads what others have written. */
  #look(): void {
    if (this.#isFree()) return;
    if (this.#lookAround() !== this.#size) this.#scan();
    this.#settle();
  }

  /**
   * Whether this process may write right after its last save. Usually checking the open file is enough: nothing about
   * it has changed since.
   */
  #isFree(): boolean {
    const isShort = this.#fresh.length < rowMost && this.#size - this.#end < rowBytes;
    const isWell = !this.#writer.inDoubt && !this.#isCut && isShort;
    return this.#isStill() && isWell && this.lease.isGoodAt(Date.now());
  }

  /** Whether nobody has changed the file since our last save. */
  #isStill(): boolean {
    const isStill = this.#file.isStill(this.#size, this.#changedAt);
    this.#isTouched ||= !isStill;
    return isStill;
  }

  /** Appends the lines of one or several commits in one write, synced on return. */
  write(commits: readonly CommitEntries[]): void {
    const [first, last] = [commits[0], commits.at(-1)];
    if (first === undefined || last === undefined) return;
    const size = this.#isFree() ? this.#size : this.#lookAround();
    this.#write(commits.flatMap(serializeCommitLines), first.version, last.version, size);
  }

  #write(lines: string | readonly string[], version: number, lastVersion: number, found: number): void {
    const text = typeof lines === 'string' ? lines : lines.join('');
    if (text === '') return;
    try {
      const size = this.#writer.inDoubt ? this.#settleDoubt() : found;
      if (version !== this.version + 1) throw makeFileChangedError(this, version);
      // A cut-off line gets a line end, and an unfinished commit is closed by a blank line.
      if (size !== this.#size || !this.#ended || this.#tail !== null) {
        const before = size === this.#size && !this.#ended && this.#tail !== null ? '\n\n' : '\n';
        this.#writer.append(before + text, size);
        this.#changedAt = this.#file.changedAt();
        this.#scan();
      } else {
        const length = this.#writer.append(text, size);
        this.#changedAt = this.#file.changedAt();
        // The written lines are known and need not be read back.
        if (typeof lines === 'string') this.#fresh.push(lines);
        else for (const line of lines) this.#fresh.push(line);
        this.#freshVersion = lastVersion;
        this.#size = size + length;
      }
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }

  /**
   * Adds the lines written here to the table. If others wrote as well, the file is read again, because a line may be
   * further down than assumed.
   */
  #settle(isStill = false): LineTable {
    if (this.#fresh.length === 0) return this.#table;
    const past = isStill ? 0 : this.#file.goesPast(this.#size);
    this.#isCut ||= past < 0;
    if (past !== 0) this.#scan();
    for (const text of this.#fresh) {
      const bytes = Buffer.from(text);
      const length = bytes.length - 1;
      this.#take(bytes.subarray(0, length), { line: ++this.#lines, offset: this.#end, length }, false);
      this.#end += bytes.length;
      this.#file.mark(this.#end, bytes);
    }
    this.#table.settle();
    this.#fresh = [];
    this.#file.forget();
    return this.#table;
  }

  /** Settles the remains of a failed append, and returns the size of the file. */
  #settleDoubt(): number {
    this.#writer.settle(this.#file);
    this.#scan();
    return this.#file.size();
  }

  /** Opens the file that the lease holder put in place of this one. */
  reopen(): void {
    this.generation++;
    this.#file.close();
    this.#writer.close();
    this.#file = new FileBytes(this.path);
    [this.#end, this.#lines, this.#size, this.#ended, this.#tail] = [0, 0, 0, true, null];
    [this.#fresh, this.#isCut, this.#isTouched] = [[], false, false];
    this.#changedAt = this.#file.changedAt();
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
    this.lease.release();
  }
}
