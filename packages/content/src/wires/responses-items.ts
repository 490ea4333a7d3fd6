// Converts items of the Responses API to messages. All output of a model in one turn becomes one message, as in a chat,
// so that histories match regardless of the client that wrote them.
import type { Json, JsonObject } from '@coppice/core';
import { getFilledText, isJsonObject, listAt, omitKeys, textAt } from '../formats/fields.ts';
import { fromOpenAiMessage, fromOpenAiToolCall } from '../formats/openai-messages.ts';

/** Finds an item that a history names only by id. */
export type ResolveResponsesItem = (id: string) => JsonObject | undefined;

function textsOfItem(parts: readonly Json[]): string {
  return parts.map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n\n');
}

function reasoningItem(item: JsonObject): JsonObject {
  const texts = textsOfItem(listAt(item, 'content'));
  const thinking = texts === '' ? textsOfItem(listAt(item, 'summary')) : texts;
  const [signature, redacted] = [getFilledText(item, 'id'), getFilledText(item, 'encrypted_content')];
  // Reasoning can be sent back only with both its id and its encrypted form.
  return { type: 'thinking', thinking, ...(signature && redacted ? { signature, redacted } : {}) };
}

function outputItem(output: Json | undefined): readonly Json[] {
  if (typeof output === 'string') return [{ type: 'text', text: output }];
  if (Array.isArray(output) && output.length > 0)
    return listAt(fromOpenAiMessage({ role: 'user', content: output }), 'content');
  const empty = output === undefined || output === null || Array.isArray(output);
  return [{ type: 'text', text: empty ? '' : JSON.stringify(output) }];
}

/**
 * Converts a call that has a separate result. Calls that the provider runs itself have no result and are kept
 * unchanged.
 */
function toolUseOf(item: JsonObject, index: number): JsonObject | undefined {
  const type = textAt(item, 'type') ?? '';
  const id = getFilledText(item, 'call_id');
  if (type === 'function_call')
    return fromOpenAiToolCall(
      {
        id: id ?? getFilledText(item, 'id') ?? `call-${index}`,
        name: item.name ?? null,
        arguments: item.arguments ?? null,
      },
      index,
    );
  if (id === undefined || !type.endsWith('_call')) return undefined;
  const name = getFilledText(item, 'name') ?? type.slice(0, -'_call'.length);
  const parameters =
    type === 'custom_tool_call' ? { input: item.input ?? null } : omitKeys(item, 'type', 'id', 'call_id', 'status');
  return { type: 'tool-use', id, name, parameters };
}

/** Whether a list contains items, not stream events or message blocks. */
export function isResponsesItemList(list: readonly Json[]): boolean {
  return list.some(
    (one) => isJsonObject(one) && (isMessageItem(one) || /^reasoning$|_call/.test(textAt(one, 'type') ?? '')),
  );
}

function isMessageItem(item: JsonObject): boolean {
  return typeof item.role === 'string' && 'content' in item && (item.type === undefined || item.type === 'message');
}

/** Converts an image that the service generated to an image part, so that it can be displayed. */
function pictureOf(item: JsonObject): JsonObject {
  const data = item.type === 'image_generation_call' ? textAt(item, 'result') : undefined;
  if (data === undefined) return item;
  const url = `data:image/${textAt(item, 'output_format') ?? 'png'};base64,${data}`;
  return { id: item.id ?? null, role: 'assistant', content: [{ type: 'image_url', image_url: { url } }] };
}

/** A message with the ids of its items, and the number of blocks of each item. */
export interface ResponsesItemMessage {
  readonly message: JsonObject;
  readonly items: readonly { readonly id: string; readonly blocks: number }[];
}

/**
 * Converts a list of items to messages, each with its items. Text, reasoning and calls of one turn become one message.
 */
export function groupResponsesItems(
  items: readonly Json[],
  resolve: ResolveResponsesItem = () => undefined,
): ResponsesItemMessage[] {
  const messages: ResponsesItemMessage[] = [];
  let replyBlocks: Json[] = [];
  let parts: { readonly id: string; readonly blocks: number }[] = [];
  const close = () => {
    if (replyBlocks.length > 0) messages.push({ message: { role: 'assistant', content: replyBlocks }, items: parts });
    replyBlocks = [];
    parts = [];
  };
  const say = (item: JsonObject, blocks: readonly Json[]) => {
    for (const block of blocks) replyBlocks.push(block);
    parts.push({ id: getFilledText(item, 'id') ?? '', blocks: blocks.length });
  };
  const add = (item: JsonObject, message: JsonObject) => {
    close();
    messages.push({
      message,
      items: [{ id: getFilledText(item, 'id') ?? '', blocks: listAt(message, 'content').length }],
    });
  };
  const whole = indexResponsesItems([items]);
  for (const [index, given] of items.entries()) {
    // A client may refer to an item that it also sends; the reference is then skipped.
    if (isJsonObject(given) && given.type === 'item_reference' && whole.has(getFilledText(given, 'id') ?? '')) continue;
    if (!isJsonObject(given)) {
      say({}, [{ type: 'x-value', value: given }]);
      continue;
    }
    const named = given.type === 'item_reference' ? resolve(getFilledText(given, 'id') ?? '') : undefined;
    const item = pictureOf(named ?? given);
    const type = textAt(item, 'type') ?? '';
    if (isMessageItem(item) || type === 'message') {
      const message = fromOpenAiMessage({ role: item.role ?? 'assistant', content: item.content ?? '' });
      if (message.role === 'assistant') say(item, listAt(message, 'content'));
      else add(item, message);
    } else if (type.endsWith('_call_output')) {
      const call = getFilledText(item, 'call_id') ?? `call-${index}`;
      add(item, { role: 'tool', tool_call_id: call, content: outputItem(item.output) });
    } else if (type === 'agent_message')
      // An item of Codex: a message from one agent to another, such as a task. For the receiver it is a request.
      add(item, fromOpenAiMessage({ role: 'user', content: item.content ?? '' }));
    else if (type === 'mcp_approval_response') add(item, { role: 'user', content: [item] });
    else if (type === 'reasoning') say(item, [reasoningItem(item)]);
    else say(item, [toolUseOf(item, index) ?? (type === '' ? { ...item, type: 'x-item' } : item)]);
  }
  close();
  return messages;
}

/** Returns the complete items of the lists by id; references are left out. */
export function indexResponsesItems(lists: readonly (readonly Json[])[]): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const list of lists)
    for (const item of list) {
      const id = isJsonObject(item) ? getFilledText(item, 'id') : undefined;
      if (id !== undefined && isJsonObject(item) && item.type !== 'item_reference') found.set(id, item);
    }
  return found;
}

/** Returns the ids of items that a list only refers to. */
export function findReferencedItemIds(list: readonly Json[]): string[] {
  const ids: string[] = [];
  for (const item of list)
    if (isJsonObject(item) && item.type === 'item_reference') ids.push(getFilledText(item, 'id') ?? '');
  return ids;
}
