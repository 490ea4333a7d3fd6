import { shownPath, type TreeSession, toHttpProblem } from '@coppice/client';
import { lazy, type ReactElement, Suspense, useEffect, useRef, useState } from 'react';
import { SubAgentLinks } from './agents/sub-agent-links.tsx';
import { Dialogs } from './dialogs.tsx';
import { ThreadSidebar } from './home/sidebar.tsx';
import { ComponentLabels } from './i18n/component-labels.tsx';
import { t } from './i18n/index.ts';
import { setCurrentSession } from './keys/current-session.ts';
import { SidePanel } from './panel.tsx';
import { SignIn } from './settings/sign-in.tsx';
import { loadCommands, useAppData } from './state/app-data.ts';
import { useOfflineCopyUpdates } from './state/check-copies.ts';
import { loadFonts } from './state/fonts.ts';
import { useReplyNotifications } from './state/notify.ts';
import { pageClient } from './state/page-client.ts';
import { stopReadingAloud } from './state/read-aloud.ts';
import { homeRoute, navigateTo, type PageRoute, saveLeafInBrowserHistory, useRoute } from './state/router.ts';
import { showToast } from './state/toasts.ts';
import { showError } from './state/tree-actions.ts';
import { closePreview, useUi } from './state/ui.ts';
import { TreeProvider, useSession, useTree } from './state/use-session.ts';
import { ChatComposer } from './thread/composer.tsx';
import { ThreadView } from './thread/thread.tsx';
import { TreeBar } from './thread/tree-bar.tsx';
import { Button } from './ui/button.tsx';
import { ReceivedErrorText } from './ui/translated-text.tsx';
import { useOpenChatName } from './ui/use-chat-name.ts';

// Loaded when they are opened; the thread does not wait for these screens.
const MapScreen = lazy(() => import('./map/map-screen.tsx').then((module) => ({ default: module.MapScreen })));
const ContextScreen = lazy(() =>
  import('./context/context-screen.tsx').then((module) => ({ default: module.ContextScreen })),
);
const CompareScreen = lazy(() =>
  import('./compare/compare-screen.tsx').then((module) => ({ default: module.CompareScreen })),
);
const HistoryScreen = lazy(() =>
  import('./tree-work/history-screen.tsx').then((module) => ({ default: module.HistoryScreen })),
);
const PreviewPane = lazy(() =>
  import('./preview/preview-pane.tsx').then((module) => ({ default: module.PreviewPane })),
);

type TreeScreenPlace = Extract<PageRoute, { name: 'tree' }>;

/** A tree: its thread with the outline on the left and the map on the right, or one of its full screens. */
export function TreeScreen({ place }: { readonly place: TreeScreenPlace }): ReactElement {
  const { treeId } = place;
  // The URL may change to another node while the tree is open; only the first one opens the session.
  const [through] = useState(place.nodeId);
  const [session, setSession] = useState<TreeSession | null>(null);
  useEffect(() => {
    const opened = pageClient.openTree(treeId);
    void opened.open(through ?? undefined).then((found) => {
      if (!found) reportUnknownMessage(treeId);
    });
    setSession(opened);
    setCurrentSession(opened);
    return () => {
      setCurrentSession(null);
      opened.close();
      // Only a message of this chat has the button that stops reading aloud.
      stopReadingAloud();
    };
  }, [treeId, through]);
  if (session === null) return <main className="main" aria-busy="true" />;
  return (
    <TreeProvider session={session}>
      <ComponentLabels>
        <TreeLayout place={place} />
        <Dialogs />
      </ComponentLabels>
    </TreeProvider>
  );
}

/** Reports that the link names an unknown message, and changes the URL to the tree. */
function reportUnknownMessage(treeId: TreeScreenPlace['treeId']): void {
  const { place } = useRoute.getState();
  if (place.name === 'tree' && place.treeId === treeId) navigateTo({ ...place, nodeId: null }, { replace: true });
  const trash = { label: t('trash'), run: () => navigateTo({ name: 'trash' }) };
  showToast({ icon: 'warn', text: t('noSuchMessage'), action: trash });
}

