/** Topics and messages: the terms of chat applications for trees and nodes. Times are milliseconds. */
import type {
  Block,
  JsonObject,
  NodeId,
  NodeKind,
  NodeMeta,
  NodeStatus,
  Role,
  TopologyNode,
  TreeAttributes,
  TreeId,
} from '@coppice/core';

/** A conversation. */
export interface Topic {
  readonly id: TreeId;
  readonly title: string | null;
  readonly systemPrompt: string | null;
  /** The root node; a message is a first turn exactly if this is its parent. */
  readonly rootId: NodeId;
  /** The active node; null while the topic is empty. */
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attributes: TreeAttributes;
}

/** The content of a message. */
export interface MessageData {
  readonly parts: readonly Block[];
}

/** One message of a topic; never the root. */
export interface TopicMessage {
  readonly id: NodeId;
  readonly topicId: TreeId;
  readonly parentId: NodeId;
  readonly role: Role;
  readonly kind: NodeKind;
  readonly data: MessageData;
  /** The call that a tool message is the result of. */
  readonly toolCallId?: string;
  /** 0, or the group number that replies of one act share below one parent. */
  readonly siblingsGroupId: number;
  readonly status: NodeStatus;
  readonly createdAt: number;
  readonly meta: NodeMeta;
}

/** A message to create. */
export interface NewTopicMessage {
  readonly role: Role;
  /** Blocks, or a plain text. */
  readonly data: MessageData | string;
  readonly toolCallId?: string | undefined;
  /** An id chosen by the caller, so that a retry creates nothing twice. */
  readonly id?: string | undefined;
  readonly status?: NodeStatus | undefined;
  readonly meta?: NodeMeta | undefined;
}

/** Replies of one act below one parent. */
export interface SiblingsGroup {
  readonly parentId: NodeId;
  readonly groupId: number;
  /** In stored order. */
  readonly nodeIds: readonly NodeId[];
}

/** A topic without message contents. The root is not among the nodes; first turns have it as parent. */
export interface TopicTree {
  readonly nodes: readonly TopologyNode[];
  readonly siblingsGroups: readonly SiblingsGroup[];
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
}

/** Which part of a branch to read. */
export interface BranchQuery {
  readonly topicId: string;
  /** The last node of the branch; by default the active node. */
  readonly nodeId?: string | null | undefined;
  /** By default 20. */
  readonly limit?: number | null | undefined;
  /** The cursor of the previous page; reads the messages above it. */
  readonly before?: string | null | undefined;
  /** Whether to include the other members of each message's group. */
  readonly includeSiblings?: boolean | undefined;
}

/** A message of a branch. */
export interface BranchItem {
  readonly message: TopicMessage;
  /** The other members of its group, if requested and present. */
  readonly siblings?: readonly TopicMessage[];
}

/** A part of a branch, newest last. */
export interface BranchMessages {
  readonly items: readonly BranchItem[];
  /** The cursor to pass as `before` for the messages above; null at the first turn. */
  readonly nextCursor: NodeId | null;
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
}

/** The result of a delete. */
export interface DeletedMessages {
  /** The topmost deleted nodes. */
  readonly deletedIds: readonly NodeId[];
  readonly activeNodeId: NodeId | null;
}

/** The fields of a new topic. */
export interface NewTopic {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly project?: string | undefined;
  readonly folder?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}
