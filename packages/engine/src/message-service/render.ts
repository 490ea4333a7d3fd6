/** Converts nodes of a store to topics and messages. */
import { parseMessage } from '@coppice/content';
import {
  type BranchPage,
  type Message,
  type Node,
  type NodeId,
  refuse,
  type TopologyNode,
  type TreeId,
  type TreeRow,
  unwrapResult,
} from '@coppice/core';
import type { BranchItem, BranchMessages, NewTopicMessage, SiblingsGroup, Topic, TopicMessage } from './shapes.ts';

export function toTopic(row: TreeRow): Topic {
  const { id, rootId, activeNodeId, version, createdAt, updatedAt, attributes } = row;
  return {
    id,
    title: attributes.title ?? attributes.autoTitle ?? null,
    systemPrompt: attributes.systemPrompt ?? null,
    rootId,
    activeNodeId,
    version,
    createdAt,
    updatedAt,
    attributes,
  };
}

/** Converts a node to a message of its topic. Throws for the root, which is not a message. */
export function toTopicMessage(topicId: TreeId, node: Node): TopicMessage {
  const { id, parentId, message } = node;
  if (parentId === null || message === null)
    return refuse('tree/root-protected', `${id} is the beginning of a chat, not a message.`, { nodeId: id });
  return {
    id,
    topicId,
    parentId,
    role: message.role,
    kind: node.kind,
    data: { parts: message.content },
    ...(message.tool_call_id === undefined ? {} : { toolCallId: message.tool_call_id }),
    siblingsGroupId: node.groupId,
    status: node.status,
    createdAt: node.createdAt,
    meta: node.meta,
  };
}

/**
 * Parses the content of a new message; undefined for an unfinished reply without content. Blank messages are accepted
 * here; the planner refuses them where necessary.
 */
export function parseTopicMessage({
  role,
  data,
  toolCallId,
  status = 'success',
}: NewTopicMessage): Message | undefined {
  // Untyped callers may omit `data`.
  const content = typeof data === 'string' ? [{ type: 'text', text: data }] : (data?.parts ?? []);
  if (content.length === 0 && role === 'assistant' && status !== 'success') return undefined;
  const call = toolCallId === undefined ? {} : { tool_call_id: toolCallId };
  return unwrapResult(parseMessage({ role, content, ...call }, { blank: 'keep' }));
}

/** Converts a page of a branch to messages with their siblings. */
export function toBranchMessages(topicId: TreeId, page: BranchPage): BranchMessages {
  const items = page.nodes.map((node): BranchItem => {
    const message = toTopicMessage(topicId, node);
    const others = page.groups.get(node.id);
    if (others === undefined) return { message };
    return { message, siblings: others.map((other) => toTopicMessage(topicId, other)) };
  });
  const { rootId, activeNodeId, version, before } = page;
  return { items, nextCursor: before, rootId, activeNodeId, version };
}

/** Returns the groups among nodes, ordered by their first member; members stay in stored order. */
export function groupSiblings(nodes: readonly TopologyNode[]): SiblingsGroup[] {
  const groups = new Map<string, { parentId: NodeId; groupId: number; members: TopologyNode[] }>();
  for (const node of nodes) {
    const { parentId, groupId } = node;
    if (groupId === 0) continue;
    const key = `${parentId} ${groupId}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { parentId, groupId, members: [node] });
    else known.members.push(node);
  }
  return [...groups.values()].map(({ parentId, groupId, members }) => ({
    parentId,
    groupId,
    nodeIds: members.sort((a, b) => (a.position < b.position ? -1 : 1)).map((member) => member.id),
  }));
}
