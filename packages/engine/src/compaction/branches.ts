/** Leaving a branch and bringing one back, with a summary of it. */
import {
  actId as asActId,
  ask,
  type Message,
  type Node,
  type NodeId,
  type ReadProgram,
  type RunContext,
  readTree,
  refuse,
  run,
  type TreeId,
} from '@coppice/core';
import { branchSummaryMessage } from '@coppice/core/context';
import { filesIn, filesJson, joinFiles, noFiles, trackFiles } from '../summaries/files.ts';
import type {
  ActingUser,
  CompactionCommit,
  CompactorServices,
  MergeRequest,
  RangeSummary,
  SwitchRequest,
} from './contract.ts';
import { lastModel } from './last-model.ts';

/** The part of the way to a leaf that the way to another node does not share, oldest first. */
function* readLeft(leaf: NodeId, other: NodeId): ReadProgram<readonly Node[]> {
  for (let limit = 64; ; limit *= 4) {
    const { nodes, complete } = yield* ask('path', { to: leaf, limit });
    const [first] = nodes;
    if (first === undefined) return [];
    if (complete || nodes.length < limit || (yield* ask('isAncestorOrSelf', { id: first.id, below: other })))
      return nodes.slice(yield* sharedLength(nodes, other));
  }
}

/** How many nodes of a path, from its beginning, the path to another node has too: the shared ones come first. */
function* sharedLength(nodes: readonly Node[], other: NodeId): ReadProgram<number> {
  let [shared, parted] = [0, nodes.length];
  while (shared < parted) {
    const middle = (shared + parted) >> 1;
    const id = nodes[middle]?.id;
    if (id !== undefined && (yield* ask('isAncestorOrSelf', { id, below: other }))) shared = middle + 1;
    else parted = middle;
  }
  return shared;
}

/** The nodes below one (all for null) on the way to a leaf. */
function* readBranchBelow(above: NodeId | null, leaf: NodeId): ReadProgram<readonly Node[]> {
  if (above !== null) return yield* readLeft(leaf, above);
  return (yield* ask('path', { to: leaf })).nodes;
}

/** Sums up a stretch of a branch; null where nothing was said on it. */
export async function summarizeRange(
  bench: CompactorServices,
  {
    treeId,
    above,
    leaf,
    focus,
    signal,
  }: {
    readonly treeId: TreeId;
    readonly above: NodeId | null;
    readonly leaf: NodeId;
    readonly focus?: string | undefined;
  } & Pick<ActingUser, 'signal'>,
): Promise<RangeSummary | null> {
  return summarizePart(bench, await bench.store.read(treeId, () => readBranchBelow(above, leaf)), focus, signal);
}

async function summarizePart(
  bench: CompactorServices,
  nodes: readonly Node[],
  focus: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RangeSummary | null> {
  const messages = nodes.flatMap(hasMessages);
  if (messages.length === 0) return null;
  let files = noFiles;
  for (const { kind, marker } of nodes)
    if (kind === 'branch-summary') files = joinFiles(files, filesIn(marker?.details));
  files = trackFiles(messages, files, bench.fileTools);
  const near = lastModel(bench, nodes);
  const { text, source } = await bench.summarizer.branch({ messages, focus, files, near, signal });
  const details = { ...filesJson(files), summarised: messages.length, ...(focus === undefined ? {} : { focus }) };
  return { text, meta: { source }, details };
}

/** What a node adds to the summary of its branch. The messages that a compaction stands for are all there themselves. */
function hasMessages({ kind, message, meta }: Node): Message[] {
  if (message === null || meta.excluded === true || kind === 'compaction' || kind === 'state') return [];
  return [kind === 'branch-summary' ? branchSummaryMessage(message) : message];
}

function actingAs(
  { actor, now, newId, kit }: CompactorServices,
  request: ActingUser,
): RunContext & { readonly actId: string } {
  return { actor: request.actor ?? actor, actId: request.actId ?? newId(), now, newId, kit };
}

/** Goes elsewhere; what is left behind is summed up there. Where nothing is, only the pointer moves. */
export async function switchWithSummary(bench: CompactorServices, request: SwitchRequest): Promise<CompactionCommit> {
  const { store, events } = bench;
  const { treeId, focus, signal } = request;
  const asked = await events?.ask('branch', {
    treeId,
    nodeId: request.nodeId,
    ...(request.summary === undefined ? {} : { summary: request.summary }),
  });
  const { nodeId, summary } = asked ?? request;
  const { from, left } = await store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    if ((yield* ask('head', { id: nodeId })) === null)
      return refuse('tree/unknown-node', `There is no node ${nodeId}.`, { nodeId });
    const leaf = request.from ?? row.activeNodeId;
    return { from: leaf, left: leaf === null ? [] : yield* readLeft(leaf, nodeId) };
  });
  const made =
    summary === undefined
      ? await summarizePart(bench, left, focus, signal)
      : { text: summary, meta: { source: { type: 'given' } }, details: {} };
  const context = actingAs(bench, request);
  const { result } = await run(
    store,
    {
      type: 'branch',
      treeId,
      nodeId,
      ...(made === null
        ? {}
        : { summary: made.text, meta: made.meta, details: made.details, ...(from === null ? {} : { from }) }),
    },
    context,
  );
  await events?.tell('branch', { treeId, nodeId: result.nodeId, added: result.added });
  return { ...result, summary: made?.text ?? null, actId: asActId(context.actId) };
}

/** Brings a branch back below another: by default as one summary that names its tip. */
export async function mergeBranchSummary(bench: CompactorServices, request: MergeRequest): Promise<CompactionCommit> {
  const { store } = bench;
  const { treeId, nodeId, mode = 'summary', focus, signal } = request;
  const context = actingAs(bench, request);
  const place = request.into === undefined ? {} : { parentId: request.into };
  const actId = asActId(context.actId);
  if (mode === 'messages') {
    const { result } = await run(store, { type: 'merge', treeId, nodeId, mode, ...place }, context);
    return { ...result, summary: null, actId };
  }
  const made = await mergeSummary(bench, request, focus, signal);
  const { result } = await run(
    store,
    {
      type: 'merge',
      treeId,
      nodeId,
      ...place,
      ...(made === null ? {} : { summary: made.text, meta: made.meta, details: made.details }),
    },
    context,
  );
  return { ...result, summary: made?.text ?? null, actId };
}

async function mergeSummary(
  bench: CompactorServices,
  { treeId, nodeId, into, summary }: MergeRequest,
  focus: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RangeSummary | null> {
  if (summary !== undefined) return { text: summary, meta: { source: { type: 'given' } }, details: {} };
  const left = await bench.store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    const end = into ?? row.activeNodeId;
    return end === null ? [] : yield* readLeft(nodeId, end);
  });
  // What cannot be merged is refused by the planner, which knows why.
  return summarizePart(bench, left, focus, signal);
}
