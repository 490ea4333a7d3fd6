/** The contract between trees in memory and the code that writes them to disk. */
import type {
  ActId,
  Answer,
  ApiToken,
  AppliedCommit,
  BlobInfo,
  Commit,
  ConversationFormat,
  ExternalId,
  NodeId,
  Provenance,
  Read,
  Run,
  RunChunk,
  ShareLink,
  Tree,
  TreeId,
  TreeRow,
  User,
} from '@coppice/core';

/** One change of a store, as it is passed to {@link Persistence.persist}. */
export type PersistedEntry =
  /** A commit and the tree after it. `sequence` numbers the changes of all trees, for the feed. */
  | {
      readonly type: 'commit';
      readonly treeId: TreeId;
      readonly applied: AppliedCommit;
      readonly tree: Tree;
      readonly sequence: number;
      readonly format: ConversationFormat;
    }
  /** Nodes were purged. `tree` and `log` no longer contain them. */
  | {
      readonly type: 'purge';
      readonly treeId: TreeId;
      readonly nodeIds: readonly NodeId[];
      readonly tree: Tree;
      readonly log: readonly Commit[];
    }
  /** Old commits were deleted. `log` contains the remaining commits; `tree` is unchanged. */
  | { readonly type: 'trim'; readonly treeId: TreeId; readonly tree: Tree; readonly log: readonly Commit[] }
  | { readonly type: 'purge-tree'; readonly treeId: TreeId }
  /**
   * The highest change number. It is written before the tree with that number is purged, so that no later change gets
   * the same number.
   */
  | { readonly type: 'sequence'; readonly sequence: number }
  /** The rows of a tree were repaired. `tree` has the new rows. */
  | { readonly type: 'mend'; readonly treeId: TreeId; readonly tree: Tree }
  /** A conversation changes from a list to a tree, or back. Its rows stay the same. */
  | {
      readonly type: 'format';
      readonly treeId: TreeId;
      readonly format: ConversationFormat;
      readonly tree: Tree;
      readonly log: readonly Commit[];
    }
  | { readonly type: 'external-ids'; readonly ids: readonly ExternalId[] }
  | { readonly type: 'provenance'; readonly rows: readonly Provenance[] }
  | { readonly type: 'run'; readonly owner: string; readonly run: Run }
  | { readonly type: 'run-chunk'; readonly runId: string; readonly chunk: RunChunk }
  | { readonly type: 'run-end'; readonly runId: string }
  /** An attachment was added or added again, or lost its last reference. `bytes` is null if they are stored already. */
  | {
      readonly type: 'blob';
      readonly owner: string;
      readonly info: BlobInfo;
      readonly bytes: Uint8Array | null;
      readonly at: number;
      readonly loose: boolean;
      /** Whether an upload of this process still waits for its message. */
      readonly waiting: boolean;
    }
  /** The attachments of an owner that are to be deleted, because no data refers to them. */
  | { readonly type: 'blobs-gone'; readonly owner: string; readonly hashes: readonly string[] }
  | { readonly type: 'user'; readonly user: User }
  | { readonly type: 'token'; readonly token: ApiToken }
  | { readonly type: 'share'; readonly share: ShareLink };

/** A tree loaded by the persistence: its value and the commits in its log, in order and without gaps. */
export interface LoadedTree {
  readonly tree: Tree;
  readonly log: readonly Commit[];
  /** The ids of purged nodes. An act that changed one of them cannot be undone. */
  readonly purged?: ReadonlySet<NodeId>;
}

/** Answers reads from parts of a stored tree. All answers come from the same state of the tree. */
export interface PartialTree {
  /** Answers a read, or returns undefined if the read needs the whole tree. */
  answer(read: Read): Answer | undefined;
  close(): void;
}

/** What the store knows of a tree that is not loaded: enough for lists and lookups. */
export interface UnloadedTree {
  readonly row: TreeRow;
  readonly format: ConversationFormat;
  /** The number of the tree's last change among the changes of all trees. */
  readonly sequence: number;
}

/** A commit that another process added to a tree after this process loaded it. */
export interface ExternalCommit {
  readonly applied: AppliedCommit;
  readonly tree: Tree;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** The changes that other processes made since the last check. */
export interface ExternalChanges {
  /** New trees, including conversations that are stored as lists. */
  readonly known: readonly UnloadedTree[];
  readonly gone: readonly TreeId[];
  /** Trees with new commits. */
  readonly changed: readonly TreeId[];
  /** Trees that were rewritten, for example by a purge. */
  readonly replaced: readonly TreeId[];
}

/**
 * The persistence of a store; without one, trees exist in memory only. If a method throws, the change does not happen:
 * it was not visible to any reader yet.
 */
export interface Persistence {
  /** Makes an entry durable. The change becomes visible only after this resolves. */
  persist(entry: PersistedEntry): Promise<void> | void;
  /** Loads a tree that was registered as an {@link UnloadedTree}. */
  load?(treeId: TreeId): Promise<LoadedTree>;
  /** Opens a tree to answer reads without loading all of it; null if the whole tree has to be loaded. */
  openPart?(treeId: TreeId): PartialTree | null;
  /**
   * Returns the commits that other processes added to a loaded tree, oldest first. Called before the tree is read and,
   * under its lock, before it is changed. With `write` it also acquires the right to write the tree, or throws.
   */
  pull?(treeId: TreeId, tree: Tree, write: boolean): readonly ExternalCommit[];
  /**
   * Returns the changes of other processes since the last call: new and deleted trees, and with `rows` also changed
   * trees. Null if nothing changed.
   */
  findExternalChanges?(rows: boolean): ExternalChanges | null;
  /** Runs work while no other process creates a tree in the same store. */
  runExclusively?<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the tree of each of these nodes, if that tree is not loaded. Unknown nodes are missing in the map. */
  findTreesOfNodes?(ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, TreeId>>;
  /** Returns the trees that an act changed, among those that are not loaded. */
  findTreesOfAct?(actId: ActId): Promise<readonly TreeId[]>;
  /** Returns which of these attachments a tree refers to. Without this method the tree is loaded to find out. */
  findReferencedHashes?(treeId: TreeId, hashes: ReadonlySet<string>): ReadonlySet<string>;
  /**
   * Returns which of these attachments other processes still need: they were added after a time and no message refers
   * to them yet, or a tree that this store cannot see refers to them.
   */
  findHeldBlobs?(owner: string, hashes: ReadonlySet<string>, after: number): ReadonlySet<string>;
  /** Returns the bytes of an attachment that was registered from disk; null if they are missing. */
  readBlob?(owner: string, hash: string): Promise<Uint8Array | null>;
}

/** Picks the entries of these nodes from an index of trees by node. */
export function pickTreesOfNodes(homes: ReadonlyMap<NodeId, TreeId>, ids: readonly NodeId[]): Map<NodeId, TreeId> {
  const found = new Map<NodeId, TreeId>();
  for (const id of ids) {
    const home = homes.get(id);
    if (home !== undefined) found.set(id, home);
  }
  return found;
}
