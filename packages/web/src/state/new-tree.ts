import type { TreeId } from '@coppice/core';
import { complain } from './acts.ts';
import { api } from './client.ts';
import { asProblem } from './http.ts';
import { loadTrees } from './lists.ts';
import { go, treePlace } from './router.ts';

// A tree that takes longer than this to come is not waited for.
const mostMs = 10_000;

/** A tree that is being planted: from when on, which it is once it is there, and what was typed for its composer. */
interface Planting {
  readonly since: number;
  readonly tree: TreeId | null;
  readonly typed: string;
}

let planting: Planting | null = null;

function plantingNow(): Planting | null {
  return planting !== null && performance.now() - planting.since < mostMs ? planting : null;
}

/** What was typed for a tree that was just planted here, asked once by its composer; null for any other tree. */
export function takeFresh(tree: TreeId): string | null {
  if (planting?.tree !== tree) return null;
  const { typed } = planting;
  planting = null;
  return typed;
}

/**
 * Takes a key that is pressed while a tree is being planted: whoever plants one has something to say, and writes on before
 * its composer is there. False where none is.
 */
export function typeAhead(key: string): boolean {
  const now = plantingNow();
  if (now === null) return false;
  if (key.length === 1) planting = { ...now, typed: now.typed + key };
  return true;
}

/** Plants a tree and goes there; a temporary one is forgotten when it is left. */
export async function newTree(options: { readonly temporary?: boolean } = {}): Promise<void> {
  // Who presses twice wants one.
  if (plantingNow() !== null) return;
  planting = { since: performance.now(), tree: null, typed: '' };
  try {
    const made = await api.create(options.temporary === true ? { temporary: true } : {});
    planting = { ...planting, tree: made.treeId };
    go(treePlace(made.treeId));
    void loadTrees();
  } catch (thrown) {
    planting = null;
    complain(asProblem(thrown));
  }
}
