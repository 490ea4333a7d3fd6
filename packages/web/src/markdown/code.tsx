import { memo, type ReactElement, useContext, useMemo, useState } from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { downloadText } from '../ui/download-file.ts';
import { useScrollable } from '../ui/use-scrollable.ts';
import { type CodeInfo, nameOfCodeLanguage, previewKindOf, suggestCodeFileName } from './code-names.ts';
import { type DiffLine, isDiffCode, splitDiffLines } from './diff.ts';
import { splitIntoCodeTokens } from './highlight.ts';
import { useHighlighter } from './lazy-libraries.ts';
import { PreviewContext } from './preview-context.ts';
import { splitAtLineEnds } from './split-at-line-ends.ts';

// Longer code is shown on demand and without highlighting.
const mostShown = 20_000;

interface CodeProps {
  readonly code: string;
  readonly info: CodeInfo;
  /** Additional buttons for the header. */
  readonly extra?: ReactElement | null;
}

/** A code block with name and language above it, and buttons to wrap, save, copy and preview it. */
export const CodeBlock = memo(function Code({ code, info, extra = null }: CodeProps): ReactElement {
  const [wrapped, setWrapped] = useState(false);
  const { language, file } = info;
  const diff = isDiffCode(language, code);
  return (
    <div className="code">
      <div className="code-header">
        {file === null ? null : <b>{file}</b>}
        <span className="grow">{nameOfCodeLanguage(language)}</span>
        {extra}
        <PreviewButton code={code} info={info} />
        <IconButton icon="wrap" label={t('wrapLines')} aria-pressed={wrapped} onClick={() => setWrapped(!wrapped)} />
        <IconButton icon="import" label={t('saveFile')} onClick={() => downloadText(code, suggestCodeFileName(info))} />
        <CopyButton text={code} label={t('copyCode')} />
      </div>
      {diff && code.length <= mostShown ? (
        <DiffText code={code} wrapped={wrapped} />
      ) : (
        <CodeText code={code} language={diff ? '' : language} wrapped={wrapped} />
      )}
    </div>
  );
});

function PreviewButton({ code, info }: { readonly code: string; readonly info: CodeInfo }): ReactElement | null {
  const preview = useContext(PreviewContext);
  const kind = previewKindOf(info.language, code);
  if (preview === null || kind === null) return null;
  return (
    <Button small look="quiet" icon="eye" onClick={() => preview(code)}>
      {t('preview')}
    </Button>
  );
}

/** Highlighted code, up to the length that is shown at once. */
export function CodeText({
  code,
  language,
  wrapped,
}: {
  readonly code: string;
  readonly language: string;
  readonly wrapped: boolean;
}): ReactElement {
  const scrolls = useScrollable<HTMLPreElement>();
  const [whole, setWhole] = useState(false);
  const [first] = useMemo(() => splitAtLineEnds(code, mostShown), [code]);
  const shown = first?.text ?? '';
  const highlighter = useHighlighter(language !== '');
  const parts = useMemo(() => splitIntoCodeTokens(highlighter, shown, language), [highlighter, shown, language]);
  const rest = useMemo(() => (whole ? splitAtLineEnds(code.slice(shown.length)) : []), [whole, code, shown]);
  return (
    <>
      <pre ref={scrolls} dir="ltr" className={wrapped ? 'wrapped' : undefined}>
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
    </>
  );
}

function DiffText({ code, wrapped }: { readonly code: string; readonly wrapped: boolean }): ReactElement {
  const scrolls = useScrollable<HTMLPreElement>();
  const lines = useMemo(() => splitDiffLines(code), [code]);
  return (
    <pre ref={scrolls} dir="ltr" className={wrapped ? 'wrapped' : undefined}>
      {lines.map((line) => (
        <span key={line.at} className={`diff-line diff-${line.kind}`}>
          <DiffLineText line={line} />
        </span>
      ))}
    </pre>
  );
}

function DiffLineText({ line: { text, from, to } }: { readonly line: DiffLine }): ReactElement {
  // The line end is part of the text, so that a selection is copied as written.
  if (to <= from) return <>{`${text}\n`}</>;
  return (
    <>
      {text.slice(0, from)}
      <mark>{text.slice(from, to)}</mark>
      {`${text.slice(to)}\n`}
    </>
  );
}
