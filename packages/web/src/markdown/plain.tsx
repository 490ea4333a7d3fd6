import { type ReactElement, useMemo, useState } from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { splitAtLineEnds } from './split-at-line-ends.ts';

const shownAtFirst = 40_000;

/** A large text without formatting. The browser lays out only visible pieces, and the rest is shown on demand. */
export function PlainText({ text }: { readonly text: string }): ReactElement {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : text.slice(0, shownAtFirst);
  const pieces = useMemo(() => splitAtLineEnds(shown), [shown]);
  return (
    <div className="plain-text">
      {pieces.map((piece) => (
        <pre key={piece.at} dir="auto">
          {piece.text}
        </pre>
      ))}
      {shown.length < text.length ? (
        <Button small onClick={() => setWhole(true)}>
          {t('showRest', { n: formatNumber(text.length - shown.length) })}
        </Button>
      ) : null}
    </div>
  );
}
