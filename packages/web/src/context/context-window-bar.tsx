import type { ContextAnswer } from '@coppice/client';
import type { ReactElement } from 'react';
import { formatCompact, formatCost, formatNumber, t } from '../i18n/index.ts';
import { type ContextShare, contextShareClass, contextShareLabel, contextSharesOf } from './use-context-answer.ts';

function formatDollars(amount: number): string {
  return formatCost(amount, amount < 0.01 ? 4 : 2);
}

/** Shows how full the model's context window is, and with what. */
export function ContextWindowBar({ answer }: { readonly answer: ContextAnswer }): ReactElement {
  const window = Math.max(1, answer.window);
  const shares = contextSharesOf(answer);
  const reply = answer.maxTokens;
  const wide = (tokens: number) => `${Math.min(100, (tokens / window) * 100)}%`;
  const mark = (answer.compactAt / window) * 100;
  return (
    <section className="window" aria-label={t('window')}>
      <h2>
        {formatNumber(answer.tokens)}{' '}
        <small>
          {t('ofTokens', { window })}{' '}
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
        aria-label={t('percentUsed', { n: Math.round((answer.tokens / window) * 100) })}
      >
        {shares.map((share) => (
          <i key={share.name} className={contextShareClass[share.name]} style={{ width: wide(share.tokens) }} />
        ))}
        <i className="seg-reply" style={{ width: wide(Math.min(reply, window - answer.tokens)) }} />
        <i className="tick" style={{ insetInlineStart: `${mark}%` }} />
      </div>
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
      <WindowLegend shares={shares} reply={reply} />
    </section>
  );
}

function WindowLegend({
  shares,
  reply,
}: {
  readonly shares: readonly ContextShare[];
  readonly reply: number;
}): ReactElement {
  return (
    <div className="keys">
      {shares.map((share) => (
        <span key={share.name}>
          <i className={contextShareClass[share.name]} />
          {t(contextShareLabel[share.name])} <b>{formatNumber(share.tokens)}</b>
        </span>
      ))}
      <span>
        <i className="seg-reply" />
        {t('keptForReply')} <b>{formatNumber(reply)}</b>
      </span>
    </div>
  );
}
