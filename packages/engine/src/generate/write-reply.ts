/** Writes one reply: calls a model, stores its text while it streams, and completes the node. */
import { estimateMessageTokens, storeInlineBytes } from '@coppice/content';
import {
  type ActId,
  isAppError,
  isBlank,
  isText,
  type Message,
  type NodeId,
  type NodeMeta,
  run,
  type TextBlock,
  type TreeId,
  textMessage,
  textOf,
} from '@coppice/core';
import { maskMessage } from '../config/mask-keys.ts';
import { listConfiguredKeys } from '../config/secret.ts';
import { accumulateReply, type ModelReply } from '../providers/accumulate-reply.ts';
import type {
  FinishReason,
  ProviderErrorEvent,
  ProviderEvent,
  ProviderNotice,
  ProviderUsage,
} from '../providers/contract.ts';
import { errorEventFromThrown } from '../providers/errors.ts';
import { createChunkWriter } from '../runs/chunk-writer.ts';
import { startHeartbeat } from '../runs/heartbeat.ts';
import { loadStoredBytes } from './blobs.ts';
import { addSpending, type TurnSpending } from './budget.ts';
import type { TurnEvent, WrittenReply } from './contract.ts';
import {
  makeGenerateError,
  type ReplyError,
  replyErrorFromEvent,
  replyErrorFromThrown,
  replyErrorToJson,
} from './errors.ts';
import { createReplyMask } from './mask-reply.ts';
import { createNoticeList, formatNotice, makeNoticeKey, type NoticeList, type TurnNotice } from './notices.ts';
import type { Prompt } from './prompt.ts';
import { readReply } from './read-reply.ts';
import { buildFinishedReplySource } from './reply-metadata.ts';
import { createLinkedController, type StopKind, stopKindOf, TurnStopReason } from './stop.ts';
import { makeTurnRunContext, type TurnServices } from './turn-services.ts';

/** A pending node, and the prompts for the models that may fill it. */
export interface ReplyJob {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly runId: string;
  readonly actId: ActId;
  readonly actor: string;
  /** The prompt, and the fallback prompt that is used if the first model returns nothing. */
  readonly prompts: readonly [Prompt, ...Prompt[]];
  /** The message so far, if the reply is continued; otherwise null. */
  readonly before: Message | null;
  /** Whether the node may still have the error of an earlier attempt, which success must remove. */
  readonly reopened: boolean;
  readonly signal: AbortSignal;
  /** Stops the whole turn, for example on request of another process. */
  readonly stop: () => void;
  /** The spending of the turn; this call is added to it. */
  readonly spent: TurnSpending;
  /** The keys of the notices that the turn has reported. */
  readonly reported: Set<string>;
}

interface ModelResponse extends ModelReply {
  readonly prompt: Prompt;
  readonly startedAt: number;
  readonly firstMs: number | null;
  readonly instead: { readonly model: string; readonly code: string } | null;
  readonly notices: readonly TurnNotice[];
}

/**
 * Writes a reply until it succeeds, fails or is stopped. Rejects only if the store fails; then the run remains, and
 * recovery completes the node.
 */
export async function writeReply(
  services: TurnServices,
  job: ReplyJob,
  emit: (event: TurnEvent) => void,
): Promise<WrittenReply> {
  const { clock, store, limits } = services;
  const { controller, unlink } = createLinkedController(job.signal);
  const onLost = () => controller.abort(new TurnStopReason('lost'));
  const { heartbeatMs: everyMs, lookMs, flushMs } = limits;
  const ticks = services.timers(flushMs);
  const writer = createChunkWriter(store.runs, job.runId, { ...limits, clock, onLost, ticks });
  const heartbeat = { clock, everyMs, lookMs, ticks, onLost, onStop: job.stop };
  const stopHeartbeat = startHeartbeat(store.runs, job.runId, heartbeat);
  if (job.before !== null) writer.write(textOf(job.before));
  try {
    const response = await streamFromModel(services, job, controller.signal, (text) => writer.write(text), emit);
    const ended = writer.stop();
    const written = await endReply(services, job, response, stopKindOf(controller.signal), emit);
    await ended;
    await services.yieldToEventLoop();
    await store.runs.end(job.runId).catch(ignoreWriteError);
    return written;
  } catch (error) {
    // The commit failed. The text so far is stored if possible, so that recovery finds it.
    await writer.close();
    throw error;
  } finally {
    stopHeartbeat();
    unlink();
  }
}

