/** Switches and merges branches, with a summary of the branch that the user leaves or merges. */
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
import { buildBranchSummaryMessage } from '@coppice/core/context';
import type { BeforeEvents } from '../events.ts';
import { fileListsToJson, joinFileLists, noTrackedFiles, readFileLists, trackFiles } from '../summaries/files.ts';
import type {
  ActOptions,
  BranchChangeResult,
  CompactorServices,
  MergeRequest,
  RangeSummary,
  SwitchRequest,
  VersionedActOptions,
} from './contract.ts';
import { findLastModel } from './last-model.ts';

/** Returns the part of the path to `leaf` that is not on the path to `other`, oldest first. */
function* readPathAfterFork(leaf: NodeId, other: NodeId): ReadProgram<readonly Node[]> {
  for (let limit = 64; ; limit *= 4) {
    const { nodes, complete } = yield* ask('path', { to: leaf, limit });
    const [first] = nodes;
    if (first === undefined) return [];
    if (complete || nodes.length < limit || (yield* ask('isAncestorOrSelf', { id: first.id, below: other })))
      return nodes.slice(yield* countSharedNodes(nodes, other));
  }
}

/** Returns how many leading nodes of a path are also on the path to `other`, by binary search. */
function* countSharedNodes(nodes: readonly Node[], other: NodeId): ReadProgram<number> {
  let [shared, parted] = [0, nodes.length];
  while (shared < parted) {
    const middle = (shared + parted) >> 1;
    const id = nodes[middle]?.id;
    if (id !== undefined && (yield* ask('isAncestorOrSelf', { id, below: other }))) shared = middle + 1;
    else parted = middle;
  }
  return shared;
}

/** Returns the nodes on the path to `leaf` below `above`; the whole path if `above` is null. */
function* readBranchBelow(above: NodeId | null, leaf: NodeId): ReadProgram<readonly Node[]> {
  if (above !== null) return yield* readPathAfterFork(leaf, above);
  return (yield* ask('path', { to: leaf })).nodes;
}

/** Summarises the messages on part of a path. Returns null if the part has no messages. */
export async function summarizeRange(
  services: CompactorServices,
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
  } & Pick<ActOptions, 'signal'>,
): Promise<RangeSummary | null> {
  return summarizePart(services, await services.store.read(treeId, () => readBranchBelow(above, leaf)), focus, signal);
}

async function summarizePart(
  services: CompactorServices,
  nodes: readonly Node[],
  focus: string | undefined,
  signal: AbortSignal | undefined,
): Promise<RangeSummary | null> {
  const messages = nodes.flatMap(messagesForSummary);
  if (messages.length === 0) return null;
  let files = noTrackedFiles;
  for (const { kind, marker } of nodes)
    if (kind === 'branch-summary') files = joinFileLists(files, readFileLists(marker?.details));
  files = trackFiles(messages, files, services.fileTools);
  const near = findLastModel(services, nodes);
  const { text, source } = await services.summarizer.branch({ messages, focus, files, near, signal });
  const details = { ...fileListsToJson(files), summarised: messages.length, ...(focus === undefined ? {} : { focus }) };
  return { text, meta: { source }, details };
}

/**
 * Returns the message that a node contributes to the summary of its branch. A compaction contributes none, because the
 * messages that it replaces are summarised themselves.
 */
function messagesForSummary({ kind, message, meta }: Node): Message[] {
  if (message === null || meta.excluded === true || kind === 'compaction' || kind === 'state') return [];
  return [kind === 'branch-summary' ? buildBranchSummaryMessage(message) : message];
}

function makeRunContext(
  { actor, now, newId, kit }: CompactorServices,
  request: VersionedActOptions,
): RunContext & { readonly actId: string } {
  const { expectedVersion } = request;
  return {
    actor: request.actor ?? actor,
    actId: request.actId ?? newId(),
    now,
    newId,
    kit,
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
  };
}

/**
 * Moves the active node and adds a summary of the branch that is left. Without messages to summarise, or without a
 * request for a summary, only the active node changes.
 */
export async function switchWithSummary(
  services: CompactorServices,
  request: SwitchRequest,
): Promise<BranchChangeResult> {
  const { store, events } = services;
  const { treeId, focus, signal } = request;
  const asked = await events?.ask('branch', {
    treeId,
    nodeId: request.nodeId,
    ...(request.summary == null ? {} : { summary: request.summary }),
  });
  const nodeId = asked?.nodeId ?? request.nodeId;
  const summary = asked?.summary ?? request.summary;
  const { from, left } = await store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    if ((yield* ask('head', { id: nodeId })) === null)
      return refuse('tree/unknown-node', `There is no message ${nodeId}.`, { nodeId });
    const leaf = request.from ?? row.activeNodeId;
    return { from: leaf, left: leaf === null ? [] : yield* readPathAfterFork(leaf, nodeId) };
  });
  const made =
    summary == null
      ? summary === null
        ? null
        : await summarizePart(services, left, focus, signal)
      : { text: summary, meta: { source: { type: 'given' } }, details: {} };
  const context = makeRunContext(services, request);
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

/** Merges a branch into another one: as one summary, or as copies of its messages. */
export async function mergeWithHooks(services: CompactorServices, request: MergeRequest): Promise<BranchChangeResult> {
  const { store, events } = services;
  const { treeId } = request;
  const asked = (await events?.ask('merge', mergeEvent(request))) ?? mergeEvent(request);
  const { nodeId, mode, into } = asked;
  const made = mode === 'messages' ? null : await summarizeMergedBranch(services, asked, request);
  const context = makeRunContext(services, request);
  const { result } = await run(
    store,
    {
      type: 'merge',
      treeId,
      nodeId,
      mode,
      ...(into === undefined ? {} : { parentId: into }),
      ...(made === null ? {} : { summary: made.text, meta: made.meta, details: made.details }),
    },
    context,
  );
  await events?.tell('merge', { treeId, nodeId: result.nodeId, added: result.added, mergedFrom: nodeId });
  return { ...result, summary: made?.text ?? null, actId: asActId(context.actId) };
}

function mergeEvent({ treeId, nodeId, mode = 'summary', into, summary }: MergeRequest): BeforeEvents['merge'] {
  return {
    treeId,
    nodeId,
    mode,
    ...(into === undefined ? {} : { into }),
    ...(summary === undefined ? {} : { summary }),
  };
}

async function summarizeMergedBranch(
  services: CompactorServices,
  { treeId, nodeId, into, summary }: BeforeEvents['merge'],
  { focus, signal }: MergeRequest,
): Promise<RangeSummary | null> {
  if (summary !== undefined) return { text: summary, meta: { source: { type: 'given' } }, details: {} };
  const left = await services.store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    const end = into ?? row.activeNodeId;
    return end === null ? [] : yield* readPathAfterFork(nodeId, end);
  });
  // The planner of the merge command refuses branches that cannot be merged, and gives the reason.
  return summarizePart(services, left, focus, signal);
}
