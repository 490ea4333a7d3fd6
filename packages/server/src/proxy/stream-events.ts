/** Reads server-sent events of models, and joins text deltas to save memory. */
import { createSseSplitter, parseEventData, type RawStreamEvent } from '@coppice/content/wires';
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject, listOrEmpty, objectOrEmpty } from '@coppice/core/decode';
import { waitForNextTask } from '@coppice/engine';
import { parseBoundedJson } from './bounded-json.ts';
import { readTextField, type WireKind } from './exchange.ts';

// How many bytes are read at a time, and after how many milliseconds the loop yields.
const [pieceBytes, turnMs] = [256 * 1024, 10];

/** A text delta of an event. A later delta with an equal key continues the text. */
interface TextDelta {
  /** The answer that the delta belongs to. The order between parallel answers of one stream does not matter. */
  readonly by: string;
  readonly of: string;
  readonly piece: string;
  /** Returns the event with another text. */
  with(text: string): JsonObject;
}

function hasOnlyFields(record: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in record) if (!keys.has(key)) return false;
  return true;
}

// The fields that a chunk may have, if its text is joined with that of the chunk before.
const besideChoices = new Set([
  ...['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint', 'obfuscation', 'provider'],
  ...['choices', 'usage'],
]);
const texts = new Set(['content', 'reasoning_content', 'reasoning']);

function readChatDelta(event: JsonObject): TextDelta | null {
  const choices = listOrEmpty(event, 'choices');
  const [choice] = choices;
  if (
    !isJsonObject(choice) ||
    choices.length > 1 ||
    !hasOnlyFields(event, besideChoices) ||
    isJsonObject(event['usage'])
  )
    return null;
  const delta = objectOrEmpty(choice, 'delta');
  const key = findOnlyField(delta);
  if (key === null || (choice['finish_reason'] ?? null) !== null) return null;
  // A function, because most deltas only extend the open text and need no event.
  const withFields = (more: JsonObject) => {
    const { obfuscation: _, ...plain } = event;
    return { ...plain, choices: [{ ...choice, delta: { ...delta, ...more } }] };
  };
  const by = `${choice['index'] ?? 0}`;
  if (key === 'tool_calls') return readArgumentsDelta(by, listOrEmpty(delta, key), withFields);
  const piece = readTextField(delta, key);
  if (!texts.has(key) || piece === null) return null;
  return { by, of: key, piece, with: (text) => withFields({ [key]: text }) };
}

/** Returns the only field of a delta that is not null, apart from the role; null if there is none or several. */
function findOnlyField(delta: JsonObject): string | null {
  let found: string | null = null;
  for (const key in delta) {
    if (key === 'role' || delta[key] === null) continue;
    if (found !== null) return null;
    found = key;
  }
  return found;
}

const [callFields, functionFields] = [new Set(['index', 'function']), new Set(['arguments'])];

/** Returns the delta of a chunk that only extends the arguments of one tool call; null for other chunks. */
function readArgumentsDelta(
  by: string,
  calls: readonly Json[],
  withFields: (more: JsonObject) => JsonObject,
): TextDelta | null {
  const [call] = calls;
  if (!isJsonObject(call) || calls.length > 1 || !hasOnlyFields(call, callFields)) return null;
  const called = objectOrEmpty(call, 'function');
  const piece = readTextField(called, 'arguments');
  if (piece === null || !hasOnlyFields(called, functionFields)) return null;
  const withArguments = (text: string) => withFields({ tool_calls: [{ ...call, function: { arguments: text } }] });
  return { by, of: `call ${call['index'] ?? 0}`, piece, with: withArguments };
}

/** Splits a chunk with several choices into one chunk per choice; the other fields stay with the last. */
function splitChoices(event: JsonObject): readonly JsonObject[] {
  const choices = listOrEmpty(event, 'choices');
  if (choices.length < 2 || !choices.every(isJsonObject) || !hasOnlyFields(event, besideChoices)) return [event];
  const { usage, ...plain } = event;
  const last = choices.length - 1;
  return choices.map((choice, at) => ({ ...(at === last && usage !== undefined ? event : plain), choices: [choice] }));
}

const deltaTexts: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};

function readMessagesDelta(event: JsonObject): TextDelta | null {
  const delta = objectOrEmpty(event, 'delta');
  const type = readTextField(delta, 'type') ?? '';
  const key = Object.hasOwn(deltaTexts, type) ? (deltaTexts[type] ?? '') : '';
  const piece = readTextField(delta, key);
  if (event['type'] !== 'content_block_delta' || key === '' || piece === null) return null;
  return {
    by: '',
    of: `${event['index']} ${type}`,
    piece,
    with: (text) => ({ ...event, delta: { ...delta, [key]: text } }),
  };
}

