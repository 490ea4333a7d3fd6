/** The shapes of roots and nodes that Forest returns. Field names are those of similar tools; times are ISO strings. */
import type { JsonObject, Message, NodeId, Role, TreeId } from '@coppice/core';

/** The id of a root: its tree's id, and the parent id of the first messages. */
export type RootId = TreeId;

/** The id of a node, or a tree's id for its root. */
export type AnyId = NodeId | RootId;

/** The part of a root that is fixed when it is created. */
export type RootConfig = {
  /** Undefined and the empty text are different prompts. */
  readonly systemPrompt?: string;
};

/** The root of a conversation, a node without a message. */
export interface RootData {
  readonly id: RootId;
  readonly createdAt: string;
  readonly child_ids: readonly NodeId[];
  readonly config: RootConfig;
  readonly metadata?: JsonObject;
  /** Only in lists: why the tree cannot be read. `child_ids` is empty then. */
  readonly damaged?: string;
}

/** The author of a message. Unknown fields are preserved. */
export type SourceInfo =
  | { readonly type: 'user' }
  // An intersection, because an object type with an index signature is a compile error without
  // exactOptionalPropertyTypes.
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
  /** Returned if the author was not recorded; an append cannot set it. */
  | { readonly type: 'unknown' };

/** The metadata of a node, as returned. */
export interface NodeMetadata {
  readonly timestamp: string;
  /** The root under which the message was first appended; differs from the current root for copies. */
  readonly original_root_id: string;
  readonly source_info: SourceInfo;
  readonly title?: string;
  readonly auto_title?: string;
  readonly tags?: readonly string[];
  readonly custom_data?: JsonObject;
  /** On the left half of a split: the id of the node with the right half. */
  readonly split_source?: string;
}

/** The metadata that an append can set on new nodes. */
export type AppendMetadata = Omit<NodeMetadata, 'timestamp' | 'original_root_id' | 'split_source'>;

/** The metadata that can be changed later. Null removes a field; absent fields do not change. */
export interface MetadataChange {
  readonly title?: string | null;
  readonly auto_title?: string | null;
  readonly tags?: readonly string[] | null;
  readonly custom_data?: JsonObject | null;
}

/** A message with its position in the tree and its metadata. */
export interface NodeData {
  readonly id: NodeId;
  readonly root_id: RootId;
  readonly parent_id: AnyId;
  readonly child_ids: readonly NodeId[];
  readonly message: Message;
  readonly metadata: NodeMetadata;
}

/** Either a root or a message; use `isRootData` to tell which. */
export type ForestNode = RootData | NodeData;

export function isRootData(node: ForestNode): node is RootData {
  return 'config' in node;
}

/** A node without its message; the root is listed with the role `system`. */
export interface NodeStructure {
  readonly id: AnyId;
  readonly parent_id: AnyId | null;
  readonly child_ids: readonly NodeId[];
  readonly root_id: RootId;
  readonly timestamp: string;
  readonly role: Role;
}

/** A tree as flat lists. Its root is a system message, without content if there is no prompt. */
export interface SerializedTree {
  readonly root: RootData & { readonly message: Message };
  readonly nodes: readonly NodeData[];
}

/** A bookmark, with the ids of its node and its tree. */
export interface BookmarkData {
  readonly node_id: NodeId;
  readonly root_id: RootId;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
