import { type ListedBookmark, toHttpProblem } from '@coppice/client';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { formatTime, t } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { treeRoute } from '../state/router.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';

/** All bookmarks, each with its tree and the text of its message; each opens its message on its branch. */
export function BookmarkList(): ReactElement {
  const [found, setFound] = useState<{
    readonly items: readonly ListedBookmark[];
    readonly cursor: string | null;
  } | null>(null);
  const load = useCallback((cursor?: string) => {
    api
      .allBookmarks(cursor)
      .then((page) =>
        setFound((now) => ({
          items: cursor === undefined || now === null ? page.items : [...now.items, ...page.items],
          cursor: page.cursor,
        })),
      )
      .catch((thrown) => showError(toHttpProblem(thrown)));
  }, []);
  useEffect(() => load(), [load]);
  if (found === null) return <div aria-busy="true" />;
  const { items, cursor } = found;
  return (
    <>
      <div className="row home-head">
        <h2 className="grow">{t('bookmarks')}</h2>
      </div>
      {items.length === 0 && cursor === null ? <p className="hint">{t('noBookmarks')}</p> : null}
      <ul className="trees">
        {items.map((item) => (
          <li key={`${item.treeId} ${item.nodeId}`}>
            <PageLink to={treeRoute(item.treeId, { nodeId: item.nodeId })} className="tree-line bookmark-line">
              <Icon name="markon" />
              <span className="clip">
                <b>{item.title}</b>
                <span className="sub">{item.words}</span>
              </span>
              <span className="cell clip" dir="auto">
                {item.treeTitle ?? t('untitled')}
              </span>
              <time dateTime={new Date(item.createdAt).toISOString()}>{formatTime(item.createdAt)}</time>
            </PageLink>
          </li>
        ))}
      </ul>
      {cursor === null ? null : (
        <Button look="quiet" onClick={() => load(cursor)}>
          {t('showMore')}
        </Button>
      )}
    </>
  );
}
