import type { Node } from '@coppice/core';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { firstActs, type MessageAct, moreActs } from './message-acts.ts';
import { plainTextOf } from './rows.ts';

/** Everything that can be done with a message, as a sheet at the foot of a phone. */
export function ActionsSheet({ node, onClose }: { readonly node: Node; readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const marked = useTree((state) => state.part?.bookmarks.get(node.id)?.title ?? null);
  const first = firstActs(session, node, marked !== null);
  const run = (act: MessageAct) => {
    // Before it runs: what it does may open a dialog of its own.
    onClose();
    act.run();
  };
  return (
    <Dialog title={t('messageActions')} onClose={onClose} className="sheet" bare>
      <p className="sheet-words">{plainTextOf(node.message).slice(0, 140)}</p>
      <div className="sheet-first">
        {first.map((act) => (
          <button key={act.id} type="button" onClick={() => run(act)}>
            <Icon name={act.icon} />
            <span>{act.label}</span>
          </button>
        ))}
      </div>
      {moreActs(session, node, marked).map((part) => (
        <ul key={part[0]?.id} className="sheet-more">
          {part.map((act) => (
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
