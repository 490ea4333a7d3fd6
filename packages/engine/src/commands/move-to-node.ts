/** Moves the view within a tree: shared by `/branch-here`, `/switch` and `/pop`. */
import { ask, type Node, type NodeId, type ReadProgram, run, textOf } from '@coppice/core';
import type { BranchSummary, CommandResult, CommandScope } from './contract.ts';
import { makeCommandReport, makeNodeValue, makePhrase, makeQuoteValue, type Phrase } from './phrases.ts';

/** Where to move, and what to do with the branch that is left. */
export interface MoveToNodeRequest {
  /** The name of the hooks to run. */
  readonly event: 'branch' | 'switch';
  /** Null is before the first message. */
  readonly target: Node | null;
  /** Move to the node itself, even if it is a message of the user. */
  readonly exact?: boolean;
  /** Summarise the branch that is left, with this focus; the empty string is no focus. */
  readonly summarize?: string | undefined;
}

/** The positions before and after a move. */
export interface MoveToNodeResult {
  /** Null is before the first message. */
  readonly from: NodeId | null;
  readonly to: NodeId | null;
  readonly moved: boolean;
  /** The node with the summary of the branch that was left. */
  readonly summaryId: NodeId | null;
}

interface ResolvedMove {
  readonly to: NodeId | null;
  readonly selectedText?: string;
}

/**
 * Moves to a node. For a message of the user it moves to the node above and returns the text for editing and
 * resending. Moving to the current position changes nothing. Hooks may cancel the move or change its target.
 */
export async function moveToNode(
  scope: CommandScope,
  request: MoveToNodeRequest,
): Promise<CommandResult<MoveToNodeResult>> {
  const { activeNodeId: here, treeId } = scope;
  const { target } = request;
  const resolved = resolveMove(scope, request);
  const selected = resolved.selectedText === undefined ? {} : { selectedText: resolved.selectedText };
  if ((target?.id ?? null) === here || resolved.to === here) {
    const data: MoveToNodeResult = { from: here, to: here, moved: false, summaryId: null };
    const isHere = (target?.id ?? null) === here;
    const did =
      isHere || target === null
        ? makePhrase('already-there')
        : makePhrase('already-above', { node: makeNodeValue(target) });
    return { ...makeCommandReport(did), data, ...(isHere ? {} : selected) };
  }
  const asked = await askHooks(scope, request, resolved.to ?? scope.rootId);
  const to = asked.nodeId === scope.rootId ? null : asked.nodeId;
  const summary = await summarizeLeftBranch(scope, request, to, asked.summary);
  const nodeId = await commitMove(scope, to, summary);
  const added = summary === null || nodeId === null ? [] : [nodeId];
  if (request.event === 'switch')
    await scope.events.tell('switch', { treeId, nodeId: nodeId ?? scope.rootId, from: here });
  if (request.event === 'branch' || added.length > 0)
    await scope.events.tell('branch', { treeId, nodeId: nodeId ?? scope.rootId, added });
  const isThere = to === resolved.to;
  return {
    ...makeCommandReport(...(await buildMoveSentences(scope, request, { to, isThere, summary }))),
    undo: summary === null ? `/switch ${here ?? '@start'} --exact` : '/undo',
    data: { from: here, to: nodeId, moved: true, summaryId: added[0] ?? null },
    place: { treeId, activeNodeId: nodeId },
    // If a hook chose another target, the user does not want to edit this text.
    ...(isThere ? selected : {}),
  };
}

function resolveMove(scope: CommandScope, { target, exact }: MoveToNodeRequest): ResolvedMove {
  if (target === null) return { to: null };
  if (exact === true || target.kind !== 'message' || target.role !== 'user') return { to: target.id };
  const to = target.parentId === scope.rootId ? null : target.parentId;
  return { to, selectedText: target.message === null ? '' : textOf(target.message) };
}

async function askHooks(
  { events, treeId }: CommandScope,
  { event, summarize }: MoveToNodeRequest,
  nodeId: NodeId,
): Promise<{ readonly nodeId: NodeId; readonly summary?: string }> {
  const switched = event === 'switch' ? await events.ask('switch', { treeId, nodeId }) : { treeId, nodeId };
  if (event === 'switch' && summarize === undefined) return { nodeId: switched.nodeId };
  return events.ask('branch', { treeId, nodeId: switched.nodeId });
}

