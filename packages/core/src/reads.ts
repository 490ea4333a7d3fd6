/**
 * The reads that planners may yield. A planner is a generator that yields reads and receives the answers. The same
 * planner therefore runs inside SQLite's write transaction, under PostgreSQL's row lock, and on the tree value.
 */
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { Bookmark, Node, NodeHead } from './node.ts';
import type { TopologyNode } from './path.ts';
import type { Step } from './steps/types.ts';
import type { TreeRow } from './tree.ts';

/** Whether a commit was made by a command, an undo or a redo. */
export type CommitKind = 'do' | 'undo' | 'redo';

/** A list of steps that are applied together under one version. */
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

/** An act that can be undone or redone. The commits to invert are listed oldest first. */
export interface ActRecord {
  readonly actId: ActId;
  readonly commits: readonly Commit[];
  /** The other trees that the act changed. */
  readonly elsewhere: readonly TreeId[];
  /** Whether a purge deleted contents that an undo would need. */
  readonly purged: boolean;
}

/** The data about a subtree that a delete needs. */
export interface SubtreeInfo {
  readonly pending: readonly NodeId[];
  readonly bookmarks: readonly Bookmark[];
  readonly active: boolean;
}

/** A part of a path; its last node is the newest. */
export interface PathPart {
  readonly nodes: readonly Node[];
  /** Whether the part begins at a first message. */
  readonly complete: boolean;
}

/** A node of a path without its content, which is enough to count tokens and to list the models of a branch. */
export type PathMeta = Pick<
  Node,
  'id' | 'parentId' | 'kind' | 'role' | 'status' | 'key' | 'tokens' | 'addedIn' | 'contentIn' | 'meta' | 'marker'
>;

/** The fields of a node that refer to other nodes, and its kind. */
export type NodeLink = Pick<Node, 'id' | 'parentId' | 'kind' | 'lastChildId'>;

/** A node with its parent, which is enough to draw the shape of a tree. */
export interface ParentLink {
  readonly id: NodeId;
  readonly parentId: NodeId;
}

/** A part of a path without message contents; its last entry is the newest. */
export interface PathMetaPart {
  readonly entries: readonly PathMeta[];
  /** Whether the part begins at a first message. */
  readonly complete: boolean;
}

/**
 * Every read and its answer. Unless a read says otherwise, a removed, foreign or unknown node gives null or an empty
 * list.
 */
