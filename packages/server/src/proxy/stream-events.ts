/** Reads a stream of server-sent events with no more of it in memory than what it says. */
import type { Json, JsonObject } from '@coppice/core';
import { isObject, listAt, objectAt, textAt, type WireKind } from './exchange.ts';

// How much is read at a time, and after how long others have their turn.
const [pieceBytes, turnMs] = [256 * 1024, 10];

/** Where an event says a piece of a text: what has to be the same for the next piece to go on with it, and the piece. */
interface Saying {
  readonly of: string;
  readonly piece: string;
  /** The same event with another text. */
  with(text: string): JsonObject;
}

function only(record: JsonObject, ...keys: readonly string[]): boolean {
  return Object.keys(record).every((key) => keys.includes(key));
}

// What a chunk may hold beside its choices and still say nothing but a piece of a text.
const besideChoices = [
  ...['id', 'object', 'created', 'model', 'service_tier', 'system_fingerprint', 'obfuscation', 'provider'],
  ...['choices', 'usage'],
];

function chatSaying(event: JsonObject): Saying | null {
  const [choice, ...more] = listAt(event, 'choices');
  if (!isObject(choice) || more.length > 0 || !only(event, ...besideChoices) || isObject(event['usage'])) return null;
  const delta = objectAt(choice, 'delta');
  const keys = Object.keys(delta).filter((key) => key !== 'role' && delta[key] !== null);
  const [key = ''] = keys;
  const piece = textAt(delta, key);
  const said = ['content', 'reasoning_content', 'reasoning'].includes(key) && keys.length === 1;
  if (!said || piece === null || (choice['finish_reason'] ?? null) !== null) return null;
  const { obfuscation: _, ...plain } = event;
  const of = `${choice['index'] ?? 0} ${key}`;
  return { of, piece, with: (text) => ({ ...plain, choices: [{ ...choice, delta: { ...delta, [key]: text } }] }) };
}

const deltaTexts: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};

function messagesSaying(event: JsonObject): Saying | null {
  const delta = objectAt(event, 'delta');
  const type = textAt(delta, 'type') ?? '';
  const key = Object.hasOwn(deltaTexts, type) ? (deltaTexts[type] ?? '') : '';
  const piece = textAt(delta, key);
  if (event['type'] !== 'content_block_delta' || key === '' || piece === null) return null;
  return { of: `${event['index']} ${type}`, piece, with: (text) => ({ ...event, delta: { ...delta, [key]: text } }) };
}

function responsesSaying(event: JsonObject): Saying | null {
  const type = textAt(event, 'type') ?? '';
  const piece = textAt(event, 'delta');
  if (!type.endsWith('.delta') || piece === null) return null;
  const { obfuscation: _, ...plain } = event;
  const of = JSON.stringify([type, event['output_index'] ?? null, event['content_index'] ?? null]);
  return { of, piece, with: (text) => ({ ...plain, delta: text }) };
}

const sayings: Readonly<Record<WireKind, (event: JsonObject) => Saying | null>> = {
  chat: chatSaying,
  messages: messagesSaying,
  responses: responsesSaying,
};

/** Gathers events; those that go on with a text are one. */
class Gathering {
  readonly events: JsonObject[] = [];
  readonly #sayingOf: (event: JsonObject) => Saying | null;
  #open: Saying | null = null;
  #pieces: string[] = [];

  constructor(wire: WireKind) {
    this.#sayingOf = sayings[wire];
  }

  add(event: JsonObject): void {
    const saying = this.#sayingOf(event);
    if (saying !== null && this.#open?.of === saying.of) {
      this.#pieces.push(saying.piece);
      return;
    }
    this.close();
    if (saying === null) this.events.push(event);
    else {
      this.#open = saying;
      this.#pieces = [saying.piece];
    }
  }

  close(): void {
    if (this.#open !== null) this.events.push(this.#open.with(this.#pieces.join('')));
    this.#open = null;
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether bytes are a stream of events, and no document. */
export function isEventStream(bytes: Uint8Array): boolean {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 200));
  return /^(?:event|data|id|retry)?:/.test(beginning.trimStart());
}

/** The events of a stream, with the pieces of each text put together. Others have their turns while it is read. */
export async function streamEvents(wire: WireKind, bytes: Uint8Array): Promise<readonly JsonObject[]> {
  const gathering = new Gathering(wire);
  let data: string[] = [];
  const closeEvent = () => {
    const whole = data.length === 0 ? undefined : parsed(data.join('\n'));
    // In a log without its blank lines each line is one.
    for (const value of whole === undefined ? data.map(parsed) : [whole]) if (isObject(value)) gathering.add(value);
    data = [];
  };
  const decoder = new TextDecoder();
  // A line may be longer than what is read at a time: it is put together once, when its end is there.
  let held: string[] = [];
  let began = performance.now();
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    const last = at + pieceBytes >= bytes.byteLength;
    const text = decoder.decode(bytes.subarray(at, at + pieceBytes), { stream: !last });
    held.push(text);
    if (!last && !/[\r\n]/.test(text)) continue;
    // Lines end as the standard says: by LF, CR LF, or CR alone; a CR at the end of a piece may be half of one.
    const lines = held.join('').split(last ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/);
    held = last ? [] : [lines.pop() ?? ''];
    for (const line of lines) {
      if (line === '') closeEvent();
      else if (line.startsWith('data:')) data.push(line.slice(5).trim());
    }
    if (performance.now() - began > turnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
  }
  closeEvent();
  gathering.close();
  return gathering.events;
}
