import { type MouseEvent, type ReactElement, type ReactNode, useContext } from 'react';
import { t } from '../i18n/index.ts';
import { FootnotesContext } from './footnotes.ts';

/** Scrolls to an element without changing the URL, which names the message. */
function scrollToElement(event: MouseEvent, id: string): void {
  event.preventDefault();
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'nearest' });
  target?.focus();
}

/** A reference to a footnote: its number. One without a definition is shown as written. */
export function FootnoteReference({ label, raw }: { readonly label: string; readonly raw: string }): ReactElement {
  const footnotes = useContext(FootnotesContext);
  const number = footnotes?.numbers.get(label);
  if (footnotes === null || number === undefined) return <>{raw}</>;
  const id = `${footnotes.prefix}note-${number}`;
  return (
    <sup>
      <a
        className="footnote-number"
        href={`#${id}`}
        id={`${footnotes.prefix}reference-${number}`}
        aria-label={t('footnote', { n: number })}
        onClick={(event) => scrollToElement(event, id)}
      >
        {number}
      </a>
    </sup>
  );
}

/** The definition of a footnote, with a link back to the text. */
export function Footnote({
  label,
  raw,
  children,
}: {
  readonly label: string;
  readonly raw: string;
  readonly children: ReactNode;
}): ReactElement {
  const footnotes = useContext(FootnotesContext);
  const number = footnotes?.numbers.get(label);
  if (footnotes === null || number === undefined) return <p dir="auto">{raw}</p>;
  const back = `${footnotes.prefix}reference-${number}`;
  return (
    <p className="footnote" dir="auto" id={`${footnotes.prefix}note-${number}`} tabIndex={-1}>
      {number}. {children}{' '}
      <a href={`#${back}`} aria-label={t('backToText')} onClick={(event) => scrollToElement(event, back)}>
        ↩
      </a>
    </p>
  );
}
