/** Changes of this page that the server has not confirmed, laid on what it has, and what it then made of them. */
import { type NodeId, rowChanges } from '@coppice/core';
import { atItsEnd, type Loaded, landed } from './loaded.ts';
import type { Overlay } from './tree-state.ts';
import type { Written } from './wire.ts';

/** The confirmed part with all unconfirmed changes landed on it in their order, and the nodes that only they have. */
export function withOverlays(
  base: Loaded,
  overlays: readonly Overlay[],
): { readonly part: Loaded; readonly unconfirmed: ReadonlySet<NodeId> } {
  let part = base;
  const unconfirmed = new Set<NodeId>();
  for (const overlay of overlays) {
    const version = part.tree.version + 1;
    const changes = rowChanges(overlay.steps, {
      version,
      seq: Number.MAX_SAFE_INTEGER - 1000 + overlay.id,
      at: Date.now(),
    });
    part = landed(part, changes, part.tree.version);
    if (overlay.leaf !== undefined) part = { ...atItsEnd(part), leaf: overlay.leaf };
    for (const step of overlay.steps) if (step.type === 'insert') unconfirmed.add(step.node.id);
  }
  return { part, unconfirmed };
}

/** The confirmed part with what the server made of a change, so that nothing flickers between its answer and the feed. */
export function confirmed(base: Loaded, overlay: Overlay | null, value: unknown): Loaded {
  const nodes = new Map(base.nodes);
  const kids = new Map(base.kids);
  if (isWritten(value))
    for (const node of value.nodes) {
      nodes.set(node.id, node);
      const list = node.parentId === null ? undefined : kids.get(node.parentId);
      if (
        node.parentId !== null &&
        !(list ?? []).includes(node.id) &&
        (list !== undefined || node.parentId === base.leaf)
      )
        kids.set(node.parentId, [...(list ?? []), node.id]);
    }
  const goes = overlay?.leaf !== undefined && nodes.has(overlay.leaf);
  const { before, until } = goes ? atItsEnd(base) : base;
  const leaf = goes ? (overlay?.leaf ?? base.leaf) : base.leaf;
  return { ...base, nodes, kids, leaf, before, until };
}

function isWritten(value: unknown): value is Written {
  return (
    typeof value === 'object' && value !== null && 'nodes' in value && Array.isArray(value.nodes) && 'result' in value
  );
}
