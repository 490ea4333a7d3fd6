/** The folder of one tree: its journal, and the files that are brought to what the journal says. */
import { mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Commit,
  type ConversationFormat,
  isAppError,
  type LinearRecord,
  type MessageKit,
  type NodeId,
  type PreparedCommit,
  type Tree,
  type TreeId,
} from '@coppice/core';
import {
  type AtomicWriter,
  bytesOfFile,
  damagedFile,
  fileStep,
  lastBytes,
  onFile,
  statOrNull,
  syncFolder,
} from '../disk/atomic-files.ts';
import { diskRow } from '../disk/decode.ts';
import { checksum, type FileTail, LineFile } from '../disk/line-file.ts';
import { bootId } from '../disk/lock.ts';
import type { KnownTree, ListStored, LoadedTree } from '../in-process/persistence.ts';
import { treeOfLinear } from '../linear.ts';
import {
  commitLine,
  type Journal,
  type JournalOrigin,
  journalHead,
  linearLine,
  originOf,
  readJournal,
  replay,
  rewrittenLines,
} from './journal.ts';
import { touchedNodes, treeFromFiles, writeNodeFiles } from './node-files.ts';
import { readTreeFile, type TreeFile, type TreeFileMark, treeFileText } from './tree-file.ts';

/** What the folders of one store share. */
export interface FolderContext {
  readonly bench: AtomicWriter;
  readonly kit: MessageKit | undefined;
  /** Tells a user of something that was found and left as it is. */
  note(text: string): void;
}

/** A tree as it is loaded, and what it was read from. */
interface LoadedTreeFolder {
  readonly tree: Tree;
  readonly journal: Journal;
  /** Whether the files say the same as the journal. */
  readonly current: boolean;
  readonly file: TreeFile | null;
}

// Reading a node's file costs about as much as replaying this many commits.
const commitsPerFile = 4;
const sealed = 32;

/** A tree before it has a journal. */
export interface NewTree {
  readonly origin: JournalOrigin;
  readonly commit: Commit;
  readonly tree: Tree;
}

/** One tree on the disk. */
export class TreeFolder {
  readonly id: TreeId;
  readonly path: string;
  readonly #around: FolderContext;
  #journal: LineFile | null = null;
  #owner = '';
  #origin: JournalOrigin | null = null;
  #purged: ReadonlySet<NodeId> = new Set();
  #format: ConversationFormat = 'tree';
  #sequence = 0;
  #list = false;
  #mark: TreeFileMark = { bytes: 0, seal: '' };
  #latest: Tree | null = null;
  // What the files say: null where that is not known, and all of them have to be looked at.
  #base: Tree | null = null;
  #fingerprint = 0;
  #count = 0;
  #unsynced: string | null = null;
  #dirty: Set<NodeId> | null = new Set();
  #behind = false;

  constructor(path: string, id: TreeId, around: FolderContext) {
    this.path = path;
    this.id = id;
    this.#around = around;
  }

  get journalPath(): string {
    return join(this.path, 'journal.jsonl');
  }

  get filePath(): string {
    return join(this.path, 'tree.json');
  }

  /** The newest value, if it is loaded. */
  get tree(): Tree | null {
    return this.#latest;
  }

  get format(): ConversationFormat {
    return this.#format;
  }

  /** Whether the files are behind the journal. */
  get behind(): boolean {
    return this.#behind;
  }

  /** Where the tree was before it had a journal, as far as it is loaded. */
  get origin(): JournalOrigin | null {
    return this.#origin;
  }

  /** The same, read from the first line of the journal if the tree is not loaded. */
  readOrigin(): { readonly id: string } | null {
    return this.#origin ?? originOf(this.journalPath);
  }

  get journalBytes(): number {
    return this.#mark.bytes;
  }

  /** What a list needs to know of the tree, without reading more than it must; a list of messages is given as such. */
  known(): KnownTree | { readonly record: LinearRecord; readonly owner: string; readonly sequence: number } {
    const file = this.#treeFile();
    if (file !== null && !file.list && this.#isCurrent(file)) {
      return { row: file.row, format: file.format, sequence: file.sequence };
    }
    const { tree, journal } = this.#loaded();
    const { linear: record, owner, sequence, format } = journal;
    return record === null ? { row: diskRow(tree), format, sequence } : { record, owner, sequence };
  }

  /** The row as `tree.json` has it, whether it is up to date or not: what a damaged tree is listed by. */
  lastKnown(): TreeFile | null {
    try {
      return readTreeFile(this.filePath);
    } catch (error) {
      if (isAppError(error)) return null;
      throw error;
    }
  }

