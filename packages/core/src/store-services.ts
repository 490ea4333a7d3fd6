/** What a store offers besides the contract with planners: lists, search, trash, runs, blobs, accounts, maintenance. */
import type { TreeFinding } from './check.ts';
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { JsonObject, Message, Role } from './message.ts';
import type { NodeMeta } from './node.ts';
import type { CommitKind } from './reads.ts';
import type { AbortSignalLike, TreeStore } from './store.ts';
import type { TreeRow } from './tree.ts';

/** A part of a list. Pass its cursor to get the next part; null at the end. An invalid cursor is refused. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** How a conversation is stored: as a tree, or still as a list of messages that is converted on reading. */
export type ConversationFormat = 'tree' | 'linear';

/** A tree in a list. */
export interface TreeSummary extends TreeRow {
  readonly format: ConversationFormat;
}

/**
 * The project of an owner's instructions, presets and prompts. Each is an empty tree, so that every store keeps them with
 * versions, undo and backup; lists of trees leave them out unless they ask for this project.
 */
export const libraryProject = 'coppice:library';

/** Selects trees; the list is sorted by last change, newest first. */
export interface TreeQuery {
  readonly project?: string;
  readonly folder?: string;
  readonly tag?: string;
  readonly pinned?: boolean;
  /** Lists trees in the trash instead of the others. */
  readonly trashed?: boolean;
  /** Lists only forest trees, or only other trees. */
  readonly forest?: boolean;
  /** A part of the title, case-insensitive. */
  readonly title?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A search: every term must occur as a part of the text, and no character has a special meaning. */
export interface SearchQuery {
  readonly text: string;
  readonly treeId?: TreeId;
  readonly project?: string;
  readonly roles?: readonly Role[];
  readonly limit?: number;
  readonly cursor?: string;
}

/** A message that was found; hits come newest first. */
export interface SearchHit {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly role: Role;
  readonly title: string | null;
  readonly createdAt: number;
  /** The text around the first term. */
  readonly snippet: string;
}

/** A commit in the list of a tree's history. */
export interface CommitSummary {
  readonly version: number;
  readonly actId: ActId;
  readonly actor: string;
  readonly at: number;
  readonly kind: CommitKind;
  readonly structural: boolean;
  /** The number of steps by type. */
  readonly steps: Readonly<Record<string, number>>;
}

/** A removed node in the trash, with everything that was removed with it. */
export interface TrashItem {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly removedIn: number;
  readonly at: number;
  readonly count: number;
  readonly preview: string;
}

/** A reply that is being generated. It belongs to one process; if its heartbeat stops, any process may recover it. */
export interface Run {
  readonly id: string;
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly process: string;
  readonly startedAt: number;
  readonly beatAt: number;
  /** Free for the engine: request id, model, state of a tool loop. */
  readonly data: JsonObject;
}

/** A run with the owner of its tree. */
export interface OwnedRun extends Run {
  readonly owner: string;
}

/** A piece of a reply. The offset counts the UTF-16 code units before it. */
export interface RunChunk {
  readonly offset: number;
  readonly text: string;
}

/**
 * A run to start. Heartbeats use the store's clock, which all processes and servers share; `beatAt` is a time of that
 * clock, now if not given.
 */
export type NewRun = Omit<Run, 'beatAt'> & { readonly beatAt?: number };

/** Runs and their text so far; not part of versions and log. */
export interface RunStore {
  start(run: NewRun): Promise<void>;
  /**
   * Returns false if the run was ended or recovered by another process. `at` is a time of the store's clock; now if not
   * given.
   */
  beat(id: string, at?: number): Promise<boolean>;
  /**
   * Sets fields of a run's data, such as a stop request, for the process that writes it. Returns false if the run has
   * ended.
   */
  note(id: string, data: JsonObject): Promise<boolean>;
  /** Appends text; repeating it with the same offset changes nothing. Returns false if the run has ended. */
  append(id: string, chunk: RunChunk): Promise<boolean>;
  chunks(id: string, from?: number): Promise<readonly RunChunk[]>;
  find(id: string): Promise<Run | null>;
  list(treeId?: TreeId): Promise<readonly Run[]>;
  /**
   * Claims runs without a heartbeat for this many milliseconds of the store's clock, so that only one process recovers
   * each.
   */
  claimStale(silentMs: number, process: string): Promise<readonly Run[]>;
  /** Claims such runs of all owners, at a cost that does not depend on the number of owners. */
  claimStaleOfAll(silentMs: number, process: string): Promise<readonly OwnedRun[]>;
  /** Deletes the run and its chunks. */
  end(id: string): Promise<void>;
}

/** An attachment. */
export interface BlobInfo {
  /** SHA-256 in lower-case hex. */
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
}

/** Attachments by hash; owners do not see each other's. */
export interface BlobStore {
  put(bytes: Uint8Array, mediaType: string): Promise<BlobInfo>;
  find(hash: string): Promise<BlobInfo | null>;
  /** Returns the bytes, or a range of them; `end` is exclusive. */
  read(hash: string, range?: { readonly start: number; readonly end: number }): Promise<Uint8Array | null>;
}

/** The id of a tree or node in another system: the format, the file or account, and the id there. */
export interface ExternalId {
  readonly treeId: TreeId;
  /** Null names the tree itself. */
  readonly nodeId: NodeId | null;
  readonly format: string;
  readonly scope: string;
  readonly id: string;
}

/** One reuse of a prefix: who sent messages that existed already. Written in batches; a crash may lose some. */
export interface Provenance {
  readonly treeId: TreeId;
  readonly source: string;
  readonly firstNodeId: NodeId;
  readonly lastNodeId: NodeId;
  readonly count: number;
  readonly at: number;
}

/** A user of a shared server. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly role: 'admin' | 'member' | 'viewer';
  readonly createdAt: number;
  readonly disabledAt: number | null;
}

/** An API token; only its hash is stored. */
export interface ApiToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly usedAt: number | null;
}

