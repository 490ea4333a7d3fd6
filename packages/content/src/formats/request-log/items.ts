// Items of the Responses API as messages: what a model made in one go is one message, as a chat would have it, so that
// calls fold however their clients spell the history.
import type { Json, JsonObject } from '@coppice/core';
import { filledAt, isJsonObject, listAt, objectAt, omitKeys, textAt } from '../fields.ts';
import { fromOpenAi, toolCallOf } from '../openai-messages.ts';

/** Finds an item that a history names by its id only. */
export type Resolve = (id: string) => JsonObject | undefined;

function textsOfItem(parts: readonly Json[]): string {
  return parts.map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n\n');
}

function reasoningItem(item: JsonObject): JsonObject {
  const said = textsOfItem(listAt(item, 'content'));
  const thinking = said === '' ? textsOfItem(listAt(item, 'summary')) : said;
  const [signature, redacted] = [filledAt(item, 'id'), filledAt(item, 'encrypted_content')];
  // Both or none: reasoning goes back by its name and its encrypted form together.
  return { type: 'thinking', thinking, ...(signature && redacted ? { signature, redacted } : {}) };
}

function outputItem(output: Json | undefined): readonly Json[] {
  if (typeof output === 'string') return [{ type: 'text', text: output }];
  if (Array.isArray(output) && output.length > 0)
    return listAt(fromOpenAi({ role: 'user', content: output }), 'content');
  const empty = output === undefined || output === null || Array.isArray(output);
  return [{ type: 'text', text: empty ? '' : JSON.stringify(output) }];
}

/** A call that has a result of its own; those that a provider answers itself have none and stay as they are. */
function toolUseOf(item: JsonObject, index: number): JsonObject | undefined {
  const type = textAt(item, 'type') ?? '';
  const id = filledAt(item, 'call_id');
  if (type === 'function_call')
    return toolCallOf(
      { id: id ?? filledAt(item, 'id') ?? `call-${index}`, name: item.name ?? null, arguments: item.arguments ?? null },
      index,
    );
  if (id === undefined || !type.endsWith('_call')) return undefined;
  const name = filledAt(item, 'name') ?? type.slice(0, -'_call'.length);
  const parameters =
    type === 'custom_tool_call' ? { input: item.input ?? null } : omitKeys(item, 'type', 'id', 'call_id', 'status');
  return { type: 'tool-use', id, name, parameters };
}

/** Whether a list holds items, not events of a stream or blocks of a message. */
export function areItems(list: readonly Json[]): boolean {
  return list.some(
    (one) => isJsonObject(one) && (isMessageItem(one) || /^reasoning$|_call/.test(textAt(one, 'type') ?? '')),
  );
}

function isMessageItem(item: JsonObject): boolean {
  return typeof item.role === 'string' && 'content' in item && (item.type === undefined || item.type === 'message');
}

/** A message that items were read as, with the ids of those items and how many of its blocks each of them is. */
export interface ItemMessage {
  readonly message: JsonObject;
  readonly items: readonly { readonly id: string; readonly blocks: number }[];
}

/** The messages of a list of items. What a model said, thought and called in one go is one of them. */
export function messagesOfItems(items: readonly Json[], resolve?: Resolve): JsonObject[] {
  return messagesWithItems(items, resolve).map(({ message }) => message);
}

