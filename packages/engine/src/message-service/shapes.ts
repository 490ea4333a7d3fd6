/**
 * The shapes of topics and messages, which are the terms of chat applications for trees and nodes. Times are
 * milliseconds since 1970.
 */
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

/** A conversation with its attributes; the messages are read separately. */
export interface Topic {
  readonly id: TreeId;
  readonly title: string | null;
  readonly systemPrompt: string | null;
  /** The root node; the first messages have it as parent. */
  readonly rootId: NodeId;
  /** The active node; null while the topic is empty. */
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attributes: TreeAttributes;
}

/** The content of a message as a list of blocks. */
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
  /** For a tool message: the id of the call that it answers. */
  readonly toolCallId?: string;
  /** The number of the group of replies below one parent that this message belongs to; 0 if it is in no group. */
  readonly siblingsGroupId: number;
  readonly status: NodeStatus;
  readonly createdAt: number;
  readonly meta: NodeMeta;
}

/** The fields of a message to create. */
export interface NewTopicMessage {
  readonly role: Role;
  /** Blocks, or a text for a single text block. */
  readonly data: MessageData | string;
  readonly toolCallId?: string | undefined;
  /** An id chosen by the caller, so that a retry does not create the message twice. */
  readonly id?: string | undefined;
  readonly status?: NodeStatus | undefined;
  readonly meta?: NodeMeta | undefined;
}

/** Replies below one parent that were generated together. */
export interface SiblingsGroup {
  readonly parentId: NodeId;
  readonly groupId: number;
  /** The members, in stored order. */
  readonly nodeIds: readonly NodeId[];
}

/** A topic without message contents. The root is not among the nodes; first messages have it as parent. */
export interface TopicTree {
  readonly nodes: readonly TopologyNode[];
  readonly siblingsGroups: readonly SiblingsGroup[];
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
}

/** The branch to read, and the page of it. */
export interface BranchQuery {
  readonly topicId: string;
  /** The last node of the branch; by default the active node. */
  readonly nodeId?: string | null | undefined;
  /** The number of messages; by default 20. */
  readonly limit?: number | null | undefined;
  /** The cursor of the previous page; reads the messages above it. */
  readonly before?: string | null | undefined;
  /** Whether to return the other members of each message's group too. */
  readonly includeSiblings?: boolean | undefined;
}

/** A message of a branch, with the alternatives to it. */
export interface BranchItem {
  readonly message: TopicMessage;
  /** The other members of the message's group, if they were requested and exist. */
  readonly siblings?: readonly TopicMessage[];
}

/** A page of a branch, newest message last. */
export interface BranchMessages {
  readonly items: readonly BranchItem[];
  /** Pass it as `before` to read the messages above; null if the page starts with the first message. */
  readonly nextCursor: NodeId | null;
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
}

/** The deleted nodes, and the node that is active afterwards. */
export interface DeletedMessages {
  /** The topmost deleted nodes; their deleted descendants are not listed. */
  readonly deletedIds: readonly NodeId[];
  readonly activeNodeId: NodeId | null;
}

export interface NewTopic {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly project?: string | undefined;
  readonly folder?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}
