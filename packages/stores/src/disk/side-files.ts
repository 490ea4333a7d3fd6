/** What lies beside the trees, in files of its own: names, reuses, accounts, generations, attachments. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type NodeId, nodeId, type Run, type RunChunk, type TreeId } from '@coppice/core';
import type { StoreParts } from '../in-process/in-process-store.ts';
import type { PersistedEntry } from '../in-process/persistence.ts';
import { type AtomicWriter, bytesOfFile, damagedFile, namesInFolder, newerFormat, onFile } from './atomic-files.ts';
import {
  type DiskFields,
  diskField,
  diskList,
  diskNumber,
  diskObject,
  diskText,
  isDiskFields,
  Unreadable,
} from './decode.ts';
import { type FileTail, LineFile, type LineRange, linesOfFile, toLine } from './line-file.ts';
import {
  readBlobInfo,
  readChunk,
  readExternalId,
  readProvenance,
  readRun,
  readShare,
  readToken,
  readUser,
} from './records.ts';

/** The files, and who is in which. */
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

/** An entry that belongs to no tree's journal. */
export type SideEntry = Exclude<PersistedEntry, { type: 'commit' | 'purge' | 'purge-tree' | 'mend' | 'linear' }>;

interface RunningRow {
  readonly owner: string;
  run: Run;
  readonly chunks: RunChunk[];
}

// A line that is left out here may be the one that takes a key back: who comes in is not told from what is left.
const strict: ReadonlySet<Name> = new Set(['accounts']);

// Ended generations are left in their file until they are most of it.
const mostStale = 1 << 20;

/** The side files of one store. */
export class SideFiles {
  readonly #folder: string;
  readonly #bench: AtomicWriter;
  readonly #note: (text: string) => void;
  readonly #open = new Map<Name, LineFile>();
  readonly #running = new Map<string, RunningRow>();
  /** What of which file cannot be read: the lines stay where they are, and the rest is used. */
  readonly #unread = new Map<Name, { readonly why: string; readonly lines: readonly LineRange[] }>();
  #stale = 0;

  constructor(folder: string, bench: AtomicWriter, note: (text: string) => void) {
    this.#folder = folder;
    this.#bench = bench;
    this.#note = note;
  }

  #path(name: Name): string {
    return join(this.#folder, files[name]);
  }

