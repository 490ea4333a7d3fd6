/** One tree of a store, with its value, log and indexes while it is loaded. */
import type {
  ActCommits,
  ActId,
  ActRecord,
  Commit,
  ConversationFormat,
  CrossTreeAnswers,
  NodeId,
  PreparedCommit,
  Read,
  RowChange,
  Step,
  Tree,
  TreeId,
  TreeRow,
} from '@coppice/core';
import { answerFromTree, isPurgedContent } from '@coppice/core/store';
import { insertedNodes, nodeIdOfStep } from '@coppice/core/tree';
import { freezeAnswer } from './freeze-steps.ts';
import { MatchIndex } from './match-index.ts';
import type { LoadedTree } from './persistence.ts';

/**
 * A loaded tree. The versions in the log have no gaps and end with the version of the tree; after old commits were
 * deleted, they do not begin with 1. Snapshots share `log`, so its existing items never change.
 */
export interface LoadedTreeSlot {
  tree: Tree;
  log: Commit[];
  purged: Set<NodeId>;
  index: MatchIndex | null;
}

/** One tree of a store, whether it is loaded or not. */
export class TreeSlot {
  readonly id: TreeId;
  readonly owner: string;
  format: ConversationFormat;
  /** The row for lists. If the tree is loaded, the tree value itself is used. */
  row: TreeRow;
  sequence: number;
  /** The change numbers of the commits that this process has received, by version. */
  readonly sequences = new Map<number, number>();
  loaded: LoadedTreeSlot | null = null;

  constructor(row: TreeRow, format: ConversationFormat, sequence: number) {
    this.id = row.id;
    this.owner = row.owner;
    this.row = row;
    this.format = format;
    this.sequence = sequence;
  }

  /** Keeps the loaded tree in memory from now on. */
  setLoaded({ tree, log, purged }: LoadedTree): LoadedTreeSlot {
    const loadedSlot: LoadedTreeSlot = { tree, log: [...log], purged: new Set(purged), index: null };
    this.loaded = loadedSlot;
    this.row = tree;
    return loadedSlot;
  }

  /** Updates the loaded tree after a commit was persisted. */
  applyCommit(
    loadedSlot: LoadedTreeSlot,
    commit: Commit,
    tree: Tree,
    changes: readonly RowChange[],
    sequence: number,
  ): void {
    loadedSlot.tree = tree;
    loadedSlot.log.push(commit);
    loadedSlot.index?.add(tree, changes);
    this.row = tree;
    this.sequence = sequence;
    this.sequences.set(commit.version, sequence);
  }
}

/** A snapshot of a loaded tree: its value and log do not change while others write. */
export class TreeSnapshot {
  readonly tree: Tree;
  readonly #loadedSlot: LoadedTreeSlot;
  readonly #log: readonly Commit[];

  constructor(loadedSlot: LoadedTreeSlot) {
    this.#loadedSlot = loadedSlot;
    this.tree = loadedSlot.tree;
    this.#log = loadedSlot.log;
  }

  /** Returns the commits of this snapshot after a version, at most `limit`. */
  log(since: number, limit = Number.POSITIVE_INFINITY): readonly Commit[] {
    const start = findIndexInLog(this.#log, since + 1);
    return this.#log.slice(start, Math.min(start + limit, findIndexInLog(this.#log, this.tree.version + 1)));
  }

  /**
   * Returns an act of this tree as the reads for undo and redo answer it: with the note whether a purge removed a
   * content that it needs, without the other trees that it changed.
   */
  record(found: ActCommits | null): Omit<ActRecord, 'elsewhere'> | null {
    if (found === null) return null;
    const { purged } = this.#loadedSlot;
    const lost = purged.size > 0 && found.commits.some(({ steps }) => steps.some((step) => needsPurged(step, purged)));
    return { ...found, purged: lost };
  }

  /** Answers a read about this tree, or through `around` about another tree. */
  answer(read: Read, around: Pick<CrossTreeAnswers, 'tree'>): ReturnType<typeof answerFromTree> {
    const loadedSlot = this.#loadedSlot;
    // The index describes the newest state and has dropped nodes that a snapshot still shows, so it is used only if
    // the snapshot is current.
    const current = loadedSlot.tree === this.tree && !('treeId' in read && read.treeId !== undefined);
    if (current && read.ask === 'match') loadedSlot.index ??= MatchIndex.of(this.tree);
    const { index } = loadedSlot;
    const answered = answerFromTree(this.tree, read, {
      ...emptyAnswer,
      tree: around.tree,
      log: (since, limit) => this.log(since, limit),
      ...(current && index !== null
        ? {
            nodesByKey: (parent: NodeId, key: string) => index.matching(this.tree, parent, key),
            nodesByAlias: (parent: NodeId, key: string) => index.completing(this.tree, parent, key),
          }
        : {}),
    });
    return freezeAnswer(answered);
  }
}

/** Returns the index of a version in a log; 0 for a version from before the log. */
export function findIndexInLog(log: readonly Commit[], version: number): number {
  return Math.max(0, version - (log[0]?.version ?? 1));
}

/** Answers reads of a program about a tree that does not exist. Reads of other trees are answered through `around`. */
export function answerUnknownTree(
  read: Read,
  around: Pick<CrossTreeAnswers, 'tree'>,
): ReturnType<typeof answerFromTree> {
  return answerFromTree(undefined, read, { ...emptyAnswer, ...around });
}

// `InProcessReads` answers reads over several trees itself, so a snapshot never gets such a read.
const emptyAnswer = {
  log: () => [],
  taken: () => [],
  home: () => null,
  forest: () => null,
  undoable: () => null,
  redoable: () => null,
};

/** Whether the inverse of a step needs a node or a content that was purged. */
function needsPurged(step: Step, purged: ReadonlySet<NodeId>): boolean {
  const id = nodeIdOfStep(step);
  if (id !== null && purged.has(id)) return true;
  return step.type === 'replace' && (isPurgedContent(step.before) || isPurgedContent(step.after));
}

/** The trees that each act changed, according to the commits that this process has received. */
export class ActIndex {
  readonly #trees = new Map<ActId, TreeId | Set<TreeId>>();

  add(actId: ActId, treeId: TreeId): void {
    const known = this.#trees.get(actId);
    if (known === undefined) this.#trees.set(actId, treeId);
    else if (known instanceof Set) known.add(treeId);
    else if (known !== treeId) this.#trees.set(actId, new Set([known, treeId]));
  }

  of(actId: ActId): readonly TreeId[] {
    const known = this.#trees.get(actId);
    return known === undefined ? [] : known instanceof Set ? [...known] : [known];
  }
}

export function listInsertedNodeIds({ commit }: PreparedCommit): NodeId[] {
  return insertedNodes(commit.steps).map(({ id }) => id);
}