  // A file that can be made anew from the journal is no reason to refuse, but one of a newer build is.
  #treeFile(): TreeFile | null {
    try {
      return readTreeFile(this.filePath);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'store/damaged') throw error;
      this.#around.note(`${error.message.replace(' It was left as it is.', '')} It is made anew from the journal.`);
      return null;
    }
  }

  #isCurrent(file: TreeFile): boolean {
    if (file.unsynced !== null && file.unsynced !== bootId()) return false;
    const bytes = Number(statOrNull(this.journalPath)?.size ?? 0);
    return bytes === file.mark.bytes && this.#seal() === file.mark.seal;
  }

  #seal(): string {
    return checksum(lastBytes(this.journalPath, sealed));
  }

  /** The tree and its log, as the journal has them. */
  load(): LoadedTree {
    const { tree, journal } = this.#loaded();
    // Whoever asked has the log now; it is not needed here a second time.
    this.#read = null;
    return { tree, log: journal.log, purged: journal.purged };
  }

  #read: LoadedTreeFolder | null = null;

  #loaded(): LoadedTreeFolder {
    if (this.#read !== null) return this.#read;
    const journal = readJournal(this.journalPath, this.id);
    for (const { line, offset, why } of journal.broken)
      this.#around.note(
        `${this.journalPath} has a line that ${why} and was never acknowledged: line ${line} at byte ${offset}. It stays where it is.`,
      );
    const file = this.#treeFile();
    const seen = Math.max(journal.log.length, journal.linear === null ? 0 : 1);
    if (file !== null && file.row.version > seen)
      throw damagedFile(this.journalPath, `ends at version ${seen}, but ${this.filePath} knows of ${file.row.version}`);
    const current = file !== null && this.#isCurrent(file);
    const tree = this.#valueOf(journal, current ? file : null);
    const loaded = { tree, journal, current, file };
    // Asked a second time it is still the same tree: what waits to be written must not be forgotten.
    if (this.#latest === null) this.#take(loaded);
    return loaded;
  }

  #valueOf(journal: Journal, file: TreeFile | null): Tree {
    if (journal.linear !== null) return treeOfLinear(journal.linear, journal.owner, this.#around.kit).tree;
    const quicker = file !== null && journal.log.length > commitsPerFile * (file.nodes + 1);
    const base = quicker ? treeFromFiles(this.path, file) : null;
    return replay(this.journalPath, this.id, journal, base);
  }

  #take(loaded: LoadedTreeFolder): void {
    const { tree, journal, current, file } = loaded;
    this.#read = loaded;
    this.#latest = tree;
    this.#base = current ? tree : null;
    this.#behind = !current;
    this.#fingerprint = current && file !== null ? file.fingerprint : 0;
    this.#count = file?.nodes ?? 0;
    this.#unsynced = file?.unsynced ?? null;
    this.#owner = journal.owner;
    this.#origin = journal.origin;
    this.#purged = journal.purged;
    this.#format = journal.format;
    this.#sequence = journal.sequence;
    this.#list = journal.linear !== null;
    this.#open(journal.tail);
  }

  #open(tail: FileTail): void {
    this.#journal?.close();
    this.#journal = new LineFile(this.journalPath, 'journal', tail);
    this.#mark = { bytes: tail.bytes, seal: this.#seal() };
  }

  /** Makes a commit last. The first one makes the journal; `before` is what a folder without one holds. */
  commit(
    entry: {
      readonly settled: PreparedCommit;
      readonly tree: Tree;
      readonly sequence: number;
      readonly format: ConversationFormat;
      readonly list?: ListStored;
    },
    before: NewTree | null = null,
  ): void {
    const { settled, tree, sequence, format, list } = entry;
    const line = commitLine(settled.commit, sequence, format, list?.settled.commit);
    const files = list === undefined ? touchedNodes(this.#latest, settled, tree) : null;
    if (this.#journal === null) {
      const head = journalHead(this.id, tree.owner, before?.origin ?? null);
      const first = before === null ? [] : [commitLine(before.commit, sequence, format)];
      this.#create([head, ...first, line]);
      this.#owner = tree.owner;
      this.#origin = before?.origin ?? null;
    } else this.#append(this.#journal, line);
    this.#advance(tree, sequence, format, files);
  }

  /** Makes a list of messages last, as it is. */
  putLinear(owner: string, record: LinearRecord, sequence: number): void {
    const { tree } = treeOfLinear(record, owner, this.#around.kit);
    this.#create([journalHead(this.id, owner, null), linearLine(record, sequence)]);
    this.#owner = owner;
    this.#advance(tree, sequence, 'linear', null);
    this.#list = true;
  }

  #append(journal: LineFile, line: Uint8Array): void {
    journal.append([line], true);
    this.#mark = { bytes: journal.tail.bytes, seal: checksum(line.subarray(-sealed)) };
  }

  #create(lines: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(lines);
    const made = this.#around.bench.make([bytes], 'journal', true);
    onFile(this.journalPath, () => {
      try {
        mkdirSync(join(this.path, 'nodes'), { recursive: true });
        fileStep('journal', 'rename', () => renameSync(made, this.journalPath));
        syncFolder(this.path, 'journal');
        syncFolder(dirname(this.path), 'journal');
      } catch (error) {
        this.#undoCreate(made);
        throw error;
      }
    });
    this.#journal = new LineFile(this.journalPath, 'journal', { bytes: bytes.length, ended: true });
    this.#mark = { bytes: bytes.length, seal: checksum(bytes.subarray(-sealed)) };
  }

  // As far as it can be done: what is left was never acknowledged, and is whole.
  #undoCreate(made: string): void {
    for (const undo of [
      () => rmSync(made, { force: true }),
      () => rmSync(this.journalPath, { force: true }),
      () => rmdirSync(join(this.path, 'nodes')),
      () => rmdirSync(this.path),
    ])
      try {
        undo();
      } catch {
        // The folder of a tree that had files before stays as it is.
      }
  }

  #advance(tree: Tree, sequence: number, format: ConversationFormat, files: Set<NodeId> | null): void {
    this.#latest = tree;
    this.#read = null;
    this.#sequence = sequence;
    this.#format = format;
    this.#list = false;
    this.#behind = true;
    if (files === null) this.#dirty = null;
    else if (this.#dirty !== null) for (const id of files) this.#dirty.add(id);
  }

  /** Writes the journal anew with other rows, after a purge or a repair. */
  rewrite(tree: Tree, log: readonly Commit[] | null, purgedNow: readonly NodeId[]): void {
    const journal = this.#journal;
    if (journal === null) throw damagedFile(this.journalPath, 'is not open');
    const purged = new Set([...this.#purged, ...purgedNow]);
    const lines = rewrittenLines({
      treeId: this.id,
      owner: this.#owner,
      origin: this.#origin,
      log: log ?? readJournal(this.journalPath, this.id).log,
      tree,
      purged,
      sequence: this.#sequence,
      format: this.#format,
    });
    journal.rewrite(lines, this.#around.bench);
    this.#purged = purged;
    this.#mark = { bytes: journal.tail.bytes, seal: this.#seal() };
    this.#advance(tree, this.#sequence, this.#format, null);
  }

  /** Has every file looked at the next time, whatever it is thought to say. */
  distrust(): void {
    if (this.#latest === null) this.#loaded();
    this.#base = null;
    this.#behind = true;
  }

  /** Brings node files and `tree.json` to what the journal says now; the value that they say then, or null. */
  async flush(): Promise<Tree | null> {
    const target = this.#latest;
    if (target === null || !this.#behind) return null;
    const { bench } = this.#around;
    const [base, ids] = [this.#base, this.#dirty];
    const [mark, sequence, format, list] = [this.#mark, this.#sequence, this.#format, this.#list];
    this.#behind = false;
    this.#dirty = new Set();
    // Until all of it is through nobody knows what the files say.
    this.#base = null;
    try {
      const written = await writeNodeFiles({
        folder: this.path,
        bench,
        base,
        target,
        ids,
        fingerprint: this.#fingerprint,
        count: this.#count,
      });
      const boot = bootId() ?? 'unknown';
      const unsynced = written.synced && this.#unsynced !== boot ? null : boot;
      const { fingerprint, count } = written;
      const text = treeFileText(target, {
        format,
        list,
        sequence,
        mark,
        nodes: count,
        fingerprint,
        unsynced,
      });
      bench.replace(this.filePath, [bytesOfFile(text)], 'tree', true);
      this.#fingerprint = fingerprint;
      this.#count = count;
      this.#unsynced = unsynced;
      this.#base = target;
      return target;
    } catch (error) {
      this.#behind = true;
      throw error;
    }
  }

  close(): void {
    this.#journal?.close();
  }
}
