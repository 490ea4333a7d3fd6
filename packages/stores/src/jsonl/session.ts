/** One session of a store: its file, the tree of its lines, and the functions that write commits. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  encodeCommitLines,
  encodeNode,
  type SessionCommit,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  type SessionWarning,
  sessionVersion,
} from '@coppice/content/sessions';
import {
  type AppliedCommit,
  type Commit,
  type ConversationFormat,
  isAppError,
  type MessageKit,
  type Node,
  type NodeId,
  type Tree,
  type TreeId,
} from '@coppice/core';
import { allBookmarks, allNodes, rowOf } from '@coppice/core/tree';
import { AtomicWriter, encodeFileText } from '../disk/atomic-files.ts';
import { joinSmallPieces } from '../disk/line-file.ts';
import type { LoadedTree } from '../in-process/persistence.ts';
import { addMovesBeforeRemovals } from './add-moves-before-removals.ts';
import { detectFileDialect, ForeignFile, makeForeignFileReadOnlyError } from './foreign-file.ts';
import { IndexedTree } from './indexed-tree.ts';
import { type CommitEntries, serializeHeader, serializeSessionLine } from './line-text.ts';
import type { ByteRange } from './node-index.ts';
import { ChangedNodes, deleteNodeIndex, isNodeIndexCurrent, writeNodeIndex } from './node-index-writer.ts';
import { createSessionFile, keepBackupLink, sidecarFolderOf } from './paths.ts';
import { makeFileChangedError } from './refusals.ts';
import { type ReplayedCommit, SessionReplay } from './replay.ts';
import { SessionEntryIds } from './session-entry-ids.ts';
import { JsonlFile } from './session-file.ts';
import { writeSummaryCache } from './summary-cache.ts';

/** What is needed to write one commit: the commit, the tree after it, and its number in the feed. */
export interface SessionCommitInput {
  readonly applied: AppliedCommit;
  readonly tree: Tree;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** One session of a store. Its file is opened when it is first needed. */
export class SessionState {
  readonly treeId: TreeId;
  readonly path: string;
  readonly owner: string;
  readonly #kit: MessageKit;
  #file: SessionFile | null;
  #names: SessionEntryIds | null = null;
  #replay: SessionReplay | null = null;
  #latest: Tree | null = null;
  #loaded: LoadedTree | null = null;
  #purged: ReadonlySet<NodeId> = new Set();
  #sequence = 0;
  #format: ConversationFormat = 'tree';
  #keptAs: string | null = null;
  #isWriter = false;
  // The generation of the file when the tree was read; a rewritten file has a higher one.
  #generation = 0;
  // The changes since the node index was written: undefined before the first change, null if the whole index must be
  // written.
  #changed: ChangedNodes | null | undefined;

  constructor(on: {
    readonly treeId: TreeId;
    readonly path: string;
    readonly owner: string;
    readonly kit: MessageKit;
    readonly file?: SessionFile;
  }) {
    this.treeId = on.treeId;
    this.path = on.path;
    this.owner = on.owner;
    this.#kit = on.kit;
    this.#file = on.file ?? null;
  }

  /** The current tree value; null if it is not loaded. */
  get tree(): Tree | null {
    return this.#latest;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get format(): ConversationFormat {
    return this.#format;
  }

  get file(): SessionFile {
    if (this.#file === null) {
      const dialect = detectFileDialect(this.path);
      this.#file = dialect === 'v2' ? JsonlFile.open(this.path) : ForeignFile.open(this.path, dialect);
    }
    return this.#file;
  }

  get names(): SessionEntryIds {
    this.#names ??= new SessionEntryIds(this.file.header.id);
    return this.#names;
  }

  /** Whether this process holds the lease of the file. */
  get holds(): boolean {
    return this.#file?.writable === true;
  }

  /**
   * Whether this session has written to the file. The lease alone does not tell, because sessions of one process share
   * it.
   */
  get isWriter(): boolean {
    return this.#isWriter && this.holds;
  }

