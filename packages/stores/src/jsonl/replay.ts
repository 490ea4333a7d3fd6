/** From the lines of a session file to the tree and its log. */
import { derivedId } from '@coppice/content';
import {
  headerSteps,
  isAside,
  lastPlaceBelow,
  meaningOf,
  nodeMarker,
  type SessionEntry,
  type SessionFile,
  type SessionWarning,
  stepsOf,
} from '@coppice/content/sessions';
import {
  actId,
  apply,
  type Commit,
  type CommitKind,
  type ConversationFormat,
  checkRows,
  type FindingCode,
  findAnyNode,
  findNode,
  fromRows,
  isAbove,
  isAppError,
  isBlank,
  type LinearRecord,
  type MessageKit,
  matchParentBelow,
  type NewNode,
  type Node,
  type NodeId,
  nodeId,
  rootNode,
  type Settled,
  type Step,
  seedling,
  settle,
  type Tree,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import {
  type Fields,
  field,
  list,
  object,
  readBookmarks,
  readCommit,
  readIds,
  readNode,
  readRow,
  Unreadable,
} from '../disk/decode.ts';
import { readRecord } from '../disk/records.ts';
import { damaged } from '../disk/whole-files.ts';
import { mendRows, type TreeRows } from '../mend.ts';
import type { FileNames } from './names.ts';

/** A file whose lines know their commit; other tools' lines are a commit each. */
export interface NumberedFile extends SessionFile {
  versionAt?(index: number): number;
  isLate?(index: number): boolean;
}

/** What lines are replayed with. */
export interface Replaying {
  readonly file: NumberedFile;
  readonly treeId: TreeId;
  readonly owner: string;
  readonly names: FileNames;
  readonly kit: MessageKit;
}

/** A commit that was read from lines, and the tree after it. */
export interface Landed {
  readonly settled: Settled;
  readonly tree: Tree;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** Reads a session's lines as commits, one after the other, as often as there are new ones. */
export class Replay {
  readonly #on: Replaying;
  readonly warnings: SessionWarning[] = [];
  #groups = new Map<number, number[]>();
  #read = 0;
  #unnumbered = 0;
  purged: ReadonlySet<NodeId> = new Set();
  linear: LinearRecord | null = null;
  sequence = 0;
  format: ConversationFormat = 'tree';

  constructor(on: Replaying) {
    this.#on = on;
  }

  /** Sorts the lines that are new by their commits. */
  #take(): void {
    const { file, names } = this.#on;
    names.take(file);
    for (; this.#read < file.size; this.#read++) {
      const index = this.#read;
      const type = file.typeAt(index);
      if (type === 'linear') this.#linear(file.entryAt(index));
      // Where lines have no numbers of their own, header and lines are a commit each.
      const version = file.versionAt?.(index) ?? ++this.#unnumbered;
      if (version === 0) continue;
      const group = this.#groups.get(version);
      if (group === undefined) this.#groups.set(version, [index]);
      else group.push(index);
    }
  }

  #linear(entry: SessionEntry): void {
    try {
      this.linear = readRecord(object(entry, 'record'));
      this.format = 'linear';
      const sequence = field(entry, 'sequence');
      if (typeof sequence === 'number') this.sequence = sequence;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      throw damaged(this.#on.file.path, `has a list that ${error.message}`);
    }
  }

  /** The whole tree and its log. */
  load(): { readonly tree: Tree; readonly log: readonly Commit[] } {
    const { treeId, owner, file } = this.#on;
    let tree = seedling(treeId, owner, 0);
    const log: Commit[] = [];
    const skipped: number[] = [];
    this.#take();
    const begins = this.#rewritten();
    for (let version = 1; version <= this.#last(); version++) {
      const group = this.#groups.get(version) ?? [];
      const state = group.find((index) => file.typeAt(index) === 'state');
      const rows = state === undefined ? null : this.#state(group, state);
      if (rows !== null) {
        tree = rows.tree;
        skipped.length = 0;
        log.length = 0;
        for (const commit of rows.log) log.push(commit);
        continue;
      }
      if (version < begins) {
        // Kept for the case that the rows cannot be read: then these commits are all there is of the history.
        skipped.push(version);
        continue;
      }
      for (const one of skipped.splice(0)) {
        const landed = this.#commit(tree, one, this.#groups.get(one) ?? []);
        tree = landed.tree;
        log.push(landed.settled.commit);
      }
      const landed = this.#commit(tree, version, group);
      tree = landed.tree;
      log.push(landed.settled.commit);
    }
    // A list whose line is lost: the session is there all the same, and empty.
    if (tree.rootId === '' && this.linear === null) {
      const landed = this.#commit(tree, 1, []);
      tree = landed.tree;
      log.push(landed.settled.commit);
    }
    return { tree, log };
  }

  /** The version that a rewritten file begins at; what it says of those before is history. */
  #rewritten(): number {
    const { file } = this.#on;
    let begins = 0;
    for (const [version, group] of this.#groups)
      if (group.some((index) => file.typeAt(index) === 'state')) begins = Math.max(begins, version);
    return begins;
  }

  #last(): number {
    return this.#on.file.versionAt === undefined ? this.#unnumbered : this.#on.file.version;
  }

  /** The commits after the version of a tree. */
  *since(tree: Tree): Generator<Landed, void, undefined> {
    this.#take();
    let now = tree;
    for (let version = tree.version + 1; version <= this.#last(); version++) {
      const landed = this.#commit(now, version, this.#groups.get(version) ?? []);
      now = landed.tree;
      yield landed;
    }
  }

  #commit(before: Tree, version: number, group: readonly number[]): Landed {
    const { file, treeId, owner } = this.#on;
    // The header of a file that was a list is part of the first commit that makes it a tree.
    const begins = before.rootId === '';
    const first = begins ? headerSteps(file.header, this.#on.names) : [];
    const lines = this.#parentsFirst(group).map((index) => file.entryAt(index));
    const late = group.some((index) => file.isLate?.(index) === true);
    // What another tool's line says under the same names is not about a commit.
    const ours = lines.length === 0 || file.isOurs(group.at(-1) ?? 0);
    const last = lines.at(-1) ?? file.header;
    const noted: Fields = ours ? last : { timestamp: last.timestamp };
    const at = timeOf(noted, before.updatedAt);
    const tree = begins ? seedling(treeId, owner, at) : before;
    const steps = this.#fitting(tree, lines, first, late, at);
    const options = {
      actor: textOr(noted, 'actor', 'file'),
      actId: actId(textOr(noted, 'actId', derivedId('session-act', treeId, version))),
      at,
      additive: false,
    };
    const kind = kindOf(noted);
    const reverses = kind === 'do' ? {} : { reverses: { kind, actId: options.actId } };
    const sequence = field(noted, 'sequence');
    this.sequence = typeof sequence === 'number' ? sequence : this.sequence;
    this.format = field(noted, 'format') === 'linear' ? 'linear' : 'tree';
    // A tree in the trash takes nothing but its own attributes; what the file says happened.
    const row = tree.version === 0 ? null : { ...tree, attributes: {} };
    const settled = steps.length === 0 ? null : settle(treeId, row, { steps, result: null, ...reverses }, options);
    const applied = settled === null ? null : apply(tree, steps, { at });
    const extra = { sequence: this.sequence, format: this.format };
    if (settled !== null && applied?.ok === true) return { settled, tree: applied.value.tree, ...extra };
    return { ...this.#nothing(tree, version, options), ...extra };
  }

  /** A commit of which nothing is left: its number stays taken. */
  #nothing(
    tree: Tree,
    version: number,
    options: { readonly actor: string; readonly actId: Commit['actId']; readonly at: number },
  ): { readonly settled: Settled; readonly tree: Tree } {
    const commit = emptyCommit(tree.id, version, tree.nextSeq, options);
    const after = { ...tree, version };
    return {
      settled: {
        commit,
        changes: [],
        row: { version, structureVersion: tree.structureVersion, nextSeq: tree.nextSeq, updatedAt: tree.updatedAt },
      },
      tree: after,
    };
  }

  /** The lines of a commit in their order, but parents before children: lines of a commit may have been swapped. */
  #parentsFirst(group: readonly number[]): readonly number[] {
    const { file } = this.#on;
    const lines = group.filter((index) => index > 0);
    if (lines.every((index) => file.parentAt(index) < index)) return lines;
    const members = new Set(lines);
    const placed = new Set<number>();
    const ordered: number[] = [];
    for (const line of lines) {
      const way: number[] = [];
      for (let at = line; members.has(at) && !placed.has(at); at = file.parentAt(at)) {
        way.push(at);
        placed.add(at);
      }
      for (const at of way.reverse()) ordered.push(at);
    }
    return ordered;
  }

  /**
   * The steps of a commit that fit the tree. An entry that does not fit its place is shown at another one; any other step
   * that does not fit is left out. Both are reported, and the lines stay.
   */
  #fitting(tree: Tree, lines: readonly SessionEntry[], first: readonly Step[], late: boolean, at: number): Step[] {
    const told = stepsOf(tree, lines, this.#reading(tree), first);
    // What was slipped in before a commit that knew nothing of it does not move the leaf, unless nothing was there.
    const kept = late && tree.activeNodeId !== null ? told.filter((step) => step.type !== 'select') : told;
    const steps = this.#on.file.namedParentAt === undefined ? kept : kept.map((step) => this.#flagged(step));
    const takesAway = this.#adrift.size > 0 && steps.some((step) => step.type === 'remove');
    if (this.#strays.size === 0 && !takesAway && apply(tree, steps, { at }).ok) return steps;
    const fit = new Fitting(tree, at);
    for (const step of steps) {
      if (step.type === 'remove') this.#rescue(fit, step.nodeId);
      if (fit.take(step)) {
        if (step.type === 'insert') this.#fetch(fit, step.node.id);
        continue;
      }
      const why = fit.why;
      const other = this.#recovered(fit.tree, step);
      const line = lines.find(({ uuid }) => names(step) === this.#on.names.toNode(uuid)) ?? lines[0];
      if (other !== null && fit.take({ type: 'insert', node: other })) {
        if (line !== undefined) this.#shownElsewhere(line, other, why);
        this.#fetch(fit, other.id);
      } else if (line !== undefined) this.#misfit(line, why);
    }
    return fit.steps;
  }

  /** An insert of an entry whose parent is nowhere says which one that was. */
  #flagged(step: Step): Step {
    if (step.type !== 'insert') return step;
    const { file, names } = this.#on;
    const named = file.namedParentAt?.(file.indexOf(names.toFile(step.node.id)));
    if (named === undefined) return step;
    const meta = { ...step.node.meta, recoveredFrom: names.toNode(named) };
    this.#adrift.add(step.node.id);
    return { type: 'insert', node: { ...step.node, meta } };
  }

  // Nodes whose parent is not the one that they were written below.
  readonly #adrift = new Set<NodeId>();

  /** Moves nodes out of a subtree that is about to be removed, if they are only shown in it because of a lost line. */
  #rescue(fit: Fitting, top: NodeId): void {
    const parentId = findNode(fit.tree, top)?.parentId;
    if (parentId == null) return;
    for (const id of this.#adrift) if (id !== top && isAbove(fit.tree, top, id)) this.#move(fit, id, parentId, null, 0);
  }

  // Nodes that wait for their parent, which comes later in the file, by the parent's id.
  readonly #strays = new Map<string, Stray[]>();

  /**
   * A node that can be inserted in the place of one that does not fit: below the nearest of its ancestors that is there,
   * at a free position. A reply whose own line is lost is made of the line that completed it.
   */
  #recovered(tree: Tree, step: Step): NewNode | null {
    const { file, names, kit } = this.#on;
    if (step.type === 'replace' && findAnyNode(tree, step.nodeId) === undefined) {
      const { message, status, key, text, tokens } = step.after;
      const made = rootNode(step.nodeId, tree.updatedAt);
      const parent = tree.activeNodeId === null ? undefined : findNode(tree, tree.activeNodeId);
      const kind = key === null ? 'injected' : 'message';
      return below(
        tree,
        { ...made, kind, message, status, key, text, tokens, marker: key === null ? {} : null },
        parent,
      );
    }
    if (step.type !== 'insert' || findAnyNode(tree, step.node.id) !== undefined) return null;
    const { node } = step;
    const from = file.indexOf(names.toFile(node.id));
    let parent = node.parentId === null ? undefined : findNode(tree, node.parentId);
    let left = file.size;
    for (let index = from; parent === undefined && index > 0 && left > 0; left--) {
      index = file.parentAt(index);
      parent = findNode(tree, nodeId(names.toNode(file.uuidAt(index))));
    }
    if (parent?.id !== node.parentId) {
      this.#await(node);
      this.#adrift.add(node.id);
    }
    const isBlankSuccess = node.message !== null && node.status === 'success' && isBlank(node.message);
    const key = node.kind === 'message' && node.message !== null ? (node.key ?? kit.key(node.message)) : null;
    return below(tree, { ...node, key, ...(isBlankSuccess ? { status: 'interrupted' } : {}) }, parent);
  }

  #await(node: NewNode): void {
    const { parentId, id, position, groupId } = node;
    if (parentId === null) return;
    const waiting = this.#strays.get(parentId);
    const stray = { id, position, groupId };
    if (waiting === undefined) this.#strays.set(parentId, [stray]);
    else waiting.push(stray);
  }

  /** Moves the nodes that wait for a parent below it, now that it is there. */
  #fetch(fit: Fitting, parentId: NodeId): void {
    const waiting = this.#strays.get(parentId) ?? [];
    this.#strays.delete(parentId);
    for (const { id, position, groupId } of waiting)
      if (this.#move(fit, id, parentId, position, groupId)) this.#adrift.delete(id);
  }

  /** Moves a node below another one, at a position if that is free, else as its last child. */
  #move(fit: Fitting, id: NodeId, parentId: NodeId, position: string | null, groupId: number): boolean {
    const node = findNode(fit.tree, id);
    const parent = findNode(fit.tree, parentId);
    if (node === undefined || parent === undefined || node.parentId === null) return false;
    const to = { parentId, matchParent: matchParentBelow(parent), groupId };
    const from = {
      parentId: node.parentId,
      position: node.position,
      matchParent: node.matchParent ?? node.parentId,
      groupId: node.groupId,
    };
    const last = lastPlaceBelow(fit.tree, parentId);
    return [position ?? last, last].some((place) =>
      fit.take({ type: 'move', nodeId: id, to: { ...to, position: place }, from }),
    );
  }

  #shownElsewhere(entry: SessionEntry, node: NewNode, why: string): void {
    const { file } = this.#on;
    // The file itself has reported lines whose parent it did not find.
    const index = file.indexOf(entry.uuid);
    if (file.namedParentAt?.(index) !== undefined || file.parentAt(index) > index) return;
    const message = `The entry ${entry.uuid} does not fit its place (${why}); it is shown below ${node.parentId}.`;
    this.warnings.push({ code: 'misfit', message, line: 0, offset: 0, uuid: entry.uuid });
  }

  #reading(tree: Tree): Parameters<typeof stepsOf>[2] {
    const { file, names, kit } = this.#on;
    return {
      toNode: names.toNode,
      kit,
      parentOf: (entry) => {
        const line = file.indexOf(entry.uuid);
        const named = file.namedParentAt?.(line);
        // Only the parent's own line is lost: it is there, made of the line that completed it.
        if (named !== undefined && findAnyNode(tree, names.toNode(named))?.removedIn === null) return named;
        let index = line < 0 ? 0 : file.parentAt(line);
        while (index > 0 && isAside(file.typeAt(index))) index = file.parentAt(index);
        if (entry.type === 'leaf') return file.uuidAt(Math.max(0, index));
        const uuid = file.uuidAt(Math.max(0, index));
        const above = findAnyNode(tree, names.toNode(uuid));
        if (above === undefined || above.removedIn === null) return uuid;
        // What was removed takes nothing new: whoever did not know of it goes on at what is left above it.
        let left: Node | undefined = above;
        while (left !== undefined && left.removedIn !== null)
          left = left.parentId === null ? undefined : findAnyNode(tree, left.parentId);
        return left === undefined ? file.uuidAt(0) : names.toFile(left.id);
      },
      misfit: (entry, why) => this.#misfit(entry, why),
    };
  }

  #misfit(entry: SessionEntry, why: string): void {
    const message = `The entry ${entry.uuid} does not fit: ${why}`;
    this.warnings.push({ code: 'misfit', message, line: 0, offset: 0, uuid: entry.uuid });
  }

  /** The rows that a purge or a repair left, and the history before them; null where they cannot be read. */
  #state(group: readonly number[], state: number): { readonly tree: Tree; readonly log: readonly Commit[] } | null {
    const { file, treeId, names, kit } = this.#on;
    const told = file.entryAt(state);
    try {
      const row = { ...readRow(object(told, 'row')), id: treeId };
      const purged = new Set(readIds(told, 'purged'));
      const bookmarks = readBookmarks(told, 'bookmarks');
      const commits = new Map<number, Commit>();
      const nodes: Node[] = [readNode(object(told, 'root'))];
      for (const index of group) {
        const entry = file.entryAt(index);
        if (entry.type === 'log') {
          const commit = readCommit(object(entry, 'of'), treeId);
          commits.set(commit.version, commit);
        } else if (!isAside(entry.type) && index > 0) nodes.push(rowIn(entry, names, kit));
      }
      const mended = this.#mended({ row, nodes, bookmarks });
      const sequence = field(told, 'sequence');
      this.sequence = typeof sequence === 'number' ? sequence : this.sequence;
      this.format = field(told, 'format') === 'linear' ? 'linear' : 'tree';
      this.purged = purged;
      return { tree: fromRows(mended.row, mended.nodes, mended.bookmarks), log: this.#wholeLog(row, commits) };
    } catch (error) {
      if (!(error instanceof Unreadable) && !isAppError(error)) throw error;
      this.#misfit(told, `the rows of the session cannot be read (${error.message}).`);
      return null;
    }
  }

  /** Rows as they are if they make a tree; otherwise put in order, with a warning for each change. */
  #mended(rows: TreeRows): TreeRows {
    const { row, nodes, bookmarks } = rows;
    if (checkRows(row, nodes, bookmarks).every(({ code }) => !structural.has(code))) return rows;
    const mended = mendRows(rows);
    for (const message of mended.repaired)
      this.warnings.push({ code: 'misfit', message: `Rows are missing: ${message}.`, line: 0, offset: 0 });
    return mended;
  }

  /** The commits of the history in their order; one that is lost keeps its number. */
  #wholeLog(row: TreeRow, commits: ReadonlyMap<number, Commit>): Commit[] {
    const log: Commit[] = [];
    for (let version = 1; version <= row.version; version++) {
      const lost = { actor: 'file', actId: actId(derivedId('session-act', row.id, version)), at: row.createdAt };
      log.push(commits.get(version) ?? emptyCommit(row.id, version, row.nextSeq, lost));
    }
    return log;
  }
}

