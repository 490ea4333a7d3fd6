import { complain } from './acts.ts';
import { api } from './client.ts';
import { asProblem } from './http.ts';
import { loadTrees } from './lists.ts';
import { go, treePlace } from './router.ts';

/** Plants a tree and goes there; a temporary one is forgotten when it is left. */
export async function newTree(options: { readonly temporary?: boolean } = {}): Promise<void> {
  try {
    const made = await api.create(options.temporary === true ? { temporary: true } : {});
    go(treePlace(made.treeId));
    void loadTrees();
    requestAnimationFrame(() => document.getElementById('composer')?.focus());
  } catch (thrown) {
    complain(asProblem(thrown));
  }
}
