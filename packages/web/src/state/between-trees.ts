/** What goes from one tree to another. */
import type { Node, NodeId, TreeId } from '@coppice/core';
import { nodeId } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { complain } from './acts.ts';
import { api } from './client.ts';
import { asProblem } from './http.ts';
import { loadTrees } from './lists.ts';
import { go, treePlace } from './router.ts';
import type { TreeSession } from './session.ts';
import { say } from './toasts.ts';
import type { Written } from './wire.ts';

/** Where something goes: to the end of a tree's active branch, or as a stem of its own. */
export interface Destination {
  readonly treeId: TreeId;
  readonly under: 'end' | 'stump';
}

/** The first node that came into a tree. */
function landedAt({ result, nodes, activeNodeId }: Written): NodeId | null {
  if (typeof result === 'object' && result !== null && 'nodeId' in result && typeof result.nodeId === 'string')
    return nodeId(result.nodeId);
  return nodes[0]?.id ?? activeNodeId;
}

/**
 * Moves a branch, or copies it down to the end of the view, into another tree, goes there and offers the way back. A move
 * names the version that is shown here. The other tree's, which a copy names, was read a moment before: only growth hangs
 * on it, never somebody's words.
 */
export async function carry(session: TreeSession, node: Node, to: Destination, how: 'move' | 'copy'): Promise<boolean> {
  const here = session.treeId;
  const end = session.state.part?.leaf ?? node.id;
  try {
    const there = await api.tree(to.treeId);
    const parentId = to.under === 'end' ? (there.activeNodeId ?? there.rootId) : there.rootId;
    const written =
      how === 'move'
        ? await api.move(here, node.id, { parentId, treeId: to.treeId }, session.version)
        : await api.cherryPick(to.treeId, { nodeId: node.id, to: end, from: here, parentId }, there.version);
    const at = landedAt(written);
    go(treePlace(to.treeId, at === null ? {} : { nodeId: at }));
    void loadTrees();
    say({
      icon: how === 'move' ? 'map' : 'copy',
      text: t(how === 'move' ? 'movedThere' : 'copiedThere'),
      action: { label: t('undo'), run: () => void takeBack(to.treeId, written, here) },
    });
    return true;
  } catch (thrown) {
    complain(asProblem(thrown));
    return false;
  }
}

/** One act over two trees is taken back in both. */
async function takeBack(there: TreeId, { actId, version }: Written, here: TreeId): Promise<void> {
  try {
    await api.undo(there, { actId }, version);
    go(treePlace(here));
    say({ icon: 'undo', text: t('undone') });
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}

/** Keeps a tree that lives in memory alone; from now on it is in the list, in search and in backups. */
export async function keepTree(session: TreeSession): Promise<void> {
  try {
    await api.keep(session.treeId);
    session.patchTree({ temporary: false });
    void loadTrees();
    say({ icon: 'check', text: t('treeKept') });
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}

/** Takes a tree out of the trash. */
export async function bringBack(session: TreeSession): Promise<void> {
  try {
    await api.restoreTree(session.treeId);
    session.patchTree({ deletedAt: null });
    void loadTrees();
    say({ icon: 'undo', text: t('restored') });
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}
