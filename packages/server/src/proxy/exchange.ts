/** One call of another program, whichever wire it came over: what was said before, and what was answered. */
import { normaliseMessage } from '@coppice/content';
import { eventsOf, foldChunks, foldEvents, fromAnthropic, fromOpenAi, imageOfUrl } from '@coppice/content/formats';
import type { Json, JsonObject, Message, NodeStatus } from '@coppice/core';

/** The wires that calls come over. */
export type WireKind = 'chat' | 'messages' | 'responses';

/** What a call asked for. */
export interface Asked {
  readonly wire: WireKind;
  readonly model: string;
  /** Undefined and empty differ, as everywhere. */
  readonly systemPrompt: string | undefined;
  readonly history: readonly Message[];
  /** The reply that this goes on from, by the id that the service gave it. */
  readonly previous: string | null;
  readonly stream: boolean;
  readonly parameters: JsonObject;
  readonly tools: readonly string[];
}

/** One answer to a call. */
export interface Answered {
  readonly message: Message | null;
  readonly status: NodeStatus;
  readonly finish: string | null;
}

/** What came back. */
export interface Returned {
  readonly answers: readonly Answered[];
  readonly model: string | null;
  readonly usage: JsonObject | null;
  /** The service's own id for the reply. */
  readonly id: string | null;
  readonly error: JsonObject | null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectAt(record: JsonObject, key: string): JsonObject {
  const value = record[key];
  return isObject(value) ? value : {};
}

function listAt(record: JsonObject, key: string): readonly Json[] {
  const value = record[key];
  return Array.isArray(value) ? value : [];
}

function textAt(record: JsonObject, key: string): string | null {
  const value = record[key];
  return typeof value === 'string' ? value : null;
}

/** A JSON object, or null for whatever else there is. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Messages in canonical form; what cannot be read as one is left out, since the client's call goes on all the same. */
function canonical(records: readonly JsonObject[]): Message[] {
  const messages: Message[] = [];
  for (const record of records) {
    const read = normaliseMessage(record, { blank: 'keep' });
    if (read.ok) messages.push(read.value);
  }
  return messages;
}

const notParameters = ['messages', 'system', 'model', 'tools', 'stream', 'input', 'instructions', 'metadata', 'user'];

function parametersOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !notParameters.includes(key)));
}

function toolNames(body: JsonObject): string[] {
  return listAt(body, 'tools').flatMap((tool) => {
    if (!isObject(tool)) return [];
    const name = textAt(tool, 'name') ?? textAt(objectAt(tool, 'function'), 'name') ?? textAt(tool, 'type');
    return name === null ? [] : [name];
  });
}

/** What a call asks, or null where nothing in it can be recorded. */
export function readAsked(wire: WireKind, body: JsonObject): Asked | null {
  const common = {
    wire,
    model: textAt(body, 'model') ?? 'unknown',
    stream: body['stream'] === true,
    parameters: parametersOf(body),
    tools: toolNames(body),
  };
  if (wire === 'responses') return { ...common, ...responsesHistory(body) };
  const records = listAt(body, 'messages').filter(isObject);
  if (records.length === 0) return null;
  if (wire === 'messages') {
    const history = canonical(records.flatMap((record, index) => [...fromAnthropic(record, `${index}`)]));
    return { ...common, systemPrompt: anthropicPrompt(body['system']), history, previous: null };
  }
  const [first] = records;
  const leads = first !== undefined && (first['role'] === 'system' || first['role'] === 'developer');
  const systemPrompt = leads ? promptText(first['content']) : undefined;
  const rest = leads && systemPrompt !== undefined ? records.slice(1) : records;
  return { ...common, systemPrompt, history: canonical(rest.map(fromOpenAi)), previous: null };
}

function anthropicPrompt(system: Json | undefined): string | undefined {
  if (typeof system === 'string') return system;
  if (!Array.isArray(system)) return undefined;
  return system.map((block) => (isObject(block) ? (textAt(block, 'text') ?? '') : '')).join('\n\n');
}

function promptText(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (isObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n\n');
}

function responsesHistory(body: JsonObject): Pick<Asked, 'systemPrompt' | 'history' | 'previous'> {
  const { input } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : Array.isArray(input) ? input : [];
  const records: JsonObject[] = [];
  let systemPrompt = textAt(body, 'instructions') ?? undefined;
  for (const item of items) {
    if (!isObject(item)) continue;
    const role = textAt(item, 'role');
    if (records.length === 0 && systemPrompt === undefined && (role === 'system' || role === 'developer')) {
      systemPrompt = promptText(item['content']);
      continue;
    }
    const read = fromResponsesItem(item);
    if (read === null) continue;
    const last = records.at(-1);
    // One reply comes back as several items; here it is one message, as it was recorded.
    const merges = last !== undefined && last['role'] === 'assistant' && read['role'] === 'assistant';
    if (merges)
      records[records.length - 1] = { ...last, content: [...listAt(last, 'content'), ...listAt(read, 'content')] };
    else records.push(read);
  }
  return { systemPrompt, history: canonical(records), previous: textAt(body, 'previous_response_id') };
}

/** An item of the Responses wire as a message; null for items that say nothing by themselves. */
function fromResponsesItem(item: JsonObject): JsonObject | null {
  const type = textAt(item, 'type') ?? 'message';
  if (type === 'function_call')
    return fromOpenAi({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: textAt(item, 'call_id') ?? textAt(item, 'id') ?? 'call',
          type: 'function',
          function: { name: textAt(item, 'name') ?? 'unknown', arguments: textAt(item, 'arguments') ?? '' },
        },
      ],
    });
  if (type === 'function_call_output') {
    const { output } = item;
    const content = typeof output === 'string' ? output : JSON.stringify(output ?? '');
    return fromOpenAi({ role: 'tool', tool_call_id: textAt(item, 'call_id') ?? 'call', content });
  }
  if (type === 'reasoning') {
    const text = listAt(item, 'summary')
      .map((part) => (isObject(part) ? (textAt(part, 'text') ?? '') : ''))
      .join('\n\n');
    return text === '' ? null : { role: 'assistant', content: [{ type: 'thinking', thinking: text }] };
  }
  if (type !== 'message') return null;
  const { content } = item;
  const parts = Array.isArray(content) ? content.map(responsesPart) : (content ?? '');
  return fromOpenAi({ role: textAt(item, 'role') ?? 'user', content: parts });
}

