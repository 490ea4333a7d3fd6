import type { TreeId } from '@coppice/core';
import { loadTrees } from './app-data.ts';
import { api } from './client.ts';
import { asProblem } from './http.ts';
import { navigateTo, treePlace } from './router.ts';
import { showError } from './tree-actions.ts';

// A tree that takes longer than this to come is not waited for.
const mostMs = 10_000;

/** A tree that is being planted: from when on, which it is once it is there, and what was typed for its composer. */
interface NewTreeStart {
  readonly since: number;
  readonly tree: TreeId | null;
  readonly typed: string;
}

let startingTree: NewTreeStart | null = null;

function startNewTree(): NewTreeStart | null {
  return startingTree !== null && performance.now() - startingTree.since < mostMs ? startingTree : null;
}

/** What was typed for a tree that was just planted here, asked once by its composer; null for any other tree. */
export function takeNewTree(tree: TreeId): string | null {
  if (startingTree?.tree !== tree) return null;
  const { typed } = startingTree;
  startingTree = null;
  return typed;
}

/**
 * Takes a key that is pressed while a tree is being planted: whoever plants one has something to say, and writes on before
 * its composer is there. False where none is.
 */
export function typeAhead(key: string): boolean {
  const now = startNewTree();
  if (now === null) return false;
  if (key.length === 1) startingTree = { ...now, typed: now.typed + key };
  return true;
}

/** Plants a tree and goes there; a temporary one is forgotten when it is left. */
export async function newTree(options: { readonly temporary?: boolean } = {}): Promise<void> {
  // Who presses twice wants one.
  if (startNewTree() !== null) return;
  startingTree = { since: performance.now(), tree: null, typed: '' };
  try {
    const made = await api.create(options.temporary === true ? { temporary: true } : {});
    startingTree = { ...startingTree, tree: made.treeId };
    navigateTo(treePlace(made.treeId));
    void loadTrees();
  } catch (thrown) {
    startingTree = null;
    showError(asProblem(thrown));
  }
}
