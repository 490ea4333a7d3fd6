import { toHttpProblem } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { loadTrees } from './app-data.ts';
import { api } from './page-client.ts';
import { homeRoute, navigateTo, treeRoute, useRoute } from './router.ts';
import { showError } from './tree-actions.ts';
import { useUi } from './ui.ts';

// A tree that is not created after this time counts as failed, so that another one can be started.
const mostMs = 10_000;

/** A tree that is being created: since when, its id once it exists, and the text typed for its composer. */
interface NewTreeStart {
  readonly since: number;
  readonly tree: TreeId | null;
  readonly typed: string;
}

let startingTree: NewTreeStart | null = null;

function pendingNewTree(): NewTreeStart | null {
  return startingTree !== null && performance.now() - startingTree.since < mostMs ? startingTree : null;
}

/** Returns the text that was typed while a tree was being created, once. Null for any other tree. */
export function takeTypedText(tree: TreeId): string | null {
  if (startingTree?.tree !== tree) return null;
  const { typed } = startingTree;
  startingTree = null;
  return typed;
}

/**
 * Buffers a key press while a tree is being created, because its composer does not exist yet. False if no tree is being
 * created.
 */
export function bufferKeyPress(key: string): boolean {
  const now = pendingNewTree();
  if (now === null) return false;
  if (key.length === 1) startingTree = { ...now, typed: now.typed + key };
  return true;
}

/** Opens the composer of a new chat, which is stored with its first message. */
export function openNewChat(): void {
  const { place } = useRoute.getState();
  // A new chat that is opened from a project belongs to that project.
  const inProject = place.name === 'home' && place.filter.startsWith('folder:') ? place.filter : '';
  navigateTo(homeRoute('', inProject));
  useUi.setState(({ newChats }) => ({ newChats: newChats + 1, drawer: false }));
}

/** Creates a chat and opens it. A temporary one is in no list, and is deleted unless the user keeps it. */
export async function createTreeAndOpen(options: { readonly temporary?: boolean } = {}): Promise<void> {
  // A double click must not create two chats.
  if (pendingNewTree() !== null) return;
  startingTree = { since: performance.now(), tree: null, typed: '' };
  try {
    const made = await api.create(options.temporary === true ? { temporary: true } : {});
    startingTree = { ...startingTree, tree: made.treeId };
    navigateTo(treeRoute(made.treeId));
    void loadTrees();
  } catch (thrown) {
    startingTree = null;
    showError(toHttpProblem(thrown));
  }
}
