/** Reads what a service answered, wire by wire: a JSON document, or server-sent events, whole or cut. */
import { eventsOf, foldChunks, foldEvents, fromAnthropic, fromOpenAi } from '@coppice/content/formats';
import { isBlank, type Json, type JsonObject, type NodeStatus } from '@coppice/core';
import { redact } from '@coppice/engine';
import {
  type Answered,
  type Cut,
  isObject,
  listAt,
  objectAt,
  parseObject,
  type Returned,
  textAt,
  type WireKind,
} from './exchange.ts';
import { recordWithoutKeys, withoutKeys } from './hide-keys.ts';
import { readMessage } from './read-message.ts';
import { fromResponsesItem } from './responses-items.ts';

/** What came back, before it is read. */
export interface Came {
  readonly text: string;
  readonly status: number;
  readonly cut: Cut;
  /** The keys of the call, of which nothing is kept. */
  readonly secrets?: readonly string[];
}

const nothing: Returned = { answers: [], model: null, usage: null, id: null, items: [], error: null };
const excerptLength = 2_000;

/** What a service answered. */
export function readReturned(wire: WireKind, came: Came): Returned {
  const { secrets = [] } = came;
  const read = readClean(wire, { ...came, text: withoutKeys(came.text, secrets, 'talk') }, secrets);
  return read.error === null ? read : { ...read, error: recordWithoutKeys(read.error, secrets, 'error') };
}

function readClean(wire: WireKind, { text, status, cut }: Came, secrets: readonly string[]): Returned {
  const isStream = /^(?:event|data|id|retry)?:/.test(text.slice(0, 200).trimStart());
  const document = isStream ? null : parseObject(text);
  if (status >= 300) return { ...nothing, error: { status, ...failureOf(document, text, cut) } };
  const whole = document ?? recordWithoutKeys(folded(wire, isStream ? eventsOf(text) : []), secrets, 'talk');
  const read =
    wire === 'chat' ? fromChat(whole, cut) : wire === 'messages' ? fromMessages(whole, cut) : fromResponses(whole, cut);
  if (read.answers.length > 0 || read.error !== null) return read;
  // A page, a picture or nothing at all under a good status: said to be so, and never kept as if it were an answer.
  const unsaid: Answered = { message: null, finish: null, status: cut === null ? 'error' : endOf(cut) };
  return { ...read, answers: [unsaid], error: { status, ...failureOf(null, text, cut) } };
}

/** The document that a stream of events says in pieces. */
function folded(wire: WireKind, events: readonly JsonObject[]): JsonObject {
  if (wire === 'chat') return foldChat(events);
  return wire === 'messages' ? foldEvents(events) : foldResponses(events);
}

/** What is kept of a failure: the service's own words, short and without keys that it may have repeated. */
function failureOf(document: JsonObject | null, text: string, cut: Cut): JsonObject {
  if (document === null && text === '')
    return { message: cut === 'client' ? 'The client went away.' : 'The service sent nothing.' };
  if (document === null) return { message: redact(text.slice(0, excerptLength)) };
  const said = objectAt(document, 'error');
  const kept = Object.keys(said).length > 0 ? said : document;
  const short = JSON.stringify(kept);
  if (short.length > excerptLength) return { message: redact(short.slice(0, excerptLength)) };
  return parseObject(redact(short)) ?? { message: 'The service told of an error that cannot be shown.' };
}

function usageOf(record: JsonObject): JsonObject | null {
  const usage = objectAt(record, 'usage');
  return Object.keys(usage).length === 0 ? null : usage;
}

function endOf(cut: Cut): NodeStatus {
  return cut === 'client' ? 'aborted' : 'interrupted';
}

function answer(record: JsonObject, finish: string | null, cut: Cut): Answered {
  const message = readMessage(record);
  // Many clients hang up as soon as they have the last event: what has its finish is whole.
  if (finish === null) return { message, finish, status: endOf(cut) };
  // A reply that says nothing is no success anywhere.
  return { message, finish, status: message === null || isBlank(message) ? 'error' : 'success' };
}

function errorOf(record: JsonObject): JsonObject | null {
  const { error } = record;
  if (typeof error === 'string') return { message: redact(error.slice(0, excerptLength)) };
  return isObject(error) && Object.keys(error).length > 0 ? failureOf({ error }, '', null) : null;
}

