/** Builds the tree and its log from the lines of a session file. */
import { deriveId } from '@coppice/content';
import {
  buildHeaderSteps,
  decodeCommitLines,
  isSideEntryType,
  type SessionEntry,
  type SessionWarning,
} from '@coppice/content/sessions';
import type { FieldMap } from '@coppice/core';
import {
  type AppliedCommit,
  actId,
  type Commit,
  type CommitKind,
  type ConversationFormat,
  type Node,
  type NodeId,
  type Step,
  type Tree,
} from '@coppice/core';
import { MalformedError, objectField, ownField } from '@coppice/core/decode';
import { prepareCommit } from '@coppice/core/store';
import { emptyTree, findAnyNode } from '@coppice/core/tree';
import { makeDamagedFileError } from '../disk/atomic-files.ts';
import { describeUnreadable } from '../disk/decode.ts';
import { decodeLinearConversation } from '../disk/records.ts';
import { buildLinearTree, type LinearTree } from '../linear.ts';
import { type ApplicableSteps, StepRecovery } from './recovery.ts';
import { makeEmptyCommit, type ReplayOptions } from './replay-options.ts';
import { readStateRows, type SessionFromRows } from './state-rows.ts';

/** A commit that was read from lines, and the tree after it. */
export interface ReplayedCommit {
  readonly applied: AppliedCommit;
  readonly tree: Tree;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/**
 * Builds the commits of a session from its lines. When lines were added, {@link since} continues from the last tree.
 */
export class SessionReplay {
  readonly #on: ReplayOptions;
  readonly #recovery: StepRecovery;
  readonly warnings: SessionWarning[] = [];
  #groups = new Map<number, number[]>();
  #read = 0;
  #unnumbered = 0;
  purged: ReadonlySet<NodeId> = new Set();
  /**
   * A conversation that an earlier version stored as a list and that was not changed since. The file has no line for
   * its first commit.
   */
  list: LinearTree | null = null;
  sequence = 0;
  format: ConversationFormat = 'tree';

  constructor(on: ReplayOptions) {
    this.#on = on;
    this.#recovery = new StepRecovery(on, (warning) => this.warnings.push(warning));
  }

  /** The nodes that may be below another node only because a line is lost. */
  get misplaced(): ReadonlySet<NodeId> {
    return this.#recovery.misplaced;
  }

  /** Groups new lines by commit. */
  #take(): void {
    const { file, names } = this.#on;
    names.take(file);
    for (; this.#read < file.size; this.#read++) {
      const index = this.#read;
      const type = file.typeAt(index);
      if (type === 'linear') this.#linear(file.entryAt(index));
      // Without commit numbers, the header is the first commit and each line is a further one.
      const version = file.versionAt?.(index) ?? ++this.#unnumbered;
      if (version === 0) continue;
      const group = this.#groups.get(version);
      if (group === undefined) this.#groups.set(version, [index]);
      else group.push(index);
    }
  }

  #linear(entry: SessionEntry): void {
    try {
      const { owner, kit } = this.#on;
      this.list = buildLinearTree(decodeLinearConversation(objectField(entry, 'record')), owner, kit);
      this.format = 'linear';
      const sequence = ownField(entry, 'sequence');
      if (typeof sequence === 'number') this.sequence = sequence;
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      throw makeDamagedFileError(this.#on.file.path, `has a list that ${describeUnreadable(error)}`);
    }
  }

