import { type ReactElement, useEffect } from 'react';
import { Dialogs } from './dialogs.tsx';
import { HomeScreen } from './home/home-screen.tsx';
import { SettingsScreen } from './home/settings-screen.tsx';
import { SharePage } from './home/share-page.tsx';
import { SignIn } from './home/sign-in.tsx';
import { TrashScreen } from './home/trash-screen.tsx';
import { usePageKeys } from './keys/use-keys.ts';
import { followTrees, loadRegisters, loadTrees, useAppData } from './state/app-data.ts';
import { useRoute } from './state/router.ts';
import { TreeScreen } from './tree-screen.tsx';
import { Boundary } from './ui/boundary.tsx';
import { BrokenPage } from './ui/broken.tsx';
import { Toasts } from './ui/toasts.tsx';

/** The page: what its address says, with dialogs and toasts over it. */
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

/** Everything that belongs to the signed-in user. */
function OwnPages(): ReactElement {
  const place = useRoute((route) => route.place);
  const unauthorized = useAppData((lists) => lists.unauthorized);
  usePageKeys();
  useEffect(() => {
    void loadRegisters();
  }, []);
  // Beside a thread the list is read when one comes there: its connection is for the thread.
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
  if (unauthorized) return <SignIn />;
  return (
    <>
      <Boundary of={place} fallback={<BrokenPage />}>
        {place.name === 'tree' ? <TreeScreen key={place.treeId} place={place} /> : null}
        {place.name === 'home' ? <HomeScreen place={place} /> : null}
        {place.name === 'settings' ? <SettingsScreen /> : null}
        {place.name === 'trash' ? <TrashScreen /> : null}
      </Boundary>
      <Toasts />
      {place.name === 'tree' ? null : <Dialogs />}
    </>
  );
}
