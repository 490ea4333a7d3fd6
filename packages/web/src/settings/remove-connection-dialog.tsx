import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

interface RemoveConnectionDialogProps {
  /** The name of the provider or server. */
  readonly name: string;
  /** What is deleted, and what it takes to have it again. */
  readonly words: string;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** Asks before a provider or server is removed, because only its owner can enter its key again. */
export function RemoveConnectionDialog({ name, words, onRemove, onClose }: RemoveConnectionDialogProps): ReactElement {
  return (
    <Dialog title={t('removeConnectionNamed', { name })} onClose={onClose}>
      <p className="hint">{words}</p>
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="danger" icon="trash" onClick={onRemove}>
          {t('removeConnection')}
        </Button>
      </div>
    </Dialog>
  );
}
