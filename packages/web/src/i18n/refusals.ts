import { currentTranslation, t } from './index.ts';
import type { TranslatedText } from './translated-text.ts';

/** The fields of an error that its message is built from; the error may be the server's, the page's or a report's. */
export interface ReceivedError {
  readonly code: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Formats an error as one line of plain text. */
export function errorToLine(of: ReceivedError): string {
  const { said, english = '' } = localizeError(of);
  return [said, english].filter((part) => part !== '').join(' ');
}

/** Translates an error into the user's language if its code is known; otherwise returns the server's message. */
export function localizeError({ code, message, data = {} }: ReceivedError): TranslatedText {
  // A browser's own message about an unreachable or foreign server is not helpful.
  if (code === 'page/offline') return { said: t('serverAway') };
  const [, status] = /^http\/(\d+)$/.exec(code) ?? [];
  if (status !== undefined) return { said: t('serverAnswered', { status }) };
  // Messages of the page itself are already translated.
  const translation = currentTranslation();
  if (translation === null || code.startsWith('page/')) return { said: message };
  return translation.translateRefusal({ code, message, data }) ?? { said: '', english: message };
}
