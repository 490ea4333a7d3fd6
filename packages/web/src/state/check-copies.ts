/** Updates the copies of chats in this browser to the state of the server. */
import { type TreeViewData, toHttpProblem } from '@coppice/client';
import { treeId } from '@coppice/core';
import { useEffect } from 'react';
import { settingsApi } from '../settings/settings-api.ts';
import {
  canStoreOfflineCopies,
  listChatsInBrowser,
  readOfflineCopyVersion,
  rememberSignedInUser,
  removeChatFromBrowser,
  removeOfflineCopy,
} from './offline-copies.ts';
import { api } from './page-client.ts';
import { useSession, useTree } from './use-session.ts';

/**
 * Compares the copies in this browser with the server once the server has responded. Removes everything of deleted
 * chats, and copies of another version, which may contain purged messages.
 */
export async function refreshOfflineCopies(trees: readonly TreeViewData[]): Promise<void> {
  const me = await settingsApi.me().catch(() => null);
  if (me === null) return;
  await rememberSignedInUser(me.id);
  const listed = new Map<string, TreeViewData>(trees.map((tree) => [tree.id, tree]));
  for (const id of listChatsInBrowser()) {
    try {
      const { version } = listed.get(id) ?? (await api.tree(treeId(id)));
      const copied = await readOfflineCopyVersion(id);
      if (copied !== null && copied !== version) await removeOfflineCopy(id);
    } catch (thrown) {
      if (toHttpProblem(thrown).status === 404) await removeChatFromBrowser(id);
    }
  }
}

const quietMs = 5_000;

/** Stores the open chat again when it has changed and no further change follows for a while. */
export function useOfflineCopyUpdates(): void {
  const session = useSession();
  const version = useTree((state) => state.base?.tree.version ?? null);
  const opened = useTree((state) => state.phase === 'ready' && state.connected && state.live.size === 0);
  const temporary = useTree((state) => state.base?.tree.temporary === true);
  useEffect(() => {
    if (version === null || !opened || temporary || !canStoreOfflineCopies()) return;
    const timer = setTimeout(async () => {
      try {
        if ((await readOfflineCopyVersion(session.treeId)) === version) return;
        const { activeNodeId } = await api.tree(session.treeId);
        await api.page(session.treeId, activeNodeId === null ? { limit: 40 } : { nodeId: activeNodeId, limit: 40 });
      } catch {
        // On failure the old copy stays.
      }
    }, quietMs);
    return () => clearTimeout(timer);
  }, [session, version, opened, temporary]);
}
