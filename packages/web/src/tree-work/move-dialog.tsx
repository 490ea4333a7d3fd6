import { type TreeViewData, treeTitleOf } from '@coppice/client';
import { type Node, textOf } from '@coppice/core';
import { type ReactElement, useState } from 'react';
import { formatTime, t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { moveOrCopyToTree } from '../state/between-trees.ts';
import { useChatsByTitle } from '../state/chats-by-title.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { ListedSilhouette } from '../ui/listed-silhouette.tsx';

const shown = 30;

/** Finds trees by words of their title, last changed first; without words the newest trees. Null while it searches. */
function useTreesNamed(words: string): readonly TreeViewData[] | null {
  const newest = useAppData((lists) => lists.trees);
  const found = useChatsByTitle(words, shown);
  return words === '' ? newest.slice(0, shown) : (found?.chats ?? null);
}

/** Moves or copies a branch to another tree. The user chooses the tree, the position, and whether to move or copy. */
export function MoveDialog({ node, onClose }: { readonly node: Node; readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const [how, setHow] = useState<'move' | 'copy'>('copy');
  const [under, setUnder] = useState<'end' | 'stump'>('stump');
  const [chosen, setChosen] = useState<TreeViewData | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (chosen === null) return;
    setBusy(true);
    const done = await moveOrCopyToTree(session, node, { treeId: chosen.id, under }, how);
    setBusy(false);
    if (done) onClose();
  };
  return (
    <Dialog title={t('moveToTree')} onClose={onClose} className="wide">
      <p className="hint quoted clip">{node.message === null ? '' : textOf(node.message).slice(0, 160)}</p>
      <div className="row wrap">
        <fieldset className="seg">
          <legend className="sr">{t('moveToTree')}</legend>
          <button type="button" aria-pressed={how === 'copy'} onClick={() => setHow('copy')}>
            {t('copyShort')}
          </button>
          <button type="button" aria-pressed={how === 'move'} onClick={() => setHow('move')}>
            {t('moveShort')}
          </button>
        </fieldset>
        <fieldset className="seg">
          <legend className="sr">{t('whereTo')}</legend>
          <button type="button" aria-pressed={under === 'stump'} onClick={() => setUnder('stump')}>
            {t('asNewBranch')}
          </button>
          <button type="button" aria-pressed={under === 'end'} onClick={() => setUnder('end')}>
            {t('atItsEnd')}
          </button>
        </fieldset>
      </div>
      <p className="hint">{t(how === 'copy' ? 'copyHint' : 'moveHint')}</p>
      <TreeChoice chosen={chosen} onChange={setChosen} />
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button
          look="primary"
          icon={how === 'move' ? 'map' : 'copy'}
          disabled={busy || chosen === null}
          onClick={() => void run()}
        >
          {t(how === 'move' ? 'moveShort' : 'copyShort')}
        </Button>
      </div>
    </Dialog>
  );
}

/** A search for trees by title, and a list to choose one from; without the open tree. */
function TreeChoice({
  chosen,
  onChange,
}: {
  readonly chosen: TreeViewData | null;
  readonly onChange: (tree: TreeViewData) => void;
}): ReactElement {
  const session = useSession();
  const [words, setWords] = useState('');
  const trees = useTreesNamed(words.trim())?.filter((tree) => tree.id !== session.treeId) ?? null;
  return (
    <>
      <label className="field find-tree">
        <Icon name="search" />
        <input
          type="search"
          data-first
          className="grow"
          placeholder={t('findTree')}
          aria-label={t('findTree')}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </label>
      <fieldset className="tree-picks">
        <legend className="sr">{t('trees')}</legend>
        {trees?.map((tree) => (
          <label key={tree.id} className={chosen?.id === tree.id ? 'tree-pick on' : 'tree-pick'}>
            <input
              type="radio"
              name="tree"
              className="sr"
              checked={chosen?.id === tree.id}
              onChange={() => onChange(tree)}
            />
            <ListedSilhouette tree={tree} />
            <span className="grow clip" dir="auto">
              {treeTitleOf(tree) ?? t('untitled')}
            </span>
            <time className="dim">{formatTime(tree.updatedAt)}</time>
          </label>
        ))}
        {trees?.length === 0 ? <p className="hint">{t('noTreeFound')}</p> : null}
      </fieldset>
    </>
  );
}
