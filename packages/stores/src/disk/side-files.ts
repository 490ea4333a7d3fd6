/**
 * The side files of a store, with the data besides the trees: external ids, provenance, accounts, runs, attachments.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FieldMap } from '@coppice/core';
import { type NodeId, nodeId, type Run, type RunChunk, type TreeId } from '@coppice/core';
import {
  finiteNumberField,
  isFieldMap,
  listField,
  MalformedError,
  objectField,
  ownField,
  requiredText,
} from '@coppice/core/decode';
import type { StoreParts } from '../in-process/in-process-store.ts';
import type { PersistedEntry } from '../in-process/persistence.ts';
import {
  type AtomicWriter,
  encodeFileText,
  listNamesInFolder,
  makeDamagedFileError,
  makeNewerFormatError,
  withFileErrors,
} from './atomic-files.ts';
import { describeUnreadable, UnreadableValueError } from './decode.ts';
import { encodeChecksummedLine, type FileTail, LineFile, type LineRange, readLinesOfFile } from './line-file.ts';
import {
  decodeBlobInfo,
  decodeExternalId,
  decodeProvenance,
  decodeRun,
  decodeRunChunk,
  decodeShare,
  decodeToken,
  decodeUser,
} from './records.ts';

const files = {
  names: 'names.jsonl',
  provenance: 'provenance.jsonl',
  accounts: 'accounts.jsonl',
  runs: 'runs.jsonl',
  blobs: 'blobs.jsonl',
  feed: 'feed.jsonl',
} as const;
type Name = keyof typeof files;

const formatVersion = 1;

/** An entry that is written to a side file instead of the journal of a tree. */
export type SideFileEntry = Exclude<
  PersistedEntry,
  { type: 'commit' | 'purge' | 'trim' | 'purge-tree' | 'mend' | 'format' }
>;

interface RunningRow {
  readonly owner: string;
  run: Run;
  readonly chunks: RunChunk[];
}

// An unreadable line may be the one that revokes a token. So a file with such a line is not used at all.
const strict: ReadonlySet<Name> = new Set(['accounts']);

// The file of runs is rewritten without the ended runs when it has grown by this many bytes.
const mostStale = 1 << 20;

/** The side files of one store. */
export class SideFiles {
  readonly #folder: string;
  readonly #writer: AtomicWriter;
  readonly #note: (text: string) => void;
  readonly #open = new Map<Name, LineFile>();
  readonly #running = new Map<string, RunningRow>();
  // Identifies the lines that this process wrote to a file that several processes append to.
  readonly #by = randomUUID();
  /** The unreadable lines of each file. They are skipped and stay in the file. */
  readonly #unread = new Map<Name, { readonly why: string; readonly lines: readonly LineRange[] }>();
  #stale = 0;

  constructor(folder: string, writer: AtomicWriter, note: (text: string) => void) {
    this.#folder = folder;
    this.#writer = writer;
    this.#note = note;
  }

  #path(name: Name): string {
    return join(this.#folder, files[name]);
  }

