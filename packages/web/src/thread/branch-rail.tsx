import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import type { ModelColour } from '../state/model-colours.ts';

/** The kind of a row's mark; `tip` is a pending reply, `sum` a summary, `cut` an interrupted reply. */
export type BranchRailMark = 'you' | 'ai' | 'tip' | 'sum' | 'tool' | 'cut' | 'error' | 'none';

interface BranchRailProps {
  readonly mark: BranchRailMark;
  readonly first: boolean;
  readonly last: boolean;
  /** The number of variants. */
  readonly count: number;
  /** Which of the variants is shown, from one. */
  readonly at: number;
  readonly colours: readonly (ModelColour | null)[];
  readonly dotted: boolean;
  readonly grown: boolean;
}

// The y position of a row's mark, and how far above the mark the variants fork, in pixels.
const middle = 28;
const rise = 30;

/** The rail next to one row: the line, the mark of the message, and a curve for each hidden variant. */
export function BranchRail({ mark, first, last, count, at, colours, dotted, grown }: BranchRailProps): ReactElement {
  const line = [
    'stem-line',
    first ? 'first' : '',
    last && mark !== 'cut' ? 'last' : '',
    dotted ? 'dotted' : '',
    grown ? 'grown' : '',
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="stem-box" aria-hidden="true">
      <div className={line} />
      <svg className="stem" width="84" height="84" viewBox="-42 0 84 84" aria-hidden="true">
        <g className="dormant">{drawVariantStems(count, at, colours)}</g>
        {first ? (
          <>
            <ellipse className="n-stump" cx="0" cy={middle - rise} rx="10" ry="3.6" />
            <ellipse className="n-stump in" cx="0" cy={middle - rise} rx="4.6" ry="1.5" />
          </>
        ) : null}
        {drawMark(mark)}
      </svg>
      {mark === 'cut' && last ? (
        <svg className="stem cut-end" width="20" height="12" viewBox="-10 -6 20 12" aria-hidden="true">
          <path className="n-cut" d="M-7 3L7 -3" />
        </svg>
      ) : null}
    </div>
  );
}

// Draws older variants to the left and newer ones to the right, as many as fit.
function drawVariantStems(
  count: number,
  at: number,
  colours: readonly (ModelColour | null)[],
): readonly ReactElement[] {
  const drawn: ReactElement[] = [];
  const fork = middle - rise;
  for (let variant = Math.max(1, at - 3); variant <= Math.min(count, at + 2); variant++) {
    if (variant === at) continue;
    const distance = variant - at;
    const x = distance * 12;
    const end = middle + 10 + (3 - Math.abs(distance)) * 3;
    drawn.push(
      <g key={variant}>
        <path d={`M0 ${fork}C0 ${fork + 14} ${x} ${fork + 10} ${x} ${fork + 26}V${end}`} />
        <circle className={`bud ${colours[variant - 1] ?? ''}`} cx={x} cy={end + 3} r="3">
          <title>{t('variantOf', { at: variant, n: count })}</title>
        </circle>
      </g>,
    );
  }
  return drawn;
}

function drawMark(mark: BranchRailMark): ReactElement | null {
  switch (mark) {
    case 'you':
      return <circle className="n-you" cx="0" cy={middle} r="6" />;
    case 'sum':
      return <rect className="n-sum" x="-7" y={middle - 2.5} width="14" height="5" rx="2" />;
    case 'tool':
      return <rect className="n-tool" x="-4" y={middle - 4} width="8" height="8" rx="1.5" />;
    case 'tip':
      return (
        <>
          <circle className="n-glow" cx="0" cy={middle} r="9" />
          <circle className="n-ai" cx="0" cy={middle} r="5" />
        </>
      );
    case 'error':
      return (
        <>
          <circle className="n-ai" cx="0" cy={middle} r="5" />
          <path className="n-error" d={`M-4 ${middle - 4}l8 8m0 -8l-8 8`} />
        </>
      );
    case 'none':
      return null;
    default:
      return <circle className="n-ai" cx="0" cy={middle} r="5" />;
  }
}
