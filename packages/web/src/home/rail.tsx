import { type ReactElement, useEffect } from 'react';
import { t, when } from '../i18n/index.ts';
import { shownChord } from '../keys/chords.ts';
import { Outline } from '../map/outline.tsx';
import { useLists } from '../state/lists.ts';
import { titleOf } from '../state/loaded.ts';
import { newTree } from '../state/new-tree.ts';
import { homePlace, treePlace } from '../state/router.ts';
import { open, useUi } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Mark } from '../ui/logo.tsx';
import { TreeStool } from '../ui/tree-stool.tsx';

/** The head of every rail: the way home, and a new tree. */
export function RailHead(): ReactElement {
  return (
    <div className="bar">
      <Link className="logo grow" to={homePlace()}>
        <Mark />
        Coppice
      </Link>
      <IconButton icon="plus" label={`${t('newTree')} (N)`} onClick={() => void newTree()} />
    </div>
  );
}

/** Beside a thread: the newest trees, and the outline of this one. */
export function Rail(): ReactElement {
  const session = useSession();
  const trees = useLists((lists) => lists.trees);
  const drawer = useUi((ui) => ui.drawer);
  useEffect(() => () => useUi.setState({ drawer: false }), []);
  const shown = trees.slice(0, 5);
  return (
    <>
      {drawer ? (
        <button
          type="button"
          className="scrim"
          aria-label={t('close')}
          onClick={() => useUi.setState({ drawer: false })}
        />
      ) : null}
      <nav className={drawer ? 'rail drawer' : 'rail'} aria-label={t('treesAndOutline')}>
        <RailHead />
        <div className="rail-search">
          <button type="button" className="field" onClick={() => open({ name: 'palette' })}>
            <Icon name="search" />
            <span className="grow">{t('searchEveryBranch')}</span>
            <kbd>{shownChord('mod+k')}</kbd>
          </button>
        </div>
        <div className="list">
          {shown.map((tree) => (
            <Link key={tree.id} to={treePlace(tree.id)} current={tree.id === session.treeId}>
              <TreeStool tree={tree} />
              <span className="grow clip" dir="auto">
                {titleOf(tree) ?? t('untitled')}
              </span>
              {tree.id === session.treeId ? null : <time>{when(tree.updatedAt)}</time>}
            </Link>
          ))}
        </div>
        <Outline />
      </nav>
    </>
  );
}
