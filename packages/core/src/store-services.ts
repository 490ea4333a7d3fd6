/**
 * The services of a store besides the contract with planners: lists, search, trash, runs, blobs, accounts, maintenance.
 */
import type { TreeFinding } from './check.ts';
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { JsonObject, Message, Role } from './message.ts';
import type { NodeMeta } from './node.ts';
import type { CommitKind } from './reads.ts';
import type { AbortSignalLike, TreeStore } from './store.ts';
import type { TreeRow } from './tree.ts';

/**
 * A page of a list. Pass its cursor to get the next page; the cursor is null at the end. An invalid cursor is refused.
 */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** How a conversation is stored: as a tree, or as a list of messages that is converted on reading. */
export type ConversationFormat = 'tree' | 'linear';

/** The row of a tree, as lists of trees show it. */
export interface TreeSummary extends TreeRow {
  readonly format: ConversationFormat;
}

/**
 * The project of an owner's instructions, presets and prompts. Each of them is an empty tree, so that every store
 * supports versions, undo and backup for them. Lists of trees leave this project out unless a query names it.
 */
export const libraryProject = 'coppice:library';

/** Selects trees; the list is sorted by last change, newest first. */
export interface TreeQuery {
  readonly project?: string;
  readonly folder?: string;
  readonly tag?: string;
  readonly pinned?: boolean;
  /** True lists only trees in the trash; by default these are left out. */
  readonly trashed?: boolean;
  /** True lists only forest trees, false only other trees. */
  readonly forest?: boolean;
  /** A part of the title, case-insensitive. */
  readonly title?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** A search: every term must occur in the text, and no character has a special meaning. */
export interface SearchQuery {
  readonly text: string;
  readonly treeId?: TreeId;
  readonly project?: string;
  readonly roles?: readonly Role[];
  readonly limit?: number;
  readonly cursor?: string;
}

/** A message that a search found; the newest message comes first. */
export interface SearchHit {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly role: Role;
  readonly title: string | null;
  readonly createdAt: number;
  /** The text around the first term. */
  readonly snippet: string;
}

/** A commit without its steps, for the history of a tree. */
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

/**
 * A reply that is being generated. A run belongs to one process; if its heartbeat stops, any process may recover it.
 */
export interface Run {
  readonly id: string;
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly process: string;
  readonly startedAt: number;
  readonly beatAt: number;
  /** Data of the engine: request id, model, state of a tool loop. */
  readonly data: JsonObject;
}

/** A run with the owner of its tree, for a process that recovers the runs of all owners. */
export interface OwnedRun extends Run {
  readonly owner: string;
}

/** A piece of a reply. The offset is the number of UTF-16 code units before the piece. */
export interface RunChunk {
  readonly offset: number;
  readonly text: string;
}

/**
 * A run to start. Heartbeats use the store's clock, which all processes and servers share. `beatAt` is a time of that
 * clock; now by default.
 */
export type NewRun = Omit<Run, 'beatAt'> & { readonly beatAt?: number };

/** The runs and their text so far. Runs are not part of versions and the log. */
export interface RunStore {
  start(run: NewRun): Promise<void>;
  /**
   * Records a heartbeat. Returns false if the run has ended or another process has recovered it. `at` is a time of the
   * store's clock; now by default.
   */
  beat(id: string, at?: number): Promise<boolean>;
  /**
   * Sets fields of a run's data, such as a stop request, for the process that owns the run. With `unless`, nothing is
   * set if the data already has a field of that name. Returns false if the run has ended or nothing was set.
   */
  note(id: string, data: JsonObject, unless?: string): Promise<boolean>;
  /** Appends text. Appending again at the same offset changes nothing. Returns false if the run has ended. */
  append(id: string, chunk: RunChunk): Promise<boolean>;
  chunks(id: string, from?: number): Promise<readonly RunChunk[]>;
  find(id: string): Promise<Run | null>;
  list(treeId?: TreeId): Promise<readonly Run[]>;
  /**
   * Claims runs without a heartbeat for this many milliseconds of the store's clock, so that only one process recovers
   * each run.
   */
  claimStale(silentMs: number, process: string): Promise<readonly Run[]>;
  /** Like `claimStale`, but for all owners. The cost does not depend on the number of owners. */
  claimStaleOfAll(silentMs: number, process: string): Promise<readonly OwnedRun[]>;
  /** Deletes the run and its chunks. */
  end(id: string): Promise<void>;
}

/** What a store knows about an attachment without reading its bytes. */
export interface BlobInfo {
  /** SHA-256 in lower-case hex. */
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
}

/** Attachments by hash. An owner cannot read the attachments of other owners. */
export interface BlobStore {
  put(bytes: Uint8Array, mediaType: string): Promise<BlobInfo>;
  find(hash: string): Promise<BlobInfo | null>;
  /** Returns the bytes, or a range of them; `end` is exclusive. */
  read(hash: string, range?: { readonly start: number; readonly end: number }): Promise<Uint8Array | null>;
}

/** The id of a tree or node in another system: the format, the file or account, and the original id. */
export interface ExternalId {
  readonly treeId: TreeId;
  /** Null if the id belongs to the tree itself. */
  readonly nodeId: NodeId | null;
  readonly format: string;
  readonly scope: string;
  readonly id: string;
}

/** Records that a sender reused messages that already existed. Written in batches, so a crash may lose some records. */
export interface Provenance {
  readonly treeId: TreeId;
  readonly source: string;
  readonly firstNodeId: NodeId;
  readonly lastNodeId: NodeId;
  readonly count: number;
  readonly at: number;
}

/** A user of a server that several people share. */
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

/** A share link: a fixed list of nodes of one path, and which parts of these nodes are visible. */
export interface ShareLink {
  readonly id: string;
  readonly owner: string;
  readonly treeId: TreeId;
  /**
   * The version at which the nodes are shown. Null for a link that was created before versions were recorded; it shows
   * the current content.
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

/** Users, tokens and shares of a shared server. The methods see all owners. */
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
 * Records that the engine encrypts before it passes them to a store, such as the keys of a shared server. They have no
 * owner, and a backup of the store does not include them.
 */
export interface SealedRecords {
  /** A value that changes with every change by any process, and is cheap to read. */
  version(): Promise<string>;
  load(): Promise<ReadonlyMap<string, JsonObject>>;
  /** Adds or replaces a record. The write is durable when the promise resolves. */
  put(id: string, record: JsonObject): Promise<void>;
  /** Removes a record. Returns whether the record existed. */
  remove(id: string): Promise<boolean>;
  /** Replaces each record by the result of `seal`, all in one transaction. Returns the number of records. */
  rewrite(seal: (id: string, record: JsonObject) => JsonObject): Promise<number>;
}

/** A short-lived value that all servers of a store share. */
export interface SharedRecord {
  readonly key: string;
  /** Changes with every write of the record. */
  readonly stamp: string;
  readonly value: JsonObject;
}

/** How long a shared record is kept, and under which conditions it is written. */
export interface SharedRecordWrite {
  /** Milliseconds of the store's clock until the record disappears, unless it is written or renewed before. */
  readonly keepMs: number;
  /** Write only if the record has this stamp; null: only if there is no record. */
  readonly expected?: string | null;
  /** Add a record only if its group has fewer records than this. */
  readonly most?: number;
}

/** A limit for the sum of a counter in each period, such as a day. Periods are those of the store's clock, in UTC. */
export interface CounterLimit {
  readonly most: number;
  readonly periodMs: number;
}

/**
 * Short-lived values that are not part of a tree: one-time codes, counters of quotas, the state of imports. All servers
 * of a store see the same values. They have no owner and expire by the store's clock. Backups do not include them, and
 * a crash of the database may lose them.
 */
export interface SharedRecords {
  find(group: string, key: string): Promise<SharedRecord | null>;
  /** Returns the records of a group, sorted by key. */
  list(group: string): Promise<readonly SharedRecord[]>;
  /** Adds or replaces a record. Returns its stamp, or null if a condition was not met and nothing was written. */
  put(group: string, key: string, value: JsonObject, write: SharedRecordWrite): Promise<string | null>;
  /** Deletes a record and returns it. Of several callers only one gets it. */
  take(group: string, key: string): Promise<SharedRecord | null>;
  /** Keeps records for a longer time. Returns the number of those that still exist. */
  renew(names: readonly { readonly group: string; readonly key: string }[], keepMs: number): Promise<number>;
  /**
   * Adds an amount to a counter. Returns the sum of the current period, or null if the limit would be exceeded; then
   * nothing is added.
   */
  count(name: string, amount: number, limit: CounterLimit): Promise<number | null>;
  /** Returns for how many milliseconds the current period of counters continues, by the store's clock. */
  periodLeft(periodMs: number): Promise<number>;
  /** Deletes expired records and counters of all groups. Returns their number. */
  sweep(): Promise<number>;
}

/** Calls, tokens and US dollars of one user on one day. */
export interface OwnerSpending {
  readonly owner: string;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** An amount in US dollars that calls have spent, and the amount that running calls may still spend. */
export interface UsedAmount {
  readonly spent: number;
  readonly reserved: number;
}

/** The daily spending of a store, which all its servers share. It is durable, but backups do not include it. */
export interface SharedSpendingLedger {
  /** Returns the US dollars spent on a day, for example `2026-11-15`. */
  on(day: string): Promise<number>;
  /** Adds the cost of a call. An owner of null counts for the day only. */
  add(day: string, spent: Omit<OwnerSpending, 'owner'> & { readonly owner: string | null }): Promise<void>;
  /**
   * Reserves an amount, in one transaction. `amountOf` gets the amounts of the day and those of the owner, and returns
   * the amount to reserve or null; it may throw, and may be called again. Returns the id of the reservation, or null.
   */
  reserve(
    day: string,
    owner: string,
    keepMs: number,
    amountOf: (used: UsedAmount, own: UsedAmount) => number | null,
  ): Promise<string | null>;
  release(id: string): Promise<void>;
  byOwner(day: string): Promise<readonly OwnerSpending[]>;
}

/** The state besides trees that all servers of a store share. */
export interface SharedState {
  readonly records: SharedRecords;
  readonly spending: SharedSpendingLedger;
  /** The temporary trees of all servers: in no list, search, feed, check or backup of the store, and not durable. */
  readonly temporary: TemporaryStore;
  /** Whether this process has used the temporary trees, so that it also recovers lost replies there. */
  readonly usesTemporary: boolean;
  /** Deletes the temporary trees of all owners that were not changed for this time. Returns their number. */
  discardUnusedTrees(ms: number): Promise<number>;
}

/** A store for trees that can be deleted without a trace. */
export interface TemporaryStore extends Store {
  forOwner(owner: string): TemporaryStore;
  /** Deletes a tree with everything that belongs to it, whether it is in the trash or not. */
  discard(treeId: TreeId): Promise<void>;
}

/** A conversation that is stored as a list of messages and not as a tree yet. */
export interface StoredLinearConversation {
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

/** How many conversations a backfill has converted, and how many are left. */
export interface BackfillProgress {
  readonly done: number;
  readonly left: number;
}

/** For which owners conversations are written as trees. */
export type TreeWriteScope = 'off' | 'on' | { readonly owners: readonly string[] };

/** The act that an undo or redo without a named tree chooses, and its tree. */
export interface NewestAct {
  readonly treeId: TreeId;
  readonly actId: ActId;
  /** Whether the act only created the tree; undoing it moves the tree to the trash. */
  readonly madeTree: boolean;
}

/** A change in any tree of the owner, for live lists. */
export interface TreeListEvent {
  /** The cursor after this event. Pass it as `since` to continue without a gap. */
  readonly cursor: string;
  readonly treeId: TreeId;
  readonly version: number;
}

/** The progress of a check or a backup, in trees, rows or pages. The total may grow while other processes write. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number;
}

/** What a check of a store covers, and whether it repairs. */
export interface FsckOptions {
  readonly repair?: boolean;
  readonly treeId?: TreeId;
  /** Called after each part of a check of all trees. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
}

/** The options of a backup; all may be left out. */
export interface BackupOptions {
  /** Called after each part. A store that copies files does not call it. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
}

/** The findings of a store check, and the repairs. */
export interface FsckReport {
  readonly trees: number;
  /** The number of rows, including roots and removed nodes. */
  readonly nodes: number;
  readonly findings: readonly (TreeFinding & { readonly treeId: TreeId | null })[];
  /** The repairs that were made; empty unless repair was requested. Files that were moved aside are kept. */
  readonly repaired: readonly string[];
}

/** What a purge deleted, and what it had to leave. */
export interface PurgeReport {
  readonly nodes: number;
  readonly contents: number;
  /** How many copies of the purged messages, or originals of purged copies, exist in other trees of the owner. */
  readonly copies: readonly { readonly treeId: TreeId; readonly title: string | null; readonly nodes: number }[];
  /**
   * The number of attachments without references that are kept for now, because an upload of the same bytes waits for
   * its message.
   */
  readonly waitingAttachments: number;
  /** Files that still contain purged bytes, because another process is reading them. They are cleared later. */
  readonly uncleared: readonly string[];
}

/** Selects the commits to delete from the logs of trees. */
export interface TrimHistoryOptions {
  /** Commits before this time are deleted, except the newest act of each tree and what share links show. */
  readonly before: number;
  /** Trims only this tree of the owner. By default the trees of all owners are trimmed. */
  readonly treeId?: TreeId;
  readonly signal?: AbortSignalLike;
  /** Called after each part, with the number of trees. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
}

/** The result of trimming. */
export interface TrimHistoryReport {
  /** The number of trees whose history begins later than before. */
  readonly trees: number;
  /** The number of deleted commits. */
  readonly commits: number;
  /** The number of trees that could not be written, for example because another program owns the file. */
  readonly skipped: number;
}

/** The kind, location and state of a store, for people. */
export interface StoreInfo {
  readonly kind: string;
  /** The location of the store, without credentials. */
  readonly place: string;
  readonly readOnly: boolean;
  readonly schemaVersion: number;
  /** Notes for the user, for example that a search has to scan all messages. */
  readonly notes: readonly string[];
  /** Parts that could not be read when the store was opened. They are not changed, and the notes mention them too. */
  readonly damage?: readonly string[];
}

/** A store with all its services, limited to one owner. */
export interface Store extends TreeStore {
  forOwner(owner: string): Store;
  info(): Promise<StoreInfo>;
  trees(query?: TreeQuery): Promise<Page<TreeSummary>>;
  /** Returns how a conversation is stored; null if the conversation does not exist. */
  formatOf(treeId: TreeId): Promise<ConversationFormat | null>;
  search(query: SearchQuery): Promise<Page<SearchHit>>;
  history(
    treeId: TreeId,
    options?: { readonly before?: number; readonly limit?: number },
  ): Promise<readonly CommitSummary[]>;
  /**
   * Returns the actor's newest act that is not undone, in any tree of the owner, including trees in the trash. For
   * `redoable` returns the newest undone act, unless the actor has started another act in any tree since. Null if no
   * act qualifies.
   */
  newestAct(actor: string, which: 'undoable' | 'redoable'): Promise<NewestAct | null>;
  trash(treeId: TreeId): Promise<readonly TrashItem[]>;
  /**
   * Deletes removed nodes permanently: one node with everything that was removed with it, or all nodes that were
   * removed up to a version.
   */
  purge(treeId: TreeId, what: { readonly nodeId: NodeId } | { readonly upTo: number }): Promise<PurgeReport>;
  /** Deletes a tree in the trash permanently. */
  purgeTree(treeId: TreeId): Promise<PurgeReport>;
  /**
   * Deletes old commits, and former contents that only they need. Trees and their trash stay as they are. Acts and
   * versions before the first remaining commit can no longer be undone or read, and a feed from there is refused with
   * `history/trimmed`.
   */
  trimHistory(options: TrimHistoryOptions): Promise<TrimHistoryReport>;
  feedAll(since: string | null, signal?: AbortSignalLike): AsyncIterable<TreeListEvent>;
  readonly runs: RunStore;
  readonly blobs: BlobStore;
  readonly accounts: AccountStore;
  /**
   * Null for a store that several servers cannot share; a server with this store keeps the records in a separate file.
   */
  readonly sealed: SealedRecords | null;
  /** Null for a store that is used by the servers of one computer at most; each of them keeps this state in memory. */
  readonly shared: SharedState | null;
  putExternalIds(ids: readonly ExternalId[]): Promise<void>;
  findExternalIds(format: string, scope: string, ids: readonly string[]): Promise<readonly ExternalId[]>;
  externalIdsOf(treeId: TreeId): Promise<readonly ExternalId[]>;
  addProvenance(rows: readonly Provenance[]): Promise<void>;
  provenanceOf(treeId: TreeId): Promise<readonly Provenance[]>;
  /** Stores a conversation as a list of messages, which can be read as a tree immediately. */
  putLinear(record: StoredLinearConversation): Promise<void>;
  /**
   * Converts lists of messages to trees, a few per step, until no list is left. It can be stopped and restarted at any
   * time.
   */
  backfill(options?: { readonly batch?: number; readonly signal?: AbortSignalLike }): AsyncIterable<BackfillProgress>;
  /** Checks one tree, or all trees of this owner one after another. Nothing is changed without `repair`. */
  fsck(options?: FsckOptions): Promise<FsckReport>;
  /** Writes a complete copy that can be opened as a store. */
  backup(to: string, options?: BackupOptions): Promise<void>;
}
