/** One call of another program, whichever wire it came over: what was said before, and what was answered. */
import type { Json, JsonObject, Message, NodeStatus } from '@coppice/core';
import { parseBounded } from './parse-text.ts';

const wireKinds = ['chat', 'messages', 'responses'] as const;

/** The wires that calls come over. */
export type WireKind = (typeof wireKinds)[number];

/** Whether a value is the name of a wire. */
export function isWireKind(value: unknown): value is WireKind {
  return wireKinds.some((kind) => kind === value);
}

/** What a call asked for. */
export interface ParsedRequest {
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
export interface ModelCompletion {
  readonly message: Message | null;
  readonly status: NodeStatus;
  readonly finish: string | null;
}

/** One item of a message: the id that the service gave it, and how many blocks of the message it is. */
export interface ReplyItem {
  readonly id: string;
  readonly blocks: number;
}

/** What came back. */
export interface ParsedResponse {
  /** What the service itself did before it answered: calls of its own tools, and what came of them. */
  readonly before: readonly Message[];
  readonly answers: readonly ModelCompletion[];
  readonly model: string | null;
  readonly usage: JsonObject | null;
  /** The service's own id for the reply. */
  readonly id: string | null;
  /** The service's ids for the parts of a reply, by which a client may name them instead of sending them again. */
  readonly items: readonly string[];
  /** The items of each message in `before`, where the wire has such; missing in what older versions put into files. */
  readonly itemsBefore?: readonly (readonly ReplyItem[])[];
  /** The items of the answer, in their order. */
  readonly answerItems?: readonly ReplyItem[];
  readonly error: JsonObject | null;
}

/** Who ended an answer before its end, or that no more of it was kept; null where it is whole. */
export type CutAnswer = 'client' | 'service' | 'limit' | null;

/** Whether a value is a JSON object. */
export function isWireObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in a field; an empty one where there is none. */
export function wireObjectAt(record: JsonObject, key: string): JsonObject {
  const value = record[key];
  return isWireObject(value) ? value : {};
}

/** The list in a field; an empty one where there is none. */
export function wireListAt(record: JsonObject, key: string): readonly Json[] {
  const value = record[key];
  return Array.isArray(value) ? value : [];
}

/** The text in a field, or null. */
export function wireTextAt(record: JsonObject, key: string): string | null {
  const value = record[key];
  return typeof value === 'string' ? value : null;
}

/** A JSON object, or null for whatever else there is. */
export function parseObject(text: string): JsonObject | null {
  const value = parseBounded(text);
  return isWireObject(value) ? value : null;
}

// What services write beside a text or a call and clients do not send back: with it, a history sent again would not be
// found again.
const besideText = ['annotations', 'citations', 'logprobs', 'parsed', 'status', 'id'];
const besideCall = ['caller', 'status', 'index'];

/** A record of a message with its texts and calls as they are when a client sends them again. */
export function asResent(record: JsonObject): JsonObject {
  const { content } = record;
  if (!Array.isArray(content)) return record;
  let changed = false;
  const plain = content.map((block: Json) => {
    if (!isWireObject(block)) return block;
    const beside = block['type'] === 'text' ? besideText : block['type'] === 'tool-use' ? besideCall : [];
    const extra = beside.filter((key) => Object.hasOwn(block, key));
    if (extra.length === 0) return block;
    changed = true;
    return Object.fromEntries(Object.entries(block).filter(([key]) => !extra.includes(key)));
  });
  return changed ? { ...record, content: plain } : record;
}
