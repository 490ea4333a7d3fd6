/**
 * Applies unconfirmed local changes to the confirmed branch, and adds the server's response when a change is confirmed.
 */
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
    // The feed may deliver a message before the response of its write arrives. The confirmed node is kept then.
    const steps = overlay.steps.filter((step) => step.type !== 'insert' || !base.nodes.has(step.node.id));
    part = applyRowChanges(part, toOptimisticRows(steps, part, overlay.id), part.tree.version);
    if (overlay.leaf !== undefined && !isInserted(overlay, part)) part = { ...showBranchEnd(part), leaf: overlay.leaf };
    for (const { id } of insertedNodes(steps)) unconfirmed.add(id);
  }
  return { part, unconfirmed };
}

/**
 * Returns the confirmed branch with the response of a write. Without this step, the change would disappear from the
 * view between the response and the commit on the feed.
 */
export function confirmWrite(shown: LoadedBranch, overlay: Overlay | null, value: unknown): LoadedBranch {
  const base = isGenerationStarted(value)
    ? addAnsweredPrompts(shown, overlay, value)
    : addAttributesOfWrite(shown, overlay, value);
  const nodes = new SharedMap(base.nodes);
  const childrenByParent = new SharedMap(base.childrenByParent);
  if (isWriteResponse(value))
    for (const node of value.nodes) {
      nodes.set(node.id, node);
      const list = node.parentId === null ? undefined : childrenByParent.get(node.parentId);
      if (
        node.parentId !== null &&
        !(list ?? []).includes(node.id) &&
        (list !== undefined || node.parentId === base.leaf)
      )
        childrenByParent.set(node.parentId, [...(list ?? []), node.id]);
    }
  const movesView = overlay?.leaf !== undefined && nodes.has(overlay.leaf) && !isInserted(overlay, base);
  const { before, until } = movesView ? showBranchEnd(base) : base;
  const leaf = movesView ? (overlay?.leaf ?? base.leaf) : base.leaf;
  return { ...base, tree: withActiveNodeOfWrite(base, value), nodes, childrenByParent, leaf, before, until };
}

/**
 * Whether the view already contains the message that an overlay inserts as its end. The view stays where it is then.
 */
function isInserted({ steps, leaf }: Overlay, part: LoadedBranch): boolean {
  const inserts = insertedNodes(steps).some(({ id }) => id === leaf);
  return inserts && loadedPath(part).some((node) => node.id === leaf);
}

/**
 * Adds the prompts of started replies. The response does not contain them, and the commit on the feed may arrive later.
 */
function addAnsweredPrompts(
  base: LoadedBranch,
  overlay: Overlay | null,
  { nodes }: GenerationStartedAnswer,
): LoadedBranch {
  const answered = new Set(nodes.map((node) => node.parentId));
  const missing = (overlay?.steps ?? []).filter(
    (step) => step.type === 'insert' && answered.has(step.node.id) && !base.nodes.has(step.node.id),
  );
  return applyRowChanges(base, toOptimisticRows(missing, base, overlay?.id ?? 0), base.tree.version);
}

/**
 * Adds bookmarks and attributes that a write has set. The response does not contain them, and the commit on the feed
 * may arrive later.
 */
function addAttributesOfWrite(base: LoadedBranch, overlay: Overlay | null, value: unknown): LoadedBranch {
  // The feed delivered the commit before the response. The branch already has these changes, and perhaps newer ones.
  if (overlay === null || !isWriteResponse(value) || value.version <= base.tree.version) return base;
  const steps = overlay.steps.filter(({ type }) => type === 'bookmark' || type === 'attributes');
  return applyRowChanges(base, toOptimisticRows(steps, base, overlay.id), base.tree.version);
}

function toOptimisticRows(steps: readonly Step[], part: LoadedBranch, number: number): RowChange[] {
  return rowChanges(steps, {
    version: part.tree.version + 1,
    seq: Number.MAX_SAFE_INTEGER - 1000 + number,
    // The view never shows this time; the commit brings the real one.
    at: 0,
  });
}

/** Returns the tree with the new active node of a write. Requests that are sent before the next event need it. */
function withActiveNodeOfWrite({ tree }: LoadedBranch, value: unknown): LoadedBranch['tree'] {
  if (typeof value !== 'object' || value === null || !('activeNodeId' in value && 'version' in value)) return tree;
  const { activeNodeId, version } = value;
  const newer = typeof version === 'number' && version > tree.version;
  return newer && typeof activeNodeId === 'string' ? { ...tree, activeNodeId: nodeId(activeNodeId) } : tree;
}

function isWriteResponse(value: unknown): value is WriteResponse {
  return hasNodes(value) && 'result' in value;
}

function isGenerationStarted(value: unknown): value is GenerationStartedAnswer {
  return hasNodes(value) && !('result' in value);
}

function hasNodes(value: unknown): value is { readonly nodes: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'nodes' in value && Array.isArray(value.nodes);
}