// What is wrong with rows of which some are missing or were altered.
const structural: ReadonlySet<string> = new Set<FindingCode>([
  'I01 root-count',
  'I03 dangling-parent',
  'I06 unreachable(cycle/orphan)',
  'I07 duplicate-id',
  'I08 active-missing-or-foreign',
  'I09 active-is-root',
  'I10 active-null-iff-empty',
  'bookmark-dangling',
  'live-below-removed',
  'match-parent',
  'position-twice',
  'seq-twice',
]);

interface Stray {
  readonly id: NodeId;
  readonly position: string;
  readonly groupId: number;
}

/** Steps that are taken one by one, each only if the tree takes it. */
class Fitting {
  readonly steps: Step[] = [];
  readonly #at: number;
  tree: Tree;
  why = '';

  constructor(tree: Tree, at: number) {
    this.tree = tree;
    this.#at = at;
  }

  take(step: Step): boolean {
    // Between the steps of a commit the pointer may be at nothing yet.
    const pointed = step.type === 'insert' && step.node.parentId !== null ? [pointAt(this.tree, step.node.id)] : null;
    return (
      this.#takeAll([step]) ||
      (pointed !== null && this.tree.activeNodeId === null && this.#takeAll([step, ...pointed]))
    );
  }

  #takeAll(steps: readonly Step[]): boolean {
    const tried = apply(this.tree, steps, { at: this.#at });
    if (!tried.ok) {
      this.why = tried.refusal.message;
      return false;
    }
    // All of them belong to one commit.
    this.tree = { ...tried.value.tree, version: this.tree.version };
    for (const step of steps) this.steps.push(step);
    return true;
  }
}

/** The node that an insert or a change is about. */
function names(step: Step): string | null {
  if (step.type === 'insert') return step.node.id;
  return 'nodeId' in step ? step.nodeId : null;
}

/** A node as the last child of another one, or of the root. */
function below(tree: Tree, node: NewNode, given: Node | undefined): NewNode | null {
  const parent = given ?? findNode(tree, tree.rootId);
  if (parent === undefined) return null;
  return {
    ...node,
    parentId: parent.id,
    position: lastPlaceBelow(tree, parent.id),
    matchParent: matchParentBelow(parent),
    groupId: 0,
    aliases: [],
  };
}

function rowIn(entry: SessionEntry, names: FileNames, kit: MessageKit): Node {
  const { kind, message, status, meta, marker, noted } = meaningOf(entry);
  const text = field(noted, 'text');
  return readNode({
    ...object(entry, 'row'),
    id: names.toNode(entry.uuid),
    kind,
    message,
    status,
    meta,
    marker: nodeMarker(marker, names.toNode),
    text: typeof text === 'string' ? text : kit.text(message),
    aliases: field(noted, 'aliases') === undefined ? [] : list(noted, 'aliases'),
  });
}

/** A commit of which nothing is left but its number. */
function emptyCommit(
  treeId: TreeId,
  version: number,
  seq: number,
  { actor, actId, at }: { readonly actor: string; readonly actId: Commit['actId']; readonly at: number },
): Commit {
  return { treeId, version, actId, actor, at, kind: 'do', seq, structural: false, steps: [] };
}

function pointAt(tree: Tree, after: NodeId): Step {
  return { type: 'select', after, before: tree.activeNodeId };
}

function textOr(fields: Fields, key: string, other: string): string {
  const value = field(fields, key);
  return typeof value === 'string' && value !== '' ? value : other;
}

function kindOf(fields: Fields): CommitKind {
  const kind = field(fields, 'kind');
  return kind === 'undo' || kind === 'redo' ? kind : 'do';
}

function timeOf(fields: Fields, other: number): number {
  const at = field(fields, 'at');
  if (typeof at === 'number') return at;
  const written = Date.parse(String(field(fields, 'timestamp')));
  return Number.isNaN(written) ? other : written;
}
