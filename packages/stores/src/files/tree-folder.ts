/** The folder of one tree: its journal, and the files that are written from it. */
import { mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AppliedCommit,
  type Commit,
  type ConversationFormat,
  isAppError,
  type MessageKit,
  type NodeId,
  type Tree,
  type TreeId,
} from '@coppice/core';
import { rowOf } from '@coppice/core/tree';
import {
  type AtomicWriter,
  encodeFileText,
  makeDamagedFileError,
  readLastBytes,
  runFileOperation,
  statOrNull,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { crc32Hex, type FileTail, LineFile } from '../disk/line-file.ts';
import { readBootId } from '../disk/lock.ts';
import type { LoadedTree, UnloadedTree } from '../in-process/persistence.ts';
import {
  encodeCommitLine,
  encodeFormatChangeLine,
  encodeJournalHeader,
  type Journal,
  type JournalOrigin,
  readJournal,
  readTreeOrigin,
  replayJournal,
  rewriteJournalLines,
} from './journal.ts';
import { findNodesWithChangedFiles, readTreeFromFiles, writeNodeFiles } from './node-files.ts';
import { formatTreeFile, type JournalEndMark, readTreeFile, type TreeFile } from './tree-file.ts';

/**
 * What every tree folder gets from its store: the folder for temporary files, the message kit, and notes for the user.
 */
export interface FolderContext {
  readonly writer: AtomicWriter;
  readonly kit: MessageKit | undefined;
  /** Adds a note for the user about a file that was skipped or rebuilt. */
  note(text: string): void;
}

/** A loaded tree, and the journal that it was read from. */
interface LoadedTreeFolder {
  readonly tree: Tree;
  readonly journal: Journal;
  /** Whether the node files match the journal. */
  readonly current: boolean;
  readonly file: TreeFile | null;
}

// Reading one node file takes about as long as applying this many commits, which decides how a tree is loaded.
const commitsPerFile = 4;
const sealed = 32;

/** A tree of another program that has no journal yet: where it came from, and the commit that stores it. */
interface ForeignTree {
  readonly origin: JournalOrigin;
  readonly commit: Commit;
  readonly tree: Tree;
}

/** The journal and the node files of one tree. */
export class TreeFolder {
  readonly id: TreeId;
  readonly path: string;
  readonly #context: FolderContext;
  #journal: LineFile | null = null;
  #owner = '';
  #origin: JournalOrigin | null = null;
  #purged: ReadonlySet<NodeId> = new Set();
  #format: ConversationFormat = 'tree';
  #sequence = 0;
  #mark: JournalEndMark = { bytes: 0, seal: '' };
  #latest: Tree | null = null;
  // The tree value that the node files contain; null if unknown, so that all files have to be compared.
  #base: Tree | null = null;
  #fingerprint = 0;
  #count = 0;
  #unsynced: string | null = null;
  #dirty: Set<NodeId> | null = new Set();
  #behind = false;

  constructor(path: string, id: TreeId, context: FolderContext) {
    this.path = path;
    this.id = id;
    this.#context = context;
  }

  get journalPath(): string {
    return join(this.path, 'journal.jsonl');
  }

  get filePath(): string {
    return join(this.path, 'tree.json');
  }

  /** The current tree value; null if it is not loaded. */
  get tree(): Tree | null {
    return this.#latest;
  }

  get format(): ConversationFormat {
    return this.#format;
  }

  /** Whether the node files are older than the journal. */
  get behind(): boolean {
    return this.#behind;
  }

  /** Where the tree was imported from; null if it was created here or is not loaded. */
  get origin(): JournalOrigin | null {
    return this.#origin;
  }

  /** Like {@link origin}, but reads the journal's first line if the tree is not loaded. */
  readOrigin(): { readonly id: string } | null {
    return this.#origin ?? readTreeOrigin(this.journalPath);
  }

  get journalBytes(): number {
    return this.#mark.bytes;
  }

  /** Returns what lists need to know about the tree. If `tree.json` is current, the journal is not read. */
  known(): UnloadedTree {
    const file = this.#treeFile();
    if (file !== null && this.#isCurrent(file)) return { row: file.row, format: file.format, sequence: file.sequence };
    const { tree, journal } = this.#loaded();
    return { row: rowOf(tree), format: journal.format, sequence: journal.sequence };
  }

  /**
   * Returns the content of `tree.json`, even if it is outdated; null if it is missing or unreadable. Lists show this
   * content for a tree whose journal is unreadable.
   */
  lastKnown(): TreeFile | null {
    try {
      return readTreeFile(this.filePath);
    } catch (error) {
      if (isAppError(error)) return null;
      throw error;
    }
  }

  // A damaged file is ignored, because it is written again from the journal. A file of a newer version throws.
  #treeFile(): TreeFile | null {
    try {
      return readTreeFile(this.filePath);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'store/damaged') throw error;
      this.#context.note(
        `${error.message.replace(' It was left as it is.', '')} It is written again from the journal.`,
      );
      return null;
    }
  }

  #isCurrent(file: TreeFile): boolean {
    if (file.unsynced !== null && file.unsynced !== readBootId()) return false;
    const bytes = Number(statOrNull(this.journalPath)?.size ?? 0);
    return bytes === file.mark.bytes && this.#seal() === file.mark.seal;
  }

  #seal(): string {
    return crc32Hex(readLastBytes(this.journalPath, sealed));
  }

  /** Reads the tree and its log from the journal. */
  load(): LoadedTree {
    const { tree, journal } = this.#loaded();
    // The caller keeps the log in memory, so this cache is dropped.
    this.#read = null;
    return { tree, log: journal.log, purged: journal.purged };
  }

  readJournal(): Journal {
    return readJournal(this.journalPath, this.id, this.#context.kit);
  }

  #read: LoadedTreeFolder | null = null;

  #loaded(): LoadedTreeFolder {
    if (this.#read !== null) return this.#read;
    const journal = this.readJournal();
    for (const { line, offset, why } of journal.broken)
      this.#context.note(
        `${this.journalPath} has a line that ${why} and was never acknowledged: line ${line} at byte ${offset}. It stays where it is.`,
      );
    const file = this.#treeFile();
    const seen = journal.log.at(-1)?.version ?? 0;
    if (file !== null && file.row.version > seen)
      throw makeDamagedFileError(
        this.journalPath,
        `ends at version ${seen}, but ${this.filePath} knows of ${file.row.version}`,
      );
    const current = file !== null && this.#isCurrent(file);
    const tree = this.#valueOf(journal, current ? file : null);
    const loaded = { tree, journal, current, file };
    // A tree that is already in memory may be newer than what was read, so it is not replaced.
    if (this.#latest === null) this.#take(loaded);
    return loaded;
  }

  #valueOf(journal: Journal, file: TreeFile | null): Tree {
    const quicker = file !== null && journal.log.length > commitsPerFile * (file.nodes + 1);
    const base = quicker ? readTreeFromFiles(this.path, file) : null;
    return replayJournal(this.journalPath, this.id, journal, base);
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
    this.#open(journal.tail);
  }

  #open(tail: FileTail): void {
    this.#journal?.close();
    this.#journal = new LineFile(this.journalPath, 'journal', tail);
    this.#mark = { bytes: tail.bytes, seal: this.#seal() };
  }

  /** Persists a commit. The first commit creates the journal; `before` is the imported tree that the commit changes. */
  commit(
    entry: {
      readonly applied: AppliedCommit;
      readonly tree: Tree;
      readonly sequence: number;
      readonly format: ConversationFormat;
    },
    before: ForeignTree | null = null,
  ): void {
    const { applied, tree, sequence, format } = entry;
    const line = encodeCommitLine(applied.commit, sequence, format);
    const files = findNodesWithChangedFiles(applied.changes);
    if (this.#journal === null) {
      const head = encodeJournalHeader(this.id, tree.owner, before?.origin ?? null);
      const first = before === null ? [] : [encodeCommitLine(before.commit, sequence, format)];
      this.#create([head, ...first, line]);
      this.#owner = tree.owner;
      this.#origin = before?.origin ?? null;
    } else this.#append(this.#journal, line);
    this.#advance(tree, sequence, format, files);
  }

  /** Persists a change of the conversation's format, list or tree, without a commit. */
  setFormat(tree: Tree, format: ConversationFormat): void {
    if (this.#journal === null) throw makeDamagedFileError(this.journalPath, 'is not open');
    this.#append(this.#journal, encodeFormatChangeLine(this.#sequence, format));
    this.#advance(tree, this.#sequence, format, new Set());
  }

  #append(journal: LineFile, line: Uint8Array): void {
    journal.append([line], true);
    this.#mark = { bytes: journal.tail.bytes, seal: crc32Hex(line.subarray(-sealed)) };
  }

  #create(lines: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(lines);
    const temporaryPath = this.#context.writer.make([bytes], 'journal', true);
    withFileErrors(this.journalPath, () => {
      try {
        mkdirSync(join(this.path, 'nodes'), { recursive: true });
        runFileOperation('journal', 'rename', () => renameSync(temporaryPath, this.journalPath));
        syncFolder(this.path, 'journal');
        syncFolder(dirname(this.path), 'journal');
      } catch (error) {
        this.#undoCreate(temporaryPath);
        throw error;
      }
    });
    this.#journal = new LineFile(this.journalPath, 'journal', { bytes: bytes.length, ended: true });
    this.#mark = { bytes: bytes.length, seal: crc32Hex(bytes.subarray(-sealed)) };
  }

  // Errors are ignored, because the original error is thrown. Files that remain are complete but were not acknowledged.
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
        // The folder contains other files, so it must stay.
      }
  }

  #advance(tree: Tree, sequence: number, format: ConversationFormat, files: Set<NodeId> | null): void {
    this.#latest = tree;
    this.#read = null;
    this.#sequence = sequence;
    this.#format = format;
    this.#behind = true;
    if (files === null) this.#dirty = null;
    else if (this.#dirty !== null) for (const id of files) this.#dirty.add(id);
  }

  /**
   * Rewrites the journal with new rows after a purge, a trim or a repair. Without a log, the commits of the old journal
   * are kept.
   */
  rewrite(tree: Tree, log: readonly Commit[] | null, purgedNow: readonly NodeId[]): void {
    const journal = this.#journal;
    if (journal === null) throw makeDamagedFileError(this.journalPath, 'is not open');
    const purged = new Set([...this.#purged, ...purgedNow]);
    const lines = rewriteJournalLines({
      treeId: this.id,
      owner: this.#owner,
      origin: this.#origin,
      log: log ?? this.readJournal().log,
      tree,
      purged,
      sequence: this.#sequence,
      format: this.#format,
    });
    journal.rewrite(lines, this.#context.writer);
    this.#purged = purged;
    this.#mark = { bytes: journal.tail.bytes, seal: this.#seal() };
    this.#advance(tree, this.#sequence, this.#format, null);
  }

  /** Makes the next flush compare every file, instead of only those of changed nodes. */
  distrust(): void {
    if (this.#latest === null) this.#loaded();
    this.#base = null;
    this.#behind = true;
  }

  /**
   * Updates the node files and `tree.json` to match the journal. Returns the tree value that they contain now; null if
   * they were current or the tree is not loaded.
   */
  async flush(): Promise<Tree | null> {
    const target = this.#latest;
    if (target === null || !this.#behind) return null;
    const { writer } = this.#context;
    const [base, ids] = [this.#base, this.#dirty];
    const [mark, sequence, format] = [this.#mark, this.#sequence, this.#format];
    this.#behind = false;
    this.#dirty = new Set();
    // If writing fails half way, the content of the files is unknown.
    this.#base = null;
    try {
      const written = await writeNodeFiles({
        folder: this.path,
        writer,
        base,
        target,
        ids,
        fingerprint: this.#fingerprint,
        count: this.#count,
      });
      const boot = readBootId() ?? 'unknown';
      const unsynced = written.synced && this.#unsynced !== boot ? null : boot;
      const { fingerprint, count } = written;
      const text = formatTreeFile(target, {
        format,
        sequence,
        mark,
        nodes: count,
        fingerprint,
        unsynced,
      });
      writer.replace(this.filePath, [encodeFileText(text)], 'tree', true);
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
