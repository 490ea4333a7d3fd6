/** The responses of the HTTP API, with the branded ids of core. */
import type {
  ActId,
  Bookmark,
  Commit,
  CommitSummary,
  ContextEntry,
  ContextTokensByKind,
  HistoryStart,
  JsonObject,
  Message,
  Node,
  NodeId,
  Role,
  SearchHit,
  ShareLink,
  Silhouette,
  TopologyColumns,
  TrashItem,
  TreeId,
} from '@coppice/core';

export type { CommitSummary, HistoryStart, SearchHit, TrashItem };

/** A tree without its nodes, as lists and the header of a chat show it. */
export interface TreeViewData {
  readonly id: TreeId;
  readonly rootId: NodeId;
  readonly version: number;
  readonly structureVersion: number;
  readonly activeNodeId: NodeId | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly title: string | null;
  readonly autoTitle: string | null;
  readonly systemPrompt?: string;
  readonly project: string | null;
  readonly folder: string | null;
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly copiedFrom: { readonly treeId: TreeId; readonly nodeId?: NodeId } | null;
  readonly deletedAt: number | null;
  readonly forest: boolean;
  readonly temporary: boolean;
  readonly conversation_format: 'tree' | 'linear';
  readonly messageCount?: number;
}

/** The state of the proxy that records the calls of other programs. */
export interface RecorderView {
  readonly health: 'recording' | 'paused' | 'behind' | 'failing';
  readonly waiting: number;
  readonly recorded: number;
  readonly dropped: number;
  readonly failed: number;
  /** The number of calls that could not be recorded and that the user has not acknowledged. */
  readonly unacknowledged: number;
  readonly lastError: string | null;
}

/** The silhouette of a tree and the position of the user in it, at a version. */
export interface TreeShape extends Silhouette {
  readonly treeId: TreeId;
  readonly version: number;
  /**
   * The title of the nearest bookmark or titled message on the path to the position of the user; null if there is none
   * nearby.
   */
  readonly on: string | null;
  /** The text of the user's first message on that path; empty if the user wrote none of its first four messages. */
  readonly first: string;
  /** The title or text of the last message on that path that has one. */
  readonly words: string;
}

/** A bookmark in the list of all trees. */
export interface ListedBookmark {
  readonly treeId: TreeId;
  readonly treeTitle: string | null;
  readonly nodeId: NodeId;
  readonly title: string;
  readonly createdAt: number;
  readonly role: Role | null;
  readonly words: string;
}

/** A page of a list, with the cursor of the next page. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** A page of a branch: messages from top to bottom, with the variants of each. */
export interface PageAnswer {
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly conversation_format: 'tree' | 'linear';
  readonly nodes: readonly Node[];
  readonly groups: Readonly<Record<NodeId, readonly Node[]>>;
  readonly variants: Readonly<
    Record<NodeId, { readonly index: number; readonly total: number; readonly ids: readonly NodeId[] }>
  >;
  readonly before: NodeId | null;
  readonly after: NodeId | null;
  readonly bookmarks: Readonly<Record<NodeId, Bookmark>>;
  readonly runs: Readonly<Record<NodeId, string>>;
}

/** A page of a branch at an earlier version. */
export type PastPageAnswer = Omit<PageAnswer, 'after' | 'bookmarks' | 'runs'>;

/** The nodes of a tree without message contents. */
export interface TopologyAnswer {
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly columns: TopologyColumns;
  readonly bookmarks: readonly Bookmark[];
}

/** What a write changed: the new version, the changed nodes, and the result of the command. */
export interface WriteResponse<R = unknown> {
  readonly treeId: TreeId;
  readonly version: number;
  readonly actId: ActId;
  readonly activeNodeId: NodeId | null;
  readonly result: R;
  readonly nodes: readonly Node[];
}

/** The response of an edit. After an edit in place, it lists the share links that still show the old text. */
export interface EditAnswer extends WriteResponse {
  readonly outdatedShares?: readonly ShareView[];
}

/** The response of undoing or redoing the newest act in any tree. */
export type UndoAnywhereAnswer = WriteResponse<{ readonly title: string | null; readonly deletedAt: number | null }>;

/** The replies that a request has started. Their text arrives on the feed. */
export interface GenerationStartedAnswer {
  readonly actId: ActId;
  readonly treeId: TreeId;
  readonly nodes: readonly { readonly nodeId: NodeId; readonly parentId: NodeId; readonly runId: string | null }[];
  readonly version: number;
}

