import { type TrashItem, type TreeViewData, toHttpProblem, treeTitleOf } from '@coppice/client';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { formatTime, t, tn } from '../i18n/index.ts';
import { loadTrees, useAppData } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type SilhouetteBranch, TreeSilhouette } from '../ui/tree-silhouette.tsx';
import { HomeRail } from './home-rail.tsx';
import { DrawerButton } from './rail.tsx';

// Deleted trees have a fixed silhouette: a single branch.
const fallen: readonly SilhouetteBranch[] = [{ height: 8, active: false }];

/** Deleted trees, and deleted branches of the newest trees; all of them can be restored. */
export function TrashScreen(): ReactElement {
  const trees = useAppData((lists) => lists.trees);
  const [gone, setGone] = useState<readonly TreeViewData[]>([]);
  const [items, setItems] = useState<readonly TrashItem[]>([]);
  const [purging, setPurging] = useState<TreeViewData | null>(null);
  const load = useCallback(() => {
    api.trees({ trashed: true, limit: 100 }).then(
      (page) => setGone(page.items),
      (thrown) => showError(toHttpProblem(thrown)),
    );
    const newest = useAppData.getState().trees.slice(0, 30);
    void Promise.all(
      newest.map((tree) =>
        api.trash(tree.id).then(
          (page) => page.items,
          () => [],
        ),
      ),
    ).then((lists) => setItems(lists.flat()));
  }, []);
  const known = trees.length;
  useEffect(() => {
    if (known >= 0) load();
  }, [load, known]);
  const back = (work: Promise<unknown>, then?: () => void) => {
    work.then(
      () => {
        showToast({ icon: 'undo', text: t('restored') });
        void loadTrees();
        load();
        then?.();
      },
      (thrown) => showError(toHttpProblem(thrown)),
    );
  };
  return (
    <div className="app two">
      <HomeRail />
      <main className="main">
        <div className="home one">
          <div className="column-main">
            <div className="row home-head">
              <DrawerButton />
              <h1 className="grow">{t('trash')}</h1>
            </div>
            {gone.length === 0 && items.length === 0 ? <p className="hint">{t('trashEmpty')}</p> : null}
            {gone.map((tree) => (
              <div className="trashrow" key={tree.id}>
                <TreeSilhouette stems={fallen} height={26} />
                <div className="clip">
                  <b className="clip" dir="auto">
                    {treeTitleOf(tree) ?? t('untitled')}
                  </b>
                  <span>
                    {t('wholeTree')}, {tree.messageCount === undefined ? '' : `${tn('messages', tree.messageCount)}, `}
                    {formatTime(tree.deletedAt ?? tree.updatedAt)}
                  </span>
                </div>
                <span className="row">
                  <Button small look="quiet" onClick={() => setPurging(tree)}>
                    {t('deleteForGood')}
                  </Button>
                  <Button small icon="undo" onClick={() => back(api.restoreTree(tree.id))}>
                    {t('restore')}
                  </Button>
                </span>
              </div>
            ))}
            {items.map((item) => (
              <div className="trashrow" key={`${item.treeId} ${item.nodeId} ${item.removedIn}`}>
                <TreeSilhouette stems={fallen} height={26} />
                <div className="clip">
                  <b className="clip" dir="auto">
                    {item.preview === '' ? '…' : item.preview}
                  </b>
                  <span>
                    {tn('messages', item.count)},{' '}
                    {treeTitleOf(trees.find((tree) => tree.id === item.treeId) ?? { title: null, autoTitle: null }) ??
                      t('untitled')}
                    , {formatTime(item.at)}
                  </span>
                </div>
                <Button
                  small
                  icon="undo"
                  onClick={() =>
                    back(api.restoreNode(item.treeId, item.nodeId), () =>
                      navigateTo(treeRoute(item.treeId, { nodeId: item.nodeId })),
                    )
                  }
                >
                  {t('restore')}
                </Button>
              </div>
            ))}
          </div>
        </div>
        {purging === null ? null : (
          <Dialog title={t('deleteForGood')} onClose={() => setPurging(null)}>
            <p className="hint">{t('purgeWords', { title: treeTitleOf(purging) ?? t('untitled') })}</p>
            <div className="row foot-row">
              <Button onClick={() => setPurging(null)}>{t('cancel')}</Button>
              <Button
                look="danger"
                icon="trash"
                onClick={() => {
                  const { id } = purging;
                  setPurging(null);
                  api.removeTree(id, true).then(load, (thrown) => showError(toHttpProblem(thrown)));
                }}
              >
                {t('deleteForGood')}
              </Button>
            </div>
          </Dialog>
        )}
      </main>
    </div>
  );
}
