import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { pageActions } from './actions.ts';
import { formatChord } from './chords.ts';

export function KeysDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={t('keyboard')} onClose={onClose} className="keys-dialog">
      <ul className="keys-list">
        {pageActions
          .filter((action) => action.keys.length > 0)
          .map((action) => (
            <li key={action.id} className="row">
              <Icon name={action.icon} />
              <span className="grow">{t(action.label)}</span>
              {action.keys.map((chord) => (
                <kbd key={chord}>{formatChord(chord)}</kbd>
              ))}
            </li>
          ))}
      </ul>
    </Dialog>
  );
}
