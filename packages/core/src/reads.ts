/**
 * What planners and readers may ask. A planner is a generator that yields these and is handed the answers, so the
 * same planner runs inside SQLite's write transaction, under PostgreSQL's row lock, and on the plain value.
 */
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { Bookmark, Node, NodeHead } from './node.ts';
import type { TopologyNode } from './path.ts';
import type { Step } from './steps/types.ts';
import type { TreeRow } from './tree.ts';

/** How a commit came about. */
export type CommitKind = 'do' | 'undo' | 'redo';

/** A list of steps applied as one, under one version. */
export interface Commit {
  readonly treeId: TreeId;
  readonly version: number;
  readonly actId: ActId;
  readonly actor: string;
  readonly at: number;
  readonly kind: CommitKind;
  /** The creation number of its first inserted node. */
  readonly seq: number;
  readonly structural: boolean;
  readonly steps: readonly Step[];
}

/** An act that can be taken back or brought back, with the commits in question, oldest first. */
export interface ActRecord {
  readonly actId: ActId;
  readonly commits: readonly Commit[];
  /** Other trees that the act changed. */
  readonly elsewhere: readonly TreeId[];
  /** Whether a purge took contents that taking it back would need. */
  readonly purged: boolean;
}

/** What lies in a subtree that a delete must know of. */
export interface SubtreeInfo {
  readonly pending: readonly NodeId[];
  readonly bookmarks: readonly Bookmark[];
  readonly active: boolean;
}

/** A stretch of a path, newest last. */
export interface PathPart {
  readonly nodes: readonly Node[];
  /** Whether the stretch begins at a first turn. */
  readonly complete: boolean;
}

/** A node of a path without what it says: what weighs a context, and what names the models of a branch. */
export type PathMeta = Pick<
  Node,
  'id' | 'parentId' | 'kind' | 'role' | 'status' | 'key' | 'tokens' | 'addedIn' | 'contentIn' | 'meta' | 'marker'
>;

/** A node and what it hangs on. */
export interface ParentLink {
  readonly id: NodeId;
  readonly parentId: NodeId;
}

/** A stretch of a path without what it says, newest last. */
export interface PathMetaPart {
  readonly entries: readonly PathMeta[];
  /** Whether the stretch begins at a first turn. */
  readonly complete: boolean;
}

