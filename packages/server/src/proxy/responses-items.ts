/** Items of OpenAI's Responses wire as messages: one reply comes as several items and is one message here. */
import { fromOpenAi, imageOfUrl } from '@coppice/content/formats';
import type { Json, JsonObject } from '@coppice/core';
import { isObject, listAt, textAt } from './exchange.ts';

/** The type of a block that stands for an item which the client names and does not send again. */
export const itemReference = 'item-reference';

/** An item as a message; null for items that say nothing by themselves. */
export function fromResponsesItem(item: JsonObject): JsonObject | null {
  const type = textAt(item, 'type') ?? 'message';
  if (type === 'message') return messageItem(item);
  if (type === 'function_call' || type === 'custom_tool_call') return callItem(item, type);
  if (type === 'function_call_output' || type === 'custom_tool_call_output') return outputItem(item);
  if (type === 'reasoning') return reasoningItem(item);
  const id = textAt(item, 'id');
  if (type === 'item_reference')
    return id === null ? null : { role: 'assistant', content: [{ type: itemReference, id }] };
  if (type === 'image_generation_call') {
    const data = textAt(item, 'result');
    if (data !== null)
      return {
        role: 'assistant',
        content: [imageOfUrl(`data:image/${textAt(item, 'output_format') ?? 'png'};base64,${data}`)],
      };
  }
  // A call of a tool that the service runs itself: kept as it is, it is part of what was said.
  return type.endsWith('_call') ? { role: 'assistant', content: [{ ...item, type: `openai-${type}` }] } : null;
}

function messageItem(item: JsonObject): JsonObject {
  const { content } = item;
  const parts = Array.isArray(content) ? content.map(responsesPart) : (content ?? '');
  return fromOpenAi({ role: textAt(item, 'role') ?? 'user', content: parts });
}

function callItem(item: JsonObject, type: string): JsonObject {
  const id = textAt(item, 'call_id') ?? textAt(item, 'id') ?? 'call';
  const name = textAt(item, 'name') ?? 'unknown';
  const call =
    type === 'function_call'
      ? { id, type: 'function', function: { name, arguments: textAt(item, 'arguments') ?? '' } }
      : { id, type: 'custom', custom: { name, input: item['input'] ?? '' } };
  const { role = 'assistant', content = [] } = fromOpenAi({ role: 'assistant', content: null, tool_calls: [call] });
  return { role, content };
}

function outputItem(item: JsonObject): JsonObject {
  const { output } = item;
  const content = Array.isArray(output)
    ? output.map(responsesPart)
    : typeof output === 'string'
      ? output
      : JSON.stringify(output ?? '');
  return fromOpenAi({ role: 'tool', tool_call_id: textAt(item, 'call_id') ?? 'call', content });
}

function reasoningItem(item: JsonObject): JsonObject | null {
  const said = [...listAt(item, 'summary'), ...listAt(item, 'content')];
  const text = said.map((part) => (isObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n\n');
  return text === '' ? null : { role: 'assistant', content: [{ type: 'thinking', thinking: text }] };
}

function responsesPart(part: Json): Json {
  if (!isObject(part)) return part;
  if (part['type'] === 'refusal') {
    const refusal = textAt(part, 'refusal') ?? '';
    return { type: 'refusal', refusal, text: refusal };
  }
  if (part['type'] === 'input_file') {
    const { filename, file_data } = part;
    return { type: 'file', file: { filename: filename ?? 'file', file_data: file_data ?? '' } };
  }
  if (part['type'] !== 'input_image') return part;
  const url = textAt(part, 'image_url');
  return url === null ? part : imageOfUrl(url);
}
