import type { Dictionary } from './dictionary.ts';
import { currentLanguage, t } from './index.ts';
import { germanRefusal } from './refusals-de.ts';

/** What is known of a refusal, wherever it was kept. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The same as one line, for places that hold plain text only. */
export function plainWords(of: Refused): string {
  const { said, english = '' } = localizeError(of);
  return [said, english].filter((part) => part !== '').join(' ');
}

/** A refusal in the reader's language as far as the page knows its code; else as the server says it. */
export function localizeError({ code, message, data = {} }: Refused): Dictionary {
  // What a browser says of a server that is away, or that is none of ours, is no sentence for anybody.
  if (code === 'page/offline') return { said: t('serverAway') };
  const [, status] = /^http\/(\d+)$/.exec(code) ?? [];
  if (status !== undefined) return { said: t('serverAnswered', { status }) };
  // Sentences of the page itself are in the reader's language already.
  if (currentLanguage() === 'en' || code.startsWith('page/')) return { said: message };
  return germanRefusal({ code, message, data }) ?? { said: '', english: message };
}
