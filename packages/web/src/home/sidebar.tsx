import type { TreeViewData } from '@coppice/client';
import { silhouetteOf } from '@coppice/core/tree';
import { type ReactElement, useEffect, useMemo } from 'react';
import { t } from '../i18n/index.ts';
import { ActionIcon } from '../keys/action-controls.tsx';
import { findPageAction } from '../keys/actions.ts';
import { formatChord } from '../keys/chords.ts';
import { OutlinePanel } from '../map/outline.tsx';
import { ChatList } from '../sidebar/chat-list.tsx';
import { homeRoute } from '../state/router.ts';
import { foldSidebar, openDialog, useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';
import { ListedSilhouette } from '../ui/listed-silhouette.tsx';
import { LogoMark } from '../ui/logo.tsx';
import { TreeSilhouette } from '../ui/tree-silhouette.tsx';
import { useOpenChatName } from '../ui/use-chat-name.ts';

/** The head of every sidebar: the link to home, the settings, a new chat, and the search. */
export function SidebarHead(): ReactElement {
  const { keys, run } = findPageAction('new');
  return (
    <>
      <div className="bar">
        <PageLink className="logo grow" to={homeRoute()}>
          <LogoMark />
          Coppice
        </PageLink>
        <PageLink className="ib" to={{ name: 'settings' }} label={t('settings')}>
          <Icon name="gear" />
        </PageLink>
        <IconButton
          className="desk-only"
          icon="panel"
          label={`${t('hideSidebar')} (${formatChord('mod+b')})`}
          onClick={() => foldSidebar(true)}
        />
      </div>
      <div className="rail-top">
        <button type="button" className="rail-button new" onClick={() => void run()}>
          <Icon name="plus" />
          <span className="grow">{t('newTree')}</span>
          <kbd>{formatChord(keys[0] ?? '')}</kbd>
        </button>
        <button type="button" className="rail-button" onClick={() => openDialog({ name: 'palette' })}>
          <Icon name="search" />
          <span className="grow">{t('search')}</span>
          <kbd>{formatChord('mod+k')}</kbd>
        </button>
      </div>
    </>
  );
}

// Drawing a silhouette walks the whole tree. For a larger tree the silhouette of the list is used.
const mostDrawn = 2_000;

/** The row of the open tree in the list. Its title and silhouette are newer than those of the list. */
function OpenTree({ tree }: { readonly tree: TreeViewData }): ReactElement {
  const now = useTree((state) => state.base?.tree ?? null);
  const topology = useTree((state) => state.topology);
  const stamp = useTree((state) => state.stamp);
  const active = useTree((state) => state.base?.tree.activeNodeId ?? null);
  const name = useOpenChatName(now ?? tree);
  const stems = useMemo(() => {
    if (stamp < 0 || topology === null || topology.nodes.size > mostDrawn) return null;
    const nodes = [...topology.nodes.values()].sort((a, b) => a.seq - b.seq);
    return silhouetteOf(nodes, topology.rootId, active).stems;
  }, [topology, stamp, active]);
  return (
    <>
      {stems === null ? <ListedSilhouette tree={tree} /> : <TreeSilhouette stems={stems} />}
      <span className="grow clip" dir="auto">
        {name}
      </span>
    </>
  );
}

/** The overlay behind an open drawer on a phone; a tap closes the drawer. */
export function Scrim(): ReactElement {
  return (
    <button type="button" className="scrim" aria-label={t('close')} onClick={() => useUi.setState({ drawer: false })} />
  );
}

/** Opens the sidebar as a drawer on a phone. */
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

/** The sidebar reduced to icons, which leaves more space for the thread. */
export function FoldedSidebar(): ReactElement {
  return (
    <nav className="rail folded" aria-label={t('trees')}>
      <PageLink className="logo" to={homeRoute()} label="Coppice">
        <LogoMark />
      </PageLink>
      <IconButton
        icon="panel"
        label={`${t('showSidebar')} (${formatChord('mod+b')})`}
        onClick={() => foldSidebar(false)}
      />
      <ActionIcon id="new" />
      <IconButton
        icon="search"
        label={`${t('search')} (${formatChord('mod+k')})`}
        onClick={() => openDialog({ name: 'palette' })}
      />
      <span className="grow" />
      <PageLink className="ib" to={{ name: 'settings' }} label={t('settings')}>
        <Icon name="gear" />
      </PageLink>
    </nav>
  );
}

/** The sidebar next to a thread: every chat, and the outline of this one. */
export function ThreadSidebar(): ReactElement {
  const session = useSession();
  const drawer = useUi((ui) => ui.drawer);
  const folded = useUi((ui) => ui.sidebarFolded);
  useEffect(() => () => useUi.setState({ drawer: false }), []);
  if (folded && !drawer) return <FoldedSidebar />;
  return (
    <>
      {drawer ? <Scrim /> : null}
      <nav className={drawer ? 'rail drawer' : 'rail'} aria-label={t('treesAndOutline')}>
        <SidebarHead />
        <ChatList compact current={session.treeId} openChat={(tree) => <OpenTree tree={tree} />} />
        <OutlinePanel />
      </nav>
    </>
  );
}