/**
 * Summarises the branch that is left. Returns null if no summary was requested or if the target is below the current
 * position.
 */
async function summarizeLeftBranch(
  scope: CommandScope,
  { summarize }: MoveToNodeRequest,
  to: NodeId | null,
  given: string | undefined,
): Promise<BranchSummary | null> {
  const { activeNodeId: leaf, store, treeId, signal } = scope;
  if (given !== undefined) return { text: given };
  if (summarize === undefined || leaf === null) return null;
  const above = to === null ? null : await store.read(treeId, () => findForkPoint(leaf, to));
  if (above === leaf) return null;
  const focus = summarize.trim() === '' ? undefined : summarize;
  return scope.summarize({ store, treeId, above, leaf, focus, signal });
}

/** Returns the last node that is on the paths to both nodes; null if they share only the root. */
export function* findForkPoint(leaf: NodeId, other: NodeId): ReadProgram<NodeId | null> {
  // Reads upwards in growing pages: the branch that is left is usually short, even in a long chat.
  for (let limit = 64; ; limit *= 4) {
    const { nodes, complete } = yield* ask('path', { to: leaf, limit });
    let shared = 0;
    let parted = nodes.length;
    while (shared < parted) {
      const middle = (shared + parted) >> 1;
      const id = nodes[middle]?.id;
      if (id !== undefined && (yield* ask('isAncestorOrSelf', { id, below: other }))) shared = middle + 1;
      else parted = middle;
    }
    const last = nodes[shared - 1];
    if (last !== undefined) return last.id;
    if (complete || nodes.length < limit) return null;
  }
}

/**
 * Sets the active node and adds the summary. The root cannot be the active node, so a move to the root changes only the
 * view.
 */
async function commitMove(
  scope: CommandScope,
  to: NodeId | null,
  summary: BranchSummary | null,
): Promise<NodeId | null> {
  const { store, treeId, activeNodeId: from, rootId } = scope;
  if (summary === null && to === null) return null;
  const { result } = await run(
    store,
    {
      type: 'branch',
      treeId,
      nodeId: to ?? rootId,
      ...(summary === null ? {} : { summary: summary.text }),
      ...(summary === null || from === null ? {} : { from }),
      ...(summary?.meta === undefined ? {} : { meta: summary.meta }),
      ...(summary?.details === undefined ? {} : { details: summary.details }),
    },
    scope.running(),
  );
  return result.nodeId;
}

async function buildMoveSentences(
  { store, treeId }: CommandScope,
  { target }: MoveToNodeRequest,
  {
    to,
    isThere,
    summary,
  }: { readonly to: NodeId | null; readonly isThere: boolean; readonly summary: BranchSummary | null },
): Promise<readonly Phrase[]> {
  const left = summary === null ? [] : [makePhrase('summary-precedes')];
  if (!isThere) {
    const node = to === null ? null : await store.read(treeId, () => ask('node', { id: to }));
    const moved =
      node === null ? makePhrase('hook-moved-to-beginning') : makePhrase('hook-moved', { node: makeNodeValue(node) });
    return [moved, ...left];
  }
  if (to === null) {
    const what = target === null ? [] : [makePhrase('text-in-editor', { words: makeQuoteValue(textOfNode(target)) })];
    return [makePhrase('moved-to-new-beginning'), ...what, ...left];
  }
  if (target === null) return [makePhrase('moved-to-beginning'), ...left];
  if (target.id !== to) return [makePhrase('moved-before', { node: makeNodeValue(target) }), ...left];
  const count = (await store.read(treeId, () => ask('children', { of: target.id }))).length;
  const on = count === 0 ? [] : [makePhrase(count === 1 ? 'branch-continues' : 'branches-continue', { count })];
  return [makePhrase('moved', { node: makeNodeValue(target) }), ...on, ...left];
}

function textOfNode(node: Node): string {
  return node.message === null ? '' : textOf(node.message);
}
