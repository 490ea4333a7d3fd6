import { loadedPath } from '@coppice/client';
import type { ReactElement } from 'react';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { useTree } from '../state/use-session.ts';
import type { ContextTableRow } from './context-rows.ts';

/** Shows what no model gets with the next call: thinking, hidden messages, other branches. */
export function ExcludedMessages({ rows }: { readonly rows: readonly ContextTableRow[] }): ReactElement | null {
  const topology = useTree((state) => state.topology);
  const part = useTree((state) => state.part);
  const out = rows.filter((row) => row.entry === null && row.folded === 0);
  const others =
    topology === null || part === null || part.before !== null
      ? 0
      : Math.max(0, topology.nodes.size - loadedPath(part).length);
  const thinking =
    part === null
      ? 0
      : loadedPath(part).reduce(
          (count, node) => count + (node.message?.content.filter((block) => block.type === 'thinking').length ?? 0),
          0,
        );
  if (out.length === 0 && others === 0 && thinking === 0) return null;
  return (
    <section className="notsent">
      <h3>{t('notSent')}</h3>
      <dl>
        {thinking > 0 ? (
          <>
            <dt>{t('thinking')}</dt>
            <dd>{tn('thinkingBlocks', thinking)}</dd>
            <dd className="num" />
            <dd />
          </>
        ) : null}
        {out.length > 0 ? (
          <>
            <dt>{t('excludedByYou')}</dt>
            <dd>{tn('messages', out.length)}</dd>
            <dd className="num">{formatNumber(out.reduce((sum, row) => sum + row.tokens, 0))}</dd>
            <dd />
          </>
        ) : null}
        {others > 0 ? (
          <>
            <dt>{t('otherBranches')}</dt>
            <dd>{tn('otherMessages', others)}</dd>
            <dd className="num" />
            <dd />
          </>
        ) : null}
      </dl>
    </section>
  );
}
