/** The journal of one tree: the truth about it, one line per commit. */
import {
  type ActId,
  actId,
  type Bookmark,
  type Commit,
  type ConversationFormat,
  isAppError,
  type LinearRecord,
  type Node,
  type NodeId,
  type Tree,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import { fromRows } from '@coppice/core/history';
import { allBookmarks, allNodes, applyOrThrow, emptyTree } from '@coppice/core/tree';
import { damagedFile, newerFormat } from '../disk/atomic-files.ts';
import {
  type DiskFields,
  decodeBookmarks,
  decodeCommit,
  decodeIds,
  decodeNode,
  decodeRow,
  diskField,
  diskNumber,
  diskObject,
  diskRow,
  diskText,
  isDiskFields,
  Unreadable,
} from '../disk/decode.ts';
import { type FileTail, type LineRange, linesOfFile, type SealedLine, toLine } from '../disk/line-file.ts';
import { readRecord } from '../disk/records.ts';

/** The version of the journal's format. */
const journalVersion = 1;

/** Where a tree was before it had a journal. */
export interface JournalOrigin {
  readonly format: 'loom';
  readonly scope: string;
  readonly id: string;
}

/** The first line. */
export function journalHead(treeId: TreeId, owner: string, origin: JournalOrigin | null): Uint8Array {
  return toLine({
    type: 'journal',
    format: 'coppice/journal',
    formatVersion: journalVersion,
    treeId,
    owner,
    ...(origin === null ? {} : { origin }),
  });
}

/**
 * The line of a commit. The tree's id stands in the first line only. The first write to a list of messages carries the
 * commit that makes a tree of it: one line, so that a crash leaves both or neither.
 */
export function commitLine(
  commit: Commit,
  sequence: number,
  format: ConversationFormat,
  list: Commit | null = null,
): Uint8Array {
  const { treeId: _, ...rest } = commit;
  if (list === null) return toLine({ type: 'commit', sequence, format, ...rest });
  const { treeId: __, ...before } = list;
  return toLine({ type: 'commit', sequence, format, ...rest, before });
}

/** The line of a list of messages that is not stored as a tree yet. */
export function linearLine(record: LinearRecord, sequence: number): Uint8Array {
  return toLine({ type: 'linear', sequence, record });
}

/** What a journal is rewritten with: the log as it is now, and the rows that it does not lead to any more. */
export interface RewrittenJournal {
  readonly treeId: TreeId;
  readonly owner: string;
  readonly origin: JournalOrigin | null;
  readonly log: readonly Commit[];
  readonly tree: Tree;
  readonly purged: ReadonlySet<NodeId>;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** A journal anew, after a purge or a repair: the commits are history then, and the rows stand by themselves. */
export function* rewrittenLines(to: RewrittenJournal): Generator<Uint8Array, void, undefined> {
  const { sequence, format, tree } = to;
  yield journalHead(to.treeId, to.owner, to.origin);
  for (const commit of to.log) yield commitLine(commit, sequence, format);
  const nodes = allNodes(tree);
  yield toLine({
    type: 'state',
    sequence,
    format,
    row: diskRow(tree),
    bookmarks: allBookmarks(tree),
    purged: [...to.purged],
    nodes: nodes.length,
  });
  for (const node of nodes) yield toLine({ type: 'node', node });
}

/** Where the first line of a journal says that its tree was before. */
export function originInLine(head: DiskFields): JournalOrigin | null {
  const origin = diskField(head, 'origin');
  return isDiskFields(origin) ? { format: 'loom', scope: diskText(origin, 'scope'), id: diskText(origin, 'id') } : null;
}

/** A journal as it was read. */
export interface Journal {
  readonly owner: string;
  readonly origin: JournalOrigin | null;
  readonly log: readonly Commit[];
  readonly purged: ReadonlySet<NodeId>;
  /** The rows that a purge or a repair left, and from which the commits after them go on. */
  readonly state: JournalState | null;
  /** The list that the tree is read from while it has no commit. */
  readonly linear: LinearRecord | null;
  readonly format: ConversationFormat;
  readonly sequence: number;
  readonly tail: FileTail;
  /** Lines that cannot be read and stay where they are. */
  readonly broken: readonly BrokenJournal[];
}

/** A line that was never acknowledged: what a crash left of it. */
export interface BrokenJournal extends LineRange {
  readonly why: string;
}

interface JournalState {
  readonly row: TreeRow;
  readonly bookmarks: readonly Bookmark[];
  readonly nodes: Node[];
  readonly count: number;
}

/** Reads a journal line by line. */
class JournalReader {
  readonly path: string;
  readonly treeId: TreeId;
  owner: string | null = null;
  origin: JournalOrigin | null = null;
  readonly log: Commit[] = [];
  purged: ReadonlySet<NodeId> = new Set();
  state: JournalState | null = null;
  linear: LinearRecord | null = null;
  format: ConversationFormat = 'tree';
  sequence = 0;
  tail: FileTail = { bytes: 0, ended: true };
  readonly broken: BrokenJournal[] = [];

  constructor(path: string, treeId: TreeId) {
    this.path = path;
    this.treeId = treeId;
  }

  take(line: SealedLine): void {
    const { at } = line;
    this.tail = { bytes: at.offset + at.length + (at.ended ? 1 : 0), ended: at.ended };
    if (!line.ok) {
      if (at.length === 0) return;
      // The first line and those of a state came with a rename, whole or not at all.
      if (this.owner === null || this.open) throw this.bad(at, line.why);
      this.broken.push({ ...at, why: line.why });
      if (!line.torn) this.#doubt = at;
      return;
    }
    try {
      this.#understand(line.value, at);
    } catch (error) {
      if (error instanceof Unreadable) throw this.bad(at, error.message);
      throw error;
    }
  }

  // A line that was altered after it was written may have been acknowledged; only a commit that follows without gap shows
  // that it was not.
  #doubt: LineRange | null = null;

  get open(): boolean {
    return this.state !== null && this.state.nodes.length < this.state.count;
  }

  bad(at: LineRange, why: string): Error {
    return damagedFile(this.path, `cannot be read at line ${at.line} (byte ${at.offset}): it ${why}`, {
      line: at.line,
      offset: at.offset,
    });
  }

  #understand(value: DiskFields, at: LineRange): void {
    const type = diskText(value, 'type');
    if (this.owner === null) return this.#head(type, value);
    if (this.open !== (type === 'node')) throw new Unreadable('stands in the wrong place');
    switch (type) {
      case 'commit':
        return this.#commit(value, at);
      case 'linear':
        this.linear = readRecord(diskObject(value, 'record'));
        this.format = 'linear';
        this.sequence = diskNumber(value, 'sequence');
        return;
      case 'state':
        return this.#state(value);
      case 'node':
        this.state?.nodes.push(decodeNode(diskObject(value, 'node')));
        return;
      default:
        throw newerFormat(this.path, `with lines of type ${JSON.stringify(type)}`, journalVersion);
    }
  }

  #head(type: string, value: DiskFields): void {
    if (type !== 'journal' || diskField(value, 'format') !== 'coppice/journal')
      throw new Unreadable('does not say that this is a journal');
    const version = diskField(value, 'formatVersion');
    if (version !== journalVersion) throw newerFormat(this.path, version, journalVersion);
    if (diskText(value, 'treeId') !== this.treeId)
      throw new Unreadable(`belongs to the tree ${diskText(value, 'treeId')}`);
    this.owner = diskText(value, 'owner');
    this.origin = originInLine(value);
  }

  #commit(value: DiskFields, at: LineRange): void {
    const before = diskField(value, 'before');
    if (isDiskFields(before)) this.#enter(decodeCommit(before, this.treeId), at);
    this.#enter(decodeCommit(value, this.treeId), at);
    this.#numbers(value);
  }

  #enter(commit: Commit, at: LineRange): void {
    if (commit.version !== this.log.length + 1) {
      const missing = `the version ${this.log.length + 1} is missing before ${commit.version}`;
      const [lost] = this.broken.slice(-1);
      throw lost === undefined
        ? new Unreadable(`goes on with a gap: ${missing}`)
        : this.bad(lost, `${lost.why}, and ${missing} at line ${at.line}`);
    }
    this.#doubt = null;
    this.log.push(commit);
  }

  #state(value: DiskFields): void {
    const state = {
      row: decodeRow(diskObject(value, 'row')),
      bookmarks: decodeBookmarks(value, 'bookmarks'),
      nodes: [],
      count: diskNumber(value, 'nodes'),
    };
    if (state.row.version !== this.log.length) throw new Unreadable('is of another version than the commits before it');
    this.state = state;
    this.purged = new Set(decodeIds(value, 'purged'));
    this.#numbers(value);
  }

  #numbers(value: DiskFields): void {
    this.sequence = diskNumber(value, 'sequence');
    this.format = diskField(value, 'format') === 'linear' ? 'linear' : 'tree';
  }

  finished(): Journal {
    const { owner, path } = this;
    if (owner === null) throw damagedFile(path, 'is empty');
    if (this.open) throw damagedFile(path, 'ends in the middle of its rows');
    if (this.#doubt !== null) throw this.bad(this.#doubt, 'does not fit its checksum');
    if (this.log.length === 0 && this.linear === null) throw damagedFile(path, 'has no commit');
    const { origin, log, purged, state, linear, format, sequence, tail, broken } = this;
    return {
      owner,
      origin,
      log,
      purged,
      state,
      linear: log.length === 0 ? linear : null,
      format,
      sequence,
      tail,
      broken,
    };
  }
}

