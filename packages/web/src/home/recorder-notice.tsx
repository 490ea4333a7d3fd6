import type { RecorderView } from '@coppice/client';
import { type ReactElement, useEffect, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { Icon } from '../ui/icon.tsx';

/** The polling intervals of the recorder: short while its trees are shown, else long. */
const [oftenMs, seldomMs] = [1_500, 15_000];

/** The state of the server's recorder; null until it is known. */
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

/** Shows problems of recording: lost calls, a store that refuses, or that it is paused. */
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
  // If the recorder works again, only the number of earlier lost calls is shown.
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
