import type { NodeId, TreeId } from './ids.ts';
import { hasToolUse, type JsonObject, type Message, type Role, textOf } from './message.ts';

/**
 * The kind of a node. Only `message` nodes take part in prefix matching; the markers `branch-summary`, `compaction`,
 * `injected` and `state` are skipped.
 */
export type NodeKind = 'root' | 'message' | 'branch-summary' | 'compaction' | 'injected' | 'state';
/** Every {@link NodeKind}, for validation. */
export const nodeKinds: readonly NodeKind[] = ['root', 'message', 'branch-summary', 'compaction', 'injected', 'state'];

/** The outcome of a node: `success`, except for a generated reply that is pending or was cut short. */
export type NodeStatus = 'pending' | 'success' | 'interrupted' | 'aborted' | 'error';
/** Every {@link NodeStatus}, for validation. */
export const nodeStatuses: readonly NodeStatus[] = ['pending', 'success', 'interrupted', 'aborted', 'error'];

/** The node that another node was copied from. */
export interface NodeOrigin {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/**
 * The fields that annotate steps change. None of them affects the shape of the tree or the content of a message. Keys
 * that core does not know are kept.
 */
export interface NodeMeta {
  /** The user's title; generated titles never replace it. */
  readonly title?: string;
  /** A generated title; hidden once the node has children or a title. */
  readonly autoTitle?: string;
  readonly tags?: readonly string[];
  readonly customData?: JsonObject;
  /** The author of the message: user, model with its parameters and usage, or tool. */
  readonly source?: JsonObject;
  /** Whether the message is hidden from the model. */
  readonly excluded?: boolean;
  /** On the left half of a split: the node with the right half. */
  readonly splitSource?: string;
  /** On a node that an edit by prefix added: the node whose text this node continues. */
  readonly continues?: string;
  /** On a reply with usage: the hash of the context that the provider counted (`measure` of {@link Context}). */
  readonly measuredOver?: string;
  /**
   * On a recorded message: the system prompt of the call, if it differs from the prompt above. Empty for a call without
   * a prompt. It is also the prompt of all nodes below, down to the next recorded prompt.
   */
  readonly recordedPrompt?: string;
  readonly pickedFrom?: NodeOrigin;
  readonly copiedFrom?: NodeOrigin;
  readonly [key: string]: unknown;
}

/** The fields of a marker besides its text. */
export interface Marker {
  /** Compaction: the first node that the model still sees in full. */
  readonly firstKept?: NodeId;
  /** Compaction: the number of tokens of the context before it. */
  readonly tokensBefore?: number;
  /** Branch summary: the last node of the summarised branch, which was left or merged. */
  readonly from?: NodeId;
  /** Branch summary made by a merge: the last node of the merged branch. */
  readonly mergedFrom?: NodeOrigin;
  readonly details?: JsonObject;
}

/** An alias lets prefix matching find a text after it was split: the old match parent and the old equality key. */
export interface Alias {
  readonly matchParent: NodeId;
  readonly key: string;
}

/** A node without its content: enough for paging, topology and most planners. */
export interface NodeHead {
  readonly id: NodeId;
  /** Null for the root only. */
  readonly parentId: NodeId | null;
  /** An order key among the siblings, unique under one parent. */
  readonly position: string;
  /** The creation number in the tree; assigned when the node is stored, never changed. */
  readonly seq: number;
  readonly kind: NodeKind;
  readonly role: Role | 'root';
  readonly status: NodeStatus;
  /** Variants that one act created under one parent share a number above zero; zero means no group. */
  readonly groupId: number;
  /** Milliseconds, for display only. */
  readonly createdAt: number;
  /** The nearest message above, or the root; null for the root only. */
  readonly matchParent: NodeId | null;
  /** The equality key; null for the root and for markers. */
  readonly key: string | null;
  /** The token estimate of the message kit. */
  readonly tokens: number;
  /** The version that inserted the node. */
  readonly addedIn: number;
  /** The version that wrote the current content. */
  readonly contentIn: number;
  /** The version that removed the node; null for a live node. */
  readonly removedIn: number | null;
  /** The visit mark: the child that was last on the active path. Steps and undo do not include it. */
  readonly lastChildId: NodeId | null;
}

/** A node of a tree with its content: the root, a message or a marker. */
export interface Node extends NodeHead {
  /** Null for the root only. */
  readonly message: Message | null;
  /** The text that searches look through. */
  readonly text: string;
  readonly meta: NodeMeta;
  readonly marker: Marker | null;
  readonly aliases: readonly Alias[];
}

/** The node of an insert step, without the fields that are assigned when the node is stored. */
export type NewNode = Omit<Node, 'seq' | 'addedIn' | 'contentIn' | 'removedIn' | 'lastChildId' | 'role'>;

/** The fields that a replace step changes. */
export interface ContentFields {
  readonly message: Message;
  readonly status: NodeStatus;
  readonly key: string | null;
  readonly text: string;
  readonly tokens: number;
  readonly aliases: readonly Alias[];
}

/** A named pointer to a node, at most one per node. */
export interface Bookmark {
  readonly nodeId: NodeId;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * The fields that an attributes step changes. The system prompt changes only while the tree is empty and not a forest
 * tree.
 */
export interface TreeAttributes {
  readonly title?: string;
  readonly autoTitle?: string;
  /** An undefined prompt and an empty prompt are different. */
  readonly systemPrompt?: string;
  readonly project?: string;
  readonly folder?: string;
  readonly pinned?: boolean;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly copiedFrom?: { readonly treeId: TreeId; readonly nodeId?: NodeId };
  /** When the tree was moved to the trash, in milliseconds. */
  readonly trashedAt?: number;
  readonly [key: string]: unknown;
}

/** Whether a node is an ordinary message, which prefix matching compares; markers are skipped. */
export function isMessageKind(kind: NodeKind): boolean {
  return kind === 'message';
}

/**
 * Returns the match parent of a node's children: the node itself if it is a message or the root, else the nearest
 * message or root above.
 */
export function matchParentOfChildren(node: Pick<NodeHead, 'id' | 'kind' | 'matchParent'>): NodeId {
  if (node.kind === 'message' || node.kind === 'root' || node.matchParent === null) return node.id;
  return node.matchParent;
}

/** Returns the role of a node: its message's, or `root`. */
export function roleOf(message: Message | null): Role | 'root' {
  return message === null ? 'root' : message.role;
}

/**
 * Whether a reply can be combined with others: it is no longer pending, and it has a text or calls tools, whose results
 * are followed by the text. A reply that was stopped or failed counts with the text that it has.
 */
export function isCombinable({ kind, status, message }: Pick<Node, 'kind' | 'status' | 'message'>): boolean {
  if (kind !== 'message' || status === 'pending' || message?.role !== 'assistant') return false;
  return hasToolUse(message) || textOf(message).trim() !== '';
}
