/** Interprets the events of a response, both to forward a reply and to assemble it. */
import type { Json, JsonObject } from '@coppice/core';
import { getCountMember, getMember, getTextMember, listOrNone, objectOrUndefined } from './wire-json.ts';

/** The kinds of text of an item: text, a refusal, readable reasoning, or the arguments or input of a call. */
export type ResponsesTextKind = 'text' | 'refusal' | 'summary' | 'reasoning' | 'arguments' | 'input';

/** An output item that is still being received. */
export interface ResponsesItemDraft {
  readonly index: number;
  readonly type: string;
  /** The first state of the item, which is replaced by its final state. */
  item: JsonObject;
  isDone: boolean;
  /** Whether an event announced the item. Otherwise it is known only by pieces of its text. */
  readonly isAnnounced: boolean;
  /** The received pieces by kind and part number. */
  readonly texts: Map<ResponsesTextKind, Map<number, string>>;
}

/** What an event changes about an item. */
export interface ResponsesItemChange {
  readonly what: 'begun' | 'ended' | ResponsesTextKind;
  readonly draft: ResponsesItemDraft;
  readonly piece: string;
}

const textEvents: ReadonlyMap<string, ResponsesTextKind> = new Map([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'refusal'],
  ['response.reasoning_summary_text.delta', 'summary'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.function_call_arguments.delta', 'arguments'],
  ['response.custom_tool_call_input.delta', 'input'],
]);

// The events with the complete text of a part, and the field that contains it. Services send them after the pieces, a few
// send nothing else.
const wholeTextEvents: ReadonlyMap<string, readonly [ResponsesTextKind, string]> = new Map([
  ['response.output_text.done', ['text', 'text']],
  ['response.refusal.done', ['refusal', 'refusal']],
  ['response.reasoning_summary_text.done', ['summary', 'text']],
  ['response.reasoning_text.done', ['reasoning', 'text']],
  ['response.function_call_arguments.done', ['arguments', 'arguments']],
  ['response.custom_tool_call_input.done', ['input', 'input']],
]);

const progressEvents: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued']);

/**
 * Collects the events of one response. Items are identified by their index in the output. Some services leave out the
 * index; their items are identified by id, and items without an id by their order.
 */
export class ResponsesEventCollector {
  readonly #items = new Map<number, ResponsesItemDraft>();
  readonly #indexById = new Map<string, number>();
  #nextIndex = 0;
  #response: JsonObject = {};
  /** The complete response from the last event; null until then. */
  ended: JsonObject | null = null;
  /** The error that the service reported; null without an error. */
  failure: Json = null;

  /** Reads an event; returns null for an event that only reports progress. */
  read(event: Json, name = ''): readonly ResponsesItemChange[] | null {
    const type = getTextMember(event, 'type') ?? name;
    const said = objectOrUndefined(getMember(event, 'response'));
    // Once the response has ended, a late progress event does not reopen it.
    if (said !== undefined && !(this.ended !== null && progressEvents.has(type)))
      this.#response = { ...this.#response, ...said };
    if (progressEvents.has(type)) return null;
    const text = textEvents.get(type);
    if (text !== undefined) return this.#say(event, text, getTextMember(event, 'delta') ?? '');
    const whole = wholeTextEvents.get(type);
    if (whole !== undefined) return this.#sayWhole(event, ...whole);
    switch (type) {
      case 'response.output_item.added':
        return this.#begin(event);
      case 'response.output_item.done':
        return this.#end(event);
      case 'response.completed':
      case 'response.done':
        // The event itself says that the response is complete, if a service leaves out the status.
        this.#response = { ...this.#response, status: said?.['status'] ?? 'completed' };
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

  #begin(event: Json): readonly ResponsesItemChange[] {
    const item = objectOrUndefined(getMember(event, 'item')) ?? {};
    const id = getTextMember(item, 'id');
    const index = this.#findIndex(event, id) ?? this.#nextIndex;
    const type = getTextMember(item, 'type') ?? '';
    const present = this.#items.get(index);
    // Pieces may arrive before the event that announces their item.
    const early = present !== undefined && !present.isAnnounced && present.type === type ? present.texts : new Map();
    const draft = { index, type, item, isDone: false, isAnnounced: true, texts: early };
    this.#add(draft, id);
    return [{ what: 'begun', draft, piece: '' }];
  }

  #end(event: Json): readonly ResponsesItemChange[] {
    const item = objectOrUndefined(getMember(event, 'item'));
    const id = getTextMember(item, 'id');
    const index = this.#findIndex(event, id) ?? this.#findOpenIndex(getTextMember(item, 'type') ?? '', id);
    const known = index === null ? undefined : this.#items.get(index);
    const begun = known === undefined || known.isDone ? this.#begin(event) : [];
    const draft = begun[0]?.draft ?? known;
    if (draft === undefined) return begun;
    draft.item = item ?? draft.item;
    draft.isDone = true;
    return [...begun, { what: 'ended', draft, piece: '' }];
  }

