import { run, type Store, treeId } from '@coppice/core';
import { type ChatTree, createChatContext } from '../store-messages.ts';

/** Creates an empty tree in a store. */
export async function openChatTree(store: Store): Promise<ChatTree> {
  const newId = () => crypto.randomUUID();
  const tree: ChatTree = { store, id: treeId(newId()), actor: store.owner, now: Date.now, newId };
  await run(store, { type: 'create', treeId: tree.id }, createChatContext(tree));
  return tree;
}
