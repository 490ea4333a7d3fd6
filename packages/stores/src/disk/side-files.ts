/** What lies beside the trees, in files of its own: names, reuses, accounts, generations, attachments. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type NodeId, nodeId, type Run, type RunChunk, type TreeId } from '@coppice/core';
import type { Desk } from '../book/book-store.ts';
import type { BookEntry } from '../book/keeper.ts';
import { type Fields, field, isFields, list, number, object, text, Unreadable } from './decode.ts';
import { LineFile, linesOf, type Place, type Tail, toLine } from './line-file.ts';
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
import { bytesOf, damaged, namesIn, newer, onFile, type Workbench } from './whole-files.ts';

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

/** An entry of a book that belongs to no tree's journal. */
export type SideEntry = Exclude<BookEntry, { type: 'commit' | 'purge' | 'purge-tree' | 'mend' | 'linear' }>;

interface Running {
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
  readonly #bench: Workbench;
  readonly #note: (text: string) => void;
  readonly #open = new Map<Name, LineFile>();
  readonly #running = new Map<string, Running>();
  /** What of which file cannot be read: the lines stay where they are, and the rest is used. */
  readonly #unread = new Map<Name, { readonly why: string; readonly lines: readonly Place[] }>();
  #stale = 0;

  constructor(folder: string, bench: Workbench, note: (text: string) => void) {
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
  *#lines(name: Name): Generator<Fields, void, undefined> {
    const path = this.#path(name);
    let tail: Tail = { bytes: 0, ended: true };
    let first = true;
    this.#unread.delete(name);
    for (const line of linesOf(path)) {
      const { at } = line;
      tail = { bytes: at.offset + at.length + (at.ended ? 1 : 0), ended: at.ended };
      if (line.ok) {
        if (first) this.#checkHead(name, line.value, at);
        // Where the head is gone, what comes first may be one of the others.
        if (!first || field(line.value, 'type') !== undefined) yield line.value;
      } else if (!line.torn || first) this.#leaveOut(name, at, line.why);
      else if (at.length > 0)
        this.#note(`${path} has a line that ${line.why}: line ${at.line} at byte ${at.offset}. It stays where it is.`);
      first = false;
    }
    this.#open.get(name)?.close();
    this.#open.set(name, new LineFile(path, 'side', tail));
    if (name === 'runs') this.#stale = tail.bytes;
  }

