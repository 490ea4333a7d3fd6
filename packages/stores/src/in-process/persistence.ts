/** How a store that builds on a book makes what happens last. */
import type {
  ActId,
  BlobInfo,
  Commit,
  ConversationFormat,
  ExternalId,
  LinearRecord,
  NodeId,
  PreparedCommit,
  Provenance,
  Run,
  RunChunk,
  Share,
  Token,
  Tree,
  TreeId,
  TreeRow,
  User,
} from '@coppice/core';

/** Everything that happens in a book, as it is about to happen. */
export type PersistedEntry =
  /** A commit and the tree after it. `sequence` numbers the changes of all trees, for feeds over all of them. */
  | {
      readonly type: 'commit';
      readonly treeId: TreeId;
      readonly settled: PreparedCommit;
      readonly tree: Tree;
      readonly sequence: number;
      readonly format: ConversationFormat;
      /** What goes before it where the conversation was still a list: both last together, or neither does. */
      readonly list?: ListStored;
    }
  /** Nodes were taken for good; tree and log are what is left of them. */
  | {
      readonly type: 'purge';
      readonly treeId: TreeId;
      readonly nodeIds: readonly NodeId[];
      readonly tree: Tree;
      readonly log: readonly Commit[];
    }
  | { readonly type: 'purge-tree'; readonly treeId: TreeId }
  /** The highest number that a change had, before the tree that has it is purged: none is given a second time. */
  | { readonly type: 'sequence'; readonly sequence: number }
  /** A tree's rows were mended: this is what they are now. */
  | { readonly type: 'mend'; readonly treeId: TreeId; readonly tree: Tree }
  | { readonly type: 'linear'; readonly owner: string; readonly record: LinearRecord; readonly sequence: number }
  | { readonly type: 'external-ids'; readonly ids: readonly ExternalId[] }
  | { readonly type: 'provenance'; readonly rows: readonly Provenance[] }
  | { readonly type: 'run'; readonly owner: string; readonly run: Run }
  | { readonly type: 'run-chunk'; readonly runId: string; readonly chunk: RunChunk }
  | { readonly type: 'run-end'; readonly runId: string }
  /** An attachment that was put, or put again, or lost its last name; without bytes where they are there already. */
  | {
      readonly type: 'blob';
      readonly owner: string;
      readonly info: BlobInfo;
      readonly bytes: Uint8Array | null;
      readonly at: number;
      readonly loose: boolean;
    }
  /** Attachments that nothing of an owner's names any more. */
  | { readonly type: 'blobs-gone'; readonly owner: string; readonly hashes: readonly string[] }
  | { readonly type: 'user'; readonly user: User }
  | { readonly type: 'token'; readonly token: Token }
  | { readonly type: 'share'; readonly share: Share };

/** The commit by which a list became a tree, and the tree after it. */
export interface ListStored {
  readonly settled: PreparedCommit;
  readonly tree: Tree;
  readonly sequence: number;
}

/** A tree as a keeper brings it: its value and all its commits in order. */
export interface LoadedTree {
  readonly tree: Tree;
  readonly log: readonly Commit[];
  /** Nodes that were purged: acts that would need them cannot be taken back. */
  readonly purged?: ReadonlySet<NodeId>;
}

/** What a book is told of a tree that is not loaded yet: enough to list it and to find it. */
export interface KnownTree {
  readonly row: TreeRow;
  readonly format: ConversationFormat;
  /** The number of its last change among those of all trees. */
  readonly sequence: number;
}

/** A commit that somebody else made in a tree since it was loaded. */
export interface ExternalCommit {
  readonly settled: PreparedCommit;
  readonly tree: Tree;
  readonly sequence: number;
  readonly format: ConversationFormat;
}

/** A list of messages that is not stored as a tree yet. */
export interface KnownList {
  readonly record: LinearRecord;
  readonly owner: string;
  readonly sequence: number;
}

/** What other processes did to the trees of a place since the last look. */
export interface Survey {
  /** Trees and lists that are new. */
  readonly known: readonly KnownTree[];
  readonly lists: readonly KnownList[];
  readonly gone: readonly TreeId[];
  /** Trees that were added to. */
  readonly changed: readonly TreeId[];
  /** Trees that were written anew, as a purge does. */
  readonly replaced: readonly TreeId[];
}

/**
 * The hands that a book works with. A book without a keeper lives in memory only. A keeper that throws stops what was
 * about to happen: nobody has seen it yet, and the book stays as it was.
 */
export interface Persistence {
  /** Makes an entry durable. The book shows it to nobody before this is through. */
  persist(entry: PersistedEntry): Promise<void> | void;
  /** Brings a tree that the book knows of but has not loaded. */
  load?(treeId: TreeId): Promise<LoadedTree>;
  /**
   * What others added to a loaded tree since it was what it is, oldest first: asked before it is read and, under its lock,
   * before it is changed. With `write` the keeper also makes sure that it may write, or refuses.
   */
  pull?(treeId: TreeId, tree: Tree, write: boolean): readonly ExternalCommit[];
  /**
   * What other processes did since the last look: which trees are new or gone, and with `rows` also which were changed.
   * Null where nothing was.
   */
  survey?(rows: boolean): Survey | null;
  /** Runs work while no other process makes a tree in the same place. */
  alone?<T>(work: () => Promise<T>): Promise<T>;
  /** In which trees that are not loaded these ids are taken. */
  treesOfNodes?(ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, TreeId>>;
  /** Which trees that are not loaded an act has changed. */
  treesOf?(actId: ActId): Promise<readonly TreeId[]>;
  /** Which of these attachments a tree that is not loaded names, as far as can be told without loading it. */
  mentions?(treeId: TreeId, hashes: ReadonlySet<string>): ReadonlySet<string>;
  /**
   * Which of these attachments may not be taken away for what others did since the book was opened: put them again after
   * a time, or named them where the book does not see it.
   */
  wanted?(owner: string, hashes: ReadonlySet<string>, after: number): ReadonlySet<string>;
  /** The bytes of an attachment, where the book was told of it without them. */
  bytesOf?(owner: string, hash: string): Promise<Uint8Array | null>;
}

/** Those of the nodes that have a home, with it. */
export function treesOfNodes(homes: ReadonlyMap<NodeId, TreeId>, ids: readonly NodeId[]): Map<NodeId, TreeId> {
  const found = new Map<NodeId, TreeId>();
  for (const id of ids) {
    const home = homes.get(id);
    if (home !== undefined) found.set(id, home);
  }
  return found;
}
