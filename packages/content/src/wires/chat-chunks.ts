/** Interprets the chunks of a chat completion, both to forward a reply and to assemble it. */
import type { Json, JsonObject } from '@coppice/core';
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined } from './wire-json.ts';

/** What one chunk adds to one of the choices. */
export type ChatCompletionDelta =
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly choice: number; readonly text: string }
  /** An object of the chunk: signed reasoning in OpenRouter's form (`detail`), an image or audio. */
  | { readonly type: 'detail' | 'image' | 'audio'; readonly choice: number; readonly value: JsonObject }
  | { readonly type: 'call'; readonly choice: number; readonly call: ChatCompletionCallDraft; readonly json: string }
  | { readonly type: 'finish'; readonly choice: number; readonly reason: Json };

/** A tool call that is still being received. */
export interface ChatCompletionCallDraft {
  /** The index among the calls of its choice, from 0. */
  readonly place: number;
  id: string;
  name: string;
  json: string;
  /** Whether the call is a custom call, which has plain text instead of arguments. */
  readonly isCustom: boolean;
}

interface ChoiceCalls {
  readonly calls: ChatCompletionCallDraft[];
  /**
   * Maps the index on the wire to the actual index, because some servers count from one, send no index, or always send
   * 0.
   */
  readonly places: Map<number, number>;
}

/** Collects the chunks of one completion. */
export class ChatCompletionChunkCollector {
  readonly #choices = new Map<number, ChoiceCalls>();
  /** The reported usage; null until it is received. */
  usage: JsonObject | null = null;

  /** Returns the calls of a choice in the order they began. */
  callsOf(choice: number): readonly ChatCompletionCallDraft[] {
    return this.#choices.get(choice)?.calls ?? [];
  }

  /** Returns the pieces of a chunk in order. */
  read(chunk: Json): readonly ChatCompletionDelta[] {
    this.usage =
      objectOrUndefined(getMember(chunk, 'usage')) ??
      objectOrUndefined(getMember(chunk, 'x_groq', 'usage')) ??
      this.usage;
    const pieces: ChatCompletionDelta[] = [];
    for (const choice of listOrNone(getMember(chunk, 'choices'))) {
      if (objectOrUndefined(choice) === undefined) continue;
      this.#readChoice(getCountMember(choice, 'index') ?? 0, choice, pieces);
    }
    return pieces;
  }

  #readChoice(choice: number, wired: Json, pieces: ChatCompletionDelta[]): void {
    const delta = getMember(wired, 'delta') ?? null;
    const say = (type: 'text' | 'reasoning' | 'refusal', text: string | undefined) => {
      if (text !== undefined && text !== '') pieces.push({ type, choice, text });
    };
    say('reasoning', reasoningIn(delta));
    for (const each of listOrNone(getMember(delta, 'reasoning_details'))) {
      const value = objectOrUndefined(each);
      if (value !== undefined) pieces.push({ type: 'detail', choice, value });
    }
    const content = getMember(delta, 'content');
    say('text', typeof content === 'string' ? content : undefined);
    // Some servers send a list of parts, including reasoning.
    for (const part of listOrNone(content)) {
      say('text', getTextMember(part, 'text'));
      for (const thought of listOrNone(getMember(part, 'thinking'))) say('reasoning', getTextMember(thought, 'text'));
    }
    say('refusal', getTextMember(delta, 'refusal'));
    for (const each of listOrNone(getMember(delta, 'images'))) {
      const value = objectOrUndefined(each);
      if (value !== undefined) pieces.push({ type: 'image', choice, value });
    }
    const audio = objectOrUndefined(getMember(delta, 'audio'));
    if (audio !== undefined) pieces.push({ type: 'audio', choice, value: audio });
    for (const wiredCall of [...listOrNone(getMember(delta, 'tool_calls')), ...olderCall(delta)])
      if (objectOrUndefined(wiredCall) !== undefined) pieces.push(this.#readCall(choice, wiredCall));
    const reason = getMember(wired, 'finish_reason');
    if (reason !== undefined && reason !== null) pieces.push({ type: 'finish', choice, reason });
  }

  #readCall(choice: number, wired: Json): ChatCompletionDelta {
    const known = this.#choices.get(choice) ?? { calls: [], places: new Map() };
    this.#choices.set(choice, known);
    const isCustom = objectOrUndefined(getMember(wired, 'custom')) !== undefined;
    const part = getMember(wired, isCustom ? 'custom' : 'function');
    const id = getTextMember(wired, 'id') ?? '';
    const name = getTextMember(part, 'name') ?? '';
    const call = findCall(known, wired, id, name) ?? beginCall(known, wired, id, isCustom);
    call.id ||= id;
    // Some services repeat the whole name with every piece; others send it in pieces.
    if (name !== call.name) call.name += name;
    const json = argumentsIn(getMember(part, isCustom ? 'input' : 'arguments'));
    call.json += json;
    return { type: 'call', choice, call, json };
  }
}

/** Returns the call that a piece continues; undefined if it starts another call. */
function findCall(
  { calls, places }: ChoiceCalls,
  wired: Json,
  id: string,
  name: string,
): ChatCompletionCallDraft | undefined {
  const index = getCountMember(wired, 'index');
  if (index === undefined) {
    const same = id === '' ? undefined : calls.find((call) => call.id === id);
    return same ?? (name === '' ? calls.at(-1) : undefined);
  }
  const place = places.get(index);
  const open = place === undefined ? undefined : calls[place];
  // Some servers give every call the same index.
  const isAnother = open !== undefined && id !== '' && open.id !== '' && open.id !== id && name !== '';
  return isAnother ? undefined : open;
}

function beginCall(
  { calls, places }: ChoiceCalls,
  wired: Json,
  id: string,
  isCustom: boolean,
): ChatCompletionCallDraft {
  const call = { place: calls.length, id, name: '', json: '', isCustom };
  calls.push(call);
  const index = getCountMember(wired, 'index');
  if (index !== undefined) places.set(index, call.place);
  return call;
}

function reasoningIn(delta: Json): string | undefined {
  for (const key of ['reasoning_content', 'reasoning', 'thinking']) {
    const text = getTextMember(delta, key);
    if (text !== undefined && text !== '') return text;
  }
  let detailed = '';
  for (const each of listOrNone(getMember(delta, 'reasoning_details')))
    detailed += getTextMember(each, 'text') ?? getTextMember(each, 'summary') ?? '';
  return detailed;
}

/** Returns the arguments as text, because some servers send an object. */
function argumentsIn(piece: Json | undefined): string {
  if (typeof piece === 'string') return piece;
  return objectOrUndefined(piece) === undefined ? '' : JSON.stringify(piece);
}

/** Returns a call in the older form, which allowed only one call. */
function olderCall(delta: Json): readonly Json[] {
  const called = objectOrUndefined(getMember(delta, 'function_call'));
  return called === undefined ? [] : [{ index: 0, function: called }];
}
