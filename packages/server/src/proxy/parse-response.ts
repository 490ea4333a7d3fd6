/** Reads what a service answered, wire by wire: a JSON document, or server-sent events, whole or cut. */
import { foldChunks, foldEvents, foldResponse } from '@coppice/content/formats';
import { readCallAnswers } from '@coppice/content/wires';
import { isBlank, type JsonObject, type NodeStatus } from '@coppice/core';
import { redact } from '@coppice/engine';
import {
  type CutAnswer,
  isWireObject,
  type ModelCompletion,
  type ParsedResponse,
  parseObject,
  type WireKind,
  wireListAt,
  wireObjectAt,
  wireTextAt,
} from './exchange.ts';
import { readWireMessage } from './read-message.ts';

/** What came back, before it is read. */
export interface RawResponse {
  /** The document that it is, whole or put together from a stream; null where it is none. */
  readonly document: JsonObject | null;
  /** What it says, or how it begins, where it is no document. */
  readonly text: string;
  readonly status: number;
  readonly cut: CutAnswer;
}

const nothing: ParsedResponse = { before: [], answers: [], model: null, usage: null, id: null, items: [], error: null };
/** How much is kept of what cannot be read, in characters. */
export const excerptLength = 2_000;

/** What a service answered. */
export function parseResponse(wire: WireKind, { document, text, status, cut }: RawResponse): ParsedResponse {
  if (status >= 300) return { ...nothing, error: { status, ...failureOfResponse(document, text, cut) } };
  const whole = document ?? {};
  const read =
    wire === 'chat' ? fromChat(whole, cut) : wire === 'messages' ? fromMessages(whole, cut) : fromResponses(whole, cut);
  const error = read.error ?? (cut === 'limit' ? tooLong : null);
  if (read.answers.length > 0 || read.error !== null) return { ...read, error };
  // A page, a picture or nothing at all under a good status: said to be so, and never kept as if it were an answer.
  const unsaid: ModelCompletion = { message: null, finish: null, status: cut === null ? 'error' : endOfAnswer(cut) };
  return { ...read, answers: [unsaid], error: error ?? { status, ...failureOfResponse(null, text, cut) } };
}

const tooLong: JsonObject = {
  code: 'proxy/answer-too-long',
  message: 'More came than is kept to be recorded: the client has the whole answer, and here it ends before its end.',
};

/** The document that a stream of events says in pieces. */
export function foldWire(wire: WireKind, events: readonly JsonObject[]): JsonObject {
  if (wire === 'chat') return foldChunks(events);
  return wire === 'messages' ? foldEvents(events) : foldResponse(events);
}

/** What is kept of a failure: the service's own words, short and without keys that it may have repeated. */
function failureOfResponse(document: JsonObject | null, text: string, cut: CutAnswer): JsonObject {
  if (document === null && text === '')
    return { message: cut === 'client' ? 'The client went away.' : 'The service sent nothing.' };
  if (document === null) return { message: redact(text.slice(0, excerptLength)) };
  const said = wireObjectAt(document, 'error');
  const kept = Object.keys(said).length > 0 ? said : document;
  const short = JSON.stringify(kept);
  if (short.length > excerptLength) return { message: redact(short.slice(0, excerptLength)) };
  return parseObject(redact(short)) ?? { message: 'The service told of an error that cannot be shown.' };
}

function usageOfResponse(record: JsonObject): JsonObject | null {
  const usage = wireObjectAt(record, 'usage');
  return Object.keys(usage).length === 0 ? null : usage;
}

function endOfAnswer(cut: CutAnswer): NodeStatus {
  return cut === 'client' ? 'aborted' : 'interrupted';
}

function completionOf(record: JsonObject, finish: string | null, cut: CutAnswer): ModelCompletion {
  const message = readWireMessage(record);
  // Many clients hang up as soon as they have the last event: what has its finish is whole.
  if (finish === null) return { message, finish, status: endOfAnswer(cut) };
  // A reply that says nothing is no success anywhere.
  return { message, finish, status: message === null || isBlank(message) ? 'error' : 'success' };
}

function errorOfResponse(record: JsonObject): JsonObject | null {
  const { error } = record;
  if (typeof error === 'string') return { message: redact(error.slice(0, excerptLength)) };
  return isWireObject(error) && Object.keys(error).length > 0 ? failureOfResponse({ error }, '', null) : null;
}

function fromChat(completion: JsonObject, cut: CutAnswer): ParsedResponse {
  const answers = readCallAnswers('chat', completion).flatMap(({ messages, finish }) =>
    messages.map(({ message }) => completionOf(message, finish ?? null, cut)),
  );
  return {
    ...common(completion),
    before: [],
    answers,
    items: wireListAt(completion, 'choices')
      .slice(0, 1)
      .flatMap((choice) =>
        isWireObject(choice) ? (wireTextAt(wireObjectAt(wireObjectAt(choice, 'message'), 'audio'), 'id') ?? []) : [],
      ),
  };
}

function fromMessages(message: JsonObject, cut: CutAnswer): ParsedResponse {
  const [read] = wireListAt(message, 'content').length === 0 ? [] : readCallAnswers('anthropic', message);
  const said = read?.messages.at(-1);
  return {
    ...common(message),
    before: [],
    answers: said === undefined ? [] : [completionOf(said.message, read?.finish ?? null, cut)],
    items: [],
  };
}

function fromResponses(response: JsonObject, cut: CutAnswer): ParsedResponse {
  // Where the service ran a tool itself, what it called and what came of it stand before what it said in the end.
  const said = [...(readCallAnswers('responses', response)[0]?.messages ?? [])];
  const last = said.at(-1)?.message['role'] === 'assistant' ? said.pop() : undefined;
  const before = said.flatMap(({ message: record, items }) => {
    const message = readWireMessage(record);
    return message === null ? [] : [{ message, items }];
  });
  const status = wireTextAt(response, 'status');
  const finish = status === 'completed' || status === 'incomplete' ? status : null;
  return {
    ...common(response),
    before: before.map(({ message }) => message),
    answers: last === undefined ? [] : [completionOf(last.message, finish, cut)],
    items: wireListAt(response, 'output').flatMap((item) => (isWireObject(item) ? (wireTextAt(item, 'id') ?? []) : [])),
    itemsBefore: before.map(({ items }) => items),
    answerItems: last?.items ?? [],
  };
}

/** What every wire says of an answer in the same fields. */
function common(document: JsonObject): Pick<ParsedResponse, 'model' | 'usage' | 'id' | 'error'> {
  return {
    model: wireTextAt(document, 'model'),
    usage: usageOfResponse(document),
    id: wireTextAt(document, 'id'),
    error: errorOfResponse(document),
  };
}