  #leaveOut(name: Name, at: Place, why: string): void {
    const path = this.#path(name);
    if (strict.has(name)) throw damaged(path, `cannot be read at line ${at.line}: it ${why}`);
    const known = this.#unread.get(name);
    const sentence = `${path} cannot be read at line ${at.line}, byte ${at.offset}: it ${why}.`;
    this.#unread.set(name, { why: known?.why ?? sentence, lines: [...(known?.lines ?? []), at] });
    this.#note(`${sentence} The rest of it is used, and nothing in it is changed.`);
  }

  #checkHead(name: Name, value: Fields, at: Place): void {
    if (field(value, 'format') !== 'coppice/side') return this.#leaveOut(name, at, 'is no beginning of a file of ours');
    const version = field(value, 'formatVersion');
    if (version !== formatVersion) throw newer(this.#path(name), version, formatVersion);
  }

  /** The files of which something cannot be read, with a sentence for each. */
  get damage(): readonly { readonly path: string; readonly why: string }[] {
    return [...this.#unread].map(([name, { why }]) => ({ path: this.#path(name), why }));
  }

  /** Writes files of which lines cannot be read anew without those, which are kept beside them. Tells what was done. */
  mend(): string[] {
    return [...this.#unread.keys()].map((name) => {
      const kept = [head()];
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
      const parts = unread.flatMap(({ offset, length }) => [bytes.subarray(offset, offset + length), bytesOf('\n')]);
      this.#bench.replace(beside, parts, 'side', true);
    }
    this.#file(name).rewrite(lines, this.#bench);
    this.#unread.delete(name);
    return beside;
  }

  /** Reads all files and tells a desk of what is in them. */
  read(desk: Desk): void {
    for (const name of ['names', 'provenance', 'accounts', 'runs', 'blobs', 'feed'] as const) {
      for (const value of this.#lines(name)) {
        try {
          this.#tell(desk, value);
        } catch (error) {
          // It fits its checksum, so that somebody meant it: another build than this one.
          if (error instanceof Unreadable) throw damaged(this.#path(name), `has a line that ${error.message}`);
          throw error;
        }
      }
    }
    for (const { owner, run, chunks } of this.#running.values()) desk.runs.know(owner, run, chunks);
  }

  #tell(desk: Desk, value: Fields): void {
    switch (text(value, 'type')) {
      case 'external-ids':
        return desk.names.know(rows(value, 'ids').map(readExternalId));
      case 'provenance':
        return desk.names.know([], rows(value, 'rows').map(readProvenance));
      case 'user':
        return desk.accounts.know({ users: [readUser(object(value, 'user'))] });
      case 'token':
        return desk.accounts.know({ tokens: [readToken(object(value, 'token'))] });
      case 'share':
        return desk.accounts.know({ shares: [readShare(object(value, 'share'))] });
      case 'blob':
        return desk.blobs.know(
          text(value, 'owner'),
          readBlobInfo(object(value, 'info')),
          putAt(value),
          field(value, 'loose') === true,
        );
      case 'run':
        return this.#run(text(value, 'owner'), readRun(object(value, 'run')));
      case 'run-chunk':
        this.#running.get(text(value, 'runId'))?.chunks.push(readChunk(object(value, 'chunk')));
        return;
      case 'run-end':
        this.#running.delete(text(value, 'runId'));
        return;
      case 'blobs-gone':
        return;
      case 'sequence':
        return desk.book.knowSequence(number(value, 'sequence'));
      default:
        throw new Unreadable(`has the type ${text(value, 'type')}, which this build does not know`);
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
        this.#rewrite('feed', [head(), toLine(entry)]);
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
    if (file.tail.bytes === 0) this.#rewrite(name, [head(), line]);
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
      yield head();
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
      if (text(value, 'type') === 'blob' && text(value, 'owner') === owner && putAt(value) > after)
        found.add(readBlobInfo(object(value, 'info')).hash);
    return found;
  }

  /** Takes attachments of an owner out of the list, then those bytes that nobody else's list names. */
  #dropBlobs(owner: string, hashes: ReadonlySet<string>): void {
    const left = new Set<string>();
    const kept: Uint8Array[] = [head()];
    for (const value of this.#lines('blobs')) {
      const { hash } = readBlobInfo(object(value, 'info'));
      if (text(value, 'owner') === owner && hashes.has(hash)) continue;
      left.add(hash);
      kept.push(toLine(value));
    }
    // Whose they are besides may stand in a line that cannot be read.
    const told = this.#rewrite('blobs', kept) === null;
    if (told)
      for (const hash of hashes) {
        const path = this.blobPath(hash);
        if (!left.has(hash)) onFile(path, () => rmSync(path, { force: true }));
      }
  }

  /** Where the bytes of an attachment are; the name is a hash and nothing else. */
  blobPath(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash))
      throw damaged(join(this.#folder, 'blobs'), 'was asked for something else than a hash');
    return join(this.#folder, 'blobs', hash);
  }

  /** The bytes of an attachment. */
  bytesOf(hash: string): Uint8Array {
    const path = this.blobPath(hash);
    return onFile(path, () => {
      if (!existsSync(path)) throw damaged(path, 'is missing');
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
    for (const name of existsSync(this.#folder) ? namesIn(this.#folder) : [])
      if (/^(?:names|provenance|runs)\.jsonl\.damaged-\d+$/.test(name)) {
        const path = join(this.#folder, name);
        onFile(path, () => rmSync(path, { force: true }));
      }
  }

  /** Writes a file anew without the rows that are to go; does nothing where there are none. */
  #filter(name: Name, goes: (row: Fields) => boolean): void {
    const kept: Uint8Array[] = [head()];
    let less = false;
    for (const value of this.#lines(name)) {
      const left = without(value, goes);
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
function putAt(value: Fields): number {
  return field(value, 'at') === undefined ? 0 : number(value, 'at');
}

function head(): Uint8Array {
  return toLine({ format: 'coppice/side', formatVersion });
}

function rows(value: Fields, key: string): Fields[] {
  return list(value, key).map((row) => {
    if (!isFields(row)) throw new Unreadable(`has something else than rows in ${key}`);
    return row;
  });
}

/** A line without the rows that go; null if nothing is left of it, the line itself if nothing goes. */
function without(entry: Fields, goes: (row: Fields) => boolean): Fields | null {
  for (const key of ['ids', 'rows'] as const) {
    if (field(entry, key) === undefined) continue;
    const all = rows(entry, key);
    const left = all.filter((row) => !goes(row));
    return left.length === all.length ? entry : left.length === 0 ? null : { ...entry, [key]: left };
  }
  const share = field(entry, 'share');
  return isFields(share) && goes(share) ? null : entry;
}
