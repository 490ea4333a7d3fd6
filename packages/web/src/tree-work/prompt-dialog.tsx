import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { loadTrees } from '../state/app-data.ts';
import { api } from '../state/client.ts';
import { asProblem } from '../state/http.ts';
import { navigateTo, treePlace } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Shows the system prompt. It belongs to the tree and never changes: another one makes another tree, and this one stays. */
export function PromptDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const prompt = useTree((state) => state.part?.tree.systemPrompt ?? '');
  const [text, setText] = useState(prompt);
  const [whole, setWhole] = useState(false);
  const save = async () => {
    try {
      const made = await api.setPrompt(session.treeId, text, whole, session.version);
      onClose();
      const back = session.treeId;
      navigateTo(treePlace(made.treeId));
      void loadTrees();
      showToast({
        icon: 'copy',
        text: t('promptCopied'),
        action: { label: t('back'), run: () => navigateTo(treePlace(back)) },
      });
    } catch (thrown) {
      showError(asProblem(thrown));
    }
  };
  return (
    <Dialog title={t('systemPrompt')} onClose={onClose}>
      <p className="hint">{t('promptHint')}</p>
      <textarea
        className="field area"
        rows={8}
        aria-label={t('systemPrompt')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <label className="row check-row">
        <input type="checkbox" checked={whole} onChange={(event) => setWhole(event.target.checked)} />
        {t('copyWhole')}
      </label>
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="primary" disabled={text === prompt} onClick={() => void save()}>
          {t('newTreeWithPrompt')}
        </Button>
      </div>
    </Dialog>
  );
}
