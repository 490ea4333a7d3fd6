/** Topics and messages: the words of chat applications for trees and nodes. Times are milliseconds. */
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
  /** The one content-less node; a message is a first turn exactly if this is its parent. */
  readonly rootId: NodeId;
  /** Where the user is; null while the topic is empty. */
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attributes: TreeAttributes;
}

/** What a message says. */
export interface MessageData {
  readonly parts: readonly Block[];
}

/** One message of a topic. The root is never one. */
export interface TopicMessage {
  readonly id: NodeId;
  readonly topicId: TreeId;
  readonly parentId: NodeId;
  readonly role: Role;
  readonly kind: NodeKind;
  readonly data: MessageData;
  /** The call that a tool message answers. */
  readonly toolCallId?: string;
  /** 0, or the number that replies of one act share below one parent. */
  readonly siblingsGroupId: number;
  readonly status: NodeStatus;
  readonly createdAt: number;
  readonly meta: NodeMeta;
}

/** A message to be made. */
export interface NewTopicMessage {
  readonly role: Role;
  /** Blocks, or a plain text. */
  readonly data: MessageData | string;
  readonly toolCallId?: string | undefined;
  /** Chosen by the caller, so that a retry is harmless. */
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

/** A topic without what it says. The root is not among the nodes; first turns name it as their parent. */
export interface TopicTree {
  readonly nodes: readonly TopologyNode[];
  readonly siblingsGroups: readonly SiblingsGroup[];
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
}

/** What part of a branch is wanted. */
export interface BranchQuery {
  readonly topicId: string;
  /** The end of the branch; the active node if not given. */
  readonly nodeId?: string | null | undefined;
  /** 20 if not given. */
  readonly limit?: number | null | undefined;
  /** The cursor of the page before: what lies above it is wanted. */
  readonly before?: string | null | undefined;
  /** Whether the other members of each message's group come along. */
  readonly includeSiblings?: boolean | undefined;
}

/** A message of a branch. */
export interface BranchItem {
  readonly message: TopicMessage;
  /** The other members of its group, where they were asked for and there are any. */
  readonly siblings?: readonly TopicMessage[];
}

/** A part of a branch, newest last. */
export interface BranchMessages {
  readonly items: readonly BranchItem[];
  /** Pass it as `before` to get what lies above; null at the first turn. */
  readonly nextCursor: NodeId | null;
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
}

/** What a delete did. */
export interface DeletedMessages {
  /** The tops of what went. */
  readonly deletedIds: readonly NodeId[];
  readonly activeNodeId: NodeId | null;
}

/** What a topic is made with. */
export interface NewTopic {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly project?: string | undefined;
  readonly folder?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}
