import type { NodeId, TreeId } from './ids.ts';
import type { JsonObject, Message, Role } from './message.ts';

/**
 * What a node is. Only `message` nodes take part in prefix matching; the markers `branch-summary`, `compaction`,
 * `injected` and `state` are transparent to it.
 */
export type NodeKind = 'root' | 'message' | 'branch-summary' | 'compaction' | 'injected' | 'state';
/** The kinds, as data. */
export const nodeKinds: readonly NodeKind[] = ['root', 'message', 'branch-summary', 'compaction', 'injected', 'state'];

/** How a node came out. Everything is `success` but a generated reply on its way or cut short. */
export type NodeStatus = 'pending' | 'success' | 'interrupted' | 'aborted' | 'error';
/** The statuses, as data. */
export const nodeStatuses: readonly NodeStatus[] = ['pending', 'success', 'interrupted', 'aborted', 'error'];

/** Where a copied node comes from. */
export interface NodeOrigin {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/**
 * What annotate steps change: nothing in here alters the tree's shape or what a message says.
 * Keys that core does not name are kept as they are.
 */
export interface NodeMeta {
  /** The user's own title; stable once set. */
  readonly title?: string;
  /** A machine's title; not shown once the node has children or a title. */
  readonly autoTitle?: string;
  readonly tags?: readonly string[];
  readonly customData?: JsonObject;
  /** Who made the message: user, model with its parameters and usage, or tool. */
  readonly source?: JsonObject;
  /** Left out of what the model sees. */
  readonly excluded?: boolean;
  /** On the left half of a split: the node that keeps the right half. */
  readonly splitSource?: string;
  /** On what an edit by prefix added: the node whose text it goes on with. */
  readonly continues?: string;
  /** On a reply with usage: what the provider counted, as a context's `measure` names it. */
  readonly measuredOver?: string;
  readonly pickedFrom?: NodeOrigin;
  readonly copiedFrom?: NodeOrigin;
  readonly [key: string]: unknown;
}

/** What a marker says beyond its text. */
export interface Marker {
  /** Compaction: the first node that stays in force as it is. */
  readonly firstKept?: NodeId;
  /** Compaction: tokens in force before it. */
  readonly tokensBefore?: number;
  /** Branch summary: the leaf that was left. */
  readonly from?: NodeId;
  /** Branch summary made by a merge: the tip of the branch that was brought back. */
  readonly mergedFrom?: NodeOrigin;
  readonly details?: JsonObject;
}

/** A text that prefix matching still knows after a split: the old match parent and the old equality key. */
export interface Alias {
  readonly matchParent: NodeId;
  readonly key: string;
}

/** A node without what it says: all that paging, topology and most planners need. */
export interface NodeHead {
  readonly id: NodeId;
  /** Null for the root only. */
  readonly parentId: NodeId | null;
  /** An order key among the siblings, unique under one parent. */
  readonly position: string;
  /** The creation number within the tree, given when the node is stored and never changed. */
  readonly seq: number;
  readonly kind: NodeKind;
  readonly role: Role | 'root';
  readonly status: NodeStatus;
  /** Variants made by one act share a number above zero under one parent; zero is none. */
  readonly groupId: number;
  /** Milliseconds, for display only. */
  readonly createdAt: number;
  /** The nearest message above, or the root; null for the root only. */
  readonly matchParent: NodeId | null;
  /** The equality key; null for the root and for markers. */
  readonly key: string | null;
  /** The kit's token estimate. */
  readonly tokens: number;
  /** The version that inserted the node. */
  readonly addedIn: number;
  /** The version that wrote the present content. */
  readonly contentIn: number;
  /** The version that removed the node; null while it lives. */
  readonly removedIn: number | null;
  /** The child last on the active path. A visit mark, outside steps and undo. */
  readonly lastChildId: NodeId | null;
}

/** One point of a tree: one message or one marker. */
export interface Node extends NodeHead {
  /** Null for the root only. */
  readonly message: Message | null;
  /** What search sees of the message. */
  readonly text: string;
  readonly meta: NodeMeta;
  readonly marker: Marker | null;
  readonly aliases: readonly Alias[];
}

/** A node as an insert step carries it: all but what is assigned when it is stored. */
export type NewNode = Omit<Node, 'seq' | 'addedIn' | 'contentIn' | 'removedIn' | 'lastChildId' | 'role'>;

/** What a replace step changes. */
export interface Content {
  readonly message: Message;
  readonly status: NodeStatus;
  readonly key: string | null;
  readonly text: string;
  readonly tokens: number;
  readonly aliases: readonly Alias[];
}

/** A named pointer at a node, at most one per node. */
export interface Bookmark {
  readonly nodeId: NodeId;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What an attributes step changes on a tree. The system prompt is set by a tree's first commit only. */
export interface TreeAttributes {
  readonly title?: string;
  readonly autoTitle?: string;
  /** Undefined and the empty prompt differ. */
  readonly systemPrompt?: string;
  readonly project?: string;
  readonly folder?: string;
  readonly pinned?: boolean;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly copiedFrom?: { readonly treeId: TreeId; readonly nodeId?: NodeId };
  /** Milliseconds when the tree went to the trash. */
  readonly trashedAt?: number;
  readonly [key: string]: unknown;
}

/** Whether a node takes part in matching and in what the model is sent as a turn. */
export function isMessageKind(kind: NodeKind): boolean {
  return kind === 'message';
}

/** The node that a child of this node matches under: itself if it is a message or the root, else the nearest above. */
export function matchParentBelow(node: Pick<NodeHead, 'id' | 'kind' | 'matchParent'>): NodeId {
  if (node.kind === 'message' || node.kind === 'root' || node.matchParent === null) return node.id;
  return node.matchParent;
}

/** The role of a node: its message's, or root. */
export function roleOf(message: Message | null): Role | 'root' {
  return message === null ? 'root' : message.role;
}
