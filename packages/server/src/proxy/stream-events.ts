/** Reads server-sent events of models, and joins text deltas to save memory. */
import { createSseSplitter, parseEventData, type WireEvent } from '@coppice/content/wires';
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject, listOrEmpty, objectOrEmpty } from '@coppice/core/decode';
import { readTextField, type WireKind } from './exchange.ts';
import { parseBoundedJson } from './parse-text.ts';

// How many bytes are read at a time, and after how many milliseconds the loop yields.
const [pieceBytes, turnMs] = [256 * 1024, 10];

/** A text delta of an event. A later delta with an equal key continues the text. */
interface EventText {
  /** The answer that the delta belongs to. The order between parallel answers of one stream does not matter. */
  readonly by: string;
  readonly of: string;
  readonly piece: string;
  /** Returns the event with another text. */
  with(text: string): JsonObject;
}

function onlyField(record: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in record) if (!keys.has(key)) return false;
  return true;
}

// Fields of a chunk that contain no part of an answer.
const besideChoices = new Set([
  ...['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint', 'obfuscation', 'provider'],
  ...['choices', 'usage'],
]);
const texts = new Set(['content', 'reasoning_content', 'reasoning']);

function chatSaying(event: JsonObject): EventText | null {
  const choices = listOrEmpty(event, 'choices');
  const [choice] = choices;
  if (!isJsonObject(choice) || choices.length > 1 || !onlyField(event, besideChoices) || isJsonObject(event['usage']))
    return null;
  const delta = objectOrEmpty(choice, 'delta');
  const key = onlySaid(delta);
  if (key === null || (choice['finish_reason'] ?? null) !== null) return null;
  // A function, because most deltas only extend the open text and need no event.
  const saying = (more: JsonObject) => {
    const { obfuscation: _, ...plain } = event;
    return { ...plain, choices: [{ ...choice, delta: { ...delta, ...more } }] };
  };
  const by = `${choice['index'] ?? 0}`;
  if (key === 'tool_calls') return callSaying(by, listOrEmpty(delta, key), saying);
  const piece = readTextField(delta, key);
  if (!texts.has(key) || piece === null) return null;
  return { by, of: key, piece, with: (text) => saying({ [key]: text }) };
}

/** Returns the only non-empty field of a delta; null if it has none or several. */
function onlySaid(delta: JsonObject): string | null {
  let found: string | null = null;
  for (const key in delta) {
    if (key === 'role' || delta[key] === null) continue;
    if (found !== null) return null;
    found = key;
  }
  return found;
}

const [ofCall, ofFunction] = [new Set(['index', 'function']), new Set(['arguments'])];

/** Returns the delta of a chunk that only extends the arguments of one tool call; null for other chunks. */
function callSaying(by: string, calls: readonly Json[], saying: (more: JsonObject) => JsonObject): EventText | null {
  const [call] = calls;
  if (!isJsonObject(call) || calls.length > 1 || !onlyField(call, ofCall)) return null;
  const called = objectOrEmpty(call, 'function');
  const piece = readTextField(called, 'arguments');
  if (piece === null || !onlyField(called, ofFunction)) return null;
  const withArguments = (text: string) => saying({ tool_calls: [{ ...call, function: { arguments: text } }] });
  return { by, of: `call ${call['index'] ?? 0}`, piece, with: withArguments };
}

/** Splits a chunk with several choices into one chunk per choice; the other fields stay with the last. */
function chatEvents(event: JsonObject): readonly JsonObject[] {
  const choices = listOrEmpty(event, 'choices');
  if (choices.length < 2 || !choices.every(isJsonObject) || !onlyField(event, besideChoices)) return [event];
  const { usage, ...plain } = event;
  const last = choices.length - 1;
  return choices.map((choice, at) => ({ ...(at === last && usage !== undefined ? event : plain), choices: [choice] }));
}

const deltaTexts: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};

