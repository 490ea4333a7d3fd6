/** Reads messages aloud with the browser's own voices, if it has any. */
import { create } from 'zustand';
import { currentLanguage, t } from '../i18n/index.ts';
import { showToast } from './toasts.ts';

/** The id of the message that is being read aloud, or null. */
export const useReadAloud = create<{ readonly id: string | null }>(() => ({ id: null }));

export function canReadAloud(): boolean {
  return typeof speechSynthesis !== 'undefined' && typeof SpeechSynthesisUtterance !== 'undefined';
}

export function stopReadingAloud(): void {
  if (canReadAloud()) speechSynthesis.cancel();
  useReadAloud.setState({ id: null });
}

/** Reads a text aloud from its beginning. A text that is being read is stopped first. */
export function readAloud(id: string, text: string): void {
  stopReadingAloud();
  // Some browsers end a long utterance early, so each paragraph is a separate utterance.
  const parts = text.split(/\n+/).filter((part) => part.trim() !== '');
  if (parts.length === 0) return;
  useReadAloud.setState({ id });
  parts.forEach((part, at) => {
    const spoken = new SpeechSynthesisUtterance(part);
    spoken.lang = currentLanguage();
    const end = () => {
      if (useReadAloud.getState().id === id) useReadAloud.setState({ id: null });
    };
    if (at === parts.length - 1) spoken.onend = end;
    spoken.onerror = ({ error }) => {
      const isOwn = useReadAloud.getState().id === id;
      end();
      // A browser without voices, such as one on a server, fails at once.
      if (isOwn && error !== 'canceled' && error !== 'interrupted')
        showToast({ icon: 'warn', text: t('readAloudFailed'), english: error, bad: true });
    };
    speechSynthesis.speak(spoken);
  });
}
