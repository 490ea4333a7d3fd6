import type { ReactElement } from 'react';
import { reportTexts } from '../i18n/reports.ts';

interface LocalizedTextProps {
  /** The English text from the server. */
  readonly english: string;
  /** The text in the user's language, if there is a translation. */
  readonly translated?: string | undefined;
}

/** A text from the server in the user's language, or marked as English. */
export function LocalizedText({ english, translated }: LocalizedTextProps): ReactElement {
  return translated === undefined ? <span lang="en">{english}</span> : <span>{translated}</span>;
}

/** The name of a format, in the user's language. */
export function nameOfFormat({ name, label }: { readonly name: string; readonly label: string }): string {
  return reportTexts?.formatNames[name] ?? label;
}