function ignoreWriteError(): void {
  // The node is complete; recovering the run that was not deleted has no effect.
}

async function streamFromModel(
  services: TurnServices,
  job: ReplyJob,
  signal: AbortSignal,
  write: (text: string) => void,
  emit: (event: TurnEvent) => void,
): Promise<ModelResponse> {
  let instead: ModelResponse['instead'] = null;
  for (const [index, prompt] of job.prompts.entries()) {
    const startedAt = services.clock.now();
    let firstMs: number | null = null;
    const fold = accumulateReply(prompt.model.provider.kind);
    const publish = replyPublisher(job, write, emit);
    const mask = createReplyMask(listConfiguredKeys());
    const accept = (event: ProviderEvent) => {
      fold.push(event);
      publish(event);
    };
    const receive = (event: ProviderEvent) => {
      if (event.type !== 'error') firstMs ??= services.clock.now() - startedAt;
      if (mask === null) accept(event);
      else for (const masked of mask(event)) accept(masked);
    };
    const notices = createNoticeList(prompt);
    const report = noticeReporter(job, notices, emit);
    const events = await askModelOnce(services, prompt, signal, (notice) => {
      if (notice.type === 'retry') emit(retryEvent(job.nodeId, notice));
      else notices.add(notice);
    });
    try {
      for await (const event of events) {
        const pause = services.yieldToEventLoop();
        if (pause !== null) await pause;
        report();
        receive(event);
      }
    } catch (thrown) {
      // The provider violated its contract not to throw. Caught here, because a wrapping generator would slow down
      // every event.
      receive(errorEventFromThrown(thrown));
    }
    const reply = fold.reply();
    const failure = reply.message === null && reply.last?.type === 'error' ? reply.last : null;
    const isLast = index === job.prompts.length - 1;
    if (isLast || failure === null || !mayFallBack(failure))
      return { ...reply, prompt, startedAt, firstMs, instead, notices: notices.all() };
    instead = { model: prompt.model.id, code: failure.code };
  }
  throw makeGenerateError('generate/invalid', 'Choose at least one model.');
}

/** Returns a function that stores the text of a reply and emits its events. */
function replyPublisher(
  { nodeId, before }: ReplyJob,
  write: (text: string) => void,
  emit: (event: TurnEvent) => void,
): (event: ProviderEvent) => void {
  let offset = before === null ? 0 : textOf(before).length;
  const calls = new Map<number, { readonly id: string; readonly name: string }>();
  return (event) => {
    if (event.type === 'text-delta' && event.text !== '') {
      write(event.text);
      emit({ type: 'text-delta', nodeId, offset, text: event.text });
      offset += event.text.length;
    } else if (event.type === 'thinking-delta') emit({ type: 'thinking-delta', nodeId, text: event.text });
    else if (event.type === 'tool-use-start') calls.set(event.index, event);
    else if (event.type === 'tool-use-end') {
      const call = calls.get(event.index);
      const { parameters, malformed } = event;
      if (call === undefined) return;
      const cut = malformed === undefined ? {} : { malformed };
      emit({ type: 'tool-use', nodeId, callId: call.id, name: call.name, parameters, ...cut });
    }
  };
}

/**
 * Returns a function that emits the notices that the turn has not reported yet. It works once, after the request was
 * prepared and before the first text.
 */
function noticeReporter({ nodeId, reported }: ReplyJob, notices: NoticeList, emit: (event: TurnEvent) => void) {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    for (const notice of notices.all()) {
      const key = makeNoticeKey(notice);
      if (!reported.has(key)) emit({ type: 'notice', nodeId, message: formatNotice(notice), ...notice });
      reported.add(key);
    }
  };
}

/** Builds the event for a retry, with the reason, the delay and the number of attempts. */
function retryEvent(nodeId: NodeId, notice: Extract<ProviderNotice, { type: 'retry' }>): TurnEvent {
  const { attempt, retries, waitMs, error } = notice;
  return { type: 'retry', nodeId, code: error.code, message: error.message, attempt, retries, waitMs };
}

