/** The shapes of the HTTP contract as this page reads them; ids are core's own. */
import type {
  ActId,
  Bookmark,
  Commit,
  CommitSummary,
  ContextEntry,
  ContextFlag,
  JsonObject,
  Node,
  NodeId,
  SearchHit,
  Share,
  TopologyNode,
  TrashItem,
  TreeId,
} from '@coppice/core';

export type { CommitSummary, SearchHit, TrashItem };

/** A tree without its nodes. */
export interface TreeView {
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

/** A part of a list. */
export interface Listed<T> {
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
  readonly bookmarks: Readonly<Record<NodeId, Bookmark>>;
  readonly runs: Readonly<Record<NodeId, string>>;
}

/** The tree without content. */
export interface TopologyAnswer {
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly nodes: readonly TopologyNode[];
  readonly bookmarks: readonly Bookmark[];
}

/** What every write answers. */
export interface Written<R = unknown> {
  readonly treeId: TreeId;
  readonly version: number;
  readonly actId: ActId;
  readonly activeNodeId: NodeId | null;
  readonly result: R;
  readonly nodes: readonly Node[];
}

/** What a generation answers when it has begun. */
export interface Begun {
  readonly actId: ActId;
  readonly treeId: TreeId;
  readonly nodes: readonly { readonly nodeId: NodeId; readonly parentId: NodeId; readonly runId: string }[];
  readonly version: number;
}

/** What is in force for the next call. */
export interface ContextAnswer {
  readonly entries: readonly ContextEntry[];
  readonly flags: readonly ContextFlag[];
  readonly compaction: { readonly nodeId: NodeId; readonly summary: string } | null;
  readonly tokens: number;
  readonly window: number | null;
  readonly maxTokens: number | null;
  readonly reserve?: number;
  readonly cost: number | null;
  readonly model: string | null;
}

/** What a delete would take, and what points there. */
export interface ImpactAnswer {
  readonly count: number;
  readonly branches?: number;
  readonly bookmarks?: readonly Bookmark[];
  readonly pending?: readonly NodeId[];
  readonly shares?: number;
}

/** A commit on the feed, with the nodes it changed. */
export interface FeedCommit extends Commit {
  readonly nodes?: readonly Node[];
}

/** A piece of a reply on its way. */
export interface Delta {
  readonly nodeId: NodeId;
  readonly runId: string;
  readonly offset: number;
  readonly text: string;
}

/** A model that can be asked. */
export interface ModelView {
  readonly id: string;
  readonly name?: string;
  readonly provider: string;
  readonly window?: number | null;
  readonly maxOutput?: number | null;
  readonly available?: boolean;
}

/** A slash command of the registry. */
export interface CommandView {
  readonly name: string;
  readonly summary: string;
  readonly usage?: string;
  readonly args?: string;
}

/** A share as its owner sees it. */
export type ShareView = Omit<Share, 'hash' | 'owner'>;

/** What somebody with a link sees. */
export interface SharedAnswer {
  readonly title: string | null;
  readonly createdAt: number;
  readonly expiresAt?: number | null;
  readonly nodes: readonly Pick<Node, 'id' | 'role' | 'kind' | 'message' | 'createdAt' | 'meta'>[];
}

/** What the server says about itself, without a secret. */
export interface SettingsView {
  readonly [key: string]: unknown;
}
