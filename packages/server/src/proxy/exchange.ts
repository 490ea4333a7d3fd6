/** One call of another program, independent of its wire: the history and the response. */
import type { Json, JsonObject, Message, NodeStatus } from '@coppice/core';
import { getText, isJsonObject } from '@coppice/core/decode';
import { parseBoundedJson } from './bounded-json.ts';

export const wireKinds = ['chat', 'messages', 'responses', 'google'] as const;

/** The request formats that the proxy records. */
export type WireKind = (typeof wireKinds)[number];

/** The request formats that the models of this server can answer. */
export type LocalWireKind = Exclude<WireKind, 'google'>;

export function isWireKind(value: unknown): value is WireKind {
  return wireKinds.some((kind) => kind === value);
}

/** The parsed request of a call, in the same form for all formats. */
export interface ParsedRequest {
  readonly wire: WireKind;
  readonly model: string;
  /** The system prompt. Undefined and empty are different. */
  readonly systemPrompt: string | undefined;
  readonly history: readonly Message[];
  /** The reply that this call continues, by the service's id. */
  readonly previous: string | null;
  /** The conversation that the service keeps and that this call continues (`conversation`); null without one. */
  readonly conversation: string | null;
  /** The session id in the body; null if the body has none. */
  readonly session: string | null;
  /** The key of the prompt cache, which is the session id of some programs; null if the body has none. */
  readonly cacheKey: string | null;
  readonly stream: boolean;
  readonly parameters: JsonObject;
  readonly tools: readonly string[];
}

/** One answer of a call. A call may request several. */
export interface ModelCompletion {
  readonly message: Message | null;
  readonly status: NodeStatus;
  readonly finish: string | null;
}

/** An item of OpenAI's Responses API: its id, and the number of blocks of the message that it covers. */
export interface ResponseItemSpan {
  readonly id: string;
  readonly blocks: number;
}

/** The parsed response of a call, in the same form for all formats. */
export interface ParsedResponse {
  /** The tool calls that the service ran itself before its answer, with their results. */
  readonly before: readonly Message[];
  readonly answers: readonly ModelCompletion[];
  readonly model: string | null;
  readonly usage: JsonObject | null;
  /** The service's id of the reply. */
  readonly id: string | null;
  /** The service's ids of the parts of a reply. A client may reference a part by its id instead of sending it again. */
  readonly items: readonly string[];
  /** The items of each message in `before`, if the wire has items. Files of older versions do not have this field. */
  readonly itemsBefore?: readonly (readonly ResponseItemSpan[])[];
  /** The items of the answer, in their order. */
  readonly answerItems?: readonly ResponseItemSpan[];
  readonly error: JsonObject | null;
}

/** What cut the response off: the client, the service or the size limit. Null if the response is complete. */
export type CutOffReason = 'client' | 'service' | 'limit' | null;

/** Returns the text of a field; null if the field is not a text. */
export function readTextField(record: JsonObject, key: string): string | null {
  return getText(record, key) ?? null;
}

/** Parses a JSON object; null for anything else. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseBoundedJson(text);
  return isJsonObject(value) ? value : null;
}

// Fields that services add to texts and calls but that clients do not send back. With them a resent history would not
// match.
const besideText = ['annotations', 'citations', 'logprobs', 'parsed', 'status', 'id'];
const besideCall = ['caller', 'status', 'index'];

/** Returns a message without the fields that clients leave out when they send it again. */
export function removeResponseOnlyFields(record: JsonObject): JsonObject {
  const { content } = record;
  if (!Array.isArray(content)) return record;
  let changed = false;
  const plain = content.map((block: Json) => {
    if (!isJsonObject(block)) return block;
    const beside = block['type'] === 'text' ? besideText : block['type'] === 'tool-use' ? besideCall : [];
    const extra = beside.filter((key) => Object.hasOwn(block, key));
    if (extra.length === 0) return block;
    changed = true;
    return Object.fromEntries(Object.entries(block).filter(([key]) => !extra.includes(key)));
  });
  return changed ? { ...record, content: plain } : record;
}
