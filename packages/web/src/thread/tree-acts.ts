/** Actions of the open chat as a whole. */
import { type TreeSession, toHttpProblem } from '@coppice/client';
import { t } from '../i18n/index.ts';
import { loadTrees } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { homeRoute, navigateTo } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { patchTree, showError } from '../state/tree-actions.ts';
import { duplicateBranchAsChat } from './message-acts.ts';

/** Pins the chat to the top of the list, or unpins it. */
export function togglePinned(session: TreeSession): void {
  const pinned = session.state.part?.tree?.pinned !== true;
  void patchTree(session, { pinned }, t(pinned ? 'treePinned' : 'treeUnpinned'));
}

export function duplicateShownBranch(session: TreeSession): void {
  const { part } = session.state;
  const node = part === null || part.leaf === null ? undefined : part.nodes.get(part.leaf);
  if (node !== undefined) void duplicateBranchAsChat(session, node);
}

/** Moves the chat to the trash and goes home; the toast restores it. */
export async function moveChatToTrash({ treeId }: TreeSession): Promise<void> {
  try {
    await api.removeTree(treeId);
    navigateTo(homeRoute());
    void loadTrees();
    showToast({
      icon: 'trash',
      text: t('treeDeleted'),
      action: {
        label: t('undo'),
        run: () =>
          void api.restoreTree(treeId).then(
            () => loadTrees([treeId]),
            (thrown) => showError(toHttpProblem(thrown)),
          ),
      },
    });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}
