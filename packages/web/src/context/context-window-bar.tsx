import type { ContextAnswer } from '@coppice/client';
import type { ReactElement } from 'react';
import { formatCompact, formatCost, formatNumber, t } from '../i18n/index.ts';
import {
  type ContextShare,
  contextShareCssClasses,
  contextShareLabelKeys,
  contextSharesOf,
} from './use-next-context.ts';

function formatDollars(amount: number): string {
  return formatCost(amount, amount < 0.01 ? 4 : 2);
}

/** Shows how full the model's context window is, and with what. */
export function ContextWindowBar({ answer }: { readonly answer: ContextAnswer }): ReactElement {
  const shares = contextSharesOf(answer);
  const { known, maxTokens: reply } = answer;
  // If the window is unknown, the bar shows only the parts of the context.
  const window = Math.max(1, known ? answer.window : answer.tokens);
  const wide = (tokens: number) => `${Math.min(100, (tokens / window) * 100)}%`;
  return (
    <section className="window" aria-label={t('window')}>
      <h2>
        {formatNumber(answer.tokens)}{' '}
        <small>
          {known ? t('ofTokens', { window }) : t('tokensWindowUnknown')}{' '}
          {answer.cost === null || answer.expectedCost === null
            ? ''
            : t('nextCosts', {
                cost: formatDollars(answer.expectedCost.total),
                most: formatDollars(answer.cost.total),
              })}
        </small>
      </h2>
      <div
        className="stack"
        role="img"
        aria-label={
          known ? t('percentUsed', { n: Math.round((answer.tokens / window) * 100) }) : formatNumber(answer.tokens)
        }
      >
        {shares.map((share) => (
          <i key={share.name} className={contextShareCssClasses[share.name]} style={{ width: wide(share.tokens) }} />
        ))}
        {known ? (
          <>
            <i className="seg-reply" style={{ width: wide(Math.min(reply, window - answer.tokens)) }} />
            <i className="tick" style={{ insetInlineStart: `${(answer.compactAt / window) * 100}%` }} />
          </>
        ) : null}
      </div>
      {known ? <WindowScale window={window} mark={(answer.compactAt / window) * 100} /> : null}
      <WindowLegend shares={shares} reply={known ? reply : null} />
    </section>
  );
}

/** The numbers below the bar; `mark` is where compaction begins, in percent. */
function WindowScale({ window, mark }: { readonly window: number; readonly mark: number }): ReactElement {
  return (
    <div className="scale" aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map((part) =>
        Math.abs(part * 100 - mark) < 8 && part > 0 && part < 1 ? null : (
          <span
            key={part}
            className={part === 0 ? 'start' : part === 1 ? 'end' : undefined}
            style={{ insetInlineStart: `${part * 100}%` }}
          >
            {part === 0 ? '0' : formatCompact(window * part)}
          </span>
        ),
      )}
      {mark > 4 && mark < 99 ? (
        <span className="compacts" style={{ insetInlineStart: `${mark}%` }}>
          {t('compactsHere')}
        </span>
      ) : null}
    </div>
  );
}

function WindowLegend({
  shares,
  reply,
}: {
  readonly shares: readonly ContextShare[];
  /** The tokens kept for the reply; null if the context window is unknown. */
  readonly reply: number | null;
}): ReactElement {
  return (
    <div className="keys">
      {shares.map((share) => (
        <span key={share.name}>
          <i className={contextShareCssClasses[share.name]} />
          {t(contextShareLabelKeys[share.name])} <b>{formatNumber(share.tokens)}</b>
        </span>
      ))}
      {reply === null ? null : (
        <span>
          <i className="seg-reply" />
          {t('keptForReply')} <b>{formatNumber(reply)}</b>
        </span>
      )}
    </div>
  );
}
