/** Undoes the user's last act when no chat is open: in any chat, including the deletion of one. */

import { toHttpProblem } from '@coppice/client';
import { t } from '../i18n/index.ts';
import { formatChord } from '../keys/chords.ts';
import { loadTrees } from './app-data.ts';
import { readChatName } from './chat-names.ts';
import { api } from './page-client.ts';
import { navigateTo, treeRoute } from './router.ts';
import { showToast } from './toasts.ts';
import { showError } from './tree-actions.ts';

/** Undoes the newest act in any chat, and names the chat. */
export async function undoAnywhere(): Promise<void> {
  try {
    const { treeId, result } = await api.undoAnywhere();
    void loadTrees([treeId]);
    const name = await readChatName(treeId, result.title);
    showToast({
      icon: 'undo',
      text: t('undoneIn', { name }),
      action: { label: t('redo'), keys: formatChord('shift+mod+z'), run: () => void redoAnywhere() },
    });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Redoes the act that was undone last in any chat, and names the chat. */
export async function redoAnywhere(): Promise<void> {
  try {
    const { treeId, result } = await api.redoAnywhere();
    void loadTrees([treeId]);
    const name = await readChatName(treeId, result.title);
    const open = { label: t('open'), run: () => navigateTo(treeRoute(treeId)) };
    showToast({
      icon: 'again',
      text: t('redoneIn', { name }),
      ...(result.deletedAt === null ? { action: open } : {}),
    });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}
