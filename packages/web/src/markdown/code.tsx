import { memo, type ReactElement, useMemo, useState } from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useScrollable } from '../ui/use-scrollable.ts';
import { highlight } from './highlight.ts';
import { splitPieces } from './pieces.ts';
import { useHighlighter } from './use-library.ts';

// More is shown on demand, and in one colour: nobody reads so much code in a chat.
const mostShown = 20_000;

/** A block of code with its language and a button that copies all of it. */
export const Code = memo(function Code({
  code,
  language,
}: {
  readonly code: string;
  readonly language: string;
}): ReactElement {
  const scrolls = useScrollable<HTMLPreElement>();
  const [whole, setWhole] = useState(false);
  const [first] = useMemo(() => splitPieces(code, mostShown), [code]);
  const shown = first?.text ?? '';
  const highlighter = useHighlighter(language !== '');
  const parts = useMemo(() => highlight(highlighter, shown, language), [highlighter, shown, language]);
  const rest = useMemo(() => (whole ? splitPieces(code.slice(shown.length)) : []), [whole, code, shown]);
  return (
    <div className="code">
      <div>
        <span>{language}</span>
        <CopyButton text={code} label={t('copyCode')} />
      </div>
      <pre ref={scrolls} dir="ltr">
        {parts.map((part) =>
          part.look === null ? (
            part.text
          ) : (
            <span key={part.at} className={`hl-${part.look}`}>
              {part.text}
            </span>
          ),
        )}
        {rest.map((piece) => (
          <span key={shown.length + piece.at} className="code-piece">
            {piece.text}
          </span>
        ))}
      </pre>
      {shown.length < code.length && !whole ? (
        <Button small onClick={() => setWhole(true)}>
          {t('showRest', { n: formatNumber(code.length - shown.length) })}
        </Button>
      ) : null}
    </div>
  );
});
