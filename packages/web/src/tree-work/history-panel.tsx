import type { ReactElement } from 'react';
import { exactly, t, when } from '../i18n/index.ts';
import { go, treePlace } from '../state/router.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { describe, useHistory } from './history.ts';

/** The history in the panel: what was done, newest first. */
export function HistoryPanel(): ReactElement {
  const session = useSession();
  const { commits, more, load } = useHistory();
  return (
    <div className="history-list">
      <ol aria-label={t('history')}>
        {commits.map((commit) => {
          const { icon, text } = describe(commit);
          return (
            <li key={commit.version} className="row" title={exactly(commit.at)}>
              <Icon name={icon} />
              <span className="grow clip">{text}</span>
              <time>{when(commit.at)}</time>
            </li>
          );
        })}
      </ol>
      <div className="row foot-row">
        {more ? (
          <Button small look="quiet" onClick={load}>
            {t('older')}
          </Button>
        ) : null}
        <span className="grow" />
        <Button small icon="clock" onClick={() => go(treePlace(session.treeId, { screen: 'history' }))}>
          {t('timeTravel')}
        </Button>
      </div>
    </div>
  );
}
