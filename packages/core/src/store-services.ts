/** What a store offers beside the four things that planners need: lists, search, trash, runs, blobs, accounts, upkeep. */
import type { TreeFinding } from './check.ts';
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { JsonObject, Message, Role } from './message.ts';
import type { NodeMeta } from './node.ts';
import type { CommitKind } from './reads.ts';
import type { AbortSignalLike, TreeStore } from './store.ts';
import type { TreeRow } from './tree.ts';

/** A part of a list. Pass its cursor on to get the next; null at the end. A cursor that is not one of ours is refused. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** How a conversation is stored: as a tree, or still as a list of messages that is converted when it is read. */
export type ConversationFormat = 'tree' | 'linear';

/** A tree in a list. */
export interface TreeSummary extends TreeRow {
  readonly format: ConversationFormat;
}

/** Which trees are wanted, newest change first. */
export interface TreeQuery {
  readonly project?: string;
  readonly folder?: string;
  readonly tag?: string;
  readonly pinned?: boolean;
  /** Trees in the trash instead of the others. */
  readonly trashed?: boolean;
  /** Only forest trees, or only trees that are none. */
  readonly forest?: boolean;
  /** A part of the title, in any case. */
  readonly title?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** What is looked for: terms are parts of texts, all of them must be there, and no character has a special meaning. */
export interface SearchQuery {
  readonly text: string;
  readonly treeId?: TreeId;
  readonly project?: string;
  readonly roles?: readonly Role[];
  readonly limit?: number;
  readonly cursor?: string;
}

/** A message that was found, newest first. */
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
  /** How many steps of which type. */
  readonly steps: Readonly<Record<string, number>>;
}

/** A removed node in the trash, with all that went with it. */
export interface TrashItem {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly removedIn: number;
  readonly at: number;
  readonly count: number;
  readonly preview: string;
}

/** A generation that is being written. It belongs to one process; one that stops beating is recovered by anyone. */
export interface Run {
  readonly id: string;
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly process: string;
  readonly startedAt: number;
  readonly beatAt: number;
  /** Free for the engine: request id, model, how far a tool loop is. */
  readonly data: JsonObject;
}

/** A piece of a reply on its way. Offsets count UTF-16 code units of what came before. */
export interface RunChunk {
  readonly offset: number;
  readonly text: string;
}

/**
 * A run as it begins. Heartbeats are by the store's own clock, which is the same for all processes and servers; `beatAt` is
 * a time of that clock, now if not given.
 */
export type NewRun = Omit<Run, 'beatAt'> & { readonly beatAt?: number };

/** Generations and their text so far, outside versions and log. */
export interface RunStore {
  start(run: NewRun): Promise<void>;
  /** False if the run was ended or recovered by someone else. `at` is a time of the store's clock; now if not given. */
  beat(id: string, at?: number): Promise<boolean>;
  /** Sets fields of a run's data, such as the wish that it stop, for whoever writes it to see. False if the run is no more. */
  note(id: string, data: JsonObject): Promise<boolean>;
  /** Appends text; doing it again with the same offset is harmless. False if the run is no more. */
  append(id: string, chunk: RunChunk): Promise<boolean>;
  chunks(id: string, from?: number): Promise<readonly RunChunk[]>;
  find(id: string): Promise<Run | null>;
  list(treeId?: TreeId): Promise<readonly Run[]>;
  /** Claims runs without a heartbeat for so many milliseconds of the store's clock, so that only one process recovers each. */
  claimStale(silentMs: number, process: string): Promise<readonly Run[]>;
  /** Forgets the run and its chunks. */
  end(id: string): Promise<void>;
}

/** An attachment. */
export interface BlobInfo {
  /** SHA-256 in lower-case hex. */
  readonly hash: string;
  readonly size: number;
  readonly mediaType: string;
}

/** Attachments by their hash; one owner's are unknown to another. */
export interface BlobStore {
  put(bytes: Uint8Array, mediaType: string): Promise<BlobInfo>;
  find(hash: string): Promise<BlobInfo | null>;
  /** The bytes, or a range of them, end not included. */
  read(hash: string, range?: { readonly start: number; readonly end: number }): Promise<Uint8Array | null>;
}

/** Where a tree or a node has its other name: the format, the file or account, and the id there. */
export interface ExternalId {
  readonly treeId: TreeId;
  /** Null names the tree itself. */
  readonly nodeId: NodeId | null;
  readonly format: string;
  readonly scope: string;
  readonly id: string;
}

/** One reuse of a prefix: who sent what is there already. Batched, and may be lost in a crash. */
export interface Provenance {
  readonly treeId: TreeId;
  readonly source: string;
  readonly firstNodeId: NodeId;
  readonly lastNodeId: NodeId;
  readonly count: number;
  readonly at: number;
}

/** Someone who may come in, in shared mode. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly role: 'admin' | 'member' | 'viewer';
  readonly createdAt: number;
  readonly disabledAt: number | null;
}

/** An API token; only its hash is kept. */
export interface Token {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly usedAt: number | null;
}

