import type { ReactElement } from 'react';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { ActionButton } from '../keys/action-controls.tsx';
import { plainTextOf } from '../thread/rows.ts';
import { Button } from '../ui/button.tsx';
import { contextShareCssClasses, contextShareLabelKeys, contextSharesOf, useNextContext } from './use-next-context.ts';

/** The size of the context and its parts, in the panel. With `whole` the messages are listed too. */
export function ContextSummary({ whole }: { readonly whole: boolean }): ReactElement {
  const { answer, more } = useNextContext(whole ? 40 : 0);
  if (answer === null) return <div className="ctx-mini" aria-busy="true" />;
  // An assumed window would look like a limit of the model.
  const window = answer.known ? answer.window : 0;
  const shares = contextSharesOf(answer);
  return (
    <section className={whole ? 'ctx-mini whole' : 'ctx-mini'} aria-label={t('whatModelSees')}>
      <div className="row">
        <b className="grow strong">{t('whatModelSees')}</b>
        <span className="num">
          {window > 0 ? t('ofWindow', { used: answer.tokens, window }) : formatNumber(answer.tokens)}
        </span>
      </div>
      <div
        className="stack"
        role="img"
        aria-label={
          window > 0 ? t('percentUsed', { n: Math.round((answer.tokens / window) * 100) }) : formatNumber(answer.tokens)
        }
      >
        {shares.map((share) => (
          <i
            key={share.name}
            className={contextShareCssClasses[share.name]}
            style={{
              width: `${window > 0 ? (share.tokens / window) * 100 : (share.tokens / Math.max(1, answer.tokens)) * 100}%`,
            }}
          />
        ))}
      </div>
      <dl className="kv">
        {shares.map((share) => (
          <ShareLine key={share.name} name={share.name} tokens={share.tokens} />
        ))}
      </dl>
      {whole ? (
        <>
          {answer.before === null ? null : (
            <Button small look="quiet" onClick={more}>
              {tn('showEarlier', answer.count - answer.entries.length)}
            </Button>
          )}
          <ol className="ctx-lines">
            {answer.entries.map((entry) => (
              <li key={entry.nodeId ?? 'system'} className="row">
                <span className="grow clip">{plainTextOf(entry.message).slice(0, 80) || t('toolResult')}</span>
                <span className="num dim">{formatNumber(entry.tokens)}</span>
              </li>
            ))}
          </ol>
          <ActionButton id="compact" small />
        </>
      ) : null}
    </section>
  );
}

function ShareLine({
  name,
  tokens,
}: {
  readonly name: keyof typeof contextShareCssClasses;
  readonly tokens: number;
}): ReactElement {
  return (
    <>
      <dt>
        <i className={contextShareCssClasses[name]} />
        {t(contextShareLabelKeys[name])}
      </dt>
      <dd>{formatNumber(tokens)}</dd>
    </>
  );
}
