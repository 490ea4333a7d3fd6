/**
 * Applies unconfirmed local changes to the confirmed branch, and adds the server's response when a change is confirmed.
 */
import { type NodeId, nodeId, type RowChange } from '@coppice/core';
import { fieldsOrEmpty, getList, getNumber, getText } from '@coppice/core/decode';
import { insertedNodes, rowChanges } from '@coppice/core/tree';
import type { GenerationStartedAnswer, WriteResponse } from './api-types.ts';
import { applyRowChanges, type LoadedBranch, loadedPath, showBranchEnd } from './loaded-branch.ts';
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
    const { leaf } = overlay;
    // A message that only this overlay inserts cannot be in the view yet, so the view is not searched for it.
    const isNew = leaf === null || leaf === undefined || !part.nodes.has(leaf);
    const rows = toOptimisticRows(overlay, part).filter((row) => row.op !== 'added' || !base.nodes.has(row.node.id));
    part = applyRowChanges(part, rows, part.tree.version);
    if (leaf !== undefined && (isNew || !isInserted(overlay, part))) part = { ...showBranchEnd(part), leaf };
    for (const row of rows) if (row.op === 'added') unconfirmed.add(row.node.id);
  }
  return { part, unconfirmed };
}

/**
 * Returns the confirmed branch with the response of a write. Without this step, the change would disappear from the
 * view between the response and the commit on the feed.
 */
export function confirmWrite(shown: LoadedBranch, overlay: Overlay | null, value: unknown): LoadedBranch {
  const prompted = isGenerationStarted(value)
    ? addAnsweredPrompts(shown, overlay, value)
    : addAttributesOfWrite(shown, overlay, value);
  const written = isWriteResponse(value) ? value.nodes : [];
  const rows = written.map((node) => ({ op: 'added' as const, node }));
  const base = applyRowChanges(prompted, rows, prompted.tree.version);
  const movesView = overlay?.leaf !== undefined && base.nodes.has(overlay.leaf) && !isInserted(overlay, prompted);
  const { before, until } = movesView ? showBranchEnd(base) : base;
  const leaf = movesView ? (overlay?.leaf ?? base.leaf) : base.leaf;
  return { ...base, tree: withActiveNodeOfWrite(base, value), leaf, before, until };
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
  if (overlay === null) return base;
  const answered = new Set(nodes.map((node) => node.parentId));
  const missing = toOptimisticRows(overlay, base).filter(
    (row) => row.op === 'added' && answered.has(row.node.id) && !base.nodes.has(row.node.id),
  );
  return applyRowChanges(base, missing, base.tree.version);
}

/**
 * Adds bookmarks and attributes that a write has set. The response does not contain them, and the commit on the feed
 * may arrive later.
 */
function addAttributesOfWrite(base: LoadedBranch, overlay: Overlay | null, value: unknown): LoadedBranch {
  // The feed delivered the commit before the response. The branch already has these changes, and perhaps newer ones.
  if (overlay === null || !isWriteResponse(value) || value.version <= base.tree.version) return base;
  const rows = toOptimisticRows(overlay, base).filter(
    (row) => row.op === 'bookmarked' || (row.op === 'tree' && row.attributes !== undefined),
  );
  return applyRowChanges(base, rows, base.tree.version);
}

function toOptimisticRows({ id, steps }: Overlay, part: LoadedBranch): RowChange[] {
  return rowChanges(steps, {
    version: part.tree.version + 1,
    seq: Number.MAX_SAFE_INTEGER - 1000 + id,
    // The view never shows this time; the commit brings the real one.
    at: 0,
  });
}

/** Returns the tree with the new active node of a write. Requests that are sent before the next event need it. */
function withActiveNodeOfWrite({ tree }: LoadedBranch, value: unknown): LoadedBranch['tree'] {
  const fields = fieldsOrEmpty(value);
  const [activeNodeId, version] = [getText(fields, 'activeNodeId'), getNumber(fields, 'version')];
  const newer = version !== undefined && version > tree.version;
  return newer && activeNodeId !== undefined ? { ...tree, activeNodeId: nodeId(activeNodeId) } : tree;
}

/** Whether a response tells that the write moved the active node of the branch as it was before the write. */
export function movesActiveNode(value: unknown, before: LoadedBranch): boolean {
  // A continued reply is not new, and the active node stays where it is.
  if (isGenerationStarted(value)) return value.nodes.some((node) => !before.nodes.has(node.nodeId));
  return isWriteResponse(value) && value.activeNodeId !== before.tree.activeNodeId;
}

function isWriteResponse(value: unknown): value is WriteResponse {
  return hasNodes(value) && 'result' in value;
}

function isGenerationStarted(value: unknown): value is GenerationStartedAnswer {
  return hasNodes(value) && !('result' in value);
}

function hasNodes(value: unknown): value is { readonly nodes: readonly unknown[] } {
  return getList(fieldsOrEmpty(value), 'nodes') !== undefined;
}
