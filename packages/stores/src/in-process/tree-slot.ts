/** One tree in a book: its value, its log, and what finds things in it. */
import type {
  ActCommits,
  ActId,
  ActRecord,
  Commit,
  ConversationFormat,
  LinearRecord,
  NodeId,
  OutsideTree,
  PreparedCommit,
  Read,
  RowChange,
  Step,
  Tree,
  TreeId,
  TreeRow,
} from '@coppice/core';
import { answerFromTree } from '@coppice/core/store';
import { freezeAnswer } from './freeze-steps.ts';
import { MatchIndex } from './match-index.ts';
import type { ListStored, LoadedTree } from './persistence.ts';

/** What a tree is while it is loaded. The log holds version n at index n − 1 and is only ever added to or replaced. */
export interface LoadedSlot {
  tree: Tree;
  log: Commit[];
  purged: Set<NodeId>;
  index: MatchIndex | null;
}

/** One tree of a book, loaded or only known. */
export class TreeSlot {
  readonly id: TreeId;
  readonly owner: string;
  format: ConversationFormat;
  /** The row as lists need it; the loaded tree itself once there is one. */
  row: TreeRow;
  sequence: number;
  /** The numbers of the commits that this process has seen, by version. */
  readonly sequences = new Map<number, number>();
  /** The list that the tree is read from, until its first commit is stored. */
  linear: { readonly record: LinearRecord; readonly settled: PreparedCommit } | null = null;
  pages: LoadedSlot | null = null;

  constructor(row: TreeRow, format: ConversationFormat, sequence: number) {
    this.id = row.id;
    this.owner = row.owner;
    this.row = row;
    this.format = format;
    this.sequence = sequence;
  }

  /** Takes in what was loaded. */
  fill({ tree, log, purged }: LoadedTree): LoadedSlot {
    const pages: LoadedSlot = { tree, log: [...log], purged: new Set(purged), index: null };
    this.pages = pages;
    this.row = tree;
    return pages;
  }

  /** Takes in a commit that is kept. */
  write(pages: LoadedSlot, commit: Commit, tree: Tree, changes: readonly RowChange[], sequence: number): void {
    pages.tree = tree;
    pages.log.push(commit);
    pages.index?.take(tree, changes);
    this.row = tree;
    this.sequence = sequence;
    this.sequences.set(commit.version, sequence);
  }
}

/** One moment of a loaded tree: the value and the log up to it stay what they are while others write. */
export class Snapshot {
  readonly tree: Tree;
  readonly #pages: LoadedSlot;
  readonly #log: readonly Commit[];

  constructor(pages: LoadedSlot) {
    this.#pages = pages;
    this.tree = pages.tree;
    this.#log = pages.log;
  }

  /** The commits of this moment after a version. */
  log(since: number): readonly Commit[] {
    return this.#log.slice(Math.max(0, since), this.tree.version);
  }

  /** The act that a read for undo or redo finds here, without the other trees that it changed. */
  record(found: ActCommits | null): Omit<ActRecord, 'elsewhere'> | null {
    if (found === null) return null;
    const { purged } = this.#pages;
    const lost = purged.size > 0 && found.commits.some(({ steps }) => steps.some((step) => touchesNode(step, purged)));
    return { ...found, purged: lost };
  }

  /** Answers what the value itself can answer. */
  answer(read: Read, around: Pick<OutsideTree, 'tree'>): ReturnType<typeof answerFromTree> {
    const pages = this.#pages;
    // An index of a later moment would miss what has been taken out since: then the children are looked through.
    const current = pages.tree === this.tree && !('treeId' in read && read.treeId !== undefined);
    if (current && read.ask === 'match') pages.index ??= MatchIndex.of(this.tree);
    const { index } = pages;
    const answered = answerFromTree(this.tree, read, {
      ...emptyAnswer,
      tree: around.tree,
      log: (since) => this.log(since),
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

/** Answers where there is no such tree; other trees of the owner may still be asked for. */
export function answerNothing(read: Read, around: Pick<OutsideTree, 'tree'>): ReturnType<typeof answerFromTree> {
  return answerFromTree(undefined, read, { ...emptyAnswer, ...around });
}

// Reads over several trees are answered by the book before a snapshot is asked.
const emptyAnswer = {
  log: () => [],
  taken: () => [],
  home: () => null,
  forest: () => null,
  undoable: () => null,
  redoable: () => null,
};

/** The nodes that a step is about. */
function nodesOfSlot(step: Step): readonly NodeId[] {
  if (step.type === 'insert') return [step.node.id];
  return 'nodeId' in step ? [step.nodeId] : [];
}

function touchesNode(step: Step, purged: ReadonlySet<NodeId>): boolean {
  return nodesOfSlot(step).some((id) => purged.has(id));
}

/** The trees that an act changed, told from the commits that a book has seen. */
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

/** What makes a tree of a list that has not been written to yet. */
export function listStored({ linear, pages, sequence }: TreeSlot): ListStored | undefined {
  return linear === null || pages === null ? undefined : { settled: linear.settled, tree: pages.tree, sequence };
}

/** The nodes that a commit inserts. */
export function insertedBy({ commit }: PreparedCommit): NodeId[] {
  return commit.steps.flatMap((step) => (step.type === 'insert' ? [step.node.id] : []));
}
