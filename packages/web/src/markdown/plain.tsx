import { type ReactElement, useMemo, useState } from 'react';
import { num, t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';

const pieceLength = 20_000;
const shownAtFirst = 200_000;

/** Cuts a text at line ends into pieces of about equal length; joined they are the text. */
export function piecesOf(text: string): readonly { readonly at: number; readonly text: string }[] {
  const pieces: { at: number; text: string }[] = [];
  for (let at = 0; at < text.length; ) {
    const wanted = at + pieceLength;
    const line = wanted >= text.length ? -1 : text.indexOf('\n', wanted);
    const end = wanted >= text.length ? text.length : line < 0 || line > wanted + pieceLength ? wanted : line + 1;
    pieces.push({ at, text: text.slice(at, end) });
    at = end;
  }
  return pieces;
}

/** A large text as it is. The browser lays out only the pieces that are seen, and what is past the first part on demand. */
export function Plain({ text }: { readonly text: string }): ReactElement {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : text.slice(0, shownAtFirst);
  const pieces = useMemo(() => piecesOf(shown), [shown]);
  return (
    <div className="plain-text">
      {pieces.map((piece) => (
        <pre key={piece.at}>{piece.text}</pre>
      ))}
      {shown.length < text.length ? (
        <Button small onClick={() => setWhole(true)}>
          {t('showRest', { n: num(text.length - shown.length) })}
        </Button>
      ) : null}
    </div>
  );
}