/** Starts the model's stream. Returns an error event if the store cannot load the attachments. */
async function askModelOnce(
  services: TurnServices,
  prompt: Prompt,
  signal: AbortSignal,
  onNotice: (notice: ProviderNotice) => void,
): Promise<AsyncIterable<ProviderEvent>> {
  const { model, request } = prompt;
  try {
    const messages = await loadStoredBytes(request.messages, {
      blobs: services.store.blobs,
      mostBytes: services.limits.mediaBytes,
      accepts: (block, role) => model.accepts(block, role),
      fileTexts: services.fileTexts,
      onNotice,
    });
    return model.stream(messages === request.messages ? request : { ...request, messages }, {
      signal,
      onNotice,
    });
  } catch (thrown) {
    return onlyEvent(errorEventFromThrown(thrown));
  }
}

async function* onlyEvent(event: ProviderEvent): AsyncGenerator<ProviderEvent, void, void> {
  yield event;
}

const unavailableCodes: ReadonlySet<string> = new Set(['provider/no-key', 'provider/unauthorised', 'provider/quota']);

/** Returns whether another model may succeed: not if the request itself caused the error, or if the user stopped it. */
function mayFallBack({ code, kind }: ProviderErrorEvent): boolean {
  return kind === 'unavailable' || kind === 'not-found' || unavailableCodes.has(code);
}

async function endReply(
  services: TurnServices,
  job: ReplyJob,
  response: ModelResponse,
  stopped: StopKind | null,
  emit: (event: TurnEvent) => void,
): Promise<WrittenReply> {
  const { nodeId, parentId } = job;
  const joined = joinBlocks(job.before, response.message);
  // A key may be split between the old text and its continuation, so the joined message is masked again.
  const message = joined === null || job.before === null ? joined : maskMessage(joined, listConfiguredKeys());
  const { status, error, finishReason } = replyOutcome(response, message, stopped);
  const usage = response.usage === null ? null : withoutRaw(response.usage);
  const cost = usage === null ? null : response.prompt.model.cost(usage);
  if (usage !== null) emit({ type: 'usage', nodeId, usage, cost });
  const counted = usage ?? estimateMissingUsage(response);
  if (counted !== null) await addSpending(services, job.spent, counted, cost ?? response.prompt.model.cost(counted));
  const { startedAt, firstMs, instead, notices } = response;
  const facts = {
    finishReason,
    usage,
    cost,
    startedAt,
    firstMs,
    instead,
    notices,
    totalMs: services.clock.now() - startedAt,
  };
  const isCombined = response.prompt.combination !== null;
  const meta: NodeMeta = {
    source: buildFinishedReplySource(response.prompt, facts),
    // The request of a continued reply contained the reply's own beginning, so its measure does not apply here. Core
    // determines `measuredOver` from the nodes above.
    ...(usage === null || (job.before !== null && !isCombined) ? {} : { measuredOver: response.prompt.measure }),
    ...(error === null ? (job.reopened ? { error: null } : {}) : { error: replyErrorToJson(error) }),
  };
  // If answers are combined, the request was larger than the context.
  const tokens = isCombined
    ? null
    : usage === null
      ? response.prompt.estimate + (message === null ? 0 : services.kit.tokens(message))
      : usage.inputTokens + usage.outputTokens;
  const written = await commitReply(
    services,
    job,
    { nodeId, parentId, status, message, finishReason, error, tokens },
    meta,
  );
  emit({
    type: 'node',
    nodeId,
    parentId,
    role: 'assistant',
    status: written.status,
    ...(written.error === null ? {} : { error: written.error }),
  });
  return written;
}

