import { replySourceOf } from '@coppice/client';
import type { Node } from '@coppice/core';
import { MessageContent } from '@coppice/react';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { BlockView } from '../thread/blocks.tsx';
import { ModelName } from '../ui/model-name.tsx';

interface PastMessageProps {
  readonly node: Pick<Node, 'id' | 'role' | 'message' | 'meta'>;
  /** The results of the message's tool calls, by call. */
  readonly results?: ReadonlyMap<string, Node>;
  /** Whether the message continues the turn above it. */
  readonly goesOn?: boolean;
}

/** A read-only message: of an earlier state of a chat, or of a shared branch. */
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
      <MessageContent
        className="body"
        node={node}
        renderBlock={(block) => <BlockView block={block} open {...(results === undefined ? {} : { results })} />}
      />
    </article>
  );
}
