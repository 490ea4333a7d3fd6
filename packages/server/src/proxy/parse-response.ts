/** Reads what a service answered, wire by wire: a JSON document, or server-sent events, whole or cut. */
import {
  assistantBlocks,
  foldChunks,
  foldEvents,
  foldResponse,
  fromAnthropic,
  fromOpenAi,
} from '@coppice/content/formats';
import { isBlank, type Json, type JsonObject, type NodeStatus } from '@coppice/core';
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
import { messagesIn } from './responses-items.ts';

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
  if (wire === 'chat') return foldChat(events);
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

/** Chunks as a completion; an error may come in the middle of them. */
function foldChat(events: readonly JsonObject[]): JsonObject {
  const failed = events.find((event) => event['error'] !== undefined && event['error'] !== null);
  const folded = foldChunks(events.filter((event) => event !== failed));
  const error = failed === undefined ? {} : { error: failed['error'] ?? null };
  const images = events.flatMap((event) => imagesIn(wireListAt(event, 'choices')[0], 'delta'));
  if (images.length === 0) return { ...folded, ...error };
  const [first, ...rest] = wireListAt(folded, 'choices').filter(isWireObject);
  const message = { ...wireObjectAt(first ?? {}, 'message'), images };
  return { ...folded, ...error, choices: [{ ...first, message }, ...rest] };
}

/** Pictures stand beside the content on this wire, where a service sends any. */
function imagesIn(choice: Json | undefined, where: string): readonly Json[] {
  return isWireObject(choice) ? wireListAt(wireObjectAt(choice, where), 'images') : [];
}

function fromChat(completion: JsonObject, cut: CutAnswer): ParsedResponse {
  const answers = wireListAt(completion, 'choices')
    .filter(isWireObject)
    .map((choice) => {
      const said = wireObjectAt(choice, 'message');
      const images = imagesIn(choice, 'message');
      const text = wireTextAt(said, 'content') ?? '';
      const beside = [...images, ...assistantBlocks(wireObjectAt(said, 'audio'))];
      const content = beside.length === 0 ? said['content'] : [...(text === '' ? [] : [text]), ...beside];
      const message = fromOpenAi({ role: 'assistant', ...said, content: content ?? null });
      return completionOf(message, wireTextAt(choice, 'finish_reason'), cut);
    });
  return {
    before: [],
    answers,
    model: wireTextAt(completion, 'model'),
    usage: usageOfResponse(completion),
    id: wireTextAt(completion, 'id'),
    items: wireListAt(completion, 'choices')
      .slice(0, 1)
      .flatMap((choice) =>
        isWireObject(choice) ? (wireTextAt(wireObjectAt(wireObjectAt(choice, 'message'), 'audio'), 'id') ?? []) : [],
      ),
    error: errorOfResponse(completion),
  };
}

function fromMessages(message: JsonObject, cut: CutAnswer): ParsedResponse {
  const [read] = fromAnthropic({ ...message, role: 'assistant' }, wireTextAt(message, 'id') ?? 'reply').slice(-1);
  const said = wireListAt(message, 'content').length > 0 && read !== undefined;
  return {
    before: [],
    answers: said ? [completionOf(read, wireTextAt(message, 'stop_reason'), cut)] : [],
    model: wireTextAt(message, 'model'),
    usage: usageOfResponse(message),
    id: wireTextAt(message, 'id'),
    items: [],
    error: errorOfResponse(message),
  };
}

function fromResponses(response: JsonObject, cut: CutAnswer): ParsedResponse {
  const output = wireListAt(response, 'output').filter(isWireObject);
  // Where the service ran a tool itself, what it called and what came of it stand before what it said in the end.
  const said = messagesIn(output);
  const last = said.at(-1)?.message['role'] === 'assistant' ? said.pop() : undefined;
  const before = said.flatMap(({ message: record, items }) => {
    const message = readWireMessage(record);
    return message === null ? [] : [{ message, items }];
  });
  const status = wireTextAt(response, 'status');
  const finish = status === 'completed' || status === 'incomplete' ? status : null;
  return {
    before: before.map(({ message }) => message),
    answers: last === undefined ? [] : [completionOf(last.message, finish, cut)],
    model: wireTextAt(response, 'model'),
    usage: usageOfResponse(response),
    id: wireTextAt(response, 'id'),
    items: output.flatMap((item) => wireTextAt(item, 'id') ?? []),
    itemsBefore: before.map(({ items }) => items),
    answerItems: last?.items ?? [],
    error: errorOfResponse(response),
  };
}
