/** Actions on one or several chats of the list. Each is an act of its chat and can be undone. */
import { type TreeViewData, toHttpProblem } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { t, tn } from '../i18n/index.ts';
import { loadTrees, updateListedTree, useAppData } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { homeRoute, navigateTo, treeRoute, useRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { exportUrl } from '../transfer/transfer-api.ts';

type Attributes = Partial<Pick<TreeViewData, 'title' | 'tags' | 'folder' | 'pinned'>>;

/** Changes attributes of chats; the list shows them immediately. */
export async function patchChats(ids: readonly TreeId[], set: Attributes): Promise<void> {
  for (const id of ids) updateListedTree(id, set);
  try {
    for (const id of ids) await api.patch(id, set);
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
  await loadTrees();
}

/** Adds tags to chats; existing tags stay. */
export async function tagChats(chats: readonly TreeViewData[], tags: readonly string[]): Promise<void> {
  for (const chat of chats) await patchChats([chat.id], { tags: [...new Set([...chat.tags, ...tags])] });
}

/** Moves chats to the trash; the toast restores them. */
export async function deleteChats(ids: readonly TreeId[]): Promise<void> {
  try {
    for (const id of ids) await api.removeTree(id);
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
  const gone = new Set(ids);
  useAppData.setState(({ trees }) => ({ trees: trees.filter((tree) => !gone.has(tree.id)) }));
  const { place } = useRoute.getState();
  if (place.name === 'tree' && gone.has(place.treeId)) navigateTo(homeRoute());
  const restore = async () => {
    try {
      for (const id of ids) await api.restoreTree(id);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
    await loadTrees();
  };
  showToast({
    icon: 'trash',
    text: tn('chatsDeleted', ids.length),
    action: { label: t('undo'), run: () => void restore() },
  });
  await loadTrees();
}

/** Copies a chat with all its branches, and opens the copy. */
export async function duplicateChat(id: TreeId): Promise<void> {
  try {
    const made = await api.duplicate(id, { whole: true });
    await loadTrees();
    navigateTo(treeRoute(made.treeId));
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Downloads each chat as a file of its own. */
export function exportChats(ids: readonly TreeId[]): void {
  for (const id of ids) {
    const link = document.createElement('a');
    link.href = exportUrl(id, 'markdown', { what: 'tree' }, false);
    link.download = '';
    document.body.append(link);
    link.click();
    link.remove();
  }
}
