import type { ReactElement } from 'react';
import { currentLanguage } from '../i18n/index.ts';
import { formatNamesDe } from '../i18n/names-de.ts';

interface SaidProps {
  /** The English text from the server. */
  readonly english: string;
  /** The German text, if there is a translation. */
  readonly german?: string | undefined;
}

/** A text from the server in the user's language, or marked as English. */
export function LocalizedText({ english, german }: SaidProps): ReactElement {
  return currentLanguage() === 'de' && german !== undefined ? <span>{german}</span> : <span lang="en">{english}</span>;
}

/** The name of a format, in the user's language. */
export function formatName({ name, label }: { readonly name: string; readonly label: string }): string {
  return currentLanguage() === 'de' ? (formatNamesDe[name] ?? label) : label;
}
