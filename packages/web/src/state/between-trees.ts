/** Moves and copies branches to other trees, and keeps or restores a tree. */

import { type TreeSession, toHttpProblem, type WriteResponse } from '@coppice/client';
import type { Node, NodeId, TreeId } from '@coppice/core';
import { nodeId } from '@coppice/core';
import { fieldsOrEmpty, getText } from '@coppice/core/decode';
import { t } from '../i18n/index.ts';
import { loadTrees } from './app-data.ts';
import { api } from './page-client.ts';
import { navigateTo, treeRoute } from './router.ts';
import { showToast } from './toasts.ts';
import { showError } from './tree-actions.ts';

/** The destination: the end of a tree's active branch, or a new branch at its root. */
export interface MoveDestination {
  readonly treeId: TreeId;
  readonly under: 'end' | 'stump';
}

/** Returns the first node that a write added, or the active node if the write reports none. */
function firstAddedNode({ result, nodes, activeNodeId }: WriteResponse): NodeId | null {
  const added = getText(fieldsOrEmpty(result), 'nodeId');
  return added === undefined ? (nodes[0]?.id ?? activeNodeId) : nodeId(added);
}

/**
 * Moves a branch, or copies it down to the end of the view, to another tree, opens that and offers to undo. A move
 * sends the version that is shown here. A copy sends the other tree's version, which was just read: it only adds
 * nodes there, so nothing can be overwritten.
 */
export async function moveOrCopyToTree(
  session: TreeSession,
  node: Node,
  to: MoveDestination,
  how: 'move' | 'copy',
): Promise<boolean> {
  const here = session.treeId;
  const end = session.state.part?.leaf ?? node.id;
  try {
    const there = await api.tree(to.treeId);
    const parentId = to.under === 'end' ? (there.activeNodeId ?? there.rootId) : there.rootId;
    const written =
      how === 'move'
        ? await api.move(here, node.id, { parentId, treeId: to.treeId }, session.version)
        : await api.cherryPick(to.treeId, { nodeId: node.id, to: end, from: here, parentId }, there.version);
    const at = firstAddedNode(written);
    navigateTo(treeRoute(to.treeId, at === null ? {} : { nodeId: at }));
    void loadTrees();
    showToast({
      icon: how === 'move' ? 'map' : 'copy',
      text: t(how === 'move' ? 'movedThere' : 'copiedThere'),
      action: { label: t('undo'), run: () => void undoMove(to.treeId, written, here) },
    });
    return true;
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return false;
  }
}

/** Undoes a move or copy, which is one act in both trees. */
async function undoMove(there: TreeId, { actId, version }: WriteResponse, here: TreeId): Promise<void> {
  try {
    await api.undo(there, { actId }, version);
    navigateTo(treeRoute(here));
    showToast({ icon: 'undo', text: t('undone') });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Keeps a temporary tree; after that it is included in the list, in search and in backups. */
export async function keepTemporaryTree(session: TreeSession): Promise<void> {
  try {
    await api.keep(session.treeId);
    session.patchTree({ temporary: false });
    void loadTrees();
    showToast({ icon: 'check', text: t('treeKept') });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

export async function restoreTrashedTree(session: TreeSession): Promise<void> {
  try {
    await api.restoreTree(session.treeId);
    session.patchTree({ deletedAt: null });
    void loadTrees();
    showToast({ icon: 'undo', text: t('restored') });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}
