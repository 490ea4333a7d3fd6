import type { ReactElement } from 'react';
import { currentLanguage } from '../i18n/index.ts';
import { formatNamesDe } from '../i18n/names-de.ts';

interface SaidProps {
  /** What the server says, in English. */
  readonly english: string;
  /** The same in German, where the page knows it. */
  readonly german?: string | undefined;
}

/** A sentence of the server in the reader's language where there is one, and marked as English where there is none. */
export function LocalizedText({ english, german }: SaidProps): ReactElement {
  return currentLanguage() === 'de' && german !== undefined ? <span>{german}</span> : <span lang="en">{english}</span>;
}

/** What a format is called, in the reader's language. */
export function formatName({ name, label }: { readonly name: string; readonly label: string }): string {
  return currentLanguage() === 'de' ? (formatNamesDe[name] ?? label) : label;
}
