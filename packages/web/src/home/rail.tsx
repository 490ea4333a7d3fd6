import { silhouetteOf } from '@coppice/core/tree';
import { type ReactElement, useEffect, useMemo } from 'react';
import { formatTime, t } from '../i18n/index.ts';
import { ActionIcon } from '../keys/action-controls.tsx';
import { shownChord } from '../keys/chords.ts';
import { OutlinePanel } from '../map/outline.tsx';
import type { TreeViewData } from '../state/api-types.ts';
import { useAppData } from '../state/app-data.ts';
import { titleOfNode } from '../state/loaded-branch.ts';
import { homePlace, treePlace } from '../state/router.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';
import { ListedSilhouette } from '../ui/listed-silhouette.tsx';
import { LogoMark } from '../ui/logo.tsx';
import { TreeSilhouette } from '../ui/tree-silhouette.tsx';

/** The head of every rail: the way home, and a new tree. */
export function RailHead(): ReactElement {
  return (
    <div className="bar">
      <PageLink className="logo grow" to={homePlace()}>
        <LogoMark />
        Coppice
      </PageLink>
      <ActionIcon id="new" />
    </div>
  );
}

// Drawing a silhouette walks the whole tree: that of a larger one stays as it was when the list was read.
const mostDrawn = 2_000;

/** The open tree in the list: its name and its silhouette as they are now, not as they were when the list was read. */
function OpenTree({ tree }: { readonly tree: TreeViewData }): ReactElement {
  const now = useTree((state) => state.base?.tree ?? null);
  const topology = useTree((state) => state.topology);
  const stamp = useTree((state) => state.stamp);
  const active = useTree((state) => state.base?.tree.activeNodeId ?? null);
  const stems = useMemo(() => {
    if (stamp < 0 || topology === null || topology.nodes.size > mostDrawn) return null;
    const nodes = [...topology.nodes.values()].sort((a, b) => a.seq - b.seq);
    return silhouetteOf(nodes, topology.rootId, active).stems;
  }, [topology, stamp, active]);
  return (
    <>
      {stems === null ? <ListedSilhouette tree={tree} /> : <TreeSilhouette stems={stems} />}
      <span className="grow clip" dir="auto">
        {titleOfNode(now ?? tree) ?? t('untitled')}
      </span>
    </>
  );
}

/** What lies over the page while a rail is drawn out on a phone; a touch puts the rail back. */
export function Scrim(): ReactElement {
  return (
    <button type="button" className="scrim" aria-label={t('close')} onClick={() => useUi.setState({ drawer: false })} />
  );
}

/** Opens the rail on a phone, where it is not beside the page. */
export function DrawerButton(): ReactElement {
  return (
    <IconButton
      className="phone-only"
      icon="menu"
      label={t('trees')}
      onClick={() => useUi.setState({ drawer: true })}
    />
  );
}

/** Beside a thread: the newest trees, and the outline of this one. */
export function Rail(): ReactElement {
  const session = useSession();
  const trees = useAppData((lists) => lists.trees);
  const drawer = useUi((ui) => ui.drawer);
  useEffect(() => () => useUi.setState({ drawer: false }), []);
  const shown = trees.slice(0, 5);
  return (
    <>
      {drawer ? <Scrim /> : null}
      <nav className={drawer ? 'rail drawer' : 'rail'} aria-label={t('treesAndOutline')}>
        <RailHead />
        <div className="rail-search">
          <button type="button" className="field" onClick={() => openDialog({ name: 'palette' })}>
            <Icon name="search" />
            <span className="grow">{t('searchEveryBranch')}</span>
            <kbd>{shownChord('mod+k')}</kbd>
          </button>
        </div>
        <div className="list">
          {shown.map((tree) => (
            <PageLink key={tree.id} to={treePlace(tree.id)} current={tree.id === session.treeId}>
              {tree.id === session.treeId ? (
                <OpenTree tree={tree} />
              ) : (
                <>
                  <ListedSilhouette tree={tree} />
                  <span className="grow clip" dir="auto">
                    {titleOfNode(tree) ?? t('untitled')}
                  </span>
                  <time>{formatTime(tree.updatedAt)}</time>
                </>
              )}
            </PageLink>
          ))}
        </div>
        <OutlinePanel />
      </nav>
    </>
  );
}