export interface Reads {
  /** The tree row; `treeId` reads another tree of the same owner. */
  tree: { args: { readonly treeId?: TreeId | undefined }; answer: TreeRow | null };
  /** A live node. */
  node: { args: { readonly id: NodeId; readonly treeId?: TreeId | undefined }; answer: Node | null };
  /** The live nodes with these ids, in the order of the ids. One read is enough for a whole page. */
  nodes: { args: { readonly ids: readonly NodeId[]; readonly treeId?: TreeId | undefined }; answer: readonly Node[] };
  /** A live node without its content, which is cheaper and enough for the parent of most writes. */
  head: { args: { readonly id: NodeId; readonly treeId?: TreeId | undefined }; answer: NodeHead | null };
  /** A node, removed or not. */
  anyNode: { args: { readonly id: NodeId }; answer: Node | null };
  /** Those of the given ids that are taken, in any tree of any owner; in a store with buckets, of the same bucket. */
  taken: { args: { readonly ids: readonly NodeId[] }; answer: readonly NodeId[] };
  /** The path from a first message down to a node, without the root; at most the last `limit` nodes. */
  path: {
    args: {
      readonly to: NodeId;
      readonly limit?: number | undefined;
      /** The part starts at this ancestor if it is on the path. */
      readonly until?: NodeId | undefined;
      readonly treeId?: TreeId | undefined;
    };
    answer: PathPart;
  };
  /** The same path without message contents. Stores read no content columns for it. */
  pathMeta: {
    args: {
      readonly to: NodeId;
      readonly limit?: number | undefined;
      readonly until?: NodeId | undefined;
      readonly treeId?: TreeId | undefined;
    };
    answer: PathMetaPart;
  };
  /** A node and its ancestors, nearest first, at most `limit`. Removed nodes are included. */
  ancestors: { args: { readonly of: NodeId; readonly limit: number }; answer: readonly NodeLink[] };
  /**
   * A node and, below a marker, the markers and first messages with the same match parent. Removed nodes are included.
   */
  sharedMatch: { args: { readonly of: NodeId }; answer: readonly NodeId[] };
  /** Whether the first node is the second node or one of its ancestors. The second node may be removed. */
  isAncestorOrSelf: { args: { readonly id: NodeId; readonly below: NodeId }; answer: boolean };
  /** The given nodes that have no ancestor among the given nodes. */
  withoutDescendants: { args: { readonly ids: readonly NodeId[] }; answer: readonly NodeId[] };
  /** The live children in stored order. */
  children: { args: { readonly of: NodeId; readonly treeId?: TreeId | undefined }; answer: readonly NodeHead[] };
  /** The ids of the live children of each given node: in the order of the given nodes, children in stored order. */
  childIds: {
    args: { readonly of: readonly NodeId[]; readonly treeId?: TreeId | undefined };
    answer: readonly (readonly NodeId[])[];
  };
  /** The live subtree breadth first, starting with the node; depth 0 is the node alone. */
  subtree: {
    args: { readonly of: NodeId; readonly depth?: number | undefined; readonly treeId?: TreeId | undefined };
    answer: readonly Node[];
  };
  /**
   * The live subtree without contents and root: all nodes in creation order, or breadth first down to a depth, where
   * the given node has depth 0. Stores read no content columns for it.
   */
  topology: {
    args: { readonly of: NodeId; readonly depth?: number | undefined; readonly treeId?: TreeId | undefined };
    answer: readonly TopologyNode[];
  };
  /** The parent of every live node except the root, in creation order. Enough to draw the shape of a tree. */
  links: { args: { readonly treeId?: TreeId | undefined }; answer: readonly ParentLink[] };
  /** The newest live leaves of the tree, newest first; never the root. */
  leaves: { args: { readonly limit: number; readonly treeId?: TreeId | undefined }; answer: readonly Node[] };
  /** The number of live nodes in the subtree. */
  count: { args: { readonly of: NodeId }; answer: number };
  /** The data about a subtree that a delete needs. */
  subtreeInfo: { args: { readonly of: NodeId }; answer: SubtreeInfo };
  /**
   * Some live nodes of the subtree that other users added: nodes after `since` from other versions than the given ones,
   * without the given subtrees.
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
  /** The newest live leaf below a node, without the given subtrees; null if no leaf remains. */
  newestLeaf: { args: { readonly below: NodeId; readonly without: readonly NodeId[] }; answer: NodeId | null };
  /** The leaf that is found by following the visit marks; the last child at a node without a mark. */
  lastVisited: { args: { readonly from: NodeId; readonly treeId?: TreeId | undefined }; answer: NodeId };
  /**
   * The longest prefix of a list of equality keys that exists below a node; the first equal child wins. Below a marker
   * only its descendants count. `aliases` are the nodes that end a split text which had the first missing key before
   * the split.
   */
  match: {
    args: { readonly from: NodeId; readonly keys: readonly string[] };
    answer: { readonly nodes: readonly NodeId[]; readonly aliases: readonly NodeId[] };
  };
  /** The last position under a parent. Removed children are included, so that their positions are not reused. */
  lastPosition: { args: { readonly of: NodeId }; answer: string | null };
  /** The highest group number under a parent, removed children included. */
  groupMax: { args: { readonly of: NodeId }; answer: number };
  /** The nearest positions before and after a given position under a parent, removed children included. */
  neighbourPositions: {
    args: { readonly of: NodeId; readonly position: string };
    answer: { readonly before: string | null; readonly after: string | null };
  };
  /** The live child at a position. */
  childAt: { args: { readonly of: NodeId; readonly position: string }; answer: NodeId | null };
  /** The bookmark on a node. */
  bookmark: { args: { readonly on: NodeId }; answer: Bookmark | null };
  /**
   * The bookmarks on the given nodes, in the order of the nodes; without nodes all bookmarks of the tree, oldest first.
   */
  bookmarks: { args: { readonly on?: readonly NodeId[] }; answer: readonly Bookmark[] };
  /** The actor's newest act that is not undone, or the act with the given id. */
  undoable: { args: { readonly actor: string; readonly actId?: ActId | undefined }; answer: ActRecord | null };
  /** The actor's newest undone act, unless the actor has started another act since. */
  redoable: { args: { readonly actor: string; readonly actId?: ActId | undefined }; answer: ActRecord | null };
  /** Every row of the tree, removed nodes included, in creation order. */
  rows: {
    args: { readonly treeId?: TreeId | undefined };
    answer: { readonly row: TreeRow; readonly nodes: readonly Node[]; readonly bookmarks: readonly Bookmark[] } | null;
  };
  /** The commits after a version, oldest first, with complete steps. */
  log: { args: { readonly since: number; readonly limit?: number | undefined }; answer: readonly Commit[] };
  /** The tree of the same owner that contains a live node. */
  home: { args: { readonly id: NodeId }; answer: TreeId | null };
  /**
   * Yielded every few hundred nodes by long work, so that a store can serve other requests in between. The answer is
   * null.
   */
  pause: { args: Readonly<Record<never, never>>; answer: null };
  /** The owner's forest tree with the given key, if it is not in the trash. */
  forest: { args: { readonly key: string; readonly project: string }; answer: TreeId | null };
}

/** A key of {@link Reads}. */
export type ReadName = keyof Reads;
/** A read with its arguments. */
export type Read<K extends ReadName = ReadName> = { readonly [N in K]: { readonly ask: N } & Reads[N]['args'] }[K];
/** The answer to a read. */
export type Answer<K extends ReadName = ReadName> = Reads[K]['answer'];

/** A computation that yields reads and receives their answers. */
export type ReadProgram<T> = Generator<Read, T, unknown>;

/**
 * Yields one read and returns its answer. The type of `next` cannot express the type of the answer, so this function
 * casts it.
 */
export function* ask<K extends ReadName>(name: K, args: Reads[K]['args']): Generator<Read, Answer<K>, unknown> {
  return (yield { ask: name, ...args } as Read) as Answer<K>;
}

/** Runs a program with synchronous answers. */
export function runReads<T>(reading: ReadProgram<T>, answer: (read: Read) => Answer): T {
  let step = reading.next();
  while (!step.done) step = reading.next(answer(step.value));
  return step.value;
}

/** Runs a program with answers that may be promises. */
export async function runReadsAsync<T>(
  reading: ReadProgram<T>,
  answer: (read: Read) => Promise<Answer> | Answer,
): Promise<T> {
  let step = reading.next();
  while (!step.done) step = reading.next(await answer(step.value));
  return step.value;
}