  /** Returns the tree of all lines, and its log. */
  load(): { readonly tree: Tree; readonly log: readonly Commit[] } {
    const { treeId, owner, file } = this.#on;
    let tree = emptyTree(treeId, owner, 0);
    const log: Commit[] = [];
    const skipped: number[] = [];
    this.#take();
    const begins = this.#rewritten();
    for (let version = 1; version <= this.#last(); version++) {
      const group = this.#groups.get(version) ?? [];
      const state = group.find((index) => file.typeAt(index) === 'state');
      const rows = state === undefined ? null : this.#rows(group, state);
      if (rows !== null) {
        tree = rows.tree;
        skipped.length = 0;
        log.length = 0;
        for (const commit of rows.log) log.push(commit);
        continue;
      }
      if (version < begins) {
        // The commits before the rows are kept. If the rows cannot be read, the tree is built from these commits.
        skipped.push(version);
        continue;
      }
      for (const one of skipped.splice(0)) {
        const replayed = this.#commit(tree, one, this.#groups.get(one) ?? []);
        tree = replayed.tree;
        log.push(replayed.applied.commit);
      }
      const replayed = this.#commit(tree, version, group);
      tree = replayed.tree;
      log.push(replayed.applied.commit);
    }
    // The line with the messages of a list is lost. The session is then empty instead of unreadable.
    if (this.#last() > 0) this.list = null;
    else if (this.list !== null) return { tree: this.list.tree, log: [this.list.applied.commit] };
    if (tree.rootId === '') {
      const replayed = this.#commit(tree, 1, []);
      tree = replayed.tree;
      log.push(replayed.applied.commit);
    }
    return { tree, log };
  }

  /**
   * Returns the version at which a rewritten file stores its rows; commits before that are only history. 0 if the file
   * was not rewritten.
   */
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

  /** Yields the commits after the version of a tree. */
  *since(tree: Tree): Generator<ReplayedCommit, void, undefined> {
    this.#take();
    let now = tree;
    for (let version = tree.version + 1; version <= this.#last(); version++) {
      const replayed = this.#commit(now, version, this.#groups.get(version) ?? []);
      now = replayed.tree;
      yield replayed;
    }
  }

  #commit(before: Tree, version: number, group: readonly number[]): ReplayedCommit {
    const { file, treeId, owner } = this.#on;
    // The header of a list belongs to the commit that converts the list to a tree.
    const begins = before.rootId === '';
    const first = begins ? buildHeaderSteps(file.header, this.#on.names) : [];
    const lines = this.#parentsFirst(group).map((index) => file.entryAt(index));
    const late = group.some((index) => file.isLate?.(index) === true);
    // Fields with the names of commit fields count only in lines of Coppice.
    const ours = lines.length === 0 || file.isOurs(group.at(-1) ?? 0);
    const last = lines.at(-1) ?? file.header;
    const noted: FieldMap = ours ? last : { timestamp: last.timestamp };
    const at = timeOfLine(noted, before.updatedAt);
    const tree = begins ? emptyTree(treeId, owner, at) : before;
    const { steps, tree: after, changes } = this.#fitting(tree, lines, first, late, at);
    const options = {
      actor: textOr(noted, 'actor', 'file'),
      actId: actId(textOr(noted, 'actId', deriveId('session-act', treeId, version))),
      at,
      additive: false,
    };
    const kind = commitKindOf(noted);
    const reverses = kind === 'do' ? {} : { reverses: { kind, actId: options.actId } };
    const sequence = ownField(noted, 'sequence');
    this.sequence = typeof sequence === 'number' ? sequence : this.sequence;
    this.format = ownField(noted, 'format') === 'linear' ? 'linear' : 'tree';
    // The trash is ignored, because a tree in the trash would refuse these changes although they happened.
    const row = tree.version === 0 ? null : { ...tree, attributes: {} };
    const applied =
      steps.length === 0 ? null : prepareCommit(treeId, row, { steps, result: null, ...reverses }, options);
    const extra = { sequence: this.sequence, format: this.format };
    if (applied !== null) return { applied: { ...applied, changes }, tree: after, ...extra };
    return { ...this.#nothing(tree, version, options), ...extra };
  }

  /**
   * Returns an empty commit with the number of a commit that could not be applied, so that no later commit gets the
   * number.
   */
  #nothing(
    tree: Tree,
    version: number,
    options: { readonly actor: string; readonly actId: Commit['actId']; readonly at: number },
  ): { readonly applied: AppliedCommit; readonly tree: Tree } {
    const commit = makeEmptyCommit(tree.id, version, tree.nextSeq, options);
    const after = { ...tree, version };
    return {
      applied: {
        commit,
        changes: [],
        row: { version, structureVersion: tree.structureVersion, nextSeq: tree.nextSeq, updatedAt: tree.updatedAt },
      },
      tree: after,
    };
  }

  /** Returns the lines of a commit with parents before children, because a tool may have swapped lines. */
  #parentsFirst(group: readonly number[]): readonly number[] {
    const { file } = this.#on;
    const lines = group.filter((index) => index > 0);
    if (lines.every((index) => file.parentAt(index) < index)) return lines;
    const members = new Set(lines);
    const placed = new Set<number>();
    const ordered: number[] = [];
    for (const line of lines) {
      const ancestors: number[] = [];
      for (let at = line; members.has(at) && !placed.has(at); at = file.parentAt(at)) {
        ancestors.push(at);
        placed.add(at);
      }
      for (const at of ancestors.reverse()) ordered.push(at);
    }
    return ordered;
  }

