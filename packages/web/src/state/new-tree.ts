import type { TreeId } from '@coppice/core';
import { complain } from './acts.ts';
import { api } from './client.ts';
import { asProblem } from './http.ts';
import { loadTrees } from './lists.ts';
import { go, treePlace } from './router.ts';

/** The tree that was planted here and whose composer nobody has seen yet. */
let fresh: TreeId | null = null;

/** Whether a tree was just planted here, asked once by its composer: whoever plants a tree has something to say. */
export function takeFresh(tree: TreeId): boolean {
  const is = fresh === tree;
  if (is) fresh = null;
  return is;
}

/** Plants a tree and goes there; a temporary one is forgotten when it is left. */
export async function newTree(options: { readonly temporary?: boolean } = {}): Promise<void> {
  try {
    const made = await api.create(options.temporary === true ? { temporary: true } : {});
    fresh = made.treeId;
    go(treePlace(made.treeId));
    void loadTrees();
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}
