/** The persistence of a store over in-process state. */
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

/** Every change of a store, in the form in which it is persisted. */
export type PersistedEntry =
  /** A commit and the tree after it. `sequence` numbers the changes of all trees, for feeds over all of them. */
  | {
      readonly type: 'commit';
      readonly treeId: TreeId;
      readonly applied: AppliedCommit;
      readonly tree: Tree;
      readonly sequence: number;
      readonly format: ConversationFormat;
    }
  /** Nodes were purged; tree and log are what remains. */
  | {
      readonly type: 'purge';
      readonly treeId: TreeId;
      readonly nodeIds: readonly NodeId[];
      readonly tree: Tree;
      readonly log: readonly Commit[];
    }
  | { readonly type: 'purge-tree'; readonly treeId: TreeId }
  /** The highest change number, written before the tree with it is purged, so that it is never reused. */
  | { readonly type: 'sequence'; readonly sequence: number }
  /** A tree's rows were repaired; these are the new ones. */
  | { readonly type: 'mend'; readonly treeId: TreeId; readonly tree: Tree }
  /** The format of a conversation changes; its rows stay the same. */
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
  /**
   * An attachment that was added, added again, or lost its last reference; without bytes if they are stored already.
   */
  | {
      readonly type: 'blob';
      readonly owner: string;
      readonly info: BlobInfo;
      readonly bytes: Uint8Array | null;
      readonly at: number;
      readonly loose: boolean;
      /** Whether an upload of this process waits for a message. */
      readonly waiting: boolean;
    }
  /** Attachments that nothing of an owner refers to any more. */
  | { readonly type: 'blobs-gone'; readonly owner: string; readonly hashes: readonly string[] }
  | { readonly type: 'user'; readonly user: User }
  | { readonly type: 'token'; readonly token: ApiToken }
  | { readonly type: 'share'; readonly share: ShareLink };

/** A tree loaded by the persistence: its value and all its commits in order. */
export interface LoadedTree {
  readonly tree: Tree;
  readonly log: readonly Commit[];
  /** Purged nodes: acts that would need them cannot be undone. */
  readonly purged?: ReadonlySet<NodeId>;
}

/** Answers reads from parts of a stored tree, in one state of it. */
export interface PartialTree {
  /** Returns undefined for a read that needs the whole tree. */
  answer(read: Read): Answer | undefined;
  close(): void;
}

/** A tree that is not loaded yet: enough to list and find it. */
export interface UnloadedTree {
  readonly row: TreeRow;
  readonly format: ConversationFormat;
  /** The number of its last change among those of all trees. */
  readonly sequence: number;
}

/** A commit that another process made in a tree since it was loaded. */
export interface ExternalCommit {
  readonly applied: AppliedCommit;
  readonly tree: Tree;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** What other processes did to the trees of a place since the last check. */
export interface ExternalChanges {
  /** New trees and lists. */
  readonly known: readonly UnloadedTree[];
  readonly gone: readonly TreeId[];
  /** Trees with new commits. */
  readonly changed: readonly TreeId[];
  /** Trees that were rewritten, for example by a purge. */
  readonly replaced: readonly TreeId[];
}

/**
 * The persistence of a store; without one it exists in memory only. If it throws, the change does not happen: no reader
 * has seen it yet, and the state stays unchanged.
 */
export interface Persistence {
  /** Makes an entry durable. The store makes it visible only after this resolves. */
  persist(entry: PersistedEntry): Promise<void> | void;
  /** Loads a tree that the store knows but has not loaded. */
  load?(treeId: TreeId): Promise<LoadedTree>;
  /** Opens a tree that is not loaded to read parts of it; null if it has to be loaded. */
  openPart?(treeId: TreeId): PartialTree | null;
  /**
   * Returns what others added to a loaded tree, oldest first: called before it is read and, under its lock, before it
   * is changed. With `write` it also ensures that this process may write, or throws.
   */
  pull?(treeId: TreeId, tree: Tree, write: boolean): readonly ExternalCommit[];
  /**
   * Returns what other processes did since the last call: new and deleted trees, and with `rows` also changed ones.
   * Null if nothing changed.
   */
  survey?(rows: boolean): ExternalChanges | null;
  /** Runs work while no other process creates a tree in the same place. */
  alone?<T>(work: () => Promise<T>): Promise<T>;
  /** Returns which trees that are not loaded contain these ids. */
  pickTreesOfNodes?(ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, TreeId>>;
  /** Returns which trees that are not loaded an act has changed. */
  treesOf?(actId: ActId): Promise<readonly TreeId[]>;
  /**
   * Returns which of these attachments a tree that is not loaded refers to, as far as it is known without loading it.
   */
  mentions?(treeId: TreeId, hashes: ReadonlySet<string>): ReadonlySet<string>;
  /**
   * Returns which of these attachments must not be deleted because of other or earlier processes: they added them after
   * a time and no message of theirs refers to them, or they refer to them where this store cannot see it.
   */
  wanted?(owner: string, hashes: ReadonlySet<string>, after: number): ReadonlySet<string>;
  /** Returns the bytes of an attachment that was registered without them. */
  bytesOf?(owner: string, hash: string): Promise<Uint8Array | null>;
}

/** Returns the trees of those nodes that have one. */
export function treesOfNodes(homes: ReadonlyMap<NodeId, TreeId>, ids: readonly NodeId[]): Map<NodeId, TreeId> {
  const found = new Map<NodeId, TreeId>();
  for (const id of ids) {
    const home = homes.get(id);
    if (home !== undefined) found.set(id, home);
  }
  return found;
}