/**
 * Reads a journal. A torn last line is left out and reported; so is one in the middle that the commits after it show to
 * have been one. Everything else that cannot be read is refused with `store/damaged`, naming file and line.
 */
export function readJournal(path: string, treeId: TreeId): Journal {
  const reader = new JournalReader(path, treeId);
  for (const line of linesOfFile(path)) reader.take(line);
  return reader.finished();
}

/** The tree that a journal leads to, from the rows of some version if they are given, else from the beginning. */
export function replay(path: string, treeId: TreeId, journal: Journal, base: Tree | null = null): Tree {
  const { log, state, owner } = journal;
  let tree = base;
  if (state !== null && (tree === null || tree.version < state.row.version))
    tree = fromRows(state.row, state.nodes, state.bookmarks);
  tree ??= emptyTree(treeId, owner, log[0]?.at ?? 0);
  for (const commit of log.slice(tree.version)) {
    try {
      tree = applyOrThrow(tree, commit.steps, { at: commit.at }).tree;
    } catch (error) {
      if (!isAppError(error)) throw error;
      throw damagedFile(path, `has a commit that does not fit, version ${commit.version}: ${error.message}`);
    }
  }
  return tree;
}

/** The acts in a journal, without reading what they did. */
export function* actsIn(path: string): Generator<ActId, void, undefined> {
  for (const line of linesOfFile(path)) {
    if (!line.ok) continue;
    const before = diskField(line.value, 'before');
    for (const value of isDiskFields(before) ? [before, line.value] : [line.value]) {
      const act = diskField(value, 'actId');
      if (typeof act === 'string') yield actId(act);
    }
  }
}

/** Where a tree was before it had this journal, by its first line alone; null where it was nowhere or cannot be read. */
export function originOf(path: string): { readonly id: string } | null {
  for (const line of linesOfFile(path)) {
    const origin = line.ok ? diskField(line.value, 'origin') : undefined;
    const id = isDiskFields(origin) ? diskField(origin, 'id') : undefined;
    return typeof id === 'string' ? { id } : null;
  }
  return null;
}
