/** Reads a stream of server-sent events with no more of it in memory than what it says. */
import { jsonOfEvent, sseFraming, type WireEvent } from '@coppice/content/wires';
import type { Json, JsonObject } from '@coppice/core';
import { isWireObject, type WireKind, wireListAt, wireObjectAt, wireTextAt } from './exchange.ts';
import { parseBounded } from './parse-text.ts';

// How much is read at a time, and after how long others have their turn.
const [pieceBytes, turnMs] = [256 * 1024, 10];

/** Where an event says a piece of a text: what has to be the same for the next piece to go on with it, and the piece. */
interface EventText {
  /** Whose text it is: between the answers of one stream, which come mixed, no order has to be kept. */
  readonly by: string;
  readonly of: string;
  readonly piece: string;
  /** The same event with another text. */
  with(text: string): JsonObject;
}

function onlyField(record: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in record) if (!keys.has(key)) return false;
  return true;
}

// What a chunk may hold beside its choices and still say nothing but a piece of a text.
const besideChoices = new Set([
  ...['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint', 'obfuscation', 'provider'],
  ...['choices', 'usage'],
]);
const texts = new Set(['content', 'reasoning_content', 'reasoning']);

function chatSaying(event: JsonObject): EventText | null {
  const choices = wireListAt(event, 'choices');
  const [choice] = choices;
  if (!isWireObject(choice) || choices.length > 1 || !onlyField(event, besideChoices) || isWireObject(event['usage']))
    return null;
  const delta = wireObjectAt(choice, 'delta');
  const key = onlySaid(delta);
  if (key === null || (choice['finish_reason'] ?? null) !== null) return null;
  // Made where it is needed alone: most pieces only go on with what is open.
  const saying = (more: JsonObject) => {
    const { obfuscation: _, ...plain } = event;
    return { ...plain, choices: [{ ...choice, delta: { ...delta, ...more } }] };
  };
  const by = `${choice['index'] ?? 0}`;
  if (key === 'tool_calls') return callSaying(by, wireListAt(delta, key), saying);
  const piece = wireTextAt(delta, key);
  if (!texts.has(key) || piece === null) return null;
  return { by, of: key, piece, with: (text) => saying({ [key]: text }) };
}

/** The one field of a delta that says something; null where there are none or several. */
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

/** A chunk that goes on with the arguments of one call, and says nothing else of it. */
function callSaying(by: string, calls: readonly Json[], saying: (more: JsonObject) => JsonObject): EventText | null {
  const [call] = calls;
  if (!isWireObject(call) || calls.length > 1 || !onlyField(call, ofCall)) return null;
  const called = wireObjectAt(call, 'function');
  const piece = wireTextAt(called, 'arguments');
  if (piece === null || !onlyField(called, ofFunction)) return null;
  const withArguments = (text: string) => saying({ tool_calls: [{ ...call, function: { arguments: text } }] });
  return { by, of: `call ${call['index'] ?? 0}`, piece, with: withArguments };
}

/** A chunk in which several answers say something, as one chunk for each; what else it holds comes with the last. */
function chatEvents(event: JsonObject): readonly JsonObject[] {
  const choices = wireListAt(event, 'choices');
  if (choices.length < 2 || !choices.every(isWireObject) || !onlyField(event, besideChoices)) return [event];
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
  const delta = wireObjectAt(event, 'delta');
  const type = wireTextAt(delta, 'type') ?? '';
  const key = Object.hasOwn(deltaTexts, type) ? (deltaTexts[type] ?? '') : '';
  const piece = wireTextAt(delta, key);
  if (event['type'] !== 'content_block_delta' || key === '' || piece === null) return null;
  return {
    by: '',
    of: `${event['index']} ${type}`,
    piece,
    with: (text) => ({ ...event, delta: { ...delta, [key]: text } }),
  };
}

function responsesSaying(event: JsonObject): EventText | null {
  const type = wireTextAt(event, 'type') ?? '';
  const piece = wireTextAt(event, 'delta');
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
};

/** Texts of one answer, each with the pieces that came of it. */
type SpokenText = { readonly saying: EventText; readonly pieces: string[] }[];

/** Gathers events; those that go on with a text are one. */
class EventGathering {
  readonly events: JsonObject[] = [];
  readonly #sayingOf: (event: JsonObject) => EventText | null;
  readonly #apart: boolean;
  /** What is said since an event that concerns all, by whose it is: each in its order, one behind the other. */
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

/** Whether bytes are a stream of events, and no document. */
export function isEventStream(bytes: Uint8Array): boolean {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 200));
  return /^(?:event|data|id|retry)?:/.test(beginning.trimStart());
}

/** The events of a stream, with the pieces of each text put together. Others have their turns while it is read. */
export async function streamEvents(wire: WireKind, bytes: Uint8Array): Promise<readonly JsonObject[]> {
  const gathering = new EventGathering(wire);
  const framing = sseFraming(Number.POSITIVE_INFINITY);
  const add = (events: readonly WireEvent[]) => {
    for (const event of events)
      for (const value of jsonOfEvent(event, parseBounded)) if (isWireObject(value)) gathering.add(value);
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

/** A part of a stream in fewer bytes, with the pieces of each text put together, and what its last whole event leaves over. */
export interface Condensed {
  readonly bytes: Uint8Array;
  readonly rest: Uint8Array;
}

/** Says what a part of a stream says in fewer bytes; read with what comes after it, it gives the same events. */
export async function condensed(wire: WireKind, part: Uint8Array): Promise<Condensed> {
  const end = endOfEvents(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  const events = end === 0 ? [] : await streamEvents(wire, part.subarray(0, end));
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { bytes: new TextEncoder().encode(text), rest: part.subarray(end) };
}

/** Where the last event ends that is whole, by its blank line. */
function endOfEvents(part: Buffer): number {
  return Math.max(
    ...['\n\n', '\r\n\r\n', '\r\r'].map((blank) => {
      const at = part.lastIndexOf(blank, undefined, 'latin1');
      return at === -1 ? 0 : at + blank.length;
    }),
  );
}
