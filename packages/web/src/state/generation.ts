/** Generates replies from the page: failures are reported as a toast. */
import {
  type CombineMode,
  type GenerationOptions,
  type GenerationResult,
  type TreeSession,
  toHttpProblem,
} from '@coppice/client';
import type { Message, Node, NodeId } from '@coppice/core';
import { showError } from './tree-actions.ts';

async function reportProblem(generating: Promise<GenerationResult>): Promise<boolean> {
  const { sent, problem } = await generating;
  if (problem !== null) showError(problem);
  return sent;
}

/** Sends a message below a node and generates a reply. False if the message should go back into the composer. */
export function sendMessage(
  session: TreeSession,
  parentId: NodeId,
  message: Message,
  options: GenerationOptions,
  id?: NodeId,
): Promise<boolean> {
  return reportProblem(session.actions.send(message, { parentId, ...options, ...(id === undefined ? {} : { id }) }));
}

export function generateReplyTo(session: TreeSession, parentId: NodeId, options: GenerationOptions): Promise<boolean> {
  return reportProblem(session.actions.reply(parentId, options));
}

/** Generates another reply to the prompt of a reply; the old one stays as a variant. */
export function regenerateReply(session: TreeSession, nodeId: NodeId, options: GenerationOptions): Promise<boolean> {
  return reportProblem(session.actions.regenerate(nodeId, options));
}

/** Generates a reply that combines several replies to the same message, as a further variant. */
export function combineReplies(
  session: TreeSession,
  nodeIds: readonly NodeId[],
  options: GenerationOptions & { readonly way: CombineMode; readonly instructions: string },
): Promise<boolean> {
  return reportProblem(session.actions.combine(nodeIds, options));
}

/** Continues a reply that was cut off. */
export function continueReply(session: TreeSession, node: Node, options: GenerationOptions): Promise<boolean> {
  return reportProblem(session.actions.continueReply(node.id, options));
}

/** Stops a reply; the text so far is kept. */
export async function stopReply(session: TreeSession, nodeId: NodeId): Promise<void> {
  try {
    await session.actions.stop(nodeId);
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}
