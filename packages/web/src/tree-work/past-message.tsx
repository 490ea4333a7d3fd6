import type { Node } from '@coppice/core';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { replySourceOf } from '../state/reply-source.ts';
import { Blocks } from '../thread/blocks.tsx';
import { ModelName } from '../ui/model-name.tsx';

interface PastMessageProps {
  readonly node: Pick<Node, 'id' | 'role' | 'message' | 'meta'>;
  /** Results of the tools that it calls, by call. */
  readonly results?: ReadonlyMap<string, Node>;
  /** Whether it goes on with the turn above it. */
  readonly goesOn?: boolean;
}

/** A message as it was, without anything to do about it. */
export function PastMessage({ node, results, goesOn = false }: PastMessageProps): ReactElement {
  const { model } = replySourceOf(node.meta);
  return (
    <article className={node.role === 'user' ? 'msg you' : 'msg ai'}>
      <header className={goesOn ? 'sr' : undefined}>
        {node.role === 'user' ? (
          <span className="who">{t('you')}</span>
        ) : model === null ? (
          <span className="who">{node.role === 'tool' ? t('tool') : t('model')}</span>
        ) : (
          <ModelName model={model} />
        )}
      </header>
      <div className="body">
        {node.message === null ? null : (
          <Blocks message={node.message} open {...(results === undefined ? {} : { results })} />
        )}
      </div>
    </article>
  );
}
