import type { ReactElement } from 'react';
import { formatDateTime, formatTime, t } from '../i18n/index.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { describeCommit, useHistory } from './history.ts';

/** The history in the panel, newest first. */
export function HistoryPanel(): ReactElement {
  const session = useSession();
  const { commits, more, begins, load } = useHistory();
  return (
    <div className="history-list">
      <ol aria-label={t('history')}>
        {commits.map((commit) => {
          const { icon, text } = describeCommit(commit);
          return (
            <li key={commit.version} className="row" title={formatDateTime(commit.at)}>
              <Icon name={icon} />
              <span className="grow clip">{text}</span>
              <time>{formatTime(commit.at)}</time>
            </li>
          );
        })}
      </ol>
      {begins === null || more ? null : (
        <p className="dim">{t('historyBegins', { date: formatDateTime(begins.at) })}</p>
      )}
      <div className="row foot-row">
        {more ? (
          <Button small look="quiet" onClick={load}>
            {t('older')}
          </Button>
        ) : null}
        <span className="grow" />
        <Button small icon="clock" onClick={() => navigateTo(treeRoute(session.treeId, { screen: 'history' }))}>
          {t('timeTravel')}
        </Button>
      </div>
    </div>
  );
}
