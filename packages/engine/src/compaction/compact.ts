/** Replaces older messages of a branch by a summary. */
import {
  actId as asActId,
  ask,
  type CompactionCut,
  type Context,
  type JsonObject,
  type Message,
  type MessageKit,
  type Node,
  type NodeId,
  type ReadProgram,
  readTree,
  refuse,
  run,
  type TreeId,
  textMessage,
  unwrapResult,
} from '@coppice/core';
import {
  buildSummaryMessage,
  chooseCompactionCut,
  compactionBudgetFor,
  contextOf,
  readContextPath,
} from '@coppice/core/context';
import type { CompactReason } from '../events.ts';
import { defaultSummaryLimits, type Summary } from '../summaries/contract.ts';
import {
  type FileToolNames,
  fileListsToJson,
  joinFileLists,
  noTrackedFiles,
  readFileLists,
  type TrackedFiles,
  trackFiles,
} from '../summaries/files.ts';
import { runExclusiveCompaction } from './compaction-lock.ts';
import type { CompactionOutcome, CompactionRequest, CompactorServices } from './contract.ts';
import { findLastModel } from './last-model.ts';

/** A branch up to the node where the summary is added, and its context. */
interface CompactionPoint {
  readonly nodeId: NodeId;
  readonly path: readonly Node[];
  readonly context: Context;
  readonly isLeaf: boolean;
}

/** Compacts a branch and runs the hooks before and after. Throws `context/nothing-to-compact`. */
export async function compactWithHooks(
  services: CompactorServices,
  request: CompactionRequest,
): Promise<CompactionOutcome> {
  const { treeId } = request;
  const here = await services.store.read(treeId, () => readBranchEnd(treeId, request.nodeId));
  const asked = await services.events?.ask('compact', {
    treeId,
    nodeId: here.nodeId,
    reason: 'manual',
    ...(request.focus === undefined ? {} : { focus: request.focus }),
    ...(request.summary === undefined ? {} : { summary: request.summary }),
  });
  const wanted = asked === undefined ? request : { ...request, focus: asked.focus, summary: asked.summary };
  const end = asked === undefined || asked.nodeId === here.nodeId ? here : { nodeId: asked.nodeId };
  const made = await compactWithoutHooks(services, { ...wanted, ...end }, 'manual');
  await services.events?.tell('compact', { treeId, nodeId: made.nodeId, reason: 'manual' });
  return made;
}

/**
 * The last node of a branch. `isLeaf` is read before the summary is written, to detect a message that is added
 * meanwhile.
 */
interface BranchEnd {
  readonly nodeId: NodeId;
  readonly isLeaf?: boolean;
}

function* readBranchEnd(treeId: TreeId, named: NodeId | undefined): ReadProgram<BranchEnd> {
  const { activeNodeId } = yield* readTree(treeId);
  const nodeId =
    named ?? activeNodeId ?? refuse('context/nothing-to-compact', 'An empty chat has nothing to compact.', { treeId });
  return { nodeId, isLeaf: (yield* ask('children', { of: nodeId })).length === 0 };
}

/** Compacts a branch without running the hooks. Only one compaction per tree runs at a time. */
export function compactWithoutHooks(
  services: CompactorServices,
  request: CompactionRequest & BranchEnd,
  reason: CompactReason,
): Promise<CompactionOutcome> {
  const { treeId, nodeId, focus = null, summary = null, keep = null, model, signal } = request;
  const key = JSON.stringify([nodeId, focus, summary, keep, model?.id ?? null]);
  return runExclusiveCompaction(services.store, { treeId, key, yields: reason === 'after', signal }, (lockSignal) =>
    compactedResult(services, { ...request, signal: lockSignal }, reason),
  );
}

async function compactedResult(
  services: CompactorServices,
  request: CompactionRequest & BranchEnd,
  reason: CompactReason,
): Promise<CompactionOutcome> {
  const { store, kit } = services;
  const { treeId, focus } = request;
  const place = await store.read(treeId, () => readCompactionPoint(treeId, request.nodeId, kit));
  const model = request.model ?? findLastModel(services, place.path);
  const { reserve, ...budget } = compactionBudgetFor(model?.info.windowKnown === true ? model.info.window : undefined);
  const maxTokens = Math.min(defaultSummaryLimits.maxTokens, Math.floor(reserve * 0.8));
  const cut = unwrapResult(
    chooseCompactionCut(place.context, {
      keep: request.keep ?? tokensToKeep(reason, budget.keep, place.context),
      limit: Math.max(0, budget.limit - maxTokens - promptTokens(place.context)),
    }),
  );
  const messages = cut.history.map((entry) => entry.message);
  const turnPrefix = cut.turnPrefix.map((entry) => entry.message);
  const summarised = [...messages, ...turnPrefix];
  const files = filesBefore(place, cut, services.fileTools, summarised);
  const made = await summaryForRange(services, request, {
    messages,
    turnPrefix,
    previous: cut.previousSummary,
    focus,
    files,
    maxTokens,
    near: model,
    allowance: request.allowance,
    signal: request.signal,
  });
  return commitCompaction(services, request, reason, place, cut, made, {
    ...fileListsToJson(files),
    reason,
    summarised: summarised.length,
    ...(cut.turnPrefix.length > 0 ? { splitTurn: true } : {}),
    ...(focus === undefined ? {} : { focus }),
  });
}

