/** Optimistic nodes, which show a write before the server has confirmed it. */
import { type ContentFields, isText, type Message, type NewNode, type NodeId } from '@coppice/core';
import type { OpenTreeState } from './tree-state.ts';

/** The text of a message. The server's own text replaces it when the write is confirmed. */
export function joinTextBlocks(message: Message): string {
  return message.content
    .filter(isText)
    .map((block) => block.text)
    .join('\n\n');
}

const charactersPerToken = 4;

/** The content fields of a node that was written here. Its tokens are an estimate until the server counts them. */
export function optimisticContent(message: Message): ContentFields {
  const text = joinTextBlocks(message);
  const tokens = Math.ceil(text.length / charactersPerToken);
  return { message, status: 'success', key: null, text, tokens, aliases: [] };
}

/** A new node below a parent, as the last of its variants. */
export function optimisticNode(
  { part }: OpenTreeState,
  node: { readonly id: NodeId; readonly parentId: NodeId; readonly message: Message; readonly groupId?: number },
  now: number,
): NewNode {
  const { id, parentId, message, groupId = 0 } = node;
  const parent = part?.nodes.get(parentId);
  return {
    id,
    parentId,
    // Sorts after every position that a planner creates, until the real one is known.
    position: '~',
    kind: 'message',
    groupId,
    createdAt: now,
    matchParent: parent === undefined || parent.kind === 'message' ? parentId : parent.matchParent,
    ...optimisticContent(message),
    meta: {},
    marker: null,
  };
}