  /** The warnings about damaged, moved and incomplete lines; empty if the file was not opened yet. */
  get warnings(): readonly SessionWarning[] {
    return [...(this.#file?.warnings ?? []), ...(this.#replay?.warnings ?? [])];
  }

  #replaying(): SessionReplay {
    this.#replay ??= this.#reading(this.file);
    return this.#replay;
  }

  #reading(file: SessionFile): SessionReplay {
    if (file instanceof JsonlFile) this.#generation = file.generation;
    const { treeId, owner, names } = this;
    return new SessionReplay({ file, treeId, owner, names, kit: this.#kit });
  }

  /**
   * Reads the whole file and builds the tree with its log. The result is kept until {@link load} takes it or a commit
   * changes it.
   */
  read(): LoadedTree {
    if (this.#loaded === null) {
      const replay = this.#replaying();
      const { tree, log } = replay.load();
      this.#latest = tree;
      this.#purged = replay.purged;
      this.#sequence = replay.sequence;
      this.#format = replay.format;
      this.#loaded = { tree, log, purged: replay.purged };
    }
    return this.#loaded;
  }

  /** Returns the tree that {@link read} built and drops it here, so that it is not kept in memory twice. */
  load(): LoadedTree {
    const loaded = this.read();
    this.#loaded = null;
    return loaded;
  }

  /** Opens the session to read parts of it. Returns null if it was read already, or has no current index. */
  openPart(): IndexedTree | null {
    return this.#latest === null ? IndexedTree.open(this.path, this.#kit) : null;
  }

  /**
   * Writes the summary cache and the node index beside the file. This requires that the file contains exactly what this
   * session read and wrote, that no line is damaged, and that this process holds the lease: without the lease, the
   * caches could contain data that the holder purges meanwhile. A damaged session gets no index, so that each opening
   * reads it completely and reports the damage.
   */
  writeCaches(): void {
    const [file, tree] = [this.#file, this.#latest];
    if (!(file instanceof JsonlFile) || !this.holds || tree === null || tree.version === 0) return;
    try {
      const state = file.knownState();
      if (state === null || this.warnings.length > 0) return;
      // Another store of this process may have written to the file, or replaced it, since the tree was read.
      if (file.version !== tree.version || file.generation !== this.#generation) return;
      writeSummaryCache(this.path, { row: tree, format: this.#format, sequence: this.#sequence });
      if (!this.names.areIdsOfNodes || isNodeIndexCurrent(this.path, state)) return;
      writeNodeIndex(this.path, { tree, state, changed: this.#changed ?? null, lineOf: contentLines(file) });
    } catch (error) {
      // Both files are only caches; without them the session is read from its lines.
      if (!isAppError(error)) throw error;
    }
  }

  /** Returns the commits that other processes added after the given tree. */
  fresh(tree: Tree): readonly ReplayedCommit[] {
    this.file.refresh();
    if (this.file.version <= tree.version || !(this.#file instanceof JsonlFile)) return [];
    const commits = [...this.#replaying().since(tree)];
    const last = commits.at(-1);
    if (last !== undefined) {
      this.#latest = last.tree;
      this.#loaded = null;
      this.#changed = null;
      // Format and version must come from the same commit, or the summary cache would combine an old format with a new
      // version.
      this.#sequence = last.sequence;
      this.#format = last.format;
    }
    return commits;
  }

  /** Returns the file for a write. Throws if another tool wrote the file or another process holds the lease. */
  writing(): JsonlFile {
    const { file } = this;
    if (!(file instanceof JsonlFile)) throw makeForeignFileReadOnlyError(this.path, file.dialect);
    file.lease.take();
    file.lease.check();
    this.#isWriter = true;
    return file;
  }

  /** Persists a commit. The first commit creates the file. */
  commit(kept: SessionCommitInput, header: Readonly<Record<string, unknown>>): void {
    const { applied, tree, sequence, format } = kept;
    const before = this.#latest;
    const misplaced = this.#file === null ? undefined : this.#replaying().misplaced;
    const commit =
      before === null || misplaced === undefined || misplaced.size === 0
        ? applied.commit
        : addMovesBeforeRemovals(applied.commit, before, misplaced);
    const lines = this.#linesOf(commit, before, header);
    const noted = commitOfLine(applied.commit, sequence, format);
    if (this.#file === null) this.#make(lines, noted);
    else {
      if (this.#changed === undefined) this.#changed = this.#startChanges();
      const own = { entries: lines.filter(notHeader), version: applied.commit.version, commit: noted };
      this.writing().write([...this.#listLines(header, format), own]);
    }
    this.#changed?.add(applied.changes);
    this.#latest = tree;
    this.#loaded = null;
    this.#sequence = sequence;
    this.#format = format;
  }

  /** Starts to record changed nodes, if the node index is valid for the current state of the file. */
  #startChanges(): ChangedNodes | null {
    const state = this.#file instanceof JsonlFile ? this.#file.knownState() : null;
    return state !== null && isNodeIndexCurrent(this.path, state) ? new ChangedNodes(state) : null;
  }

  /**
   * Returns the lines of the first commit of a conversation whose file has no commit numbers yet, because an earlier
   * version stored it as a list. They are written together with the second commit.
   */
  #listLines(header: Readonly<Record<string, unknown>>, format: ConversationFormat): CommitEntries[] {
    const { list } = this.#replaying();
    if (list === null || this.file.version > 0) return [];
    const { commit } = list.applied;
    const entries = this.#linesOf(commit, null, header).filter(notHeader);
    return [{ entries, version: commit.version, commit: commitOfLine(commit, this.#sequence, format) }];
  }

  #linesOf(commit: Commit, before: Tree | null, header: Readonly<Record<string, unknown>>): SessionEntry[] {
    const fileId = this.#file === null ? (id: string) => id : this.names.toFile;
    return encodeCommitLines(commit, { before, fileId, newId: randomUUID, kit: this.#kit, header });
  }

  /** Changes the format of a conversation by rewriting the file, because only commit lines contain the format. */
  setFormat(tree: Tree, log: readonly Commit[], format: ConversationFormat): void {
    this.#format = format;
    this.rewrite(tree, log, []);
  }

  #make(lines: readonly SessionEntry[], noted: SessionCommit): void {
    const [first, ...rest] = lines;
    const header = first === undefined ? undefined : asHeader(first);
    if (header === undefined) throw new Error(`The first commit of ${this.treeId} has no root.`);
    const last = rest.length - 1;
    this.#create([
      serializeHeader(rest.length === 0 ? { ...header, ...noted } : header),
      ...rest.map((line, index) => serializeSessionLine(line, 1, index === last ? noted : undefined, rest.length)),
    ]);
  }

  #create(texts: readonly string[]): void {
    createSessionFile(this.path, joinSmallPieces(texts.map(encodeFileText)));
    const file = JsonlFile.open(this.path);
    try {
      file.lease.take();
    } catch (error) {
      // The session was created. If another process has taken the lease meanwhile, the next write reports the holder.
      if (!isAppError(error)) throw error;
    }
    this.#file = file;
    this.#generation = file.generation;
    this.#isWriter = true;
  }

  /** The name under which the last repair kept the old file; null if there was no repair. */
  get keptAs(): string | null {
    return this.#keptAs;
  }

  /**
   * Rewrites the session with new rows after a purge, a trim, a repair or a change of the format; the commits in
   * `changed` are kept as history. For a repair `changed` is null: the commits of the old file are kept, and the old
   * file itself under another name.
   */
  rewrite(tree: Tree, changed: readonly Commit[] | null, purgedNow: readonly NodeId[]): void {
    const file = this.writing();
    file.refresh();
    // The rows do not include later commits of other processes, so the rewrite is refused if there are any.
    const stored = file.version === 0 && this.#replaying().list !== null ? 1 : file.version;
    if (stored !== tree.version) throw makeFileChangedError(file, tree.version);
    const log = changed ?? this.#reading(file).load().log;
    const purged = new Set([...this.#purged, ...purgedNow]);
    const writer = new AtomicWriter(join(sidecarFolderOf(this.path), 'making'));
    const lines = this.#rewritten(file.header, tree, log, purged);
    deleteNodeIndex(this.path);
    this.#changed = null;
    if (changed === null) this.#keptAs = keepBackupLink(this.path, 'damaged-');
    writer.replace(this.path, joinSmallPieces(lines), 'session', true);
    file.reopen();
    this.#generation = file.generation;
    this.#replay = null;
    this.#names = null;
    this.names.take(file);
    this.#latest = tree;
    this.#loaded = null;
    this.#purged = purged;
  }

  *#rewritten(
    header: SessionHeader,
    tree: Tree,
    log: readonly Commit[],
    purged: ReadonlySet<NodeId>,
  ): Generator<Uint8Array, void, undefined> {
    const { toFile } = this.names;
    const { format: _, ...plain } = header;
    yield encodeFileText(serializeHeader({ ...plain, type: 'session', version: sessionVersion, parentUuid: null }));
    const { version } = tree;
    const about = (type: string, fields: object, last = false) =>
      encodeFileText(
        serializeSessionLine(
          { type, uuid: randomUUID(), parentUuid: header.uuid, ...fields },
          version,
          last ? null : undefined,
        ),
      );
    for (const commit of log) yield about('log', { of: commit });
    const nodes = parentsBefore(allNodes(tree));
    const [root, ...others] = nodes;
    yield about('state', {
      row: rowOf(tree),
      root,
      bookmarks: allBookmarks(tree),
      purged: [...purged],
      ...historyStartField(log),
      sequence: this.#sequence,
      format: this.#format,
    });
    for (const node of others)
      yield encodeFileText(serializeSessionLine(this.#rowLine(node, toFile), version, undefined));
    const active = tree.activeNodeId ?? tree.rootId;
    yield encodeFileText(
      serializeSessionLine({ type: 'leaf', uuid: randomUUID(), parentUuid: toFile(active) }, version, null),
    );
  }

  #rowLine(node: Node, toFile: (id: string) => string): SessionEntry {
    const { message, text, meta: _, marker: __, aliases: ___, role: ____, ...row } = node;
    const same = message !== null && this.#kit.text(message) === text;
    const entry = encodeNode(node, toFile, same ? {} : { text });
    return { ...entry, row };
  }

  /** Drops the loaded tree, because another process replaced the file. The file is read again when it is needed. */
  reset(): void {
    this.close();
    [this.#names, this.#replay, this.#latest, this.#loaded] = [null, null, null, null];
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }
}

/** Returns the field that records where a shortened log begins; nothing for a complete log. */
function historyStartField(log: readonly Commit[]): { readonly from?: number } {
  const from = log[0]?.version ?? 1;
  return from > 1 ? { from } : {};
}

function notHeader(line: SessionEntry): boolean {
  return line.type !== 'session';
}

function asHeader(line: SessionEntry): SessionHeader | undefined {
  const { id, version } = line;
  if (line.type !== 'session' || typeof id !== 'string' || typeof version !== 'number') return undefined;
  return { ...line, type: 'session', parentUuid: null, id, version };
}

/** Returns the fields that the last line of a commit contains in addition to its entry. */
function commitOfLine(commit: Commit, sequence: number, format: ConversationFormat): SessionCommit {
  const { actId, actor, at, kind } = commit;
  return {
    actId,
    actor,
    at,
    ...(kind === 'do' ? {} : { kind }),
    sequence,
    ...(format === 'linear' ? { format } : {}),
  };
}

/**
 * Returns a function that finds the line with the content of a node: the line that inserted the node, or the only
 * change line of the commit that replaced the content. The result is null if there is no such line, as in files of
 * other tools.
 */
function contentLines(file: JsonlFile): (node: Node) => ByteRange | null {
  const changes = new Map<number, number | null>();
  for (let index = 0; index < file.size; index++) {
    if (file.typeAt(index) !== 'change') continue;
    const version = file.versionAt(index);
    changes.set(version, changes.has(version) || !file.isOurs(index) ? null : index);
  }
  return (node) => {
    const own = file.indexOf(node.id);
    if (own < 0 || !file.isOurs(own)) return null;
    const version = file.versionAt(own);
    const change = changes.get(node.contentIn);
    // A commit with inserts and changes may have replaced the content that it inserted, so its line may be outdated.
    if (node.contentIn <= version) return changes.has(version) ? null : file.rangeAt(own);
    return change === undefined || change === null ? null : file.rangeAt(change);
  };
}

/** Sorts nodes so that parents come before children. After a text was split, the first half is newer than its child. */
function parentsBefore(nodes: readonly Node[]): Node[] {
  const below = new Map<string, Node[]>();
  const open: Node[] = [];
  for (const node of nodes) {
    if (node.parentId === null) open.push(node);
    else {
      const list = below.get(node.parentId);
      if (list === undefined) below.set(node.parentId, [node]);
      else list.push(node);
    }
  }
  const found: Node[] = [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    const list = below.get(node.id) ?? [];
    for (let index = list.length - 1; index >= 0; index--) open.push(list[index] ?? node);
  }
  return found;
}
