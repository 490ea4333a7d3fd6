/** One session of a store: its file, the tree that its lines make, and what is written to it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  encodeNode,
  linesOfCommit,
  type SessionCommit,
  type SessionEntry,
  type SessionFile,
  type SessionHeader,
  type SessionWarning,
  sessionVersion,
} from '@coppice/content/sessions';
import {
  type Commit,
  type ConversationFormat,
  isAppError,
  type LinearRecord,
  type MessageKit,
  type Node,
  type NodeId,
  type PreparedCommit,
  type Tree,
  type TreeId,
} from '@coppice/core';
import { allBookmarks, allNodes } from '@coppice/core/tree';
import { AtomicWriter, bytesOfFile } from '../disk/atomic-files.ts';
import { diskRow } from '../disk/decode.ts';
import { gatherLines } from '../disk/line-file.ts';
import type { LoadedTree } from '../in-process/persistence.ts';
import { linearRootId } from '../linear.ts';
import { FileNames } from './file-names.ts';
import { dialectOf, ForeignFile, readAsItIs } from './foreign-file.ts';
import { headerText, lineText } from './line-text.ts';
import { keepBeside, makeFile, sidecarFolder } from './paths.ts';
import { fileChanged } from './refusals.ts';
import { Replay, type ReplayedCommit } from './replay.ts';
import { JsonlFile } from './session-file.ts';

/** A commit on its way into a file. */
export interface SessionLines {
  readonly settled: PreparedCommit;
  readonly tree: Tree;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** One session. Its file is opened when it is first needed. */
export class SessionState {
  readonly treeId: TreeId;
  readonly path: string;
  readonly owner: string;
  readonly #kit: MessageKit;
  #file: SessionFile | null;
  #names: FileNames | null = null;
  #replay: Replay | null = null;
  #latest: Tree | null = null;
  #loaded: LoadedTree | null = null;
  #purged: ReadonlySet<NodeId> = new Set();
  #sequence = 0;
  #format: ConversationFormat = 'tree';
  #keptAs: string | null = null;
  #isWriter = false;

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

