/** Reads and writes the journal of a tree: one line per commit. If other files differ from the journal, it is right. */

import type { FieldMap } from '@coppice/core';
import {
  type ActId,
  actId,
  type Bookmark,
  type Commit,
  type ConversationFormat,
  isAppError,
  type MessageKit,
  type Node,
  type NodeId,
  type Tree,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import {
  finiteNumberField,
  isFieldMap,
  MalformedError,
  objectField,
  ownField,
  requiredText,
} from '@coppice/core/decode';
import { treeFromRows } from '@coppice/core/history';
import { allBookmarks, allNodes, applyOrThrow, emptyTree, rowOf } from '@coppice/core/tree';
import { makeDamagedFileError, makeNewerFormatError } from '../disk/atomic-files.ts';
import {
  decodeBookmarks,
  decodeCommit,
  decodeNode,
  decodeNodeIds,
  decodeTreeRow,
  describeUnreadable,
  UnreadableValueError,
} from '../disk/decode.ts';
import {
  type ChecksummedLine,
  encodeChecksummedLine,
  type FileTail,
  type LineRange,
  readLinesOfFile,
} from '../disk/line-file.ts';
import { decodeLinearConversation } from '../disk/records.ts';
import { buildLinearTree } from '../linear.ts';

const journalVersion = 1;

/** The tree of another program that a tree was imported from. */
export interface JournalOrigin {
  readonly format: 'loom';
  readonly scope: string;
  readonly id: string;
}

/** Encodes the first line of a journal: format, version, tree, owner, origin and, after a trim, the first version. */
export function encodeJournalHeader(treeId: TreeId, owner: string, origin: JournalOrigin | null, from = 1): Uint8Array {
  return encodeChecksummedLine({
    type: 'journal',
    format: 'coppice/journal',
    formatVersion: journalVersion,
    treeId,
    owner,
    ...(origin === null ? {} : { origin }),
    ...(from > 1 ? { from } : {}),
  });
}

/** Encodes the line of a commit. It omits the tree's id, which is in the first line. */
export function encodeCommitLine(commit: Commit, sequence: number, format: ConversationFormat): Uint8Array {
  const { treeId: _, ...rest } = commit;
  return encodeChecksummedLine({ type: 'commit', sequence, format, ...rest });
}

/** Encodes the line that changes the format of a conversation: list or tree. */
export function encodeFormatChangeLine(sequence: number, format: ConversationFormat): Uint8Array {
  return encodeChecksummedLine({ type: 'format', sequence, format });
}

/**
 * What is needed to rewrite a journal: the commits, and the current rows, which the remaining commits can no longer
 * build.
 */
export interface JournalRewriteInput {
  readonly treeId: TreeId;
  readonly owner: string;
  readonly origin: JournalOrigin | null;
  readonly log: readonly Commit[];
  readonly tree: Tree;
  readonly purged: ReadonlySet<NodeId>;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** Yields the lines of a journal after a purge, a repair or a trim: the commits as history, then the current rows. */
export function* rewriteJournalLines(to: JournalRewriteInput): Generator<Uint8Array, void, undefined> {
  const { sequence, format, tree } = to;
  yield encodeJournalHeader(to.treeId, to.owner, to.origin, to.log[0]?.version);
  for (const commit of to.log) yield encodeCommitLine(commit, sequence, format);
  const nodes = allNodes(tree);
  yield encodeChecksummedLine({
    type: 'state',
    sequence,
    format,
    row: rowOf(tree),
    bookmarks: allBookmarks(tree),
    purged: [...to.purged],
    nodes: nodes.length,
  });
  for (const node of nodes) yield encodeChecksummedLine({ type: 'node', node });
}

/** Returns the version of the first commit from the first line of a journal. */
export function decodeJournalFirstVersion(head: FieldMap): number {
  const from = ownField(head, 'from');
  return typeof from === 'number' && Number.isSafeInteger(from) ? Math.max(1, from) : 1;
}

/** Returns the origin of a tree from the first line of its journal; null if the tree was created here. */
export function decodeJournalOrigin(head: FieldMap): JournalOrigin | null {
  const origin = ownField(head, 'origin');
  return isFieldMap(origin)
    ? { format: 'loom', scope: requiredText(origin, 'scope'), id: requiredText(origin, 'id') }
    : null;
}

/** What a journal contains: its commits, and rows if it was rewritten. */
export interface Journal {
  readonly owner: string;
  readonly origin: JournalOrigin | null;
  readonly log: readonly Commit[];
  readonly purged: ReadonlySet<NodeId>;
  /**
   * The rows that a purge, a repair or a trim stored, to which later commits are applied; null if the journal was never
   * rewritten.
   */
  readonly state: JournalState | null;
  readonly format: ConversationFormat;
  readonly sequence: number;
  readonly tail: FileTail;
  /** The unreadable lines that are skipped. They stay in the file. */
  readonly broken: readonly BrokenJournal[];
}

/** An unreadable line that is skipped, because its commit was never acknowledged. */
interface BrokenJournal extends LineRange {
  readonly why: string;
}

interface JournalState {
  readonly row: TreeRow;
  readonly bookmarks: readonly Bookmark[];
  readonly nodes: Node[];
  readonly count: number;
}

/** Reads the lines of a journal one by one. Throws on a line that may belong to an acknowledged commit. */
class JournalReader {
  readonly path: string;
  readonly treeId: TreeId;
  owner: string | null = null;
  readonly #kit: MessageKit | undefined;
  origin: JournalOrigin | null = null;
  readonly log: Commit[] = [];
  #from = 1;
  purged: ReadonlySet<NodeId> = new Set();
  state: JournalState | null = null;
  format: ConversationFormat = 'tree';
  sequence = 0;
  tail: FileTail = { bytes: 0, ended: true };
  readonly broken: BrokenJournal[] = [];

  constructor(path: string, treeId: TreeId, kit: MessageKit | undefined) {
    this.path = path;
    this.treeId = treeId;
    this.#kit = kit;
  }

  take(line: ChecksummedLine): void {
    const { at } = line;
    this.tail = { bytes: at.offset + at.length + (at.ended ? 1 : 0), ended: at.ended };
    if (!line.ok) {
      if (at.length === 0) return;
      // The first line and the rows are written together with the whole file, so a crash cannot have cut them off.
      if (this.owner === null || this.open) throw this.bad(at, line.why);
      this.broken.push({ ...at, why: line.why });
      if (!line.torn) this.#alteredLine = at;
      return;
    }
    try {
      this.#understand(line.value, at);
    } catch (error) {
      if (error instanceof MalformedError) throw this.bad(at, describeUnreadable(error));
      throw error;
    }
  }

  // An altered line whose commit may be lost. If the next commit continues the versions without a gap, the altered
  // commit was never acknowledged.
  #alteredLine: LineRange | null = null;

  get open(): boolean {
    return this.state !== null && this.state.nodes.length < this.state.count;
  }

  bad(at: LineRange, why: string): Error {
    return makeDamagedFileError(this.path, `cannot be read at line ${at.line} (byte ${at.offset}): it ${why}`, {
      line: at.line,
      offset: at.offset,
    });
  }

  #understand(value: FieldMap, at: LineRange): void {
    const type = requiredText(value, 'type');
    if (this.owner === null) return this.#head(type, value);
    if (this.open !== (type === 'node')) throw new UnreadableValueError('is in the wrong place');
    switch (type) {
      case 'commit':
        return this.#commit(value, at);
      case 'format':
        return this.#numbers(value);
      case 'linear':
        return this.#list(value, at);
      case 'state':
        return this.#state(value);
      case 'node':
        this.state?.nodes.push(decodeNode(objectField(value, 'node')));
        return;
      default:
        throw makeNewerFormatError(this.path, `with lines of type ${JSON.stringify(type)}`, journalVersion);
    }
  }

  #head(type: string, value: FieldMap): void {
    if (type !== 'journal' || ownField(value, 'format') !== 'coppice/journal')
      throw new UnreadableValueError('is not the first line of a journal');
    const version = ownField(value, 'formatVersion');
    if (version !== journalVersion) throw makeNewerFormatError(this.path, version, journalVersion);
    if (requiredText(value, 'treeId') !== this.treeId)
      throw new UnreadableValueError(`belongs to the tree ${requiredText(value, 'treeId')}`);
    this.owner = requiredText(value, 'owner');
    this.origin = decodeJournalOrigin(value);
    this.#from = decodeJournalFirstVersion(value);
  }

  get #nextVersion(): number {
    return this.#from + this.log.length;
  }

  /** Reads a list that an earlier version wrote as the commit that stores the list as a tree. */
  #list(value: FieldMap, at: LineRange): void {
    const { applied } = buildLinearTree(
      decodeLinearConversation(objectField(value, 'record')),
      this.owner ?? '',
      this.#kit,
    );
    this.#enter(applied.commit, at);
    this.sequence = finiteNumberField(value, 'sequence');
    this.format = 'linear';
  }

  #commit(value: FieldMap, at: LineRange): void {
    const before = ownField(value, 'before');
    // Earlier versions wrote the commit of a list into the line of the first change.
    if (isFieldMap(before) && this.log.length === 0) this.#enter(decodeCommit(before, this.treeId), at);
    this.#enter(decodeCommit(value, this.treeId), at);
    this.#numbers(value);
  }

  #enter(commit: Commit, at: LineRange): void {
    if (commit.version !== this.#nextVersion) {
      const missing = `the version ${this.#nextVersion} is missing before ${commit.version}`;
      const [lost] = this.broken.slice(-1);
      throw lost === undefined
        ? new UnreadableValueError(`continues after a gap: ${missing}`)
        : this.bad(lost, `${lost.why}, and ${missing} at line ${at.line}`);
    }
    this.#alteredLine = null;
    this.log.push(commit);
  }

  #state(value: FieldMap): void {
    const state = {
      row: decodeTreeRow(objectField(value, 'row')),
      bookmarks: decodeBookmarks(value, 'bookmarks'),
      nodes: [],
      count: finiteNumberField(value, 'nodes'),
    };
    if (state.row.version !== this.#nextVersion - 1)
      throw new UnreadableValueError('is of another version than the commits before it');
    this.state = state;
    this.purged = new Set(decodeNodeIds(value, 'purged'));
    this.#numbers(value);
  }

  #numbers(value: FieldMap): void {
    this.sequence = finiteNumberField(value, 'sequence');
    this.format = ownField(value, 'format') === 'linear' ? 'linear' : 'tree';
  }

  finished(): Journal {
    const { owner, path } = this;
    if (owner === null) throw makeDamagedFileError(path, 'is empty');
    if (this.open) throw makeDamagedFileError(path, 'ends in the middle of its rows');
    if (this.#alteredLine !== null) throw this.bad(this.#alteredLine, 'does not match its checksum');
    if (this.log.length === 0) throw makeDamagedFileError(path, 'has no commit');
    if (this.#from > 1 && this.state === null)
      throw makeDamagedFileError(path, `begins with version ${this.#from} and lacks the rows of the tree`);
    const { origin, log, purged, state, format, sequence, tail, broken } = this;
    return {
      owner,
      origin,
      log,
      purged,
      state,
      format,
      sequence,
      tail,
      broken,
    };
  }
}

/**
 * Reads a journal. An incomplete last line is skipped and reported; so is an incomplete line in the middle, if the next
 * commit shows that it was never acknowledged. Any other unreadable line throws `store/damaged` with file and line.
 */
export function readJournal(path: string, treeId: TreeId, kit?: MessageKit): Journal {
  const reader = new JournalReader(path, treeId, kit);
  for (const line of readLinesOfFile(path)) reader.take(line);
  return reader.finished();
}

/**
 * Builds the tree from a journal. It starts from `base` if given, else from stored rows, else from the first commit.
 */
export function replayJournal(path: string, treeId: TreeId, journal: Journal, base: Tree | null = null): Tree {
  const { log, state, owner } = journal;
  let tree = base;
  if (state !== null && (tree === null || tree.version < state.row.version))
    tree = treeFromRows(state.row, state.nodes, state.bookmarks);
  tree ??= emptyTree(treeId, owner, log[0]?.at ?? 0);
  for (const commit of log.slice(Math.max(0, tree.version + 1 - (log[0]?.version ?? 1)))) {
    try {
      tree = applyOrThrow(tree, commit.steps, { at: commit.at }).tree;
    } catch (error) {
      if (!isAppError(error)) throw error;
      throw makeDamagedFileError(
        path,
        `has a commit that cannot be applied, version ${commit.version}: ${error.message}`,
      );
    }
  }
  return tree;
}

/** Yields the act ids in a journal, without decoding the steps. */
export function* readActsOfJournal(path: string): Generator<ActId, void, undefined> {
  for (const line of readLinesOfFile(path)) {
    if (!line.ok) continue;
    const before = ownField(line.value, 'before');
    for (const value of isFieldMap(before) ? [before, line.value] : [line.value]) {
      const act = ownField(value, 'actId');
      if (typeof act === 'string') yield actId(act);
    }
  }
}

/** Returns the origin of a tree from the first line of its journal; null if it has none or the line cannot be read. */
export function readTreeOrigin(path: string): { readonly id: string } | null {
  for (const line of readLinesOfFile(path)) {
    const origin = line.ok ? ownField(line.value, 'origin') : undefined;
    const id = isFieldMap(origin) ? ownField(origin, 'id') : undefined;
    return typeof id === 'string' ? { id } : null;
  }
  return null;
}
