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
import { HomeSidebar } from './home-sidebar.tsx';
import { DrawerButton } from './sidebar.tsx';

// Deleted trees have a fixed silhouette: a single branch.
const deletedShape: readonly SilhouetteBranch[] = [{ height: 8, active: false }];

// Deleted branches are listed only for this many of the newest trees, because each tree is a request.
const mostTrees = 30;

/** Deleted trees, and deleted branches of the newest trees; all of them can be restored. */
export function TrashScreen(): ReactElement {
  const { deletedTrees, items, load } = useTrash();
  const [purging, setPurging] = useState<TreeViewData | null>(null);
  const restore = async (request: Promise<unknown>): Promise<boolean> => {
    try {
      await request;
    } catch (thrown) {
      showError(toHttpProblem(thrown));
      return false;
    }
    showToast({ icon: 'undo', text: t('restored') });
    void loadTrees();
    load();
    return true;
  };
  const restoreBranch = async ({ treeId, nodeId }: TrashItem) => {
    if (await restore(api.restoreNode(treeId, nodeId))) navigateTo(treeRoute(treeId, { nodeId }));
  };
  const purge = ({ id }: TreeViewData) => {
    setPurging(null);
    api.removeTree(id, true).then(load, (thrown) => showError(toHttpProblem(thrown)));
  };
  return (
    <div className="app two">
      <HomeSidebar />
      <main className="main">
        <div className="home one">
          <div className="column-main">
            <div className="row home-head">
              <DrawerButton />
              <h1 className="grow">{t('trash')}</h1>
            </div>
            {deletedTrees.length === 0 && items.length === 0 ? <p className="hint">{t('trashEmpty')}</p> : null}
            {deletedTrees.map((tree) => (
              <DeletedTreeRow
                key={tree.id}
                tree={tree}
                onPurge={() => setPurging(tree)}
                onRestore={() => void restore(api.restoreTree(tree.id))}
              />
            ))}
            {items.map((item) => (
              <DeletedBranchRow
                key={`${item.treeId} ${item.nodeId} ${item.removedIn}`}
                item={item}
                onRestore={() => void restoreBranch(item)}
              />
            ))}
          </div>
        </div>
        {purging === null ? null : (
          <PurgeDialog tree={purging} onPurge={() => purge(purging)} onClose={() => setPurging(null)} />
        )}
      </main>
    </div>
  );
}

/** Reads the trash, and reads it again when the number of chats changes. */
function useTrash(): {
  readonly deletedTrees: readonly TreeViewData[];
  readonly items: readonly TrashItem[];
  readonly load: () => void;
} {
  const known = useAppData((lists) => lists.trees.length);
  const [deletedTrees, setDeletedTrees] = useState<readonly TreeViewData[]>([]);
  const [items, setItems] = useState<readonly TrashItem[]>([]);
  const load = useCallback(() => {
    api.trees({ trashed: true, limit: 100 }).then(
      (page) => setDeletedTrees(page.items),
      (thrown) => showError(toHttpProblem(thrown)),
    );
    const newest = useAppData.getState().trees.slice(0, mostTrees);
    const readItems = (tree: TreeViewData) =>
      api.trash(tree.id).then(
        (page) => page.items,
        () => [],
      );
    void Promise.all(newest.map(readItems)).then((lists) => setItems(lists.flat()));
  }, []);
  useEffect(() => {
    if (known >= 0) load();
  }, [load, known]);
  return { deletedTrees, items, load };
}

interface DeletedTreeRowProps {
  readonly tree: TreeViewData;
  readonly onPurge: () => void;
  readonly onRestore: () => void;
}

function DeletedTreeRow({ tree, onPurge, onRestore }: DeletedTreeRowProps): ReactElement {
  return (
    <div className="trashrow">
      <TreeSilhouette stems={deletedShape} height={26} />
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
        <Button small look="quiet" onClick={onPurge}>
          {t('deleteForGood')}
        </Button>
        <Button small icon="undo" onClick={onRestore}>
          {t('restore')}
        </Button>
      </span>
    </div>
  );
}

/** A deleted branch with the title of its chat. */
function DeletedBranchRow({
  item,
  onRestore,
}: {
  readonly item: TrashItem;
  readonly onRestore: () => void;
}): ReactElement {
  const tree = useAppData((lists) => lists.trees.find((each) => each.id === item.treeId));
  return (
    <div className="trashrow">
      <TreeSilhouette stems={deletedShape} height={26} />
      <div className="clip">
        <b className="clip" dir="auto">
          {item.preview === '' ? '…' : item.preview}
        </b>
        <span>
          {tn('messages', item.count)}, {(tree === undefined ? null : treeTitleOf(tree)) ?? t('untitled')},{' '}
          {formatTime(item.at)}
        </span>
      </div>
      <Button small icon="undo" onClick={onRestore}>
        {t('restore')}
      </Button>
    </div>
  );
}

interface PurgeDialogProps {
  readonly tree: TreeViewData;
  readonly onPurge: () => void;
  readonly onClose: () => void;
}

/** Asks before a chat is deleted permanently. */
function PurgeDialog({ tree, onPurge, onClose }: PurgeDialogProps): ReactElement {
  return (
    <Dialog title={t('deleteForGood')} onClose={onClose}>
      <p className="hint">{t('purgeWords', { title: treeTitleOf(tree) ?? t('untitled') })}</p>
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="danger" icon="trash" onClick={onPurge}>
          {t('deleteForGood')}
        </Button>
      </div>
    </Dialog>
  );
}