/** The same, with the items that each message was read from. */
export function messagesWithItems(items: readonly Json[], resolve: Resolve = () => undefined): ItemMessage[] {
  const messages: ItemMessage[] = [];
  let said: Json[] = [];
  let parts: { readonly id: string; readonly blocks: number }[] = [];
  const close = () => {
    if (said.length > 0) messages.push({ message: { role: 'assistant', content: said }, items: parts });
    said = [];
    parts = [];
  };
  const say = (item: JsonObject, blocks: readonly Json[]) => {
    for (const block of blocks) said.push(block);
    parts.push({ id: filledAt(item, 'id') ?? '', blocks: blocks.length });
  };
  const add = (item: JsonObject, message: JsonObject) => {
    close();
    messages.push({
      message,
      items: [{ id: filledAt(item, 'id') ?? '', blocks: listAt(message, 'content').length }],
    });
  };
  const whole = itemIdsOf([items]);
  for (const [index, given] of items.entries()) {
    // A client may name an item and send it as well.
    if (isJsonObject(given) && given.type === 'item_reference' && whole.has(filledAt(given, 'id') ?? '')) continue;
    if (!isJsonObject(given)) {
      say({}, [{ type: 'x-value', value: given }]);
      continue;
    }
    const named = given.type === 'item_reference' ? resolve(filledAt(given, 'id') ?? '') : undefined;
    const item = named ?? given;
    const type = textAt(item, 'type') ?? '';
    if (isMessageItem(item) || type === 'message') {
      const message = fromOpenAi({ role: item.role ?? 'assistant', content: item.content ?? '' });
      if (message.role === 'assistant') say(item, listAt(message, 'content'));
      else add(item, message);
    } else if (type.endsWith('_call_output')) {
      const call = filledAt(item, 'call_id') ?? `call-${index}`;
      add(item, { role: 'tool', tool_call_id: call, content: outputItem(item.output) });
    } else if (type === 'mcp_approval_response') add(item, { role: 'user', content: [item] });
    else if (type === 'reasoning') say(item, [reasoningItem(item)]);
    else say(item, [toolUseOf(item, index) ?? (type === '' ? { ...item, type: 'x-item' } : item)]);
  }
  close();
  return messages;
}

/** Ids of the items that a call brings along whole. */
export function itemIdsOf(lists: readonly (readonly Json[])[]): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const list of lists)
    for (const item of list) {
      const id = isJsonObject(item) ? filledAt(item, 'id') : undefined;
      if (id !== undefined && isJsonObject(item) && item.type !== 'item_reference') found.set(id, item);
    }
  return found;
}

/** Ids of items that a list only names. */
export function referencedItems(list: readonly Json[]): string[] {
  const ids: string[] = [];
  for (const item of list)
    if (isJsonObject(item) && item.type === 'item_reference') ids.push(filledAt(item, 'id') ?? '');
  return ids;
}

/** The events of a recorded response as the response that they are parts of. */
export function foldResponse(events: readonly JsonObject[]): JsonObject {
  let response: JsonObject = {};
  const items = new Map<number, JsonObject>();
  const said = new Map<number, string>();
  for (const event of events) {
    const index = typeof event.output_index === 'number' ? event.output_index : 0;
    const type = textAt(event, 'type') ?? '';
    if (isJsonObject(event.response)) response = { ...response, ...event.response };
    if (type === 'error') response = { ...response, error: isJsonObject(event.error) ? event.error : event };
    if (isJsonObject(event.item)) {
      items.set(index, event.item);
      if (type === 'response.output_item.done') said.delete(index);
    } else if (type.endsWith('.delta') && typeof event.delta === 'string')
      said.set(index, (said.get(index) ?? '') + event.delta);
  }
  if (listAt(response, 'output').length > 0) return response;
  // The stream broke off: what had come until then.
  for (const [index, text] of said) items.set(index, textItem(items.get(index) ?? {}, text));
  const output: Json[] = [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
  return { ...response, output };
}

function textItem(item: JsonObject, text: string): JsonObject {
  if (item.type === 'reasoning') return { ...item, summary: [{ type: 'summary_text', text }] };
  if (item.type === 'function_call') return { ...item, arguments: text };
  if (item.type === 'custom_tool_call') return { ...item, input: text };
  return { type: 'message', role: 'assistant', ...item, content: [{ type: 'output_text', text }] };
}

/** Why a response ended, in its own words; undefined where it did not. */
export function endOfResponse(response: JsonObject): string | undefined {
  const status = filledAt(response, 'status');
  if (status === 'incomplete') return filledAt(objectAt(response, 'incomplete_details'), 'reason') ?? status;
  return status === 'in_progress' || status === 'queued' ? undefined : status;
}
