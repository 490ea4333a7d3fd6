import { type TreeViewData, treeTitleOf } from '@coppice/client';
import { useEffect } from 'react';
import { chatNameOf, firstWordsOf } from '../state/chat-names.ts';
import { requestSilhouette, useSilhouettes } from '../state/silhouettes.ts';

/** The name of a chat in lists: its title or, until it has one, the first words of its first question. */
export function useChatName(tree: TreeViewData): string {
  const words = useSilhouettes((state) => firstWordsOf(state.shapes.get(tree.id)));
  return chatNameOf(tree, words);
}

/** Returns the name of the open chat. Without a title it has the words of the first question, which are requested. */
export function useOpenChatName(tree: TreeViewData | null): string {
  const id = tree !== null && treeTitleOf(tree) === null ? tree.id : null;
  const version = tree?.version ?? 0;
  useEffect(() => {
    if (id !== null) requestSilhouette(id, version);
  }, [id, version]);
  const words = useSilhouettes((state) => (id === null ? '' : firstWordsOf(state.shapes.get(id))));
  return tree === null ? '' : chatNameOf(tree, words);
}
