/** Interprets the events of a response, both to forward a reply and to assemble it. */
import type { Json, JsonObject } from '@coppice/core';
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined } from './wire-json.ts';

/** The kinds of text of an item: text, a refusal, readable reasoning, or the arguments or input of a call. */
export type ResponsesText = 'text' | 'refusal' | 'summary' | 'reasoning' | 'arguments' | 'input';

/** An output item that is still being received. */
export interface ResponsesItemDraft {
  readonly index: number;
  readonly type: string;
  /** The first state of the item, which is replaced by its final state. */
  item: JsonObject;
  isDone: boolean;
  /** The received pieces by kind and part number. */
  readonly texts: Map<ResponsesText, Map<number, string>>;
}

/** What an event changes about an item. */
export interface ResponsesChange {
  readonly what: 'begun' | 'ended' | ResponsesText;
  readonly draft: ResponsesItemDraft;
  readonly piece: string;
}

const textEvents: ReadonlyMap<string, ResponsesText> = new Map([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'refusal'],
  ['response.reasoning_summary_text.delta', 'summary'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.function_call_arguments.delta', 'arguments'],
  ['response.custom_tool_call_input.delta', 'input'],
]);

const lifeSigns: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued']);

/** Collects the events of one response. Items are identified by their index in the output. */
export class ResponsesEvents {
  readonly #items = new Map<number, ResponsesItemDraft>();
  #response: JsonObject = {};
  /** The complete response from the last event; null until then. */
  ended: JsonObject | null = null;
  /** The error that the service reported; null without an error. */
  failure: Json = null;

  /** Reads an event; returns null for keep-alives. */
  read(event: Json, name = ''): readonly ResponsesChange[] | null {
    const type = getTextMember(event, 'type') ?? name;
    const said = objectOrUndefined(getMember(event, 'response'));
    if (said !== undefined) this.#response = { ...this.#response, ...said };
    if (lifeSigns.has(type)) return null;
    const text = textEvents.get(type);
    if (text !== undefined) return this.#say(event, text);
    switch (type) {
      case 'response.output_item.added':
        return this.#begin(event);
      case 'response.output_item.done':
        return this.#end(event);
      case 'response.completed':
        this.ended = this.#response;
        return [];
      case 'response.incomplete':
        this.#response = { ...this.#response, status: 'incomplete' };
        this.ended = this.#response;
        return [];
      case 'response.failed':
        this.failure = getMember(event, 'response', 'error') ?? {};
        return [];
      case 'error':
        this.failure = getMember(event, 'error') ?? event;
        this.#response = { ...this.#response, error: this.failure };
        return [];
      default:
        return [];
    }
  }

  /** Returns the response assembled from the events. If the stream was interrupted, it contains the received part. */
  toResponse(): JsonObject {
    if (listOrNone(getMember(this.#response, 'output')).length > 0) return this.#response;
    const output = [...this.#items.values()].sort((a, b) => a.index - b.index).map(itemOf);
    return { ...this.#response, output };
  }

  #begin(event: Json): readonly ResponsesChange[] {
    const index = getCountMember(event, 'output_index') ?? 0;
    const item = objectOrUndefined(getMember(event, 'item')) ?? {};
    const draft = { index, type: getTextMember(item, 'type') ?? '', item, isDone: false, texts: new Map() };
    this.#items.set(index, draft);
    return [{ what: 'begun', draft, piece: '' }];
  }

  #end(event: Json): readonly ResponsesChange[] {
    const known = this.#items.get(getCountMember(event, 'output_index') ?? 0);
    const begun = known === undefined || known.isDone ? this.#begin(event) : [];
    const draft = begun[0]?.draft ?? known;
    if (draft === undefined) return begun;
    draft.item = objectOrUndefined(getMember(event, 'item')) ?? draft.item;
    draft.isDone = true;
    return [...begun, { what: 'ended', draft, piece: '' }];
  }

  #say(event: Json, what: ResponsesText): readonly ResponsesChange[] {
    const index = getCountMember(event, 'output_index') ?? 0;
    const draft = this.#items.get(index) ?? this.#unannounced(index, what);
    const part = getCountMember(event, 'content_index') ?? getCountMember(event, 'summary_index') ?? 0;
    const parts = draft.texts.get(what) ?? new Map<number, string>();
    draft.texts.set(what, parts);
    const delta = getTextMember(event, 'delta') ?? '';
    // Each further part of a summary starts a new paragraph.
    const piece = what === 'summary' && !parts.has(part) && parts.size > 0 ? `\n\n${delta}` : delta;
    parts.set(part, (parts.get(part) ?? '') + delta);
    return [{ what, draft, piece }];
  }

  /** Creates an item whose start was never announced. */
  #unannounced(index: number, what: ResponsesText): ResponsesItemDraft {
    const types = { text: 'message', refusal: 'message', summary: 'reasoning', reasoning: 'reasoning' };
    const type = what === 'arguments' ? 'function_call' : what === 'input' ? 'custom_tool_call' : types[what];
    const draft: ResponsesItemDraft = { index, type, item: { type }, isDone: false, texts: new Map() };
    this.#items.set(index, draft);
    return draft;
  }
}

/** Returns an item. If the item has not ended, it is completed with the received pieces. */
function itemOf({ type, item, isDone, texts }: ResponsesItemDraft): JsonObject {
  if (isDone || texts.size === 0) return item;
  const partsOf = (what: ResponsesText) => [...(texts.get(what) ?? [])].sort(([a], [b]) => a - b);
  const whole = (what: ResponsesText) =>
    partsOf(what)
      .map(([, text]) => text)
      .join('');
  if (type === 'function_call') return { ...item, arguments: whole('arguments') };
  if (type === 'custom_tool_call') return { ...item, input: whole('input') };
  if (type === 'reasoning') {
    const content = partsOf('reasoning').map(([, text]) => ({ type: 'reasoning_text', text }));
    const summary = partsOf('summary').map(([, text]) => ({ type: 'summary_text', text }));
    return { ...item, summary, ...(content.length === 0 ? {} : { content }) };
  }
  const content = [
    ...partsOf('text').map(([part, text]) => ({ part, block: { type: 'output_text', text } })),
    ...partsOf('refusal').map(([part, refusal]) => ({ part, block: { type: 'refusal', refusal } })),
  ].sort((a, b) => a.part - b.part);
  return { type: 'message', role: 'assistant', ...item, content: content.map(({ block }) => block) };
}