/** A share link: a frozen list of nodes of one path, and what of them may be seen. */
export interface Share {
  readonly id: string;
  readonly owner: string;
  readonly treeId: TreeId;
  /** The version that its nodes are shown at; null for a link from before that was kept, which shows what they say now. */
  readonly version: number | null;
  readonly nodeIds: readonly NodeId[];
  readonly fields: readonly string[];
  readonly title: string | null;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** Users, tokens and shares of a shared server. Not bound to an owner. */
export interface AccountStore {
  putUser(user: User): Promise<void>;
  users(): Promise<readonly User[]>;
  user(id: string): Promise<User | null>;
  putToken(token: Token): Promise<void>;
  tokens(userId: string): Promise<readonly Token[]>;
  tokenByHash(hash: string): Promise<Token | null>;
  putShare(share: Share): Promise<void>;
  shares(owner: string, treeId?: TreeId): Promise<readonly Share[]>;
  shareByHash(hash: string): Promise<Share | null>;
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

/** How far a backfill is. */
export interface BackfillProgress {
  readonly done: number;
  readonly left: number;
}

/** Whether conversations are written as trees: for nobody, for some owners, for everybody. */
export type TreeWrites = 'off' | 'on' | { readonly owners: readonly string[] };

/** An act that can be taken back or brought back, and the tree to do it in. */
export interface NewestAct {
  readonly treeId: TreeId;
  readonly actId: ActId;
  /** Whether all that it did there was to make the tree: taking it back puts the tree into the trash. */
  readonly madeTree: boolean;
}

/** A change in any tree of the owner, for live lists. */
export interface ListEvent {
  /** Pass it on as `since` to go on without gap. */
  readonly cursor: string;
  readonly treeId: TreeId;
  readonly version: number;
}

/** What a check of a whole store found, and what a repair did about it. */
export interface FsckReport {
  readonly trees: number;
  readonly nodes: number;
  readonly findings: readonly (TreeFinding & { readonly treeId: TreeId | null })[];
  /** What was mended; nothing unless repair was asked for. What is moved is kept. */
  readonly repaired: readonly string[];
}

/** What a purge took for good. */
export interface PurgeReport {
  readonly nodes: number;
  readonly contents: number;
  /** Other trees of the owner that hold copies of purged messages, or what those were copied from, and how many. */
  readonly copies: readonly { readonly treeId: TreeId; readonly title: string | null; readonly nodes: number }[];
  /** Attachments that nothing names any more and that stay for now, because they were put less than an hour ago. */
  readonly waitingAttachments: number;
  /** Files that still hold purged bytes, because another process is reading them; they are cleared once it has finished. */
  readonly uncleared: readonly string[];
}

/** What a store says about itself. */
export interface StoreInfo {
  readonly kind: string;
  /** Where it is, without credentials. */
  readonly place: string;
  readonly readOnly: boolean;
  readonly schemaVersion: number;
  /** What a user should know, such as a search that has to scan. */
  readonly notes: readonly string[];
  /** What of it could not be read when it was opened, and stays as it is; the notes say so, too. */
  readonly damage?: readonly string[];
}

/** A whole store, as one owner sees it. */
export interface Store extends TreeStore {
  forOwner(owner: string): Store;
  info(): Promise<StoreInfo>;
  trees(query?: TreeQuery): Promise<Page<TreeSummary>>;
  /** How a conversation is stored; null where there is none. */
  formatOf(treeId: TreeId): Promise<ConversationFormat | null>;
  search(query: SearchQuery): Promise<Page<SearchHit>>;
  history(
    treeId: TreeId,
    options?: { readonly before?: number; readonly limit?: number },
  ): Promise<readonly CommitSummary[]>;
  /**
   * The actor's newest act in any tree of the owner that is not undone, trees in the trash included; or the newest one that
   * was undone, unless the actor began something in any tree since. Null if there is none.
   */
  newestAct(actor: string, which: 'undoable' | 'redoable'): Promise<NewestAct | null>;
  trash(treeId: TreeId): Promise<readonly TrashItem[]>;
  /** Takes removed nodes for good: one of them with what went with it, or all that were removed up to a version. */
  purge(treeId: TreeId, what: { readonly nodeId: NodeId } | { readonly upTo: number }): Promise<PurgeReport>;
  /** Takes a tree out of the trash for good; nothing of it remains. */
  purgeTree(treeId: TreeId): Promise<PurgeReport>;
  feedAll(since: string | null, signal?: AbortSignalLike): AsyncIterable<ListEvent>;
  readonly runs: RunStore;
  readonly blobs: BlobStore;
  readonly accounts: AccountStore;
  putExternalIds(ids: readonly ExternalId[]): Promise<void>;
  findExternalIds(format: string, scope: string, ids: readonly string[]): Promise<readonly ExternalId[]>;
  externalIdsOf(treeId: TreeId): Promise<readonly ExternalId[]>;
  addProvenance(rows: readonly Provenance[]): Promise<void>;
  provenanceOf(treeId: TreeId): Promise<readonly Provenance[]>;
  /** Stores a conversation as it is, as a list; it reads as a tree at once. */
  putLinear(record: LinearRecord): Promise<void>;
  /** Stores lists as trees, a few per step, until none is left; may be stopped and begun again at any time. */
  backfill(options?: { readonly batch?: number; readonly signal?: AbortSignalLike }): AsyncIterable<BackfillProgress>;
  fsck(options?: { readonly repair?: boolean; readonly treeId?: TreeId }): Promise<FsckReport>;
  /** Writes a complete copy that can be opened as a store. */
  backup(to: string): Promise<void>;
}