/** Every question and its answer. Ids of removed, foreign and unknown nodes are answered alike: null, or nothing. */
export interface Reads {
  /** The tree row; `treeId` asks for another tree of the same owner. */
  tree: { args: { readonly treeId?: TreeId | undefined }; answer: TreeRow | null };
  /** A live node. */
  node: { args: { readonly id: NodeId; readonly treeId?: TreeId | undefined }; answer: Node | null };
  /** Those of these nodes that live, in the order of the ids: one question for a page of them. */
  nodes: { args: { readonly ids: readonly NodeId[]; readonly treeId?: TreeId | undefined }; answer: readonly Node[] };
  /** A live node without what it says: all that most writes need of a parent, and cheaper. */
  head: { args: { readonly id: NodeId; readonly treeId?: TreeId | undefined }; answer: NodeHead | null };
  /** A node also if it is removed. */
  anyNode: { args: { readonly id: NodeId }; answer: Node | null };
  /** Which of these ids are taken, by whatever tree of whatever owner. */
  taken: { args: { readonly ids: readonly NodeId[] }; answer: readonly NodeId[] };
  /** The way from a first turn down to a node, root left out; at most the last `limit` of it. */
  path: {
    args: { readonly to: NodeId; readonly limit?: number | undefined; readonly treeId?: TreeId | undefined };
    answer: PathPart;
  };
  /** The same way without what is said on it: costs rows, not contents. */
  pathMeta: {
    args: { readonly to: NodeId; readonly limit?: number | undefined; readonly treeId?: TreeId | undefined };
    answer: PathMetaPart;
  };
  /** Whether the first is the second or lies above it; the second may be removed. */
  isAncestorOrSelf: { args: { readonly id: NodeId; readonly below: NodeId }; answer: boolean };
  /** Those of the nodes that lie below no other one of them. */
  withoutDescendants: { args: { readonly ids: readonly NodeId[] }; answer: readonly NodeId[] };
  /** The live children in stored order. */
  children: { args: { readonly of: NodeId; readonly treeId?: TreeId | undefined }; answer: readonly NodeHead[] };
  /** The ids of the live children of each of these nodes, in the order of the nodes and each in stored order. */
  childIds: {
    args: { readonly of: readonly NodeId[]; readonly treeId?: TreeId | undefined };
    answer: readonly (readonly NodeId[])[];
  };
  /** The live subtree breadth first, the node itself first; depth 0 is the node alone. */
  subtree: {
    args: { readonly of: NodeId; readonly depth?: number | undefined; readonly treeId?: TreeId | undefined };
    answer: readonly Node[];
  };
  /**
   * The live subtree without what it says, the root left out: all of it in creation order, or breadth first down to a
   * depth, where the node itself is depth 0. Costs rows, not contents.
   */
  topology: {
    args: { readonly of: NodeId; readonly depth?: number | undefined; readonly treeId?: TreeId | undefined };
    answer: readonly TopologyNode[];
  };
  /** Who hangs on whom, of all live nodes but the root, in creation order: the least that draws a tree. */
  links: { args: { readonly treeId?: TreeId | undefined }; answer: readonly ParentLink[] };
  /** The newest live leaves of the tree, newest first, the root never among them. */
  leaves: { args: { readonly limit: number; readonly treeId?: TreeId | undefined }; answer: readonly Node[] };
  /** How many live nodes the subtree has. */
  count: { args: { readonly of: NodeId }; answer: number };
  /** What a delete of the subtree must know of. */
  subtreeInfo: { args: { readonly of: NodeId }; answer: SubtreeInfo };
  /**
   * A few live nodes of the subtree, other subtrees left out, that were added after `since` by other versions than
   * these: what others hung there.
   */
  addedByOthers: {
    args: {
      readonly of: NodeId;
      readonly versions: readonly number[];
      readonly since: number;
      readonly without: readonly NodeId[];
    };
    answer: readonly NodeHead[];
  };
  /** The newest live leaf below a node, subtrees left out; null if there is none below it. */
  newestLeaf: { args: { readonly below: NodeId; readonly without: readonly NodeId[] }; answer: NodeId | null };
  /** The leaf reached by following visit marks, else the last child. */
  lastVisited: { args: { readonly from: NodeId; readonly treeId?: TreeId | undefined }; answer: NodeId };
  /**
   * How far a list of equality keys is there already, from message to message; the first in order wins. From a marker
   * only what lies below it counts. `aliases` are nodes that completed the first text not found, before it was split.
   */
  match: {
    args: { readonly from: NodeId; readonly keys: readonly string[] };
    answer: { readonly nodes: readonly NodeId[]; readonly aliases: readonly NodeId[] };
  };
  /** The last position under a parent, removed children included, so that it is not given again. */
  lastPosition: { args: { readonly of: NodeId }; answer: string | null };
  /** The highest group number under a parent, removed children included. */
  groupMax: { args: { readonly of: NodeId }; answer: number };
  /** The nearest positions around one under a parent, removed children included. */
  neighbourPositions: {
    args: { readonly of: NodeId; readonly position: string };
    answer: { readonly before: string | null; readonly after: string | null };
  };
  /** The live child at a position. */
  childAt: { args: { readonly of: NodeId; readonly position: string }; answer: NodeId | null };
  /** The bookmark on a node. */
  bookmark: { args: { readonly on: NodeId }; answer: Bookmark | null };
  /** The bookmarks on these nodes, in the order of the nodes; all of the tree, oldest first, if none are named. */
  bookmarks: { args: { readonly on?: readonly NodeId[] }; answer: readonly Bookmark[] };
  /** The actor's newest act that is not undone, or the one named. */
  undoable: { args: { readonly actor: string; readonly actId?: ActId | undefined }; answer: ActRecord | null };
  /** The actor's newest undone act, unless the actor did something since. */
  redoable: { args: { readonly actor: string; readonly actId?: ActId | undefined }; answer: ActRecord | null };
  /** Every row of the tree, removed ones included, in creation order. */
  rows: {
    args: { readonly treeId?: TreeId | undefined };
    answer: { readonly row: TreeRow; readonly nodes: readonly Node[]; readonly bookmarks: readonly Bookmark[] } | null;
  };
  /** The commits after a version, oldest first, their steps complete again. */
  log: { args: { readonly since: number }; answer: readonly Commit[] };
  /** The tree of the same owner that a live node belongs to. */
  home: { args: { readonly id: NodeId }; answer: TreeId | null };
  /** Nothing. Long work asks it every few hundred nodes, and a store may let others go first there. The answer is null. */
  pause: { args: Readonly<Record<never, never>>; answer: null };
  /** The owner's forest tree with a key, if it is not in the trash. */
  forest: { args: { readonly key: string; readonly project: string }; answer: TreeId | null };
}

/** The name of a question. */
export type ReadName = keyof Reads;
/** A question. */
export type Read<K extends ReadName = ReadName> = { readonly [N in K]: { readonly ask: N } & Reads[N]['args'] }[K];
/** The answer to a question. */
export type Answer<K extends ReadName = ReadName> = Reads[K]['answer'];

/** A computation that asks and is answered. */
export type ReadProgram<T> = Generator<Read, T, unknown>;

/** Asks one question. Drivers answer in kind, which the type of `next` cannot say; this is the one place that says it. */
export function* ask<K extends ReadName>(name: K, args: Reads[K]['args']): Generator<Read, Answer<K>, unknown> {
  return (yield { ask: name, ...args } as Read) as Answer<K>;
}

/** Drives a reading with answers that are there at once. */
export function runReads<T>(reading: ReadProgram<T>, answer: (read: Read) => Answer): T {
  let step = reading.next();
  while (!step.done) step = reading.next(answer(step.value));
  return step.value;
}

/** Drives a reading with answers that have to be waited for. */
export async function runReadsAsync<T>(
  reading: ReadProgram<T>,
  answer: (read: Read) => Promise<Answer> | Answer,
): Promise<T> {
  let step = reading.next();
  while (!step.done) step = reading.next(await answer(step.value));
  return step.value;
}
