/** Answers calls with the models of this server, in the format of the call. Used if no upstream is configured. */
import { httpStatusByErrorKind, type JsonObject, type Message } from '@coppice/core';
import { buildRequestMessages, coalesceMessages } from '@coppice/core/context';
import { isJsonObject } from '@coppice/core/decode';
import type { ModelProviders, ProviderErrorEvent, ProviderEvent } from '@coppice/engine';
import type { LocalWireKind, ParsedRequest } from './exchange.ts';
import { createChatCompletionWriter, mergeChoices, toChatCompletionChunks } from './local-chat.ts';
import { createMessagesWriter } from './local-messages.ts';
import { readRequestedMaxTokens, toEngineRequest } from './local-request.ts';
import { createResponsesWriter } from './local-responses.ts';
import { makeAnswerTool, readAnswerFromTool } from './local-schema.ts';
import {
  type AnswerDraft,
  type AnswerMetadata,
  addToAnswerDraft,
  finishAnswerParts,
  type WireWriter,
} from './local-wire.ts';
import { formatWireError, type ProxyErrorDetails } from './wire-error.ts';

/** The status, headers and body of an answer. */
export interface LocalAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly pieces: AsyncGenerator<string>;
}

export interface LocalAnswerOptions {
  readonly providers: Pick<ModelProviders, 'model' | 'defaultModel' | 'list'>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly signal: AbortSignal;
  /** The messages up to the reply that the call continues by its id; empty if the call names none. */
  readonly before: readonly Message[];
}

// Names that stand for the operator's default model.
const defaultNames = new Set(['', 'default', 'unknown', 'coppice/default']);

/**
 * Returns the model to use, found by its id or by its name without the provider; null if the name is not one of our
 * models.
 */
async function localModel({ model }: LocalCall, { providers, signal }: LocalAnswerOptions) {
  if (defaultNames.has(model)) return providers.model(await providers.defaultModel(signal));
  const ready = providers.list().filter((choice) => choice.ready);
  const found = ready.find(({ id }) => id === model) ?? ready.find(({ id, provider }) => id === `${provider}/${model}`);
  return found === undefined ? null : providers.model(found.id);
}

async function* eventsFor(
  asked: LocalCall,
  body: JsonObject,
  options: LocalAnswerOptions,
): AsyncGenerator<ProviderEvent> {
  const model = await localModel(asked, options);
  if (model === null) {
    yield unknownModel(asked.model);
    return;
  }
  const entries = [...options.before, ...asked.history].map(
    (message) => ({ kind: 'message', message, nodeId: null, tokens: 0, reported: null }) as const,
  );
  const { messages, continues } = buildRequestMessages(
    { entries, flags: [] },
    { systemInPlace: model.provider.supports.systemInPlace },
  );
  const { systemPrompt } = asked;
  const request = toEngineRequest(asked.wire, body);
  const tool = makeAnswerTool(asked.wire, body, request);
  const events = model.stream(
    {
      ...request,
      ...(tool === null ? {} : { tools: [tool], toolChoice: { name: tool.name } }),
      messages: coalesceMessages(messages, continues),
      maxTokens: readRequestedMaxTokens(body) ?? model.info.maxOut,
      ...(systemPrompt === undefined || systemPrompt === '' ? {} : { systemPrompt }),
    },
    { signal: options.signal },
  );
  yield* tool === null ? events : readAnswerFromTool(events);
}

function unknownModel(model: string): ProviderErrorEvent {
  const message = `There is no model ${JSON.stringify(model.slice(0, 200))} here. GET /v1/models lists those that are ready.`;
  return { type: 'error', code: 'provider/unknown-model', kind: 'not-found', message, retryable: false };
}

/** A call in a format that the models of this server can answer. */
export type LocalCall = ParsedRequest & { readonly wire: LocalWireKind };

const writers: Readonly<Record<LocalWireKind, (head: AnswerMetadata) => WireWriter>> = {
  chat: createChatCompletionWriter,
  messages: createMessagesWriter,
  responses: createResponsesWriter,
};

// The services of these wires answer 400 where this server answers 422.
const statuses = { ...httpStatusByErrorKind, refused: httpStatusByErrorKind.invalid };

/** Returns the status of an error response: that of the model's service, else derived from the kind of the error. */
function statusOfAnswer({ status, kind }: ProviderErrorEvent): number {
  return status !== undefined && status >= 400 && status < 600 ? status : statuses[kind];
}

// The most answers that a call may request. More would be an error of the client or an attack.
const maxChoices = 16;

