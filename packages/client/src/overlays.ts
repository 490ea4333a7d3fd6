/** Applies unconfirmed local changes to the confirmed branch, and the results that the server returns for them. */
import { type NodeId, nodeId, type RowChange, type Step } from '@coppice/core';
import { insertedNodes, rowChanges } from '@coppice/core/tree';
import type { GenerationStartedAnswer, WriteResponse } from './api-types.ts';
import { applyRowChanges, type LoadedBranch, loadedPath, showBranchEnd } from './loaded-branch.ts';
import { SharedMap } from './shared-map.ts';
import type { Overlay } from './tree-state.ts';

const noNodes: ReadonlySet<NodeId> = new Set();

/** Returns the confirmed branch with all unconfirmed changes applied in order, and the nodes that are not confirmed. */
export function applyOverlays(
  base: LoadedBranch,
  overlays: readonly Overlay[],
): { readonly part: LoadedBranch; readonly unconfirmed: ReadonlySet<NodeId> } {
  if (overlays.length === 0) return { part: base, unconfirmed: noNodes };
  let part = base;
  const unconfirmed = new Set<NodeId>();
  for (const overlay of overlays) {
    // The feed may deliver a message before its response arrives. Then messages below it are shown too.
    const steps = overlay.steps.filter((step) => step.type !== 'insert' || !base.nodes.has(step.node.id));
    part = applyRowChanges(part, rowsShown(steps, part, overlay.id), part.tree.version);
    if (overlay.leaf !== undefined && !isInserted(overlay, part)) part = { ...showBranchEnd(part), leaf: overlay.leaf };
    for (const { id } of insertedNodes(steps)) unconfirmed.add(id);
  }
  return { part, unconfirmed };
}

/**
 * Returns the confirmed branch with the server's result of a write.
 * Without this, the view would flicker between the response and the feed.
 */
export function confirmWrite(shown: LoadedBranch, overlay: Overlay | null, value: unknown): LoadedBranch {
  const base = isBegun(value) ? withPrompts(shown, overlay, value) : withoutNodes(shown, overlay, value);
  const nodes = new SharedMap(base.nodes);
  const kids = new SharedMap(base.childrenByParent);
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
  const goes = overlay?.leaf !== undefined && nodes.has(overlay.leaf) && !isInserted(overlay, base);
  const { before, until } = goes ? showBranchEnd(base) : base;
  const leaf = goes ? (overlay?.leaf ?? base.leaf) : base.leaf;
  return { ...base, tree: pointedIn(base, value), nodes, childrenByParent: kids, leaf, before, until };
}

/** Whether the view is on a branch with the message that an overlay inserts. Then the view stays there. */
function isInserted({ steps, leaf }: Overlay, part: LoadedBranch): boolean {
  const inserts = insertedNodes(steps).some(({ id }) => id === leaf);
  return inserts && loadedPath(part).some((node) => node.id === leaf);
}

/** Adds the message for which replies were started. The response does not contain it, and the feed may be later. */
function withPrompts(base: LoadedBranch, overlay: Overlay | null, { nodes }: GenerationStartedAnswer): LoadedBranch {
  const answered = new Set(nodes.map((node) => node.parentId));
  const missing = (overlay?.steps ?? []).filter(
    (step) => step.type === 'insert' && answered.has(step.node.id) && !base.nodes.has(step.node.id),
  );
  return applyRowChanges(base, rowsShown(missing, base, overlay?.id ?? 0), base.tree.version);
}

/**
 * Adds bookmarks and attributes that a write has set. The response does not contain them, and the feed may be later.
 */
function withoutNodes(base: LoadedBranch, overlay: Overlay | null, value: unknown): LoadedBranch {
  // The feed was faster. The branch already has these changes, and perhaps later ones of others.
  if (overlay === null || !isWritten(value) || value.version <= base.tree.version) return base;
  const steps = overlay.steps.filter(({ type }) => type === 'bookmark' || type === 'attributes');
  return applyRowChanges(base, rowsShown(steps, base, overlay.id), base.tree.version);
}

function rowsShown(steps: readonly Step[], part: LoadedBranch, number: number): RowChange[] {
  return rowChanges(steps, {
    version: part.tree.version + 1,
    seq: Number.MAX_SAFE_INTEGER - 1000 + number,
    // This time is never shown, because the commit has its own.
    at: 0,
  });
}

/**
 * Returns the tree with the new active node of a write, for requests that are sent before the next event of the feed.
 */
function pointedIn({ tree }: LoadedBranch, value: unknown): LoadedBranch['tree'] {
  if (typeof value !== 'object' || value === null || !('activeNodeId' in value && 'version' in value)) return tree;
  const { activeNodeId, version } = value;
  const newer = typeof version === 'number' && version > tree.version;
  return newer && typeof activeNodeId === 'string' ? { ...tree, activeNodeId: nodeId(activeNodeId) } : tree;
}

function isWritten(value: unknown): value is WriteResponse {
  return hasNodes(value) && 'result' in value;
}

function isBegun(value: unknown): value is GenerationStartedAnswer {
  return hasNodes(value) && !('result' in value);
}

function hasNodes(value: unknown): value is { readonly nodes: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'nodes' in value && Array.isArray(value.nodes);
}
