import { type ReactElement, useEffect, useRef, useState } from 'react';
import { currentLanguage, t } from '../i18n/index.ts';
import { showToast } from '../state/toasts.ts';
import { IconButton } from '../ui/button.tsx';

interface RecognitionResult {
  readonly isFinal: boolean;
  readonly [at: number]: { readonly transcript: string };
}

interface Recognition {
  continuous: boolean;
  lang: string;
  onresult: ((event: { readonly resultIndex: number; readonly results: ArrayLike<RecognitionResult> }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
}

type RecognitionClass = new () => Recognition;

/** The browser's speech recognition; most browsers have a prefixed name for it. */
const browser: {
  readonly document: unknown;
  readonly SpeechRecognition?: RecognitionClass;
  readonly webkitSpeechRecognition?: RecognitionClass;
} = globalThis;

/** A button for dictation. Renders nothing if the browser has no speech recognition. */
export function DictateButton({ onText }: { readonly onText: (text: string) => void }): ReactElement | null {
  const Recognizer = browser.SpeechRecognition ?? browser.webkitSpeechRecognition;
  const [running, setRunning] = useState<Recognition | null>(null);
  const written = useRef(onText);
  written.current = onText;
  useEffect(() => () => running?.stop(), [running]);
  if (Recognizer === undefined) return null;
  const start = () => {
    const made = new Recognizer();
    made.continuous = true;
    made.lang = currentLanguage();
    made.onresult = ({ resultIndex, results }) => {
      for (let at = resultIndex; at < results.length; at++) {
        const result = results[at];
        if (result?.isFinal === true) written.current((result[0]?.transcript ?? '').trim());
      }
    };
    made.onerror = ({ error }) => {
      if (error !== 'aborted' && error !== 'no-speech')
        showToast({ icon: 'warn', text: t('dictateFailed'), english: error, bad: true });
    };
    made.onend = () => setRunning(null);
    made.start();
    setRunning(made);
  };
  return (
    <IconButton
      icon="mic"
      label={running === null ? t('dictate') : t('stopDictating')}
      title={t('dictateHint')}
      aria-pressed={running !== null}
      onClick={() => (running === null ? start() : running.stop())}
    />
  );
}