/** Commits the finished reply. If another process completed the node first, its result is returned. */
async function commitReply(
  services: TurnServices,
  job: ReplyJob,
  written: WrittenReply,
  meta: NodeMeta,
): Promise<WrittenReply> {
  const { treeId, nodeId } = job;
  const context = makeTurnRunContext(services, job.actId, job.actor);
  const { status, message } = written;
  // A model may reply with pictures.
  const said = message === null ? {} : { message: await storeInlineBytes(message, services.store.blobs) };
  await services.yieldToEventLoop();
  try {
    const { result } = await run(services.store, { type: 'finish', treeId, nodeId, status, ...said, meta }, context);
    return result.changed ? written : await readReply(services, treeId, nodeId);
  } catch (thrown) {
    if (!isAppError(thrown) || thrown.kind !== 'invalid' || message === null) throw thrown;
    // Core rejected the message: its text is kept, and the error says what was wrong.
    const error = replyErrorFromThrown(thrown);
    const text = textMessage('assistant', textOf(message));
    const kept: WrittenReply = isBlank(text)
      ? { ...written, status: 'error', message: null, error }
      : { ...written, status: 'interrupted', message: text, error };
    const { result } = await run(
      services.store,
      {
        type: 'finish',
        treeId,
        nodeId,
        status: kept.status,
        ...(kept.message === null ? {} : { message: kept.message }),
        meta: { ...meta, error: replyErrorToJson(error) },
      },
      context,
    );
    return result.changed ? kept : await readReply(services, treeId, nodeId);
  }
}

/** Estimates the usage of a reply that ended without a usage report; null if it is empty. */
function estimateMissingUsage({ message, prompt }: ModelResponse): Omit<ProviderUsage, 'raw'> | null {
  if (message === null) return null;
  return { inputTokens: prompt.estimate, outputTokens: estimateMessageTokens(message) };
}

function withoutRaw<U extends { readonly raw: unknown }>(usage: U): Omit<U, 'raw'> {
  const { raw: _raw, ...counts } = usage;
  return counts;
}

/** Joins the old and the new content of a continued reply; adjacent text blocks are merged. */
function joinBlocks(before: Message | null, after: Message | null): Message | null {
  if (before === null || isBlank(before)) return after;
  if (after === null) return before;
  const last = before.content.at(-1);
  const [first, ...rest] = after.content;
  if (last === undefined || first === undefined || !isText(last) || !isText(first))
    return { ...before, content: [...before.content, ...after.content] };
  const seam: TextBlock = { ...last, text: last.text + first.text };
  return { ...before, content: [...before.content.slice(0, -1), seam, ...rest] };
}

interface ReplyEnding {
  readonly status: WrittenReply['status'];
  readonly error: ReplyError | null;
  readonly finishReason: FinishReason | null;
}

function replyOutcome(response: ModelResponse, message: Message | null, stopped: StopKind | null): ReplyEnding {
  const hasContent = message !== null && !isBlank(message);
  const { last } = response;
  if (last?.type === 'end') {
    const { finishReason } = last;
    if (hasContent) return { status: 'success', error: null, finishReason };
    return { status: 'error', error: replyErrorFromThrown(emptyReplyError(finishReason)), finishReason };
  }
  const error = stopped === null ? failureOfReply(last) : makeStopError(stopped);
  const cut = hasContent ? 'interrupted' : 'error';
  return { status: error.kind === 'aborted' ? 'aborted' : cut, error, finishReason: null };
}

function emptyReplyError(finishReason: FinishReason) {
  const why =
    finishReason === 'content-filter' || finishReason === 'refusal' ? 'was held back by the provider' : 'ended';
  return makeGenerateError('generate/empty', `The reply ${why} without any text (${finishReason}).`);
}

function failureOfReply(last: ProviderErrorEvent | null): ReplyError {
  if (last !== null) return replyErrorFromEvent(last);
  return {
    code: 'provider/dropped',
    kind: 'unavailable',
    message: 'The reply ended before it was complete.',
    retryable: true,
  };
}

/** Returns the error for a reply whose turn was stopped. */
export function makeStopError(kind: StopKind): ReplyError {
  switch (kind) {
    case 'abort':
      return replyErrorFromThrown(makeGenerateError('generate/aborted', 'The reply was stopped.'));
    case 'close':
      return replyErrorFromThrown(
        makeGenerateError(
          'generate/closed',
          'The reply was interrupted because the engine was closed. It can be continued.',
        ),
      );
    case 'deadline':
      return replyErrorFromThrown(
        makeGenerateError('generate/tool-limit', 'The turn exceeded its time limit and was stopped.'),
      );
    case 'lost':
      return replyErrorFromThrown(makeGenerateError('generate/lost', 'The run was taken over by another process.'));
  }
}
