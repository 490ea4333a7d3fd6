import { lazy, type ReactElement, Suspense, useEffect } from 'react';
import { Dialogs } from './dialogs.tsx';
import { usePageKeys } from './keys/use-keys.ts';
import { parseSettingsSection } from './settings/sections.ts';
import { SignIn } from './settings/sign-in.tsx';
import { followTrees, loadCommands, loadModelsAndTools, loadTrees, useAppData } from './state/app-data.ts';
import { refreshOfflineCopies } from './state/check-copies.ts';
import { loadFonts } from './state/fonts.ts';
import { loadLibrary } from './state/library.ts';
import { useRoute } from './state/router.ts';
import { useUi } from './state/ui.ts';
import { TreeScreen } from './tree-screen.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { FailedScreen } from './ui/failed-screen.tsx';
import { watchFileDrops } from './ui/file-drops.ts';
import { Toasts } from './ui/toasts.tsx';

// Each screen is loaded when it is shown, so that a chat does not wait for the others.
const HomeScreen = lazy(() => import('./home/home-screen.tsx').then((module) => ({ default: module.HomeScreen })));
const SharePage = lazy(() => import('./home/share-page.tsx').then((module) => ({ default: module.SharePage })));
const TrashScreen = lazy(() => import('./home/trash-screen.tsx').then((module) => ({ default: module.TrashScreen })));
const SettingsScreen = lazy(() =>
  import('./settings/settings-screen.tsx').then((module) => ({ default: module.SettingsScreen })),
);

const LibraryScreen = lazy(() =>
  import('./library/library-screen.tsx').then((module) => ({ default: module.LibraryScreen })),
);

const AgentsScreen = lazy(() =>
  import('./agents/agents-screen.tsx').then((module) => ({ default: module.AgentsScreen })),
);

/** The page for the current URL, with dialogs and toasts. */
export function App(): ReactElement {
  const place = useRoute((route) => route.place);
  useEffect(() => {
    if (place.name === 'share') loadFonts();
  }, [place.name]);
  return place.name === 'share' ? (
    <ErrorBoundary of={place} fallback={<FailedScreen />}>
      <Suspense fallback={<main className="main" aria-busy="true" />}>
        <SharePage token={place.token} />
      </Suspense>
    </ErrorBoundary>
  ) : (
    <OwnPages />
  );
}

/** The screens of a signed-in user. */
function OwnPages(): ReactElement {
  const place = useRoute((route) => route.place);
  const visit = useRoute((route) => route.visit);
  const unauthorized = useAppData((lists) => lists.unauthorized);
  usePageKeys();
  useEffect(watchFileDrops, []);
  // On a phone the drawer closes with every navigation, even to the screen that is already open.
  useEffect(() => {
    if (visit > 0) useUi.setState({ drawer: false });
  }, [visit]);
  useEffect(() => {
    void loadModelsAndTools();
    void loadLibrary();
  }, []);
  // A chat loads fonts and commands after its first messages.
  const isChat = place.name === 'tree';
  useEffect(() => {
    if (isChat) return;
    loadFonts();
    void loadCommands();
  }, [isChat]);
  // Beside a thread the list is loaded once and does not follow changes: browsers limit the number of connections,
  // and the thread needs one.
  const listed = place.name !== 'tree';
  const tree = place.name === 'tree' ? place.treeId : null;
  useEffect(() => {
    if (listed) {
      const feed = followTrees();
      void loadTrees();
      return () => feed.close();
    }
    if (tree !== null) void loadTrees();
    return undefined;
  }, [listed, tree]);
  const wasIn = useAppData((lists) => lists.treesKnown);
  const isIn = wasIn && !unauthorized;
  useEffect(() => {
    if (isIn) void refreshOfflineCopies(useAppData.getState().trees);
  }, [isIn]);
  // An open chat stays readable, with the sign-in above its composer.
  if (unauthorized && !(wasIn && place.name === 'tree')) return <SignIn />;
  return (
    <>
      <ErrorBoundary of={place} fallback={<FailedScreen />}>
        <Suspense fallback={<main className="main" aria-busy="true" />}>
          {place.name === 'tree' ? <TreeScreen key={place.treeId} place={place} /> : null}
          {place.name === 'home' ? <HomeScreen place={place} /> : null}
          {place.name === 'settings' ? <SettingsScreen section={parseSettingsSection(place.section)} /> : null}
          {place.name === 'library' ? <LibraryScreen /> : null}
          {place.name === 'agents' ? <AgentsScreen /> : null}
          {place.name === 'trash' ? <TrashScreen /> : null}
        </Suspense>
      </ErrorBoundary>
      <Toasts />
      {place.name === 'tree' ? null : <Dialogs />}
    </>
  );
}