  #say(event: Json, what: ResponsesTextKind, delta: string): readonly ResponsesItemChange[] {
    const draft = this.#draftOfText(event, what);
    const part = partNumberOf(event);
    const parts = draft.texts.get(what) ?? new Map<number, string>();
    draft.texts.set(what, parts);
    // Each further part of a summary starts a new paragraph.
    const piece = what === 'summary' && !parts.has(part) && parts.size > 0 ? `\n\n${delta}` : delta;
    parts.set(part, (parts.get(part) ?? '') + delta);
    return [{ what, draft, piece }];
  }

  /** Reads the complete text of a part, which counts only if none of its pieces arrived. */
  #sayWhole(event: Json, what: ResponsesTextKind, field: string): readonly ResponsesItemChange[] {
    const text = getTextMember(event, field) ?? '';
    if (text === '') return [];
    const { texts, isDone } = this.#draftOfText(event, what);
    const isKnown = isDone || (texts.get(what)?.get(partNumberOf(event)) ?? '') !== '';
    return isKnown ? [] : this.#say(event, what, text);
  }

  #draftOfText(event: Json, what: ResponsesTextKind): ResponsesItemDraft {
    const type = typeOfText(what);
    const id = getTextMember(event, 'item_id');
    const index = this.#findIndex(event, id) ?? this.#findOpenIndex(type, id) ?? this.#nextIndex;
    const present = this.#items.get(index);
    if (present !== undefined) return present;
    const draft = { index, type, item: { type }, isDone: false, isAnnounced: false, texts: new Map() };
    this.#add(draft, id);
    return draft;
  }

  #add(draft: ResponsesItemDraft, id: string | undefined): void {
    this.#items.set(draft.index, draft);
    this.#nextIndex = Math.max(this.#nextIndex, draft.index + 1);
    if (id !== undefined) this.#indexById.set(id, draft.index);
  }

  /** Returns the index of the item that an event names by index or id; null if there is neither, or the id is new. */
  #findIndex(event: Json, id: string | undefined): number | null {
    const index = getCountMember(event, 'output_index');
    return index ?? (id === undefined ? null : (this.#indexById.get(id) ?? null));
  }

  /** Returns the index of the newest item if it is of this type, has not ended and has no other id; null otherwise. */
  #findOpenIndex(type: string, id: string | undefined): number | null {
    const newest = this.#items.get(this.#nextIndex - 1);
    if (newest === undefined || newest.isDone || newest.type !== type) return null;
    return id === undefined || getTextMember(newest.item, 'id') === undefined ? newest.index : null;
  }
}

function partNumberOf(event: Json): number {
  return getCountMember(event, 'content_index') ?? getCountMember(event, 'summary_index') ?? 0;
}

/** Returns the type of the items that contain a kind of text. */
function typeOfText(what: ResponsesTextKind): string {
  const types = { text: 'message', refusal: 'message', summary: 'reasoning', reasoning: 'reasoning' };
  return what === 'arguments' ? 'function_call' : what === 'input' ? 'custom_tool_call' : types[what];
}

/** Returns an item. If the item has not ended, it is completed with the received pieces. */
function itemOf({ type, item, isDone, texts }: ResponsesItemDraft): JsonObject {
  if (isDone || texts.size === 0) return item;
  const partsOf = (what: ResponsesTextKind) => [...(texts.get(what) ?? [])].sort(([a], [b]) => a - b);
  const whole = (what: ResponsesTextKind) =>
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
