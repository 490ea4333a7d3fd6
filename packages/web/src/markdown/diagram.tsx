import { memo, type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { downloadText } from '../ui/download-file.ts';
import { useDarkTheme } from '../ui/use-dark-theme.ts';
import { useScrollable } from '../ui/use-scrollable.ts';
import { CodeBlock } from './code.tsx';
import type { CodeInfo } from './code-names.ts';
import type { DrawnDiagram } from './draw-diagram.ts';

// A longer diagram is shown as code: drawing it could block the browser.
const longestText = 20_000;
// A drawing that is not wider than this fits into the column of every screen.
const narrowestColumn = 230;

/**
 * A Mermaid diagram as an image, with a button to show its source. Until it is drawn, or if that fails, it is shown
 * as code.
 */
export const Diagram = memo(function Diagram({
  code,
  info,
}: {
  readonly code: string;
  readonly info: CodeInfo;
}): ReactElement {
  const drawn = useDrawnDiagram(code);
  const [asCode, setAsCode] = useState(false);
  const [large, setLarge] = useState(false);
  const scrolls = useScrollable<HTMLDivElement>();
  if (drawn === null || 'problem' in drawn || asCode)
    return (
      <>
        <CodeBlock
          code={code}
          info={info}
          extra={
            drawn !== null && 'svg' in drawn ? (
              <Button small look="quiet" icon="eye" onClick={() => setAsCode(false)}>
                {t('diagram')}
              </Button>
            ) : null
          }
        />
        {drawn !== null && 'problem' in drawn ? (
          <p className="dim">{t('notDrawn', { why: firstLine(drawn.problem) })}</p>
        ) : null}
      </>
    );
  return (
    <figure className="diagram">
      <div className="code-header">
        <span className="grow">{t('diagram')}</span>
        <Button small look="quiet" icon="code" onClick={() => setAsCode(true)}>
          {t('code')}
        </Button>
        {(drawn.width ?? 0) > narrowestColumn ? (
          <IconButton
            icon={large ? 'minus' : 'plus'}
            label={t(large ? 'shrinkImage' : 'enlargeImage')}
            onClick={() => setLarge(!large)}
          />
        ) : null}
        <IconButton
          icon="import"
          label={t('saveFile')}
          onClick={() => downloadText(drawn.svg, 'diagram.svg', 'image/svg+xml')}
        />
        <CopyButton text={code} label={t('copyCode')} />
      </div>
      <div className={large ? 'drawing large' : 'drawing'} ref={scrolls}>
        {/* Not stretched to the column: a small diagram would have huge letters. */}
        <img
          src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn.svg)}`}
          alt={t('diagramOf', { text: code.slice(0, 400) })}
          width={drawn.width ?? undefined}
        />
      </div>
    </figure>
  );
});

/** Draws a diagram in the colours of the theme. Null until it is drawn, or if the library cannot be loaded. */
function useDrawnDiagram(code: string): DrawnDiagram | null {
  const dark = useDarkTheme();
  const [drawn, setDrawn] = useState<DrawnDiagram | null>(null);
  useEffect(() => {
    if (code.length > longestText) return;
    let current = true;
    import('./draw-diagram.ts')
      .then(({ drawDiagram }) => drawDiagram(code, dark))
      .then((result) => {
        if (current) setDrawn(result);
      })
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [code, dark]);
  return drawn;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