  /**
   * Yields the lines of a file. Incomplete lines are skipped with a note. An altered line is skipped and reported as
   * damage, so that the store stays usable; only the accounts are refused.
   */
  *#lines(name: Name): Generator<FieldMap, void, undefined> {
    const path = this.#path(name);
    let tail: FileTail = { bytes: 0, ended: true };
    let first = true;
    this.#unread.delete(name);
    for (const line of readLinesOfFile(path)) {
      const { at } = line;
      tail = { bytes: at.offset + at.length + (at.ended ? 1 : 0), ended: at.ended };
      if (line.ok) {
        if (first) this.#checkHead(name, line.value, at);
        // If the header line is missing, the first line is an entry.
        if (!first || ownField(line.value, 'type') !== undefined) yield line.value;
      } else if (!line.torn || first) this.#leaveOut(name, at, line.why);
      else if (at.length > 0)
        this.#note(`${path} has a line that ${line.why}: line ${at.line} at byte ${at.offset}. It stays where it is.`);
      first = false;
    }
    this.#open.get(name)?.close();
    this.#open.set(name, new LineFile(path, 'side', tail));
    if (name === 'runs') this.#stale = tail.bytes;
  }

  #leaveOut(name: Name, at: LineRange, why: string): void {
    const path = this.#path(name);
    if (strict.has(name)) throw makeDamagedFileError(path, `cannot be read at line ${at.line}: it ${why}`);
    const known = this.#unread.get(name);
    const sentence = `${path} cannot be read at line ${at.line}, byte ${at.offset}: it ${why}.`;
    this.#unread.set(name, { why: known?.why ?? sentence, lines: [...(known?.lines ?? []), at] });
    this.#note(`${sentence} The rest of it is used, and nothing in it is changed.`);
  }

  #checkHead(name: Name, value: FieldMap, at: LineRange): void {
    if (ownField(value, 'format') !== 'coppice/side')
      return this.#leaveOut(name, at, 'is not the first line of a file of Coppice');
    const version = ownField(value, 'formatVersion');
    if (version !== formatVersion) throw makeNewerFormatError(this.#path(name), version, formatVersion);
  }

  /** The damaged files, with a description of each. */
  get damage(): readonly { readonly path: string; readonly why: string }[] {
    return [...this.#unread].map(([name, { why }]) => ({ path: this.#path(name), why }));
  }

  /**
   * Rewrites the damaged files without their unreadable lines, which are moved to another file. Returns one sentence
   * for each file.
   */
  mend(): string[] {
    return [...this.#unread.keys()].map((name) => {
      const keptLines = [sideHead()];
      for (const value of this.#lines(name)) keptLines.push(encodeChecksummedLine(value));
      return `${this.#path(name)} was written anew, and what could not be read of it is kept as ${this.#rewrite(name, keptLines)}`;
    });
  }

  /** Rewrites a file. Its unreadable lines are first copied to another file, whose name is returned. */
  #rewrite(name: Name, lines: Iterable<Uint8Array>): string | null {
    const { lines: unread = [] } = this.#unread.get(name) ?? {};
    const path = this.#path(name);
    let beside: string | null = null;
    if (unread.length > 0) {
      const bytes = withFileErrors(path, () => readFileSync(path));
      for (let at = 1; beside === null || existsSync(beside); at++) beside = `${path}.damaged-${at}`;
      const parts = unread.flatMap(({ offset, length }) => [
        bytes.subarray(offset, offset + length),
        encodeFileText('\n'),
      ]);
      this.#writer.replace(beside, parts, 'side', true);
    }
    this.#file(name).rewrite(lines, this.#writer);
    this.#unread.delete(name);
    return beside;
  }

  /** Reads all files and registers their contents with the store. */
  read(parts: StoreParts): void {
    for (const name of ['names', 'provenance', 'accounts', 'runs', 'blobs', 'feed'] as const) {
      for (const value of this.#lines(name)) {
        try {
          this.#tell(parts, value);
        } catch (error) {
          // The checksum is valid, so the line is not damaged: another version wrote it.
          if (error instanceof MalformedError)
            throw makeDamagedFileError(this.#path(name), `has a line that ${describeUnreadable(error)}`);
          throw error;
        }
      }
    }
    for (const { owner, run, chunks } of this.#running.values()) parts.runs.register(owner, run, chunks);
  }

  #tell(parts: StoreParts, value: FieldMap): void {
    switch (requiredText(value, 'type')) {
      case 'external-ids':
        return parts.names.register(sideRows(value, 'ids').map(decodeExternalId));
      case 'provenance':
        return parts.names.register([], sideRows(value, 'rows').map(decodeProvenance));
      case 'user':
        return parts.accounts.register({ users: [decodeUser(objectField(value, 'user'))] });
      case 'token':
        return parts.accounts.register({ tokens: [decodeToken(objectField(value, 'token'))] });
      case 'share':
        return parts.accounts.register({ shares: [decodeShare(objectField(value, 'share'))] });
      case 'blob':
        return parts.blobs.register(
          requiredText(value, 'owner'),
          decodeBlobInfo(objectField(value, 'info')),
          putAt(value),
          ownField(value, 'loose') === true,
        );
      case 'run':
        return this.#run(requiredText(value, 'owner'), decodeRun(objectField(value, 'run')));
      case 'run-chunk':
        this.#running.get(requiredText(value, 'runId'))?.chunks.push(decodeRunChunk(objectField(value, 'chunk')));
        return;
      case 'run-end':
        this.#running.delete(requiredText(value, 'runId'));
        return;
      case 'blobs-gone':
        return;
      case 'sequence':
        return parts.state.registerSequence(finiteNumberField(value, 'sequence'));
      default:
        throw new UnreadableValueError(`has the type ${requiredText(value, 'type')}, which this build does not know`);
    }
  }

  #run(owner: string, run: Run): void {
    const there = this.#running.get(run.id);
    if (there === undefined) this.#running.set(run.id, { owner, run, chunks: [] });
    else there.run = run;
  }

  /** The ids of the runs that have not ended. */
  get running(): readonly string[] {
    return [...this.#running.keys()];
  }

  /**
   * Persists an entry. Heartbeats, chunks of replies and provenance are not synced: losing them in a power cut does no
   * harm.
   */
  keep(entry: SideFileEntry): void {
    switch (entry.type) {
      case 'external-ids':
        return this.#append('names', entry, true);
      case 'provenance':
        return this.#append('provenance', entry, false);
      case 'user':
      case 'token':
      case 'share':
        return this.#append('accounts', entry, true);
      case 'blob':
        return this.#blob(entry);
      case 'blobs-gone':
        return this.#dropBlobs(entry.owner, new Set(entry.hashes));
      case 'sequence':
        // Only the last change number is needed, so the file is replaced.
        this.#rewrite('feed', [sideHead(), encodeChecksummedLine(entry)]);
        return;
      case 'run':
        this.#append('runs', entry, !this.#running.has(entry.run.id));
        return this.#run(entry.owner, entry.run);
      case 'run-chunk':
        this.#append('runs', entry, false);
        this.#running.get(entry.runId)?.chunks.push(entry.chunk);
        return;
      case 'run-end':
        this.#append('runs', entry, true);
        this.#running.delete(entry.runId);
        return this.#tidyRuns();
    }
  }

  #append(name: Name, entry: object, sync: boolean): void {
    const line = encodeChecksummedLine(entry);
    const file = this.#file(name);
    if (file.tail.bytes === 0) this.#rewrite(name, [sideHead(), line]);
    else file.append([line], sync);
    if (name === 'runs') this.#stale += line.length;
  }

  #file(name: Name): LineFile {
    const file = this.#open.get(name) ?? new LineFile(this.#path(name), 'side', { bytes: 0, ended: true });
    this.#open.set(name, file);
    return file;
  }

  /** Rewrites the file of runs if it has grown by too many bytes since it was last rewritten. */
  #tidyRuns(): void {
    if (this.#stale >= mostStale) this.#rewriteRuns();
  }

  /** Rewrites the file of runs without the ended runs. */
  #rewriteRuns(): void {
    this.#stale = 0;
    const running = [...this.#running.values()];
    const lines = function* () {
      yield sideHead();
      for (const { owner, run, chunks } of running) {
        yield encodeChecksummedLine({ type: 'run', owner, run });
        for (const chunk of chunks) yield encodeChecksummedLine({ type: 'run-chunk', runId: run.id, chunk });
      }
    };
    this.#rewrite('runs', lines());
  }

  #blob({ owner, info, bytes, at, loose, waiting }: Extract<SideFileEntry, { type: 'blob' }>): void {
    const path = this.blobPath(info.hash);
    if (bytes !== null && !existsSync(path)) {
      withFileErrors(path, () => mkdirSync(join(this.#folder, 'blobs'), { recursive: true }));
      this.#writer.replace(path, [bytes], 'blob', true);
    }
    const line = { type: 'blob', owner, info, at, ...(loose ? { loose } : {}), waiting, by: this.#by };
    // A line that only says that the upload no longer waits is not synced: if it is lost, the bytes are kept longer.
    this.#append('blobs', line, waiting || loose);
  }

  /**
   * Returns the attachments of an owner that other processes added after a time and that no message refers to yet. The
   * file is read again, because it may have their newest lines.
   */
  waitingSince(owner: string, after: number): ReadonlySet<string> {
    // The last line of each process counts. Earlier versions wrote neither `at` nor `waiting`.
    const waiting = new Map<string, Set<unknown>>();
    for (const value of this.#lines('blobs')) {
      if (requiredText(value, 'type') !== 'blob' || requiredText(value, 'owner') !== owner) continue;
      const by = ownField(value, 'by');
      if (by === this.#by) continue;
      const { hash } = decodeBlobInfo(objectField(value, 'info'));
      const processes = waiting.get(hash) ?? new Set();
      waiting.set(hash, processes);
      if (ownField(value, 'waiting') !== false && putAt(value) > after) processes.add(by);
      else if (by !== undefined) processes.delete(by);
    }
    const found = new Set<string>();
    for (const [hash, processes] of waiting) if (processes.size > 0) found.add(hash);
    return found;
  }

  /** Removes attachments of an owner from the file, then deletes the bytes that no other owner refers to. */
  #dropBlobs(owner: string, hashes: ReadonlySet<string>): void {
    const left = new Set<string>();
    const keptLines: Uint8Array[] = [sideHead()];
    for (const value of this.#lines('blobs')) {
      const { hash } = decodeBlobInfo(objectField(value, 'info'));
      if (requiredText(value, 'owner') === owner && hashes.has(hash)) continue;
      left.add(hash);
      keptLines.push(encodeChecksummedLine(value));
    }
    // An unreadable line may belong to another owner of the same bytes, so the bytes are not deleted then.
    const reported = this.#rewrite('blobs', keptLines) === null;
    if (reported)
      for (const hash of hashes) {
        const path = this.blobPath(hash);
        if (!left.has(hash)) withFileErrors(path, () => rmSync(path, { force: true }));
      }
  }

  /** Returns the path of an attachment's bytes. Throws if the name is not a hash. */
  blobPath(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash))
      throw makeDamagedFileError(join(this.#folder, 'blobs'), 'was asked for something else than a hash');
    return join(this.#folder, 'blobs', hash);
  }

  /** Reads the bytes of an attachment. Throws `store/damaged` if the file is missing. */
  bytesOf(hash: string): Uint8Array {
    const path = this.blobPath(hash);
    return withFileErrors(path, () => {
      if (!existsSync(path)) throw makeDamagedFileError(path, 'is missing');
      return new Uint8Array(readFileSync(path));
    });
  }

  /** Removes the data about a purged tree, or about some of its nodes, from the files. */
  forget(treeId: TreeId, nodeIds?: ReadonlySet<NodeId>): void {
    const gone = (id: unknown) => nodeIds === undefined || (typeof id === 'string' && nodeIds.has(nodeId(id)));
    this.#filter('names', (row) => row.treeId === treeId && gone(row.nodeId));
    this.#filter('provenance', (row) => row.treeId === treeId && (gone(row.firstNodeId) || gone(row.lastNodeId)));
    if (nodeIds === undefined) this.#filter('accounts', (row) => row.treeId === treeId);
    for (const [id, { run }] of this.#running) if (run.treeId === treeId && gone(run.nodeId)) this.#running.delete(id);
    // The file of runs may contain purged text of ended replies.
    if (existsSync(this.#path('runs'))) this.#rewriteRuns();
    this.#dropDamaged();
  }

  /** Deletes the lines that a repair moved to another file, because they may contain purged data. */
  #dropDamaged(): void {
    for (const name of existsSync(this.#folder) ? listNamesInFolder(this.#folder) : [])
      if (/^(?:names|provenance|runs)\.jsonl\.damaged-\d+$/.test(name)) {
        const path = join(this.#folder, name);
        withFileErrors(path, () => rmSync(path, { force: true }));
      }
  }

  /** Rewrites a file without the rows that match. Does nothing if no row matches. */
  #filter(name: Name, goes: (row: FieldMap) => boolean): void {
    const keptLines: Uint8Array[] = [sideHead()];
    let less = false;
    for (const value of this.#lines(name)) {
      const left = omitRow(value, goes);
      if (left !== null) keptLines.push(encodeChecksummedLine(left));
      less ||= left !== value;
    }
    if (less) this.#rewrite(name, keptLines);
  }

  close(): void {
    for (const file of this.#open.values()) file.close();
  }
}

/** Returns when an attachment was added; 0 for lines of earlier versions, which did not record the time. */
function putAt(value: FieldMap): number {
  return ownField(value, 'at') === undefined ? 0 : finiteNumberField(value, 'at');
}

function sideHead(): Uint8Array {
  return encodeChecksummedLine({ format: 'coppice/side', formatVersion });
}

function sideRows(value: FieldMap, key: string): FieldMap[] {
  return listField(value, key).map((row) => {
    if (!isFieldMap(row)) throw new UnreadableValueError(`has something else than rows in ${key}`);
    return row;
  });
}

/** Returns a line without the rows that match: null if no row remains, the same line if no row matches. */
function omitRow(entry: FieldMap, goes: (row: FieldMap) => boolean): FieldMap | null {
  for (const key of ['ids', 'rows'] as const) {
    if (ownField(entry, key) === undefined) continue;
    const all = sideRows(entry, key);
    const left = all.filter((row) => !goes(row));
    return left.length === all.length ? entry : left.length === 0 ? null : { ...entry, [key]: left };
  }
  const share = ownField(entry, 'share');
  return isFieldMap(share) && goes(share) ? null : entry;
}