/** The messages and tokens that the next call of a model would send. */
export interface ContextAnswer {
  readonly version: number;
  /** The system prompt and the current summary, and a page of the messages after them. */
  readonly entries: readonly ContextEntry[];
  /** The number of entries in the whole context. */
  readonly count: number;
  /** The cursor of the previous page; null on the first page. */
  readonly before: NodeId | null;
  readonly shares: ContextTokensByKind;
  readonly compaction: { readonly nodeId: NodeId; readonly summary: string } | null;
  readonly tokens: number;
  readonly window: number;
  /** Whether the context window is known. If not, `window` is an assumption. */
  readonly known: boolean;
  readonly maxTokens: number;
  /** If the context has more tokens than this, older messages are summarised. */
  readonly compactAt: number;
  /** The number of tools that are offered, and the tokens of their descriptions. */
  readonly toolDefinitions: { readonly count: number; readonly tokens: number };
  /** The highest possible cost of the next reply in US dollars; null if the price is unknown. */
  readonly cost: { readonly input: number; readonly output: number; readonly total: number } | null;
  /** The cost in US dollars if the next reply is as long as the earlier ones; null if the price is unknown. */
  readonly expectedCost: { readonly input: number; readonly output: number; readonly total: number } | null;
  readonly model: string;
}

/** An act that can be undone or redone. */
export interface ReversibleAct {
  readonly actId: string;
  readonly at: number;
  /** The number of steps by type. */
  readonly steps: Readonly<Record<string, number>>;
  /** The beginning of the text that the act added; null if it added none. */
  readonly text: string | null;
}

/** The nodes that a delete would remove, and the data that refers to them. */
export interface DeleteImpactAnswer {
  readonly count: number;
  readonly bookmarks: readonly Bookmark[];
  readonly pending: readonly NodeId[];
  readonly active: boolean;
  readonly shares: number;
}

/** A commit as an event of the feed, with the nodes that it changed. */
export interface FeedCommit extends Commit {
  readonly nodes?: readonly Node[];
  /** The restored subtrees, by node. Subtrees that are too large for an event are left out. */
  readonly restored?: Readonly<
    Record<string, { readonly nodes: readonly Node[]; readonly bookmarks: readonly Bookmark[] }>
  >;
}

/** New text of a reply that is being generated. */
export interface ReplyDelta {
  readonly nodeId: NodeId;
  readonly runId: string;
  readonly offset: number;
  readonly text: string;
}

/** A tool call that waits for approval. */
export interface WaitingApproval {
  readonly actId: string;
  readonly callId: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

export interface ModelView {
  readonly id: string;
  readonly provider: string;
  readonly providerLabel: string;
  readonly label: string;
  readonly window: number;
  /** Whether the context window is known. If not, `window` is an assumption. */
  readonly windowKnown: boolean;
  readonly maxOut: number;
  /** The price in US dollars per million tokens; null if unknown. */
  readonly price: { readonly input: number; readonly output: number } | null;
  readonly capabilities: { readonly tools: boolean; readonly thinking: boolean; readonly images: boolean };
  readonly ready: boolean;
  readonly missing: string | null;
}

/** A slash command, as menus and completions list it. */
export interface CommandView {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
}

/** A sentence, or a part of one, as a code with data. It can be worded in any language. */
export interface CommandPhrase {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The result of a slash command. */
export interface CommandAnswer {
  readonly said: string;
  /** The sentences as codes; missing if the command has none. */
  readonly did?: readonly CommandPhrase[];
  /** The command that undoes this one. */
  readonly undo?: string;
  readonly place?: { readonly treeId: TreeId; readonly activeNodeId: NodeId | null };
  /** The text that the command puts into the composer. */
  readonly selectedText?: string;
  /** Lines to show. They number the nodes in `list`. */
  readonly text?: string;
  /** The same lines, with codes instead of sentences. */
  readonly lines?: readonly (readonly (string | CommandPhrase)[])[];
  readonly list?: readonly NodeId[];
}

/** A share link, as its owner sees it. */
export type ShareView = Omit<ShareLink, 'hash' | 'owner' | 'version'>;

/** The chat that a share link shows. */
export interface SharedChatAnswer {
  readonly title: string | null;
  /** The name of the person who shared the chat, on a server with several users. */
  readonly by?: string;
  readonly systemPrompt?: string;
  readonly createdAt: number;
  readonly messages: readonly {
    readonly id: NodeId;
    readonly role: Role;
    readonly content: Message['content'];
    readonly createdAt?: number;
    readonly model?: string;
  }[];
}

/** A tool that models may call. */
export interface ToolView {
  readonly name: string;
  readonly description?: string;
  readonly sideEffects?: boolean;
}

export interface McpServerView {
  readonly name: string;
  readonly status: string;
  readonly lastError: string | null;
  readonly tools?: readonly unknown[];
}

/** The server's settings, without secrets. */
export interface SettingsView {
  readonly defaultModel: string;
  readonly providers: readonly {
    readonly name: string;
    readonly label: string;
    readonly kind: string;
    readonly key: boolean;
    readonly enabled: boolean;
  }[];
  readonly tools: { readonly approval: string; readonly rounds: number; readonly calls: number };
  readonly budgets: {
    readonly turnUsd: number | null;
    readonly dayUsd: number | null;
    readonly turnTokens: number | null;
  };
  readonly store: {
    readonly kind: string;
    readonly readOnly: boolean;
    readonly notes: readonly string[];
    readonly search: boolean;
  };
  readonly warnings: readonly string[];
}
