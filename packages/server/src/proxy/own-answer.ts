/** Answers calls with our own models where no upstream is set, in the words of the wire that they came over. */
import { coalesce, type JsonObject, type Message, requestMessages } from '@coppice/core';
import type { ErrorEvent, ProviderEvent, Providers } from '@coppice/engine';
import { type Asked, isObject, type WireKind } from './exchange.ts';
import { chatWriter, chunksOf, mergedChoices } from './own-chat.ts';
import { messagesWriter } from './own-messages.ts';
import { mostTokens, wishesOf } from './own-request.ts';
import { responsesWriter } from './own-responses.ts';
import { type AnswerHead, atEnd, type Gathered, gather, type WireWriter } from './own-wire.ts';
import { type WireRefusal, wireRefusal } from './wire-refusal.ts';

/** An answer as its bytes go out. */
export interface OwnAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly pieces: AsyncGenerator<string>;
}

/** What an answer is made with. */
export interface OwnOptions {
  readonly providers: Pick<Providers, 'model' | 'defaultModel' | 'list'>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly signal: AbortSignal;
  /** What was said before the call's own history. */
  readonly before: readonly Message[];
}

/** The model that is asked: the one that was named, if there is such a one here, else the one that answers otherwise. */
async function modelFor(asked: Asked, options: OwnOptions) {
  const known = options.providers.list().some((choice) => choice.ready && choice.id === asked.model);
  return options.providers.model(known ? asked.model : await options.providers.defaultModel(options.signal));
}

async function* eventsFor(asked: Asked, body: JsonObject, options: OwnOptions): AsyncGenerator<ProviderEvent> {
  const model = await modelFor(asked, options);
  const entries = [...options.before, ...asked.history].map(
    (message) => ({ kind: 'message', message, nodeId: null, tokens: 0, reported: null }) as const,
  );
  const { messages, continues } = requestMessages(
    { entries, flags: [] },
    { systemInPlace: model.provider.supports.systemInPlace },
  );
  const { systemPrompt } = asked;
  yield* model.stream(
    {
      ...wishesOf(asked.wire, body),
      messages: coalesce(messages, continues),
      maxTokens: mostTokens(body) ?? model.info.maxOut,
      ...(systemPrompt === undefined || systemPrompt === '' ? {} : { systemPrompt }),
    },
    { signal: options.signal },
  );
}

const writers: Readonly<Record<WireKind, (head: AnswerHead) => WireWriter>> = {
  chat: chatWriter,
  messages: messagesWriter,
  responses: responsesWriter,
};

const statuses = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  refused: 400,
  aborted: 499,
  unavailable: 503,
  internal: 500,
};

/** The status of an answer that is none: what the model's own service said, else by the kind of the error. */
function statusOf({ status, kind }: ErrorEvent): number {
  return status !== undefined && status >= 400 && status < 600 ? status : statuses[kind];
}

// More answers to one question than anybody compares are a mistake, or meant ill.
const mostChoices = 16;

/** Answers a call, once the model has begun to. The pieces are the exact bytes that a client reads, and that are recorded. */
export async function ownAnswer(asked: Asked, body: JsonObject, options: OwnOptions): Promise<OwnAnswer> {
  const streamOptions = body['stream_options'];
  const usageAsked = isObject(streamOptions) && streamOptions['include_usage'] === true;
  const created = Math.floor(options.now() / 1000);
  const writer = writers[asked.wire]({ id: options.newId(), created, model: asked.model, usageAsked });
  const wanted = asked.wire === 'chat' && typeof body['n'] === 'number' ? body['n'] : 1;
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > mostChoices)
    return refused(asked, {
      status: 400,
      message: `n is a whole number from 1 to ${mostChoices}.`,
      code: 'http/invalid',
    });
  if (wanted > 1) return severalAnswers(writer, asked, usageAsked, () => eventsFor(asked, body, options), wanted);
  const events = eventsFor(asked, body, options);
  const first = await events.next();
  if (first.done !== true && first.value.type === 'error') return refusal(asked, first.value);
  if (asked.stream) return { status: 200, contentType: 'text/event-stream', pieces: streamed(writer, first, events) };
  return inOne(asked, writer, first, events);
}

/** Several answers at once, each written by itself; they go out when all of them are there. */
async function severalAnswers(
  writer: WireWriter,
  asked: Asked,
  usageAsked: boolean,
  begin: () => AsyncGenerator<ProviderEvent>,
  wanted: number,
): Promise<OwnAnswer> {
  const answers = await Promise.all(Array.from({ length: wanted }, () => gathered(begin())));
  const documents: JsonObject[] = [];
  for (const answer of answers) {
    if ('type' in answer) return refusal(asked, answer);
    documents.push(writer.whole(answer));
  }
  const whole = mergedChoices(documents);
  if (!asked.stream) return { status: 200, contentType: 'application/json', pieces: said(JSON.stringify(whole)) };
  return { status: 200, contentType: 'text/event-stream', pieces: said(...chunksOf(whole, usageAsked)) };
}

/** An answer to its end, or the error that it ended with. */
async function gathered(events: AsyncIterable<ProviderEvent>): Promise<Gathered | ErrorEvent> {
  const answer = nothingYet();
  for await (const event of events) {
    if (event.type === 'error') return event;
    gather(answer, event);
  }
  return answer;
}

function refusal(asked: Asked, error: ErrorEvent): OwnAnswer {
  return refused(asked, { status: statusOf(error), message: error.message, code: error.code });
}

function refused({ wire }: Asked, told: WireRefusal): OwnAnswer {
  const document = wireRefusal(wire === 'messages' ? 'anthropic' : 'openai', told);
  return { status: told.status, contentType: 'application/json', pieces: said(JSON.stringify(document)) };
}

async function* said(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function* all(
  first: IteratorResult<ProviderEvent>,
  events: AsyncGenerator<ProviderEvent>,
): AsyncGenerator<ProviderEvent> {
  if (first.done === true) return;
  yield first.value;
  yield* events;
}

function nothingYet(): Gathered {
  return { parts: [], finish: 'stop', usage: { input: 0, output: 0 } };
}

async function inOne(
  asked: Asked,
  writer: WireWriter,
  first: IteratorResult<ProviderEvent>,
  events: AsyncGenerator<ProviderEvent>,
): Promise<OwnAnswer> {
  const answer = await gathered(all(first, events));
  if ('type' in answer) return refusal(asked, answer);
  return { status: 200, contentType: 'application/json', pieces: said(JSON.stringify(writer.whole(answer))) };
}

async function* streamed(
  writer: WireWriter,
  first: IteratorResult<ProviderEvent>,
  events: AsyncGenerator<ProviderEvent>,
): AsyncGenerator<string> {
  const answer = nothingYet();
  yield writer.begin();
  for await (const event of all(first, events)) {
    if (event.type === 'error') {
      yield writer.failed(event.message);
      return;
    }
    const pieces = gather(answer, event).map((change) => writer.change(change));
    const text = pieces.join('');
    if (text !== '') yield text;
  }
  yield `${atEnd(answer)
    .map((change) => writer.change(change))
    .join('')}${writer.end(answer)}`;
}
