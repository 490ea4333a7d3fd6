/** Actions on one or several chats of the list. Each is an act of its chat and can be undone. */
import { type TreeViewData, toHttpProblem } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { t, tn } from '../i18n/index.ts';
import { loadTrees, mergePinnedTrees, removeListedTrees, updateListedTree, useAppData } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { homeRoute, navigateTo, treeRoute, useRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import type { FolderFile } from '../transfer/sources.ts';
import { exportUrl, fetchExport } from '../transfer/transfer-api.ts';
import { downloadBlob, downloadFromUrl } from '../ui/download-file.ts';

type Attributes = Partial<Pick<TreeViewData, 'title' | 'tags' | 'folder' | 'pinned'>>;

/** New attributes of one chat. */
interface ChatChange {
  readonly id: TreeId;
  readonly set: Attributes;
}

/** Returns the changes that restore the attributes of the listed chats. */
function inverseOf(changes: readonly ChatChange[]): readonly ChatChange[] {
  const listed = new Map(mergePinnedTrees(useAppData.getState()).map((tree) => [tree.id, tree]));
  return changes.flatMap(({ id, set }) => {
    const tree = listed.get(id);
    if (tree === undefined) return [];
    return {
      id,
      set: {
        ...('title' in set ? { title: tree.title } : {}),
        ...('tags' in set ? { tags: tree.tags } : {}),
        ...('folder' in set ? { folder: tree.folder } : {}),
        ...('pinned' in set ? { pinned: tree.pinned } : {}),
      },
    };
  });
}

/** Changes chats; the list shows it immediately. A change of several chats can be undone with one click. */
async function changeChats(changes: readonly ChatChange[]): Promise<void> {
  const inverse = inverseOf(changes);
  for (const { id, set } of changes) updateListedTree(id, set);
  try {
    for (const { id, set } of changes) await api.patch(id, set);
    if (changes.length > 1)
      showToast({
        icon: 'edit',
        text: tn('chatsChanged', changes.length),
        action: { label: t('undo'), run: () => void changeChats(inverse) },
      });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
  await loadTrees();
}

/** Changes the same attributes of several chats. */
export function patchChats(ids: readonly TreeId[], set: Attributes): Promise<void> {
  return changeChats(ids.map((id) => ({ id, set })));
}

/** Adds tags to chats; existing tags stay. */
export function tagChats(chats: readonly TreeViewData[], tags: readonly string[]): Promise<void> {
  return changeChats(chats.map((chat) => ({ id: chat.id, set: { tags: [...new Set([...chat.tags, ...tags])] } })));
}

/** Moves chats to the trash; the toast restores them. */
export async function deleteChats(ids: readonly TreeId[]): Promise<void> {
  try {
    for (const id of ids) await api.removeTree(id);
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
  const gone = new Set(ids);
  removeListedTrees(gone);
  const { place } = useRoute.getState();
  if (place.name === 'tree' && gone.has(place.treeId)) navigateTo(homeRoute());
  const restore = async () => {
    try {
      for (const id of ids) await api.restoreTree(id);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
    await loadTrees(ids);
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

const archiveName = 'chats.zip';

/** Downloads a chat as a file, and several as one archive: browsers block all but the first download of a click. */
export async function exportChats(ids: readonly TreeId[]): Promise<void> {
  const [only] = ids;
  if (only === undefined) return;
  if (ids.length === 1) return downloadFromUrl(exportUrl(only, 'markdown', { what: 'tree' }, false), '');
  showToast({ icon: 'export', text: t('working') });
  try {
    const { zipFolder } = await import('../transfer/zip-folder.ts');
    const files: FolderFile[] = [];
    for (const id of ids) {
      const file = await fetchExport(id, 'markdown');
      const path = freeName(
        file.name,
        files.map((each) => each.path),
      );
      files.push({ path, file });
    }
    const archive = await zipFolder(files, new AbortController().signal);
    downloadBlob(archive, archiveName);
    showToast({ icon: 'export', text: archiveName });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Numbers a file name that is already used. */
function freeName(name: string, used: readonly string[]): string {
  const end = name.lastIndexOf('.');
  let free = name;
  for (let n = 2; used.includes(free); n++) free = `${name.slice(0, end)} (${n})${name.slice(end)}`;
  return free;
}
