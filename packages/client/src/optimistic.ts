/** Builds the nodes that show a write before the server has confirmed it. */
import { type ContentFields, isText, type Message, type NewNode, type NodeId } from '@coppice/core';
import type { OpenTreeState } from './tree-state.ts';

/** Returns the text of a message for display. The confirmed node has the text of the server instead. */
export function joinTextBlocks(message: Message): string {
  return message.content
    .filter(isText)
    .map((block) => block.text)
    .join('\n\n');
}

const charactersPerToken = 4;

/** Returns the content fields of a new node. The number of tokens is an estimate until the server counts them. */
export function buildOptimisticContent(message: Message): ContentFields {
  const text = joinTextBlocks(message);
  const tokens = Math.ceil(text.length / charactersPerToken);
  return { message, status: 'success', key: null, text, tokens, aliases: [] };
}

/** Builds a new node as the last child of its parent. */
export function buildOptimisticNode(
  { part }: OpenTreeState,
  node: { readonly id: NodeId; readonly parentId: NodeId; readonly message: Message; readonly groupId?: number },
  now: number,
): NewNode {
  const { id, parentId, message, groupId = 0 } = node;
  const parent = part?.nodes.get(parentId);
  return {
    id,
    parentId,
    // This position sorts after all positions of a planner, until the real one is known.
    position: '~',
    kind: 'message',
    groupId,
    createdAt: now,
    matchParent: parent === undefined || parent.kind === 'message' ? parentId : parent.matchParent,
    ...buildOptimisticContent(message),
    meta: {},
    marker: null,
  };
}
