/** Roots and nodes as Forest shows them: the words of other tools for the same tree, times as ISO texts. */
import type { JsonObject, Message, NodeId, Role, TreeId } from '@coppice/core';

/** Names a root. It is the id of the tree; a first turn's parent is this id too. */
export type RootId = TreeId;

/** Where a tree's root stands in for a node. */
export type AnyId = NodeId | RootId;

/** What is configured at a root, and never changes there. */
export type RootConfig = {
  /** No prompt and the empty prompt differ. */
  readonly systemPrompt?: string;
};

/** A conversation's root: a node without a message. */
export interface RootData {
  readonly id: RootId;
  readonly createdAt: string;
  readonly child_ids: readonly NodeId[];
  readonly config: RootConfig;
  readonly metadata?: JsonObject;
  /** Only in lists, where the tree cannot be read: why. Its children are not known then. */
  readonly damaged?: string;
}

/** Who made a message. What is known beyond these fields stays in it. */
export type SourceInfo =
  | { readonly type: 'user' }
  // Joined, not one object type with an index: that is an error for whoever compiles without exactOptionalPropertyTypes.
  | ({
      readonly type: 'model';
      readonly provider: string;
      readonly model_name: string;
      readonly parameters: JsonObject;
      readonly tools?: readonly string[];
      readonly finish_reason?: string | null;
      readonly usage?: JsonObject;
    } & JsonObject)
  | { readonly type: 'tool_result'; readonly tool_name: string }
  /** Only read, never needed to write: nobody noted who made it. */
  | { readonly type: 'unknown' };

/** What is noted about a node. */
export interface NodeMetadata {
  readonly timestamp: string;
  /** The root under which the message was first said: another one for what was copied from there. */
  readonly original_root_id: string;
  readonly source_info: SourceInfo;
  readonly title?: string;
  readonly auto_title?: string;
  readonly tags?: readonly string[];
  readonly custom_data?: JsonObject;
  /** On the left half of a split: the node that keeps the right half. */
  readonly split_source?: string;
}

/** What an append may say about the nodes it makes. */
export type AppendMetadata = Omit<NodeMetadata, 'timestamp' | 'original_root_id' | 'split_source'>;

/** What a user may change about a node afterwards; null takes a field away, what is not named stays. */
export interface MetadataChange {
  readonly title?: string | null;
  readonly auto_title?: string | null;
  readonly tags?: readonly string[] | null;
  readonly custom_data?: JsonObject | null;
}

/** One turn of a conversation. */
export interface NodeData {
  readonly id: NodeId;
  readonly root_id: RootId;
  readonly parent_id: AnyId;
  readonly child_ids: readonly NodeId[];
  readonly message: Message;
  readonly metadata: NodeMetadata;
}

/** What an id can stand for. */
export type ForestNode = RootData | NodeData;

/** Whether it is a root. */
export function isRootData(node: ForestNode): node is RootData {
  return 'config' in node;
}

/** A node without what it says; the root is in the list as `system`. */
export interface NodeStructure {
  readonly id: AnyId;
  readonly parent_id: AnyId | null;
  readonly child_ids: readonly NodeId[];
  readonly root_id: RootId;
  readonly timestamp: string;
  readonly role: Role;
}

/** A tree as flat lists. The root is rendered as a system message: of no block where there is no prompt. */
export interface SerializedTree {
  readonly root: RootData & { readonly message: Message };
  readonly nodes: readonly NodeData[];
}

/** A bookmark and where it is. */
export interface BookmarkData {
  readonly node_id: NodeId;
  readonly root_id: RootId;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
