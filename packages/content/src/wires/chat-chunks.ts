/** Interprets the chunks of a chat completion, for code that forwards a reply and code that assembles it. */
import type { Json, JsonObject } from '@coppice/core';
import { countMember, jsonListOf, jsonObjectOf, memberAt, textMember } from './wire-json.ts';

/** One piece of one of the choices. */
export type ChatPiece =
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly choice: number; readonly text: string }
  /** Signed reasoning in OpenRouter's form. */
  | { readonly type: 'detail' | 'image' | 'audio'; readonly choice: number; readonly value: JsonObject }
  | { readonly type: 'call'; readonly choice: number; readonly call: ChatCallDraft; readonly json: string }
  | { readonly type: 'finish'; readonly choice: number; readonly reason: Json };

/** A call, as far as received. */
export interface ChatCallDraft {
  /** Its index among the calls of its choice, from 0. */
  readonly place: number;
  id: string;
  name: string;
  json: string;
  /** Whether it is a custom call, which takes plain text instead of arguments. */
  readonly isCustom: boolean;
}

interface ChoiceCalls {
  readonly calls: ChatCallDraft[];
  /** Maps the wire's index to ours: some servers count from one, send none, or always send 0. */
  readonly places: Map<number, number>;
}

/** Reads the chunks of one completion. */
export class ChatChunks {
  readonly #choices = new Map<number, ChoiceCalls>();
  /** The reported usage; null until it is received. */
  usage: JsonObject | null = null;

  /** Returns the calls of a choice in the order they began. */
  callsOf(choice: number): readonly ChatCallDraft[] {
    return this.#choices.get(choice)?.calls ?? [];
  }

  /** Returns the pieces of a chunk in order. */
  read(chunk: Json): readonly ChatPiece[] {
    this.usage =
      jsonObjectOf(memberAt(chunk, 'usage')) ?? jsonObjectOf(memberAt(chunk, 'x_groq', 'usage')) ?? this.usage;
    const pieces: ChatPiece[] = [];
    for (const choice of jsonListOf(memberAt(chunk, 'choices'))) {
      if (jsonObjectOf(choice) === undefined) continue;
      this.#readChoice(countMember(choice, 'index') ?? 0, choice, pieces);
    }
    return pieces;
  }

  #readChoice(choice: number, wired: Json, pieces: ChatPiece[]): void {
    const delta = memberAt(wired, 'delta') ?? null;
    const say = (type: 'text' | 'reasoning' | 'refusal', text: string | undefined) => {
      if (text !== undefined && text !== '') pieces.push({ type, choice, text });
    };
    say('reasoning', reasoningIn(delta));
    for (const each of jsonListOf(memberAt(delta, 'reasoning_details'))) {
      const value = jsonObjectOf(each);
      if (value !== undefined) pieces.push({ type: 'detail', choice, value });
    }
    const content = memberAt(delta, 'content');
    say('text', typeof content === 'string' ? content : undefined);
    // Some servers send a list of parts, including reasoning.
    for (const part of jsonListOf(content)) {
      say('text', textMember(part, 'text'));
      for (const thought of jsonListOf(memberAt(part, 'thinking'))) say('reasoning', textMember(thought, 'text'));
    }
    say('refusal', textMember(delta, 'refusal'));
    for (const each of jsonListOf(memberAt(delta, 'images'))) {
      const value = jsonObjectOf(each);
      if (value !== undefined) pieces.push({ type: 'image', choice, value });
    }
    const audio = jsonObjectOf(memberAt(delta, 'audio'));
    if (audio !== undefined) pieces.push({ type: 'audio', choice, value: audio });
    for (const wiredCall of [...jsonListOf(memberAt(delta, 'tool_calls')), ...olderCall(delta)])
      if (jsonObjectOf(wiredCall) !== undefined) pieces.push(this.#readCall(choice, wiredCall));
    const reason = memberAt(wired, 'finish_reason');
    if (reason !== undefined && reason !== null) pieces.push({ type: 'finish', choice, reason });
  }

  #readCall(choice: number, wired: Json): ChatPiece {
    const known = this.#choices.get(choice) ?? { calls: [], places: new Map() };
    this.#choices.set(choice, known);
    const isCustom = jsonObjectOf(memberAt(wired, 'custom')) !== undefined;
    const part = memberAt(wired, isCustom ? 'custom' : 'function');
    const id = textMember(wired, 'id') ?? '';
    const name = textMember(part, 'name') ?? '';
    const call = findCall(known, wired, id, name) ?? beginCall(known, wired, id, isCustom);
    call.id ||= id;
    // Some services repeat the whole name with every piece, others send it in pieces.
    if (name !== call.name) call.name += name;
    const json = argumentsIn(memberAt(part, isCustom ? 'input' : 'arguments'));
    call.json += json;
    return { type: 'call', choice, call, json };
  }
}

/** Returns the call that a piece continues; undefined if it starts another. */
function findCall({ calls, places }: ChoiceCalls, wired: Json, id: string, name: string): ChatCallDraft | undefined {
  const index = countMember(wired, 'index');
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

function beginCall({ calls, places }: ChoiceCalls, wired: Json, id: string, isCustom: boolean): ChatCallDraft {
  const call = { place: calls.length, id, name: '', json: '', isCustom };
  calls.push(call);
  const index = countMember(wired, 'index');
  if (index !== undefined) places.set(index, call.place);
  return call;
}

function reasoningIn(delta: Json): string | undefined {
  for (const key of ['reasoning_content', 'reasoning', 'thinking']) {
    const text = textMember(delta, key);
    if (text !== undefined && text !== '') return text;
  }
  let detailed = '';
  for (const each of jsonListOf(memberAt(delta, 'reasoning_details')))
    detailed += textMember(each, 'text') ?? textMember(each, 'summary') ?? '';
  return detailed;
}

/** Some servers send the arguments as an object. */
function argumentsIn(piece: Json | undefined): string {
  if (typeof piece === 'string') return piece;
  return jsonObjectOf(piece) === undefined ? '' : JSON.stringify(piece);
}

/** Returns a call in the older form, from before several were possible. */
function olderCall(delta: Json): readonly Json[] {
  const called = jsonObjectOf(memberAt(delta, 'function_call'));
  return called === undefined ? [] : [{ index: 0, function: called }];
}