function summaryForRange(
  { summarizer }: CompactorServices,
  { summary }: CompactionRequest,
  wanted: Parameters<CompactorServices['summarizer']['compaction']>[0],
): Promise<Summary> {
  if (summary === undefined) return summarizer.compaction(wanted);
  return Promise.resolve({ text: summary, source: { type: 'given' } });
}

// After an overflow the provider's token count is larger than our estimate. Keeping what fits by our estimate might
// remove nothing.
function tokensToKeep(reason: CompactReason, keep: number, context: Context): number {
  return reason === 'overflow' ? Math.min(keep, Math.floor(context.tokens / 2)) : keep;
}

function promptTokens(context: Context): number {
  return context.entries.find((entry) => entry.kind === 'system-prompt')?.tokens ?? 0;
}

/** Reads the context at a node. Throws if the node does not exist or is a pending reply. */
function* readCompactionPoint(treeId: TreeId, nodeId: NodeId, kit: MessageKit): ReadProgram<CompactionPoint> {
  const row = yield* readTree(treeId);
  const head = yield* ask('head', { id: nodeId });
  if (head === null) return refuse('tree/unknown-node', `There is no message ${nodeId}.`, { nodeId });
  if (head.status === 'pending')
    return refuse('tree/pending', `A reply is still being written into ${nodeId}: wait for it or stop it.`, { nodeId });
  const path = head.parentId === null ? [] : yield* readContextPath(nodeId);
  const context = contextOf(path, { systemPrompt: row.attributes.systemPrompt, kit });
  return { nodeId, path, context, isLeaf: (yield* ask('children', { of: nodeId })).length === 0 };
}

/** Returns the files that earlier summaries list and those named in the messages that this summary replaces. */
function filesBefore(
  { path, context }: CompactionPoint,
  cut: CompactionCut,
  tools: FileToolNames,
  messages: readonly Message[],
): TrackedFiles {
  const nodes = new Map(path.map((node) => [node.id, node]));
  const reported = [context.compaction?.nodeId, ...[...cut.history, ...cut.turnPrefix].map((entry) => entry.nodeId)];
  let files = noTrackedFiles;
  for (const id of reported) {
    const details = id == null ? undefined : nodes.get(id)?.marker?.details;
    if (details !== undefined) files = joinFileLists(files, readFileLists(details));
  }
  return trackFiles(messages, files, tools);
}

async function commitCompaction(
  services: CompactorServices,
  request: CompactionRequest & BranchEnd,
  reason: CompactReason,
  place: CompactionPoint,
  cut: CompactionCut,
  { text, source }: Summary,
  details: JsonObject,
): Promise<CompactionOutcome> {
  const { store, kit, now, newId, actor } = services;
  const { treeId, select } = request;
  const { nodeId: parentId } = place;
  const actId = request.actId ?? newId();
  const { result } = await run(
    store,
    {
      type: 'compact',
      treeId,
      nodeId: parentId,
      summary: text,
      ...(cut.firstKept === null ? {} : { firstKept: cut.firstKept }),
      tokensBefore: cut.tokensBefore,
      details,
      meta: { source },
      // A compaction during a turn may add its summary beside existing replies. A manual compaction, or one after a
      // turn, must not be added if a message was added below the node meanwhile.
      onlyLeaf: (request.isLeaf ?? place.isLeaf) && (reason === 'manual' || reason === 'after'),
      ...(select === undefined ? {} : { select }),
    },
    { actor: request.actor ?? actor, actId, now, newId, kit },
  );
  if (result.added.length === 0)
    return refuse(
      'tree/version-conflict',
      `A message was added below ${parentId} while it was being summarised. Try again.`,
      {
        nodeId: parentId,
      },
    );
  const summary = kit.tokens(buildSummaryMessage(textMessage('system', text)));
  return {
    nodeId: result.nodeId,
    parentId,
    firstKept: cut.firstKept,
    summary: text,
    source,
    tokensBefore: cut.tokensBefore,
    tokensAfter: promptTokens(place.context) + summary + cut.tokensKept,
    summarised: cut.history.length + cut.turnPrefix.length,
    actId: asActId(actId),
  };
}
