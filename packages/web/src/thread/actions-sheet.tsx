import type { Node } from '@coppice/core';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { useSession } from '../state/use-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { listOfferedActions, messageMenuSections, type OfferedAction } from './message-acts.ts';
import { plainTextOf } from './rows.ts';

/** All actions of a message, as a sheet at the bottom of a phone. */
export function ActionsSheet({ node, onClose }: { readonly node: Node; readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const run = (act: OfferedAction) => {
    // Closes first: the action may open a dialog.
    onClose();
    act.run();
  };
  return (
    <Dialog title={t('messageActions')} onClose={onClose} className="sheet" bare>
      <p className="sheet-words">{plainTextOf(node.message).slice(0, 140)}</p>
      <div className="sheet-first">
        {listOfferedActions(session, node, 'row').map((act) => (
          <button key={act.id} type="button" onClick={() => run(act)}>
            <Icon name={act.icon} />
            <span>{act.label}</span>
          </button>
        ))}
      </div>
      {messageMenuSections.map((place) => (
        <ul key={place} className="sheet-more">
          {listOfferedActions(session, node, place).map((act) => (
            <li key={act.id}>
              <button type="button" className={act.danger === true ? 'danger' : ''} onClick={() => run(act)}>
                <Icon name={act.icon} />
                <span>{act.label}</span>
              </button>
            </li>
          ))}
        </ul>
      ))}
    </Dialog>
  );
}