/** A share link: a fixed list of nodes of one path, and which parts of them are visible. */
export interface ShareLink {
  readonly id: string;
  readonly owner: string;
  readonly treeId: TreeId;
  /**
   * The version at which its nodes are shown; null for a link from before versions were recorded, which shows the
   * current content.
   */
  readonly version: number | null;
  readonly nodeIds: readonly NodeId[];
  readonly fields: readonly string[];
  readonly title: string | null;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** Users, tokens and shares of a shared server; not limited to one owner. */
export interface AccountStore {
  putUser(user: User): Promise<void>;
  users(): Promise<readonly User[]>;
  user(id: string): Promise<User | null>;
  putToken(token: ApiToken): Promise<void>;
  tokens(userId: string): Promise<readonly ApiToken[]>;
  tokenByHash(hash: string): Promise<ApiToken | null>;
  putShare(share: ShareLink): Promise<void>;
  shares(owner: string, treeId?: TreeId): Promise<readonly ShareLink[]>;
  shareByHash(hash: string): Promise<ShareLink | null>;
}

/**
 * Records that the engine encrypted before a store gets them, such as the keys of a shared server. They belong to no owner,
 * and a backup of the store leaves them out.
 */
export interface SealedRecords {
  /** Changes with every change, also by another process; cheap to read. */
  version(): Promise<string>;
  load(): Promise<ReadonlyMap<string, JsonObject>>;
  /** Adds a record or replaces it; durable when it resolves. */
  put(id: string, record: JsonObject): Promise<void>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
  /** Replaces each record by what `seal` returns for it, all in one transaction. Returns how many there are. */
  rewrite(seal: (id: string, record: JsonObject) => JsonObject): Promise<number>;
}

/** A conversation that is still a list of messages. */
export interface LinearRecord {
  readonly treeId: TreeId;
  readonly title?: string;
  readonly systemPrompt?: string;
  readonly createdAt: number;
  readonly messages: readonly {
    readonly id?: string;
    readonly message: Message;
    readonly createdAt?: number;
    readonly meta?: NodeMeta;
  }[];
}

/** The progress of a backfill. */
export interface BackfillProgress {
  readonly done: number;
  readonly left: number;
}

/** Whether conversations are written as trees: for no owner, some owners or all. */
export type TreeWriteScope = 'off' | 'on' | { readonly owners: readonly string[] };

/** An act that can be undone or redone, and its tree. */
export interface NewestAct {
  readonly treeId: TreeId;
  readonly actId: ActId;
  /** Whether the act only created the tree; undoing it moves the tree to the trash. */
  readonly madeTree: boolean;
}

/** A change in any tree of the owner, for live lists. */
export interface TreeListEvent {
  /** Pass it as `since` to continue without a gap. */
  readonly cursor: string;
  readonly treeId: TreeId;
  readonly version: number;
}

/** How far a check or a backup has come, in trees, rows or pages; the total may grow while others write. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number;
}

/** Options of a check. */
export interface FsckOptions {
  readonly repair?: boolean;
  readonly treeId?: TreeId;
  /** Called after each part of a check of all trees. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
}

/** Options of a backup. */
export interface BackupOptions {
  /** Called after each part; a store that copies files calls it not at all. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
}

/** The findings of a store check, and what a repair did. */
export interface FsckReport {
  readonly trees: number;
  /** Rows, the roots and what is in the trash included. */
  readonly nodes: number;
  readonly findings: readonly (TreeFinding & { readonly treeId: TreeId | null })[];
  /** What was repaired; empty unless repair was requested. Moved files are kept. */
  readonly repaired: readonly string[];
}

/** What a purge deleted. */
export interface PurgeReport {
  readonly nodes: number;
  readonly contents: number;
  /** Other trees of the owner with copies of purged messages, or with the originals of purged copies, and how many. */
  readonly copies: readonly { readonly treeId: TreeId; readonly title: string | null; readonly nodes: number }[];
  /**
   * Attachments that nothing references any more but that are kept for now, because an upload of the same bytes waits
   * for its message.
   */
  readonly waitingAttachments: number;
  /** Files that still contain purged bytes, because another process is reading them; they are cleared afterwards. */
  readonly uncleared: readonly string[];
}

/** A store's description of itself. */
export interface StoreInfo {
  readonly kind: string;
  /** Its location, without credentials. */
  readonly place: string;
  readonly readOnly: boolean;
  readonly schemaVersion: number;
  /** Notes for the user, such as that search has to scan. */
  readonly notes: readonly string[];
  /** Parts that could not be read on opening and are left as they are; the notes mention them too. */
  readonly damage?: readonly string[];
}

/** A whole store, as one owner sees it. */
export interface Store extends TreeStore {
  forOwner(owner: string): Store;
  info(): Promise<StoreInfo>;
  trees(query?: TreeQuery): Promise<Page<TreeSummary>>;
  /** Returns how a conversation is stored; null if it does not exist. */
  formatOf(treeId: TreeId): Promise<ConversationFormat | null>;
  search(query: SearchQuery): Promise<Page<SearchHit>>;
  history(
    treeId: TreeId,
    options?: { readonly before?: number; readonly limit?: number },
  ): Promise<readonly CommitSummary[]>;
  /**
   * Returns the actor's newest act in any tree of the owner that is not undone, trees in the trash included; or the
   * newest undone one, unless the actor has started another act in any tree since. Null if there is none.
   */
  newestAct(actor: string, which: 'undoable' | 'redoable'): Promise<NewestAct | null>;
  trash(treeId: TreeId): Promise<readonly TrashItem[]>;
  /**
   * Deletes removed nodes for good: one of them with everything removed with it, or all that were removed up to a
   * version.
   */
  purge(treeId: TreeId, what: { readonly nodeId: NodeId } | { readonly upTo: number }): Promise<PurgeReport>;
  /** Deletes a tree from the trash for good. */
  purgeTree(treeId: TreeId): Promise<PurgeReport>;
  feedAll(since: string | null, signal?: AbortSignalLike): AsyncIterable<TreeListEvent>;
  readonly runs: RunStore;
  readonly blobs: BlobStore;
  readonly accounts: AccountStore;
  /** Null for a store that several servers cannot share; its server keeps such records in a file of its own. */
  readonly sealed: SealedRecords | null;
  putExternalIds(ids: readonly ExternalId[]): Promise<void>;
  findExternalIds(format: string, scope: string, ids: readonly string[]): Promise<readonly ExternalId[]>;
  externalIdsOf(treeId: TreeId): Promise<readonly ExternalId[]>;
  addProvenance(rows: readonly Provenance[]): Promise<void>;
  provenanceOf(treeId: TreeId): Promise<readonly Provenance[]>;
  /** Stores a conversation as a list of messages; it can be read as a tree at once. */
  putLinear(record: LinearRecord): Promise<void>;
  /** Converts lists to trees, a few per step, until none is left. It can be stopped and restarted at any time. */
  backfill(options?: { readonly batch?: number; readonly signal?: AbortSignalLike }): AsyncIterable<BackfillProgress>;
  /** Checks all trees of this owner, one after the other, or one tree; changes something only with `repair`. */
  fsck(options?: FsckOptions): Promise<FsckReport>;
  /** Writes a complete copy that can be opened as a store. */
  backup(to: string, options?: BackupOptions): Promise<void>;
}
