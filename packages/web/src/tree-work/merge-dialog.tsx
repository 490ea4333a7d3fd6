import type { NodeId } from '@coppice/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { mergeBranchInto } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Merges a side branch at the view's position: as a summary, written by the user or the model, or as messages. */
export function MergeDialog({
  nodeId,
  onClose,
}: {
  readonly nodeId: NodeId;
  readonly onClose: () => void;
}): ReactElement {
  const session = useSession();
  const preview = useTree((state) => state.topology?.nodes.get(nodeId)?.preview ?? '');
  const [mode, setMode] = useState<'summary' | 'messages'>('summary');
  const [summary, setSummary] = useState('');
  const [busy, setBusy] = useState(false);
  const working = useRef<AbortController | null>(null);
  // When the dialog closes, a running request is aborted.
  useEffect(() => () => working.current?.abort(), []);
  const run = async () => {
    const controller = new AbortController();
    working.current = controller;
    setBusy(true);
    const done = await mergeBranchInto(session, nodeId, mode, summary.trim(), controller.signal);
    setBusy(false);
    if (!done) return;
    onClose();
    navigateTo(treeRoute(session.treeId));
  };
  return (
    <Dialog title={t('mergeThisBranch')} onClose={onClose}>
      <p className="hint">{preview}</p>
      <div className="seg">
        <button type="button" aria-pressed={mode === 'summary'} onClick={() => setMode('summary')}>
          {t('asSummary')}
        </button>
        <button type="button" aria-pressed={mode === 'messages'} onClick={() => setMode('messages')}>
          {t('asMessages')}
        </button>
      </div>
      {mode === 'summary' ? (
        <textarea
          className="field area"
          rows={5}
          aria-label={t('summary')}
          placeholder={t('summaryHint')}
          value={summary}
          onChange={(event) => setSummary(event.target.value)}
        />
      ) : null}
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="primary" icon="merge" disabled={busy} onClick={() => void run()}>
          {busy ? t('working') : t('mergeShort')}
        </Button>
      </div>
    </Dialog>
  );
}