function responsesPart(part: Json): Json {
  if (!isObject(part) || part['type'] !== 'input_image') return part;
  const url = textAt(part, 'image_url');
  return url === null ? part : imageOfUrl(url);
}

const nothing: Returned = { answers: [], model: null, usage: null, id: null, error: null };

/** What a service answered: a JSON document, or server-sent events. `whole` is false where the stream was cut. */
export function readReturned(wire: WireKind, text: string, status: number, whole: boolean): Returned {
  const isStream = /^(?:event|data|:)/.test(text.trimStart().slice(0, 8));
  const document = isStream ? null : parseObject(text);
  if (status >= 400) {
    const error = document === null ? { message: text.slice(0, 2_000) } : objectAt(document, 'error');
    return { ...nothing, error: { status, ...error } };
  }
  const events = isStream ? eventsOf(text) : [];
  if (wire === 'chat') return fromChat(document ?? foldChunks(events), whole);
  if (wire === 'messages') return fromMessages(document ?? foldEvents(events), whole);
  return fromResponses(document ?? foldResponses(events), whole);
}

function usageOf(record: JsonObject): JsonObject | null {
  const usage = objectAt(record, 'usage');
  return Object.keys(usage).length === 0 ? null : usage;
}

function answer(record: JsonObject, finish: string | null, whole: boolean): Answered {
  const read = normaliseMessage(record, { blank: 'keep' });
  const message = read.ok ? read.value : null;
  return { message, finish, status: finish === null || !whole ? 'interrupted' : 'success' };
}

function errorOf(record: JsonObject): JsonObject | null {
  const error = objectAt(record, 'error');
  return Object.keys(error).length === 0 ? null : error;
}

function fromChat(completion: JsonObject, whole: boolean): Returned {
  const answers = listAt(completion, 'choices')
    .filter(isObject)
    .map((choice) => {
      const message = fromOpenAi({ role: 'assistant', ...objectAt(choice, 'message') });
      return answer(message, textAt(choice, 'finish_reason'), whole);
    });
  return {
    answers,
    model: textAt(completion, 'model'),
    usage: usageOf(completion),
    id: textAt(completion, 'id'),
    error: errorOf(completion),
  };
}

function fromMessages(message: JsonObject, whole: boolean): Returned {
  const [read] = fromAnthropic({ ...message, role: 'assistant' }, textAt(message, 'id') ?? 'reply').slice(-1);
  const said = listAt(message, 'content').length > 0 && read !== undefined;
  return {
    answers: said ? [answer(read, textAt(message, 'stop_reason'), whole)] : [],
    model: textAt(message, 'model'),
    usage: usageOf(message),
    id: textAt(message, 'id'),
    error: errorOf(message),
  };
}

/** The response that a stream of events ends with, or as much of it as there was. */
function foldResponses(events: readonly JsonObject[]): JsonObject {
  let response: JsonObject = {};
  const items = new Map<number, JsonObject>();
  const texts = new Map<number, string>();
  for (const event of events) {
    const type = textAt(event, 'type') ?? '';
    const index = typeof event['output_index'] === 'number' ? event['output_index'] : 0;
    if (isObject(event['response'])) response = { ...response, ...objectAt(event, 'response') };
    if (type === 'response.output_item.done') items.set(index, objectAt(event, 'item'));
    if (type === 'response.output_text.delta')
      texts.set(index, (texts.get(index) ?? '') + (textAt(event, 'delta') ?? ''));
    if (type === 'error') response = { ...response, error: event };
  }
  if (listAt(response, 'output').length > 0) return response;
  for (const [index, text] of texts)
    if (!items.has(index))
      items.set(index, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
  return { ...response, output: [...items].sort(([a], [b]) => a - b).map(([, item]) => item) };
}

function fromResponses(response: JsonObject, whole: boolean): Returned {
  const blocks = listAt(response, 'output').flatMap((item) => {
    const read = isObject(item) ? fromResponsesItem(item) : null;
    return read === null ? [] : [...listAt(read, 'content')];
  });
  const status = textAt(response, 'status');
  const finish = status === 'completed' || status === 'incomplete' ? status : null;
  return {
    answers: blocks.length === 0 ? [] : [answer({ role: 'assistant', content: blocks }, finish, whole)],
    model: textAt(response, 'model'),
    usage: usageOf(response),
    id: textAt(response, 'id'),
    error: errorOf(response),
  };
}