function readResponsesDelta(event: JsonObject): TextDelta | null {
  const type = readTextField(event, 'type') ?? '';
  const piece = readTextField(event, 'delta');
  if (!type.endsWith('.delta') || piece === null) return null;
  const places = ['output_index', 'item_id', 'content_index', 'summary_index'].map((key) => event[key]);
  const of = `${type} ${places.join(' ')}`;
  const withDelta = (text: string) => {
    const { obfuscation: _, ...plain } = event;
    return { ...plain, delta: text };
  };
  return { by: '', of, piece, with: withDelta };
}

const deltaReaders: Readonly<Record<WireKind, (event: JsonObject) => TextDelta | null>> = {
  chat: readChatDelta,
  messages: readMessagesDelta,
  responses: readResponsesDelta,
  // Google's chunks are few. Their parts are joined when the response is parsed.
  google: () => null,
};

/** The open texts of one answer, each with its deltas. */
type OpenTexts = { readonly delta: TextDelta; readonly pieces: string[] }[];

/** Collects events and joins the deltas of each text. */
class DeltaJoiner {
  readonly events: JsonObject[] = [];
  readonly #readDelta: (event: JsonObject) => TextDelta | null;
  readonly #splitChoices: boolean;
  /** The open texts of each answer, in order. An event that concerns all answers closes them. */
  readonly #open = new Map<string, OpenTexts>();

  constructor(wire: WireKind) {
    this.#readDelta = deltaReaders[wire];
    this.#splitChoices = wire === 'chat';
  }

  add(event: JsonObject): void {
    if (this.#splitChoices) for (const each of splitChoices(event)) this.#addOne(each);
    else this.#addOne(event);
  }

  close(): void {
    for (const texts of this.#open.values())
      for (const { delta, pieces } of texts) this.events.push(delta.with(pieces.join('')));
    this.#open.clear();
  }

  #addOne(event: JsonObject): void {
    const delta = this.#readDelta(event);
    if (delta === null) {
      this.close();
      this.events.push(event);
      return;
    }
    const texts = this.#open.get(delta.by);
    const last = texts?.at(-1);
    if (texts === undefined) this.#open.set(delta.by, [{ delta, pieces: [delta.piece] }]);
    else if (last?.delta.of === delta.of) last.pieces.push(delta.piece);
    else texts.push({ delta, pieces: [delta.piece] });
  }
}

/** Whether bytes are an event stream, not a document. */
export function isEventStream(bytes: Uint8Array): boolean {
  return isEventStreamText(new TextDecoder().decode(bytes.subarray(0, 200)));
}

/** Whether a text is the beginning of an event stream. */
export function isEventStreamText(text: string): boolean {
  return /^(?:event|data|id|retry)?:/.test(text.trimStart());
}

/** Returns the events of a stream, with the deltas of each text joined. Yields to the event loop while reading. */
export async function readStreamEvents(wire: WireKind, bytes: Uint8Array): Promise<readonly JsonObject[]> {
  const joiner = new DeltaJoiner(wire);
  const splitter = createSseSplitter(Number.POSITIVE_INFINITY);
  const add = (events: readonly RawStreamEvent[]) => {
    for (const event of events)
      for (const value of parseEventData(event, parseBoundedJson)) if (isJsonObject(value)) joiner.add(value);
  };
  let began = performance.now();
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    add(splitter.push(bytes.subarray(at, at + pieceBytes)));
    if (performance.now() - began > turnMs) {
      await waitForNextTask();
      began = performance.now();
    }
  }
  add(splitter.end());
  joiner.close();
  return joiner.events;
}

/** A condensed part of a stream, and the incomplete event at its end. */
export interface CondensedStream {
  readonly bytes: Uint8Array;
  readonly rest: Uint8Array;
}

/** Condenses a part of a stream. Parsed together with the rest, the result gives the same events. */
export async function condenseStream(wire: WireKind, part: Uint8Array): Promise<CondensedStream> {
  const end = endOfEvents(part);
  const events = end === 0 ? [] : await readStreamEvents(wire, part.subarray(0, end));
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { bytes: new TextEncoder().encode(text), rest: part.subarray(end) };
}

const [lineFeed, carriageReturn] = [10, 13];

/** Returns the offset after the blank line that ends the last complete event. */
function endOfEvents(part: Uint8Array): number {
  for (let end = part.length; end >= 2; end--) {
    const [last, before] = [part[end - 1], part[end - 2]];
    // A blank line: two line ends of the same kind, one after the other.
    if (last === before && (last === lineFeed || last === carriageReturn)) return end;
    if (last !== lineFeed || before !== carriageReturn) continue;
    if (part[end - 3] === lineFeed && part[end - 4] === carriageReturn) return end;
  }
  return 0;
}
