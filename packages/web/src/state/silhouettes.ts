/** The silhouettes of trees in lists, loaded when visible and kept until their tree changes. */

import type { TreeShape } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { create } from 'zustand';
import { api } from './page-client.ts';

/** The loaded silhouettes, by tree. */
export const useSilhouettes = create<{ readonly shapes: ReadonlyMap<TreeId, TreeShape> }>(() => ({
  shapes: new Map(),
}));

const mostAtOnce = 20;
const wanted = new Map<TreeId, number>();
const asked = new Map<TreeId, number>();
let planned = false;

/**
 * Requests the silhouette of a tree at a version, unless it is loaded or requested; the requests of one render are
 * batched.
 */
export function requestSilhouette(id: TreeId, version: number): void {
  const known = useSilhouettes.getState().shapes.get(id)?.version ?? asked.get(id) ?? -1;
  if (known >= version) return;
  wanted.set(id, version);
  planReads(30);
}

function planReads(ms: number): void {
  if (planned) return;
  planned = true;
  setTimeout(() => void readShapes(), ms);
}

async function readShapes(): Promise<void> {
  planned = false;
  const now = [...wanted].slice(0, mostAtOnce);
  for (const [id, version] of now) {
    wanted.delete(id);
    asked.set(id, version);
  }
  try {
    const { items } = await api.shapes(now.map(([id]) => id));
    useSilhouettes.setState(({ shapes }) => ({
      shapes: new Map([...shapes, ...items.map((item) => [item.treeId, item] as const)]),
    }));
  } catch {
    // The list works without silhouettes; they are requested again later.
  }
  for (const [id] of now) asked.delete(id);
  if (wanted.size > 0) planReads(0);
}
