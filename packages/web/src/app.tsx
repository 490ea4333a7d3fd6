import { lazy, type ReactElement, Suspense, useEffect } from 'react';
import { Dialogs } from './dialogs.tsx';
import { HomeScreen } from './home/home-screen.tsx';
import { SharePage } from './home/share-page.tsx';
import { TrashScreen } from './home/trash-screen.tsx';
import { usePageKeys } from './keys/use-keys.ts';
import { sectionOf } from './settings/sections.ts';
import { SettingsScreen } from './settings/settings-screen.tsx';
import { SignIn } from './settings/sign-in.tsx';
import { followTrees, loadRegisters, loadTrees, useAppData } from './state/app-data.ts';
import { loadLibrary } from './state/library.ts';
import { useRoute } from './state/router.ts';
import { TreeScreen } from './tree-screen.tsx';
import { Boundary } from './ui/boundary.tsx';
import { BrokenPage } from './ui/broken.tsx';
import { Toasts } from './ui/toasts.tsx';

const LibraryScreen = lazy(() =>
  import('./library/library-screen.tsx').then((module) => ({ default: module.LibraryScreen })),
);

const AgentsScreen = lazy(() =>
  import('./agents/agents-screen.tsx').then((module) => ({ default: module.AgentsScreen })),
);

/** The page for the current URL, with dialogs and toasts. */
export function App(): ReactElement {
  const place = useRoute((route) => route.place);
  return place.name === 'share' ? (
    <Boundary of={place} fallback={<BrokenPage />}>
      <SharePage token={place.token} />
    </Boundary>
  ) : (
    <OwnPages />
  );
}

/** The screens of a signed-in user. */
function OwnPages(): ReactElement {
  const place = useRoute((route) => route.place);
  const unauthorized = useAppData((lists) => lists.unauthorized);
  usePageKeys();
  useEffect(() => {
    void loadRegisters();
    void loadLibrary();
  }, []);
  // On a thread the list is read only when opened: browsers limit the connections, and one is needed for the thread.
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
  // An open chat stays readable, with the sign-in above its composer.
  if (unauthorized && !(wasIn && place.name === 'tree')) return <SignIn />;
  return (
    <>
      <Boundary of={place} fallback={<BrokenPage />}>
        {place.name === 'tree' ? <TreeScreen key={place.treeId} place={place} /> : null}
        {place.name === 'home' ? <HomeScreen place={place} /> : null}
        {place.name === 'settings' ? <SettingsScreen section={sectionOf(place.section)} /> : null}
        {place.name === 'library' ? (
          <Suspense fallback={<main className="main" aria-busy="true" />}>
            <LibraryScreen />
          </Suspense>
        ) : null}
        {place.name === 'agents' ? (
          <Suspense fallback={<main className="main" aria-busy="true" />}>
            <AgentsScreen />
          </Suspense>
        ) : null}
        {place.name === 'trash' ? <TrashScreen /> : null}
      </Boundary>
      <Toasts />
      {place.name === 'tree' ? null : <Dialogs />}
    </>
  );
}