/**
 * Starts an answer, and resolves when the model has sent its first event. The client receives exactly the chunks that
 * are recorded.
 */
export async function startLocalAnswer(
  asked: LocalCall,
  body: JsonObject,
  options: LocalAnswerOptions,
): Promise<LocalAnswer> {
  const streamOptions = body['stream_options'];
  const usageAsked = isJsonObject(streamOptions) && streamOptions['include_usage'] === true;
  const created = Math.floor(options.now() / 1000);
  const writer = writers[asked.wire]({ id: options.newId(), created, model: asked.model, usageAsked });
  const wanted = asked.wire === 'chat' && typeof body['n'] === 'number' ? body['n'] : 1;
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > maxChoices)
    return refuseLocally(asked, {
      status: 400,
      message: `n is a whole number from 1 to ${maxChoices}.`,
      code: 'http/invalid',
    });
  if (wanted > 1) return severalAnswers(writer, asked, usageAsked, () => eventsFor(asked, body, options), wanted);
  const events = eventsFor(asked, body, options);
  const first = await events.next();
  if (first.done !== true && first.value.type === 'error') return localRefusal(asked, first.value);
  if (asked.stream)
    return { status: 200, contentType: 'text/event-stream', pieces: streamReply(writer, first, events) };
  return inOne(asked, writer, first, events);
}

/** Generates several answers in parallel and sends them when all are complete. */
async function severalAnswers(
  writer: WireWriter,
  asked: LocalCall,
  usageAsked: boolean,
  begin: () => AsyncGenerator<ProviderEvent>,
  wanted: number,
): Promise<LocalAnswer> {
  const answers = await Promise.all(Array.from({ length: wanted }, () => gatherAnswer(begin())));
  const documents: JsonObject[] = [];
  for (const answer of answers) {
    if ('type' in answer) return localRefusal(asked, answer);
    documents.push(writer.whole(answer));
  }
  const whole = mergeChoices(documents);
  if (!asked.stream)
    return { status: 200, contentType: 'application/json', pieces: answerEvents(JSON.stringify(whole)) };
  return {
    status: 200,
    contentType: 'text/event-stream',
    pieces: answerEvents(...toChatCompletionChunks(whole, usageAsked)),
  };
}

/** Collects an answer until its end; returns the error if it ended with one. */
async function gatherAnswer(events: AsyncIterable<ProviderEvent>): Promise<AnswerDraft | ProviderErrorEvent> {
  const answer = nothingYet();
  for await (const event of events) {
    if (event.type === 'error') return event;
    addToAnswerDraft(answer, event);
  }
  return answer;
}

function localRefusal(asked: LocalCall, error: ProviderErrorEvent): LocalAnswer {
  return refuseLocally(asked, { status: statusOfAnswer(error), message: error.message, code: error.code });
}

function refuseLocally({ wire }: LocalCall, reported: ProxyErrorDetails): LocalAnswer {
  const document = formatWireError(wire === 'messages' ? 'anthropic' : 'openai', reported);
  return { status: reported.status, contentType: 'application/json', pieces: answerEvents(JSON.stringify(document)) };
}

async function* answerEvents(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function* collectAll(
  first: IteratorResult<ProviderEvent>,
  events: AsyncGenerator<ProviderEvent>,
): AsyncGenerator<ProviderEvent> {
  if (first.done === true) return;
  yield first.value;
  yield* events;
}

function nothingYet(): AnswerDraft {
  return { parts: [], finish: 'stop', usage: { input: 0, output: 0 } };
}

async function inOne(
  asked: LocalCall,
  writer: WireWriter,
  first: IteratorResult<ProviderEvent>,
  events: AsyncGenerator<ProviderEvent>,
): Promise<LocalAnswer> {
  const answer = await gatherAnswer(collectAll(first, events));
  if ('type' in answer) return localRefusal(asked, answer);
  return { status: 200, contentType: 'application/json', pieces: answerEvents(JSON.stringify(writer.whole(answer))) };
}

async function* streamReply(
  writer: WireWriter,
  first: IteratorResult<ProviderEvent>,
  events: AsyncGenerator<ProviderEvent>,
): AsyncGenerator<string> {
  const answer = nothingYet();
  yield writer.begin();
  for await (const event of collectAll(first, events)) {
    if (event.type === 'error') {
      yield writer.failed(event.message);
      return;
    }
    const pieces = addToAnswerDraft(answer, event).map((change) => writer.change(change));
    const text = pieces.join('');
    if (text !== '') yield text;
  }
  yield `${finishAnswerParts(answer)
    .map((change) => writer.change(change))
    .join('')}${writer.end(answer)}`;
}
