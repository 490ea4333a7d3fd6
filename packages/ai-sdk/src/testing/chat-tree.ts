import { run, type Store, treeId } from '@coppice/core';
import { type ChatTreeAccess, createChatContext } from '../store-messages.ts';

/** Creates an empty tree in a store. */
export async function createEmptyChatTree(store: Store): Promise<ChatTreeAccess> {
  const newId = () => crypto.randomUUID();
  const tree: ChatTreeAccess = { store, id: treeId(newId()), actor: store.owner, now: Date.now, newId };
  await run(store, { type: 'create', treeId: tree.id }, createChatContext(tree));
  return tree;
}
