/** Rows of the thread that are not messages: compactions and merged branches. */
import type { Node } from '@coppice/core';
import { MessageContent } from '@coppice/react';
import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { openMessage } from '../state/open-message.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { openDialog } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { BlockView } from './blocks.tsx';
import { getMessageFocusProps } from './focus-message.ts';

/** Where the context starts: the messages above are replaced by a summary. */
export function CompactionRow({ node }: { readonly node: Node }): ReactElement {
  const [shown, setShown] = useState(false);
  const session = useSession();
  const before = node.marker?.tokensBefore;
  return (
    <aside className="marker-box" aria-label={t('compaction')} {...getMessageFocusProps(node.id)}>
      <div className="marker">
        <span>{t('aboveSummary')}</span>
        {before === undefined ? null : (
          <span className="dim num">{t('tokensFromTo', { from: before, to: node.tokens })}</span>
        )}
        <Button small look="quiet" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? t('fold') : t('showSummary')}
        </Button>
        <Button small look="quiet" onClick={() => navigateTo(treeRoute(session.treeId, { screen: 'context' }))}>
          {t('context')}
        </Button>
      </div>
      {shown ? (
        <MessageContent className="body marker-text" node={node} renderBlock={(block) => <BlockView block={block} />} />
      ) : null}
    </aside>
  );
}

/** The summary of a branch that was merged into this one. */
export function MergedBranchRow({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const from = node.marker?.mergedFrom?.nodeId ?? node.marker?.from;
  const there = useTree((state) =>
    from === undefined
      ? null
      : (state.topology?.bookmarks.get(from)?.title ?? state.topology?.nodes.get(from)?.preview ?? null),
  );
  return (
    <aside className="brought" aria-label={t('mergedFrom')} {...getMessageFocusProps(node.id)}>
      <div className="grow">
        <h3>
          <Icon name="merge" />
          {t('mergedFrom')}{' '}
          {from === undefined ? null : (
            <button type="button" className="from" onClick={() => openMessage(session, from)}>
              {there ?? t('thatBranch')}
            </button>
          )}
          <button
            type="button"
            className="ib end"
            aria-label={t('delete')}
            title={t('delete')}
            onClick={() => openDialog({ name: 'delete', node })}
          >
            <Icon name="trash" />
          </button>
        </h3>
        <MessageContent className="body" node={node} renderBlock={(block) => <BlockView block={block} />} />
      </div>
    </aside>
  );
}
