import { type ReactElement, useEffect, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import type { RecorderView } from '../state/api-types.ts';
import { api } from '../state/client.ts';
import { Icon } from '../ui/icon.tsx';

/** How often the recorder is looked at: often while its trees are on the screen, else now and then. */
const [oftenMs, seldomMs] = [1_500, 15_000];

/** How the recorder of the server is, as far as the page knows; null until it does. */
export function useRecorder(watching: boolean): RecorderView | null {
  const [recorder, setRecorder] = useState<RecorderView | null>(null);
  useEffect(() => {
    let stale = false;
    const look = () => {
      if (document.hidden) return;
      api.recorder().then(
        (now) => {
          if (!stale) setRecorder(now);
        },
        () => undefined,
      );
    };
    look();
    const timer = setInterval(look, watching ? oftenMs : seldomMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      stale = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [watching]);
  return recorder;
}

/** Says what somebody must know about recording: calls that were lost, a store that refuses, or that it is off. */
export function RecorderNotice({
  recorder,
  watching,
}: {
  readonly recorder: RecorderView | null;
  readonly watching: boolean;
}): ReactElement | null {
  if (recorder === null) return null;
  const lost = recorder.unacknowledged;
  const said: string[] = [];
  // Calls that were lost earlier are said by their number alone.
  const isFailing = recorder.lastError !== null || recorder.waiting > 0 || lost === 0;
  if (recorder.health === 'failing' && isFailing) said.push(t('recorderFailing'));
  if (lost > 0) said.push(tn('recorderLost', lost));
  if (recorder.health === 'behind') said.push(tn('recorderBehind', recorder.waiting));
  if (recorder.health === 'paused' && watching) said.push(t('recorderPaused'));
  if (said.length === 0) return null;
  return (
    <div className="row recorder-notice" role="status">
      <Icon name="warn" />
      <span className="grow">
        {said.join(' ')}
        {recorder.lastError === null ? null : <span className="dim"> {recorder.lastError}</span>}
      </span>
    </div>
  );
}