/** Chunks as a completion; an error may come in the middle of them. */
function foldChat(events: readonly JsonObject[]): JsonObject {
  const failed = events.find((event) => event['error'] !== undefined && event['error'] !== null);
  const folded = foldChunks(events.filter((event) => event !== failed));
  const error = failed === undefined ? {} : { error: failed['error'] ?? null };
  const images = events.flatMap((event) => imagesIn(listAt(event, 'choices')[0], 'delta'));
  if (images.length === 0) return { ...folded, ...error };
  const [first, ...rest] = listAt(folded, 'choices').filter(isObject);
  const message = { ...objectAt(first ?? {}, 'message'), images };
  return { ...folded, ...error, choices: [{ ...first, message }, ...rest] };
}

/** Pictures stand beside the content on this wire, where a service sends any. */
function imagesIn(choice: Json | undefined, where: string): readonly Json[] {
  return isObject(choice) ? listAt(objectAt(choice, where), 'images') : [];
}

function fromChat(completion: JsonObject, cut: Cut): Returned {
  const answers = listAt(completion, 'choices')
    .filter(isObject)
    .map((choice) => {
      const said = objectAt(choice, 'message');
      const images = imagesIn(choice, 'message');
      const text = textAt(said, 'content') ?? '';
      const content = images.length === 0 ? said['content'] : [...(text === '' ? [] : [text]), ...images];
      const message = fromOpenAi({ role: 'assistant', ...said, content: content ?? null });
      return answer(message, textAt(choice, 'finish_reason'), cut);
    });
  return {
    answers,
    model: textAt(completion, 'model'),
    usage: usageOf(completion),
    id: textAt(completion, 'id'),
    items: [],
    error: errorOf(completion),
  };
}

function fromMessages(message: JsonObject, cut: Cut): Returned {
  const [read] = fromAnthropic({ ...message, role: 'assistant' }, textAt(message, 'id') ?? 'reply').slice(-1);
  const said = listAt(message, 'content').length > 0 && read !== undefined;
  return {
    answers: said ? [answer(read, textAt(message, 'stop_reason'), cut)] : [],
    model: textAt(message, 'model'),
    usage: usageOf(message),
    id: textAt(message, 'id'),
    items: [],
    error: errorOf(message),
  };
}

/** The response that a stream of events ends with, or as much of it as there was. */
function foldResponses(events: readonly JsonObject[]): JsonObject {
  let response: JsonObject = {};
  const items = new Map<number, JsonObject>();
  const begun = new Map<number, JsonObject>();
  const texts = new Map<number, string>();
  for (const event of events) {
    const type = textAt(event, 'type') ?? '';
    const index = typeof event['output_index'] === 'number' ? event['output_index'] : 0;
    if (isObject(event['response'])) response = { ...response, ...objectAt(event, 'response') };
    if (type === 'response.output_item.added') begun.set(index, objectAt(event, 'item'));
    if (type === 'response.output_item.done') items.set(index, objectAt(event, 'item'));
    if (type === 'response.output_text.delta' || type === 'response.function_call_arguments.delta')
      texts.set(index, (texts.get(index) ?? '') + (textAt(event, 'delta') ?? ''));
    if (type === 'error') response = { ...response, error: isObject(event['error']) ? event['error'] : event };
  }
  if (listAt(response, 'output').length > 0) return response;
  for (const [index, text] of texts) if (!items.has(index)) items.set(index, unfinished(begun.get(index) ?? {}, text));
  return { ...response, output: [...items].sort(([a], [b]) => a - b).map(([, item]) => item) };
}

/** As much of an item as came before the stream was cut. */
function unfinished(begun: JsonObject, text: string): JsonObject {
  if (begun['type'] === 'function_call') return { ...begun, arguments: text };
  return { ...begun, type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

function fromResponses(response: JsonObject, cut: Cut): Returned {
  const output = listAt(response, 'output').filter(isObject);
  const blocks = output.flatMap((item) => {
    const read = fromResponsesItem(item);
    return read === null ? [] : [...listAt(read, 'content')];
  });
  const status = textAt(response, 'status');
  const finish = status === 'completed' || status === 'incomplete' ? status : null;
  return {
    answers: blocks.length === 0 ? [] : [answer({ role: 'assistant', content: blocks }, finish, cut)],
    model: textAt(response, 'model'),
    usage: usageOf(response),
    id: textAt(response, 'id'),
    items: output.flatMap((item) => textAt(item, 'id') ?? []),
    error: errorOf(response),
  };
}
