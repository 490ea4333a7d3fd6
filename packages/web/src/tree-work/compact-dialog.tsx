import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { compactShownBranch } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Summarises older messages, with an optional focus. */
export function CompactDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const [focus, setFocus] = useState('');
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const done = await compactShownBranch(session, focus.trim());
    setBusy(false);
    if (done) onClose();
  };
  return (
    <Dialog title={t('compactNow')} onClose={onClose}>
      <p className="hint">{t('compactHint')}</p>
      <textarea
        className="field area"
        rows={3}
        aria-label={t('instructions')}
        placeholder={t('compactFocus')}
        value={focus}
        onChange={(event) => setFocus(event.target.value)}
      />
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="primary" icon="layers" disabled={busy} onClick={() => void run()}>
          {busy ? t('working') : t('compactNow')}
        </Button>
      </div>
    </Dialog>
  );
}