  /** The newest value, if it is loaded. */
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
      const dialect = dialectOf(this.path);
      this.#file = dialect === 'v2' ? JsonlFile.open(this.path) : ForeignFile.open(this.path, dialect);
    }
    return this.#file;
  }

  get names(): FileNames {
    this.#names ??= new FileNames(this.file.header.id);
    return this.#names;
  }

  /** Whether this process holds the lease. */
  get holds(): boolean {
    return this.#file?.writable === true;
  }

  /** Whether it was written to through this session, and not only by others of the same process. */
  get isWriter(): boolean {
    return this.#isWriter && this.holds;
  }

  /** What is to be said of the lines. */
  get warnings(): readonly SessionWarning[] {
    return [...(this.#file?.warnings ?? []), ...(this.#replay?.warnings ?? [])];
  }

  #replaying(): Replay {
    this.#replay ??= this.#reading(this.file);
    return this.#replay;
  }

  #reading(file: SessionFile): Replay {
    const { treeId, owner, names } = this;
    return new Replay({ file, treeId, owner, names, kit: this.#kit });
  }

  /** Reads the whole session; a list of messages is given as such. */
  read(): { readonly loaded: LoadedTree; readonly linear: LinearRecord | null } {
    if (this.#loaded === null) {
      const replay = this.#replaying();
      const { tree, log } = replay.load();
      this.#latest = tree;
      this.#purged = replay.purged;
      this.#sequence = replay.sequence;
      this.#format = replay.format;
      this.#loaded = { tree, log, purged: replay.purged };
    }
    const { linear } = this.#replaying();
    return { loaded: this.#loaded, linear: this.#loaded.tree.version === 0 ? linear : null };
  }

  /** Hands over what was read; it is not held twice. */
  load(): LoadedTree {
    const { loaded } = this.read();
    this.#loaded = null;
    return loaded;
  }

  /** The commits that others have added since a tree was what it is. */
  fresh(tree: Tree): readonly ReplayedCommit[] {
    this.file.refresh();
    if (this.file.version <= tree.version || !(this.#file instanceof JsonlFile)) return [];
    const landed = [...this.#replaying().since(tree)];
    const last = landed.at(-1);
    if (last !== undefined) {
      this.#latest = last.tree;
      this.#loaded = null;
    }
    return landed;
  }

  /** The file, open for writing; refused where it is another tool's or somebody else holds it. */
  writing(): JsonlFile {
    const { file } = this;
    if (!(file instanceof JsonlFile)) throw readAsItIs(this.path, file.dialect);
    file.lease.take();
    file.lease.check();
    this.#isWriter = true;
    return file;
  }

  /** Makes a commit last; the one by which a list became a tree goes with it, in one write. The first one makes the file. */
  commit(
    kept: SessionLines & { readonly list?: Omit<SessionLines, 'format'> },
    header: Readonly<Record<string, unknown>>,
  ): void {
    const { settled, tree, sequence, format, list } = kept;
    const before = this.#latest?.version === 0 ? null : this.#latest;
    const first = list === undefined ? [] : [this.#linesOf(list.settled.commit, null, header)];
    const lines = this.#linesOf(settled.commit, list?.tree ?? before, header);
    const noted = commitOfLine(settled.commit, sequence, format);
    if (this.#file === null) this.#make(lines, noted);
    else {
      const commits = [...first.map((entries) => ({ entries, of: list ?? kept })), { entries: lines, of: kept }];
      this.writing().write(
        commits.map(({ entries, of }) => ({
          entries: entries.filter(notHeader),
          version: of.settled.commit.version,
          commit: commitOfLine(of.settled.commit, of.sequence, format),
        })),
      );
    }
    this.#latest = tree;
    this.#loaded = null;
    this.#sequence = sequence;
    this.#format = format;
  }

  #linesOf(commit: Commit, before: Tree | null, header: Readonly<Record<string, unknown>>): SessionEntry[] {
    const fileId = this.#file === null ? (id: string) => id : this.names.toFile;
    return linesOfCommit(commit, { before, fileId, newId: randomUUID, kit: this.#kit, header });
  }

  /** Makes a list of messages last, as it is. */
  putLinear(record: LinearRecord, sequence: number, more: Readonly<Record<string, unknown>>): void {
    const root = linearRootId(record.treeId);
    const at = record.createdAt;
    const dated = Number.isSafeInteger(at) && Math.abs(at) <= 8.64e15;
    const header: SessionHeader = {
      type: 'session',
      version: sessionVersion,
      uuid: root,
      parentUuid: null,
      id: record.treeId,
      ...(dated ? { timestamp: new Date(at).toISOString() } : { node: { createdAt: at } }),
      ...more,
      format: 'linear',
    };
    const line = { type: 'linear', uuid: randomUUID(), parentUuid: root, sequence, record };
    this.#create([headerText(header), `${JSON.stringify(line)}\n`]);
    this.#sequence = sequence;
    this.#format = 'linear';
  }

  #make(lines: readonly SessionEntry[], noted: SessionCommit): void {
    const [first, ...rest] = lines;
    const header = first === undefined ? undefined : asHeader(first);
    if (header === undefined) throw new Error(`The first commit of ${this.treeId} has no root.`);
    const last = rest.length - 1;
    this.#create([
      headerText(rest.length === 0 ? { ...header, ...noted } : header),
      ...rest.map((line, index) => lineText(line, 1, index === last ? noted : undefined)),
    ]);
  }

  #create(texts: readonly string[]): void {
    makeFile(this.path, gatherLines(texts.map(bytesOfFile)));
    const file = JsonlFile.open(this.path);
    try {
      file.lease.take();
    } catch (error) {
      // The session is there; whoever writes next takes the lease or is told who has it.
      if (!isAppError(error)) throw error;
    }
    this.#file = file;
    this.#isWriter = true;
  }

  /** Where the last repair kept the file as it was. */
  get keptAs(): string | null {
    return this.#keptAs;
  }

  /**
   * Writes the session anew with other rows, after a purge or a repair; the commits are history then. A repair, which has
   * no log to give, keeps the old file beside it; a purge does not.
   */
  rewrite(tree: Tree, changed: readonly Commit[] | null, purgedNow: readonly NodeId[]): void {
    const file = this.writing();
    file.refresh();
    // What others wrote since is not in these rows and would be lost.
    if (file.version !== tree.version) throw fileChanged(file, tree.version);
    const log = changed ?? this.#reading(file).load().log;
    const purged = new Set([...this.#purged, ...purgedNow]);
    const bench = new AtomicWriter(join(sidecarFolder(this.path), 'making'));
    const lines = this.#rewritten(file.header, tree, log, purged);
    if (changed === null) this.#keptAs = keepBeside(this.path, 'damaged-');
    bench.replace(this.path, gatherLines(lines), 'session', true);
    file.reopen();
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
    yield bytesOfFile(headerText({ ...plain, type: 'session', version: sessionVersion, parentUuid: null }));
    const { version } = tree;
    const about = (type: string, fields: object, last = false) =>
      bytesOfFile(
        lineText({ type, uuid: randomUUID(), parentUuid: header.uuid, ...fields }, version, last ? null : undefined),
      );
    for (const commit of log) yield about('log', { of: commit });
    const nodes = parentsBefore(allNodes(tree));
    const [root, ...others] = nodes;
    yield about('state', {
      row: diskRow(tree),
      root,
      bookmarks: allBookmarks(tree),
      purged: [...purged],
      sequence: this.#sequence,
      format: this.#format,
    });
    for (const node of others) yield bytesOfFile(lineText(this.#rowLine(node, toFile), version, undefined));
    const active = tree.activeNodeId ?? tree.rootId;
    yield bytesOfFile(lineText({ type: 'leaf', uuid: randomUUID(), parentUuid: toFile(active) }, version, null));
  }

  #rowLine(node: Node, toFile: (id: string) => string): SessionEntry {
    const { message, text, meta: _, marker: __, aliases: ___, role: ____, ...row } = node;
    const same = message !== null && this.#kit.text(message) === text;
    const entry = encodeNode(node, toFile, same ? {} : { text });
    return { ...entry, row };
  }

  /** Forgets what was read: the file was replaced by another process, and is read anew when it is needed. */
  reset(): void {
    this.close();
    [this.#names, this.#replay, this.#latest, this.#loaded] = [null, null, null, null];
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }
}

function notHeader(line: SessionEntry): boolean {
  return line.type !== 'session';
}

function asHeader(line: SessionEntry): SessionHeader | undefined {
  const { id, version } = line;
  if (line.type !== 'session' || typeof id !== 'string' || typeof version !== 'number') return undefined;
  return { ...line, type: 'session', parentUuid: null, id, version };
}

/** What is noted about a commit on its last line. */
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

/** Nodes with parents before children: a split's left half is younger than what hangs below it. */
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
