// Items of the Responses API as messages: what a model made in one go is one message, as a chat would have it, so that
// calls fold however their clients spell the history.
import type { Json, JsonObject } from '@coppice/core';
import { filledAt, isJsonObject, listAt, omitKeys, textAt } from '../formats/fields.ts';
import { fromOpenAi, toolCallOf } from '../formats/openai-messages.ts';

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

/** A picture that a service drew as one that was said, so that it can be seen. */
function pictureOf(item: JsonObject): JsonObject {
  const data = item.type === 'image_generation_call' ? textAt(item, 'result') : undefined;
  if (data === undefined) return item;
  const url = `data:image/${textAt(item, 'output_format') ?? 'png'};base64,${data}`;
  return { id: item.id ?? null, role: 'assistant', content: [{ type: 'image_url', image_url: { url } }] };
}

/** A message that items were read as, with the ids of those items and how many of its blocks each of them is. */
export interface ItemMessage {
  readonly message: JsonObject;
  readonly items: readonly { readonly id: string; readonly blocks: number }[];
}

/**
 * The messages of a list of items, with the items that each was read from. What a model said, thought and called in one go
 * is one message.
 */
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
    const item = pictureOf(named ?? given);
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
