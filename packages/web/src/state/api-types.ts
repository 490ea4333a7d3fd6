/** The shapes of the HTTP contract as this page reads them; ids are core's own. */
import type {
  ActId,
  Bookmark,
  Commit,
  CommitSummary,
  ContextEntry,
  ContextShares,
  JsonObject,
  Message,
  Node,
  NodeId,
  Role,
  SearchHit,
  Share,
  Silhouette,
  TrashItem,
  TreeId,
} from '@coppice/core';
import type { TopologyColumns } from '@coppice/server/client';

export type { CommitSummary, SearchHit, TrashItem };

/** A tree without its nodes. */
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

/** How the recording of other programs' calls goes. */
export interface RecorderView {
  readonly health: 'recording' | 'paused' | 'behind' | 'failing';
  readonly waiting: number;
  readonly recorded: number;
  readonly dropped: number;
  readonly failed: number;
  /** Calls that could not be recorded and that nobody has acknowledged. */
  readonly unacknowledged: number;
  readonly lastError: string | null;
}

/** The silhouette of a tree and where its user is, as it was at a version. */
export interface TreeShape extends Silhouette {
  readonly treeId: TreeId;
  readonly version: number;
  /** The nearest bookmark above where the user is. */
  readonly on: string | null;
  /** The last words there. */
  readonly words: string;
}

/** A bookmark in the list of all of them. */
export interface ListedBookmark {
  readonly treeId: TreeId;
  readonly treeTitle: string | null;
  readonly nodeId: NodeId;
  readonly title: string;
  readonly createdAt: number;
  readonly role: Role | null;
  readonly words: string;
}

/** A part of a list. */
export interface ListedTree<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** A page of a branch. */
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

/** A page of a branch as it was at an earlier state. */
export type PastPage = Omit<PageAnswer, 'after' | 'bookmarks' | 'runs'>;

/** The tree without content. */
export interface TopologyAnswer {
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly columns: TopologyColumns;
  readonly bookmarks: readonly Bookmark[];
}

/** What every write answers. */
export interface WrittenAnswer<R = unknown> {
  readonly treeId: TreeId;
  readonly version: number;
  readonly actId: ActId;
  readonly activeNodeId: NodeId | null;
  readonly result: R;
  readonly nodes: readonly Node[];
}

/** What an edit answers; in place, with the open links that still show the old text. */
export interface Edited extends WrittenAnswer {
  readonly outdatedShares?: readonly ShareView[];
}

/** What taking back or repeating the newest act in any tree answers. */
export type UndoneAnywhere = WrittenAnswer<{ readonly title: string | null; readonly deletedAt: number | null }>;

/** What a generation answers when it has begun. */
export interface BegunAnswer {
  readonly actId: ActId;
  readonly treeId: TreeId;
  readonly nodes: readonly { readonly nodeId: NodeId; readonly parentId: NodeId; readonly runId: string | null }[];
  readonly version: number;
}

/** What is in force for the next call. */
export interface ContextAnswer {
  readonly version: number;
  /** The system prompt and the summary in force, and a page of what follows. */
  readonly entries: readonly ContextEntry[];
  /** How many entries are in force, read or not. */
  readonly count: number;
  /** The cursor of the page above; null where there is none. */
  readonly before: NodeId | null;
  readonly shares: ContextShares;
  readonly compaction: { readonly nodeId: NodeId; readonly summary: string } | null;
  readonly tokens: number;
  readonly window: number;
  readonly maxTokens: number;
  /** From how many tokens on older messages are summed up. */
  readonly compactAt: number;
  readonly cost: { readonly input: number; readonly output: number; readonly total: number } | null;
  readonly model: string;
}

/** What a delete would take, and what points there. */
export interface ImpactAnswer {
  readonly count: number;
  readonly bookmarks: readonly Bookmark[];
  readonly pending: readonly NodeId[];
  readonly active: boolean;
  readonly shares: number;
}

/** A commit on the feed, with the nodes it changed. */
export interface FeedCommit extends Commit {
  readonly nodes?: readonly Node[];
  /** What a restored node brought back, by that node; subtrees too large for an event are left out. */
  readonly restored?: Readonly<
    Record<string, { readonly nodes: readonly Node[]; readonly bookmarks: readonly Bookmark[] }>
  >;
}

/** A piece of a reply on its way. */
export interface ReplyDelta {
  readonly nodeId: NodeId;
  readonly runId: string;
  readonly offset: number;
  readonly text: string;
}

/** A call of a tool that waits for a yes. */
export interface ApprovalData {
  readonly actId: string;
  readonly callId: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** A model that can be asked. */
export interface ModelView {
  readonly id: string;
  readonly provider: string;
  readonly providerLabel: string;
  readonly label: string;
  readonly window: number;
  /** False where the window is an assumption. */
  readonly windowKnown: boolean;
  readonly maxOut: number;
  readonly capabilities: { readonly tools: boolean; readonly thinking: boolean; readonly images: boolean };
  readonly ready: boolean;
  readonly missing: string | null;
}

/** A slash command of the registry. */
export interface CommandView {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
}

/** What a command answers. */
export interface CommandAnswer {
  readonly said: string;
  /** The line that takes it back. */
  readonly undo?: string;
  readonly place?: { readonly treeId: TreeId; readonly activeNodeId: NodeId | null };
  /** Text that goes back to where it is written. */
  readonly selectedText?: string;
  /** Lines to be shown, and the nodes that are numbered in them. */
  readonly text?: string;
  readonly list?: readonly NodeId[];
}

/** A share as its owner sees it. */
export type ShareView = Omit<Share, 'hash' | 'owner' | 'version'>;

/** What somebody with a link sees. */
export interface SharedAnswer {
  readonly title: string | null;
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

/** An MCP server of the operator. */
export interface McpServerView {
  readonly name: string;
  readonly status: string;
  readonly lastError: string | null;
  readonly tools?: readonly unknown[];
}

/** What the server says about itself, without a secret. */
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