function TreeLayout({ place }: { readonly place: TreeScreenPlace }): ReactElement {
  const phase = useTree((state) => state.phase);
  useEffect(() => {
    if (phase === 'loading') return;
    loadFonts();
    void loadCommands();
  }, [phase]);
  const leaf = useTree((state) => state.base?.leaf ?? null);
  const visit = useRoute((route) => route.visit);
  useEffect(() => {
    if (visit >= 0 && leaf !== null) saveLeafInBrowserHistory(leaf);
  }, [leaf, visit]);
  useNodeOfUrl(place);
  useReplyNotifications();
  useOfflineCopyUpdates();
  const title = useOpenChatName(useTree((state) => state.part?.tree ?? null));
  useEffect(() => {
    document.title = title === '' ? 'Coppice' : `${title} · Coppice`;
    return () => {
      document.title = 'Coppice';
    };
  }, [title]);
  if (phase === 'missing' || phase === 'failed') return <MissingTree />;
  return (
    <Suspense fallback={<div className="main" aria-busy="true" />}>
      {place.screen === 'map' ? <MapScreen /> : null}
      {place.screen === 'context' ? <ContextScreen /> : null}
      {place.screen === 'compare' ? <CompareScreen place={place} /> : null}
      {place.screen === 'history' ? <HistoryScreen /> : null}
      {place.screen === 'thread' ? <ThreadLayout /> : null}
    </Suspense>
  );
}

function ThreadLayout(): ReactElement {
  const shown = useUi((ui) => ui.panelShown);
  const previewed = useUi((ui) => ui.preview !== null);
  useEffect(() => closePreview, []);
  return (
    <div className={previewed ? 'app with-preview' : shown ? 'app' : 'app two'}>
      <ThreadSidebar />
      <main className="main">
        <TreeBar />
        <SubAgentLinks />
        <ThreadView />
        <ChatComposer />
      </main>
      {previewed ? (
        <Suspense fallback={<aside className="preview-pane" aria-busy="true" />}>
          <PreviewPane />
        </Suspense>
      ) : shown ? (
        <SidePanel />
      ) : null}
    </div>
  );
}

/** Moves to the node in the URL when it changes while the tree is open. */
function useNodeOfUrl(place: TreeScreenPlace): void {
  const session = useSession();
  const phase = useTree((state) => state.phase);
  const visit = useRoute((route) => route.visit);
  const left = useRoute((route) => route.leaf);
  const first = useRef(visit);
  // On other screens the node in the URL is what the screen is about; the shown branch stays.
  const nodeId = place.screen === 'thread' ? place.nodeId : null;
  useEffect(() => {
    if (phase !== 'ready' || visit === first.current) return;
    const { part } = session.state;
    // The browser's back button restores the branch of the view.
    const back = left !== null && left !== part?.leaf ? session.go(left, { leaf: left }) : null;
    const here = part !== null && shownPath(part).some((node) => node.id === nodeId);
    const there = back ?? (nodeId === null || here ? Promise.resolve() : session.go(nodeId));
    there
      .then(() => (nodeId === null ? undefined : session.scrollTo(nodeId)))
      .catch((thrown) =>
        toHttpProblem(thrown).status === 404 ? reportUnknownMessage(session.treeId) : showError(toHttpProblem(thrown)),
      );
  }, [session, phase, nodeId, visit, left]);
}

/** A chat that was opened while the user was signed out. It is read after the user has signed in. */
function SignedOutTree(): ReactElement {
  const session = useSession();
  const unauthorized = useAppData((lists) => lists.unauthorized);
  useEffect(() => {
    if (!unauthorized) session.retry();
  }, [session, unauthorized]);
  return <SignIn />;
}

function MissingTree(): ReactElement {
  const problem = useTree((state) => state.problem);
  // A malformed tree id is unknown, and is not retried.
  const missing = useTree((state) => state.phase === 'missing') || problem?.status === 400;
  if (problem?.signedOut === true) return <SignedOutTree />;
  return (
    <main className="main alone">
      <div className="empty">
        <h1>{t(missing ? 'noSuchTree' : 'treeFailed')}</h1>
        <p>
          {problem?.offline === true ? t('serverAway') : problem === null ? null : <ReceivedErrorText of={problem} />}
        </p>
        <div className="row">
          {missing ? null : <Button onClick={() => location.reload()}>{t('tryNow')}</Button>}
          <Button onClick={() => navigateTo(homeRoute())}>{t('allTrees')}</Button>
        </div>
      </div>
    </main>
  );
}