  /**
   * The lines of a file; those that were never acknowledged are left out and told. One that was altered is left out, too, and
   * is damage: the trees, and what else lies beside them, are not to be had any less for it.
   */
  *#lines(name: Name): Generator<DiskFields, void, undefined> {
    const path = this.#path(name);
    let tail: FileTail = { bytes: 0, ended: true };
    let first = true;
    this.#unread.delete(name);
    for (const line of linesOfFile(path)) {
      const { at } = line;
      tail = { bytes: at.offset + at.length + (at.ended ? 1 : 0), ended: at.ended };
      if (line.ok) {
        if (first) this.#checkHead(name, line.value, at);
        // Where the head is gone, what comes first may be one of the others.
        if (!first || diskField(line.value, 'type') !== undefined) yield line.value;
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
    if (strict.has(name)) throw damagedFile(path, `cannot be read at line ${at.line}: it ${why}`);
    const known = this.#unread.get(name);
    const sentence = `${path} cannot be read at line ${at.line}, byte ${at.offset}: it ${why}.`;
    this.#unread.set(name, { why: known?.why ?? sentence, lines: [...(known?.lines ?? []), at] });
    this.#note(`${sentence} The rest of it is used, and nothing in it is changed.`);
  }

  #checkHead(name: Name, value: DiskFields, at: LineRange): void {
    if (diskField(value, 'format') !== 'coppice/side')
      return this.#leaveOut(name, at, 'is no beginning of a file of ours');
    const version = diskField(value, 'formatVersion');
    if (version !== formatVersion) throw newerFormat(this.#path(name), version, formatVersion);
  }

  /** The files of which something cannot be read, with a sentence for each. */
  get damage(): readonly { readonly path: string; readonly why: string }[] {
    return [...this.#unread].map(([name, { why }]) => ({ path: this.#path(name), why }));
  }

  /** Writes files of which lines cannot be read anew without those, which are kept beside them. Tells what was done. */
  mend(): string[] {
    return [...this.#unread.keys()].map((name) => {
      const kept = [sideHead()];
      for (const value of this.#lines(name)) kept.push(toLine(value));
      return `${this.#path(name)} was written anew, and what could not be read of it is kept as ${this.#rewrite(name, kept)}`;
    });
  }

  /** Writes a file anew. Lines of it that cannot be read go into one beside it first, whose name is answered. */
  #rewrite(name: Name, lines: Iterable<Uint8Array>): string | null {
    const { lines: unread = [] } = this.#unread.get(name) ?? {};
    const path = this.#path(name);
    let beside: string | null = null;
    if (unread.length > 0) {
      const bytes = onFile(path, () => readFileSync(path));
      for (let at = 1; beside === null || existsSync(beside); at++) beside = `${path}.damaged-${at}`;
      const parts = unread.flatMap(({ offset, length }) => [
        bytes.subarray(offset, offset + length),
        bytesOfFile('\n'),
      ]);
      this.#bench.replace(beside, parts, 'side', true);
    }
    this.#file(name).rewrite(lines, this.#bench);
    this.#unread.delete(name);
    return beside;
  }

  /** Reads all files and tells a desk of what is in them. */
  read(parts: StoreParts): void {
    for (const name of ['names', 'provenance', 'accounts', 'runs', 'blobs', 'feed'] as const) {
      for (const value of this.#lines(name)) {
        try {
          this.#tell(parts, value);
        } catch (error) {
          // It fits its checksum, so that somebody meant it: another build than this one.
          if (error instanceof Unreadable) throw damagedFile(this.#path(name), `has a line that ${error.message}`);
          throw error;
        }
      }
    }
    for (const { owner, run, chunks } of this.#running.values()) parts.runs.know(owner, run, chunks);
  }

  #tell(parts: StoreParts, value: DiskFields): void {
    switch (diskText(value, 'type')) {
      case 'external-ids':
        return parts.names.know(sideRows(value, 'ids').map(readExternalId));
      case 'provenance':
        return parts.names.know([], sideRows(value, 'rows').map(readProvenance));
      case 'user':
        return parts.accounts.know({ users: [readUser(diskObject(value, 'user'))] });
      case 'token':
        return parts.accounts.know({ tokens: [readToken(diskObject(value, 'token'))] });
      case 'share':
        return parts.accounts.know({ shares: [readShare(diskObject(value, 'share'))] });
      case 'blob':
        return parts.blobs.know(
          diskText(value, 'owner'),
          readBlobInfo(diskObject(value, 'info')),
          putAt(value),
          diskField(value, 'loose') === true,
        );
      case 'run':
        return this.#run(diskText(value, 'owner'), readRun(diskObject(value, 'run')));
      case 'run-chunk':
        this.#running.get(diskText(value, 'runId'))?.chunks.push(readChunk(diskObject(value, 'chunk')));
        return;
      case 'run-end':
        this.#running.delete(diskText(value, 'runId'));
        return;
      case 'blobs-gone':
        return;
      case 'sequence':
        return parts.state.knowSequence(diskNumber(value, 'sequence'));
      default:
        throw new Unreadable(`has the type ${diskText(value, 'type')}, which this build does not know`);
    }
  }

  #run(owner: string, run: Run): void {
    const there = this.#running.get(run.id);
    if (there === undefined) this.#running.set(run.id, { owner, run, chunks: [] });
    else there.run = run;
  }

  /** The generations that are still being written. */
  get running(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Makes an entry last. Beats, pieces of replies and reuses need not outlive a power cut. */
  keep(entry: SideEntry): void {
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
        // The last one is all that counts.
        this.#rewrite('feed', [sideHead(), toLine(entry)]);
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
    const line = toLine(entry);
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

  /** Writes the generations that still run into a new file when the others have become most of it. */
  #tidyRuns(): void {
    if (this.#stale >= mostStale) this.#rewriteRuns();
  }

  /** Writes the file of generations anew, without those that have ended. */
  #rewriteRuns(): void {
    this.#stale = 0;
    const running = [...this.#running.values()];
    const lines = function* () {
      yield sideHead();
      for (const { owner, run, chunks } of running) {
        yield toLine({ type: 'run', owner, run });
        for (const chunk of chunks) yield toLine({ type: 'run-chunk', runId: run.id, chunk });
      }
    };
    this.#rewrite('runs', lines());
  }

  #blob({ owner, info, bytes, at, loose }: Extract<SideEntry, { type: 'blob' }>): void {
    const path = this.blobPath(info.hash);
    if (bytes !== null && !existsSync(path)) {
      onFile(path, () => mkdirSync(join(this.#folder, 'blobs'), { recursive: true }));
      this.#bench.replace(path, [bytes], 'blob', true);
    }
    this.#append('blobs', { type: 'blob', owner, info, at, ...(loose ? { loose } : {}) }, true);
  }

  /** What of an owner's attachments was put after a time, as the file has it now: others write it, too. */
  putSince(owner: string, after: number): ReadonlySet<string> {
    const found = new Set<string>();
    for (const value of this.#lines('blobs'))
      if (diskText(value, 'type') === 'blob' && diskText(value, 'owner') === owner && putAt(value) > after)
        found.add(readBlobInfo(diskObject(value, 'info')).hash);
    return found;
  }

  /** Takes attachments of an owner out of the list, then those bytes that nobody else's list names. */
  #dropBlobs(owner: string, hashes: ReadonlySet<string>): void {
    const left = new Set<string>();
    const kept: Uint8Array[] = [sideHead()];
    for (const value of this.#lines('blobs')) {
      const { hash } = readBlobInfo(diskObject(value, 'info'));
      if (diskText(value, 'owner') === owner && hashes.has(hash)) continue;
      left.add(hash);
      kept.push(toLine(value));
    }
    // Whose they are besides may stand in a line that cannot be read.
    const reported = this.#rewrite('blobs', kept) === null;
    if (reported)
      for (const hash of hashes) {
        const path = this.blobPath(hash);
        if (!left.has(hash)) onFile(path, () => rmSync(path, { force: true }));
      }
  }

  /** Where the bytes of an attachment are; the name is a hash and nothing else. */
  blobPath(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash))
      throw damagedFile(join(this.#folder, 'blobs'), 'was asked for something else than a hash');
    return join(this.#folder, 'blobs', hash);
  }

  /** The bytes of an attachment. */
  bytesOf(hash: string): Uint8Array {
    const path = this.blobPath(hash);
    return onFile(path, () => {
      if (!existsSync(path)) throw damagedFile(path, 'is missing');
      return new Uint8Array(readFileSync(path));
    });
  }

  /** Takes what was said of a tree, or of some of its nodes, out of the files. */
  forget(treeId: TreeId, nodeIds?: ReadonlySet<NodeId>): void {
    const gone = (id: unknown) => nodeIds === undefined || (typeof id === 'string' && nodeIds.has(nodeId(id)));
    this.#filter('names', (row) => row.treeId === treeId && gone(row.nodeId));
    this.#filter('provenance', (row) => row.treeId === treeId && (gone(row.firstNodeId) || gone(row.lastNodeId)));
    if (nodeIds === undefined) this.#filter('accounts', (row) => row.treeId === treeId);
    for (const [id, { run }] of this.#running) if (run.treeId === treeId && gone(run.nodeId)) this.#running.delete(id);
    // Pieces of ended replies stay in the file of generations for a while: they may be what is purged.
    if (existsSync(this.#path('runs'))) this.#rewriteRuns();
    this.#dropDamaged();
  }

  /** What was set aside may speak of what is purged, and nobody can tell. */
  #dropDamaged(): void {
    for (const name of existsSync(this.#folder) ? namesInFolder(this.#folder) : [])
      if (/^(?:names|provenance|runs)\.jsonl\.damaged-\d+$/.test(name)) {
        const path = join(this.#folder, name);
        onFile(path, () => rmSync(path, { force: true }));
      }
  }

  /** Writes a file anew without the rows that are to go; does nothing where there are none. */
  #filter(name: Name, goes: (row: DiskFields) => boolean): void {
    const kept: Uint8Array[] = [sideHead()];
    let less = false;
    for (const value of this.#lines(name)) {
      const left = omitRow(value, goes);
      if (left !== null) kept.push(toLine(left));
      less ||= left !== value;
    }
    if (less) this.#rewrite(name, kept);
  }

  close(): void {
    for (const file of this.#open.values()) file.close();
  }
}

/** When an attachment was put; earlier builds did not write it down. */
function putAt(value: DiskFields): number {
  return diskField(value, 'at') === undefined ? 0 : diskNumber(value, 'at');
}

function sideHead(): Uint8Array {
  return toLine({ format: 'coppice/side', formatVersion });
}

function sideRows(value: DiskFields, key: string): DiskFields[] {
  return diskList(value, key).map((row) => {
    if (!isDiskFields(row)) throw new Unreadable(`has something else than rows in ${key}`);
    return row;
  });
}

/** A line without the rows that go; null if nothing is left of it, the line itself if nothing goes. */
function omitRow(entry: DiskFields, goes: (row: DiskFields) => boolean): DiskFields | null {
  for (const key of ['ids', 'rows'] as const) {
    if (diskField(entry, key) === undefined) continue;
    const all = sideRows(entry, key);
    const left = all.filter((row) => !goes(row));
    return left.length === all.length ? entry : left.length === 0 ? null : { ...entry, [key]: left };
  }
  const share = diskField(entry, 'share');
  return isDiskFields(share) && goes(share) ? null : entry;
}
