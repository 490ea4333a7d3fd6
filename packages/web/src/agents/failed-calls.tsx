import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useEffect, useState } from 'react';
import { formatTime, t } from '../i18n/index.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { agentsApi, type FailedCall } from './agents-api.ts';

/** The calls that could not be recorded, with the reason, until they are seen or recorded again. */
export function FailedCallList(): ReactElement | null {
  const [calls, setCalls] = useState<readonly FailedCall[]>([]);
  const take = (answer: Promise<{ readonly calls: readonly FailedCall[] }>) => {
    answer.then(
      (now) => setCalls(now.calls),
      (thrown) => showError(toHttpProblem(thrown)),
    );
  };
  useEffect(() => {
    let stale = false;
    agentsApi.failed().then(
      (now) => {
        if (!stale) setCalls(now.calls);
      },
      (thrown) => showError(toHttpProblem(thrown)),
    );
    return () => {
      stale = true;
    };
  }, []);
  if (calls.length === 0) return null;
  return (
    <ul className="failed-calls">
      {calls.map((call) => (
        <li key={call.id} className="row recorder-notice">
          <Icon name="warn" />
          <span className="grow">
            <b>{t('notRecordedCall', { project: call.project })}</b> {call.reason ?? call.code}{' '}
            <span className="dim">{formatTime(call.at)}</span>
          </span>
          {call.keptBytes > 0 ? (
            <Button small onClick={() => take(agentsApi.retry(call.id))}>
              {t('recordAgain')}
            </Button>
          ) : null}
          <Button small look="quiet" onClick={() => take(agentsApi.acknowledge([call.id]))}>
            {t('markSeen')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