function messagesSaying(event: JsonObject): EventText | null {
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

function responsesSaying(event: JsonObject): EventText | null {
  const type = readTextField(event, 'type') ?? '';
  const piece = readTextField(event, 'delta');
  if (!type.endsWith('.delta') || piece === null) return null;
  const of = `${type} ${event['output_index']} ${event['content_index']}`;
  const saying = (text: string) => {
    const { obfuscation: _, ...plain } = event;
    return { ...plain, delta: text };
  };
  return { by: '', of, piece, with: saying };
}

const sayings: Readonly<Record<WireKind, (event: JsonObject) => EventText | null>> = {
  chat: chatSaying,
  messages: messagesSaying,
  responses: responsesSaying,
  // Google's chunks are few. Their parts are joined when the response is parsed.
  google: () => null,
};

/** The open texts of one answer, each with its deltas. */
type SpokenText = { readonly saying: EventText; readonly pieces: string[] }[];

/** Collects events and joins the deltas of each text. */
class EventGathering {
  readonly events: JsonObject[] = [];
  readonly #sayingOf: (event: JsonObject) => EventText | null;
  readonly #apart: boolean;
  /** The open texts of each answer, in order. An event that concerns all answers closes them. */
  readonly #open = new Map<string, SpokenText>();

  constructor(wire: WireKind) {
    this.#sayingOf = sayings[wire];
    this.#apart = wire === 'chat';
  }

  add(event: JsonObject): void {
    if (this.#apart) for (const each of chatEvents(event)) this.#take(each);
    else this.#take(event);
  }

  close(): void {
    for (const spoken of this.#open.values())
      for (const { saying, pieces } of spoken) this.events.push(saying.with(pieces.join('')));
    this.#open.clear();
  }

  #take(event: JsonObject): void {
    const saying = this.#sayingOf(event);
    if (saying === null) {
      this.close();
      this.events.push(event);
      return;
    }
    const spoken = this.#open.get(saying.by);
    const last = spoken?.at(-1);
    if (spoken === undefined) this.#open.set(saying.by, [{ saying, pieces: [saying.piece] }]);
    else if (last?.saying.of === saying.of) last.pieces.push(saying.piece);
    else spoken.push({ saying, pieces: [saying.piece] });
  }
}

/** Whether bytes are an event stream, not a document. */
export function isEventStream(bytes: Uint8Array): boolean {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 200));
  return /^(?:event|data|id|retry)?:/.test(beginning.trimStart());
}

/** Returns the events of a stream, with the deltas of each text joined. Yields to the event loop while reading. */
export async function readStreamEvents(wire: WireKind, bytes: Uint8Array): Promise<readonly JsonObject[]> {
  const gathering = new EventGathering(wire);
  const framing = createSseSplitter(Number.POSITIVE_INFINITY);
  const add = (events: readonly WireEvent[]) => {
    for (const event of events)
      for (const value of parseEventData(event, parseBoundedJson)) if (isJsonObject(value)) gathering.add(value);
  };
  let began = performance.now();
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    add(framing.push(bytes.subarray(at, at + pieceBytes)));
    if (performance.now() - began > turnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
  }
  add(framing.end());
  gathering.close();
  return gathering.events;
}

/** A condensed part of a stream, and the incomplete event at its end. */
export interface CondensedStream {
  readonly bytes: Uint8Array;
  readonly rest: Uint8Array;
}

/** Condenses a part of a stream. Parsed together with the rest, the result gives the same events. */
export async function condenseStream(wire: WireKind, part: Uint8Array): Promise<CondensedStream> {
  const end = endOfEvents(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  const events = end === 0 ? [] : await readStreamEvents(wire, part.subarray(0, end));
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { bytes: new TextEncoder().encode(text), rest: part.subarray(end) };
}

/** Returns the offset after the blank line that ends the last complete event. */
function endOfEvents(part: Buffer): number {
  return Math.max(
    ...['\n\n', '\r\n\r\n', '\r\r'].map((blank) => {
      const at = part.lastIndexOf(blank, undefined, 'latin1');
      return at === -1 ? 0 : at + blank.length;
    }),
  );
}
