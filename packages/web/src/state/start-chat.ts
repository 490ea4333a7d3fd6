/** Starts chats: a new chat begins on the start screen and is stored only with its first message. */
import { toHttpProblem } from '@coppice/client';
import type { Message, NodeId, TreeId } from '@coppice/core';
import { loadTrees } from './app-data.ts';
import { chatOptionsToJson, currentChatOptions } from './chat-options.ts';
import { composeSystemPrompt, type LibraryItem, loadLibraryItemsOnce } from './library.ts';
import { api } from './page-client.ts';
import { attachmentHashOfBlock, loadProjectFiles } from './projects.ts';
import { navigateTo, treeRoute } from './router.ts';
import { createNodeId, showError } from './tree-actions.ts';

/** The properties of a new chat besides its first message. */
export interface NewChatOptions {
  readonly folder: string | null;
  readonly preset: LibraryItem | null;
}

let wanted: { readonly tree: TreeId; readonly node: NodeId } | null = null;

/** Returns the message of a new chat that still needs a reply, once, for its composer. */
export function takeUnansweredMessage(tree: TreeId): NodeId | null {
  if (wanted?.tree !== tree) return null;
  const { node } = wanted;
  wanted = null;
  return node;
}

/**
 * Stores a chat with its first message and opens it. With `answer`, its composer then requests the reply. If the
 * request fails, shows the error and returns false.
 */
export async function startChat(
  message: Message,
  { folder, preset }: NewChatOptions,
  answer: boolean,
): Promise<boolean> {
  const node = createNodeId();
  const systemPrompt = composeSystemPrompt(await loadLibraryItemsOnce(), folder, preset);
  const options = chatOptionsToJson(currentChatOptions());
  try {
    const own = new Set(message.content.map(attachmentHashOfBlock));
    const added = folder === null ? [] : await loadProjectFiles(folder);
    const content = [...message.content, ...added.filter((block) => !own.has(attachmentHashOfBlock(block)))];
    const made = await api.create({
      ...(systemPrompt === null ? {} : { systemPrompt }),
      ...(folder === null ? {} : { folder }),
      metadata: { options, ...(preset === null ? {} : { preset: preset.name }) },
      messages: [...(preset?.messages ?? []), { id: node, role: 'user', content }],
    });
    if (answer) wanted = { tree: made.treeId, node };
    navigateTo(treeRoute(made.treeId));
    void loadTrees();
    return true;
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return false;
  }
}
