import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { loadTrees } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/**
 * Shows the system prompt. In an empty chat it can be changed; otherwise another prompt creates another chat, and
 * this one is kept.
 */
export function SystemPromptDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const prompt = useTree((state) => state.part?.tree.systemPrompt ?? '');
  const [text, setText] = useState(prompt);
  const [whole, setWhole] = useState(false);
  const empty = useTree((state) => state.part !== null && state.part.tree.activeNodeId === null);
  const saveHere = async () => {
    try {
      await api.patch(session.treeId, { systemPrompt: text === '' ? null : text });
      onClose();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  const save = async () => {
    try {
      const made = await api.setPrompt(session.treeId, text, whole, session.version);
      onClose();
      const back = session.treeId;
      navigateTo(treeRoute(made.treeId));
      void loadTrees();
      showToast({
        icon: 'copy',
        text: t('promptCopied'),
        action: { label: t('back'), run: () => navigateTo(treeRoute(back)) },
      });
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
    <Dialog title={t('systemPrompt')} onClose={onClose}>
      {empty ? null : <p className="hint">{t('promptHint')}</p>}
      <textarea
        className="field area"
        rows={8}
        aria-label={t('systemPrompt')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {empty ? null : (
        <label className="row check-row">
          <input type="checkbox" checked={whole} onChange={(event) => setWhole(event.target.checked)} />
          {t('copyWhole')}
        </label>
      )}
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="primary" disabled={text === prompt} onClick={() => void (empty ? saveHere() : save())}>
          {t(empty ? 'setPromptHere' : 'newTreeWithPrompt')}
        </Button>
      </div>
    </Dialog>
  );
}
