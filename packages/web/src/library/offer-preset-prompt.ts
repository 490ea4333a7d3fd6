import { type TreeSession, toHttpProblem } from '@coppice/client';
import { t } from '../i18n/index.ts';
import { loadTrees } from '../state/app-data.ts';
import { composeSystemPrompt, type LibraryItem, useLibrary } from '../state/library.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';

/**
 * Offers the prompt of a preset for a chat. An empty chat uses it immediately. A chat with messages must be copied for
 * another prompt, because its replies were written for the old one.
 */
export function offerPresetPrompt(session: TreeSession, preset: LibraryItem): void {
  const tree = session.state.part?.tree;
  if (tree === undefined) return;
  const prompt = composeSystemPrompt(useLibrary.getState().items, tree.folder, preset);
  const metadata = { ...tree.metadata, preset: preset.name };
  if (prompt === null || prompt === (tree.systemPrompt ?? '')) return;
  if (tree.activeNodeId === null) {
    api.patch(tree.id, { systemPrompt: prompt, metadata }).catch((thrown) => showError(toHttpProblem(thrown)));
    return;
  }
  const copy = async () => {
    try {
      const made = await api.setPrompt(tree.id, prompt, false, session.version);
      await api.patch(made.treeId, { metadata });
      navigateTo(treeRoute(made.treeId));
      void loadTrees();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  showToast({
    icon: 'lines',
    text: t('presetSwitched', { name: preset.name }),
    action: { label: t('newTreeWithPrompt'), run: () => void copy() },
  });
}