  /**
   * Returns the steps of a commit that can be applied. An entry that cannot be inserted gets another parent; any other
   * step that cannot be applied is dropped. Both give a warning, and the lines stay in the file.
   */
  #fitting(
    tree: Tree,
    lines: readonly SessionEntry[],
    first: readonly Step[],
    late: boolean,
    at: number,
  ): ApplicableSteps {
    const reported = decodeCommitLines(tree, lines, this.#reading(tree), first);
    // A line that another tool inserted between commits does not become the active node, unless the tree has none.
    const kept = late && tree.activeNodeId !== null ? reported.filter((step) => step.type !== 'select') : reported;
    return this.#recovery.fit(tree, kept, lines, at);
  }

  #reading(tree: Tree): Parameters<typeof decodeCommitLines>[2] {
    const { file, names, kit } = this.#on;
    return {
      toNode: names.toNode,
      kit,
      parentOf: (entry) => {
        const line = file.indexOf(entry.uuid);
        const named = file.namedParentAt?.(line);
        // The line of the parent is lost, but the parent was rebuilt from the line that completed it.
        if (named !== undefined && findAnyNode(tree, names.toNode(named))?.removedIn === null) return named;
        let index = line < 0 ? 0 : file.parentAt(line);
        while (index > 0 && isSideEntryType(file.typeAt(index))) index = file.parentAt(index);
        if (entry.type === 'leaf') return file.uuidAt(Math.max(0, index));
        const uuid = file.uuidAt(Math.max(0, index));
        const above = findAnyNode(tree, names.toNode(uuid));
        if (above === undefined || above.removedIn === null) return uuid;
        // A removed node gets no new children. If a writer did not know of the removal, the entry is added to the
        // nearest ancestor that is not removed.
        let left: Node | undefined = above;
        while (left !== undefined && left.removedIn !== null)
          left = left.parentId === null ? undefined : findAnyNode(tree, left.parentId);
        return left === undefined ? file.uuidAt(0) : names.toFile(left.id);
      },
      misfit: (entry, why) => this.#misfit(entry, why),
    };
  }

  /**
   * Returns the rows of a rewritten file; null if they cannot be read. The lines are then read as entries.
   */
  #rows(group: readonly number[], state: number): SessionFromRows | null {
    const rows = readStateRows(this.#on, group, state);
    for (const warning of rows.warnings) this.warnings.push(warning);
    if (!('tree' in rows)) return null;
    this.purged = rows.purged;
    this.sequence = rows.sequence ?? this.sequence;
    this.format = rows.format;
    return rows;
  }

  #misfit(entry: SessionEntry, why: string): void {
    const message = `The entry ${entry.uuid} does not fit: ${why}`;
    this.warnings.push({ code: 'misfit', message, line: 0, offset: 0, uuid: entry.uuid });
  }
}

function textOr(fields: FieldMap, key: string, other: string): string {
  const value = ownField(fields, key);
  return typeof value === 'string' && value !== '' ? value : other;
}

function commitKindOf(fields: FieldMap): CommitKind {
  const kind = ownField(fields, 'kind');
  return kind === 'undo' || kind === 'redo' ? kind : 'do';
}

function timeOfLine(fields: FieldMap, other: number): number {
  const at = ownField(fields, 'at');
  if (typeof at === 'number') return at;
  const written = Date.parse(String(ownField(fields, 'timestamp')));
  return Number.isNaN(written) ? other : written;
}
