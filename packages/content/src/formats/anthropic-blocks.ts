// Converts content blocks between the canonical form and the form of Anthropic's wire, Claude.ai and Claude Code.
import type { Block, Json, JsonObject, Message } from '@coppice/core';
import { fieldsOrEmpty } from '@coppice/core/decode';
import { isBase64 } from '../base64.ts';
import { byteSourceOf, mediaTypeOf } from '../blocks/source.ts';
import { isJsonObject } from '../json-copy.ts';
import { getFilledText, listAt, objectAt, omitKeys, textAt } from './fields.ts';

function anthropicSource(source: JsonObject): JsonObject | undefined {
  const data = getFilledText(source, 'data');
  if (source.type === 'base64' && data !== undefined && isBase64(data)) return { type: 'base64', data };
  const url = getFilledText(source, 'url');
  return url === undefined ? undefined : { type: 'url', url };
}

/**
 * Converts one content block to canonical form. Unknown blocks are kept unchanged; `tool_result` is handled separately.
 */
export function fromAnthropicBlock(block: Json, fallbackId: string): Json {
  if (typeof block === 'string') return { type: 'text', text: block };
  if (!isJsonObject(block)) return { type: 'x-value', value: block };
  const type = textAt(block, 'type');
  switch (type) {
    case undefined:
      return { ...block, type: 'x-block' };
    case 'text':
      return typeof block.text === 'string' ? block : { ...block, type: 'x-text' };
    case 'thinking': {
      const signature = textAt(block, 'signature');
      const plain = omitKeys(block, 'signature');
      const thinking = textAt(block, 'thinking') ?? '';
      return { ...plain, type, thinking, ...(signature === undefined ? {} : { signature }) };
    }
    case 'redacted_thinking':
      return { type: 'thinking', thinking: '', redacted: textAt(block, 'data') ?? '' };
    case 'tool_use': {
      const rest = omitKeys(block, 'type', 'id', 'name', 'input');
      const id = getFilledText(block, 'id') ?? fallbackId;
      const parameters = isJsonObject(block.input)
        ? block.input
        : block.input === undefined
          ? {}
          : { input: block.input };
      return { type: 'tool-use', id, name: getFilledText(block, 'name') ?? 'unknown', parameters, ...rest };
    }
    case 'image': {
      const source = anthropicSource(objectAt(block, 'source'));
      const mediaType = getFilledText(objectAt(block, 'source'), 'media_type');
      if (source === undefined || (mediaType === undefined && source.type === 'base64'))
        return { ...block, type: 'anthropic-image' };
      return { type: 'image', ...(mediaType === undefined ? {} : { mediaType }), source };
    }
    case 'document': {
      const place = objectAt(block, 'source');
      const name = getFilledText(block, 'title') ?? 'document';
      const text = textAt(place, 'data');
      if (place.type === 'text' && text !== undefined)
        return { type: 'file', name, mediaType: 'text/plain', source: { type: 'text', text } };
      const source = anthropicSource(place);
      const mediaType = getFilledText(place, 'media_type') ?? 'application/pdf';
      return source === undefined
        ? { ...block, type: 'anthropic-document' }
        : { type: 'file', name, mediaType, source };
    }
    case 'file':
    case 'tool-use':
      return { ...block, type: `anthropic-${type}` };
    default:
      return block;
  }
}

/** A `tool_result` block of a message, converted to a separate tool message. */
export interface AnthropicToolResult {
  readonly callId: string;
  readonly message: JsonObject;
  readonly isError: boolean;
  readonly record: JsonObject;
}

/** Whether a block is Anthropic's `tool_result`. */
export function isAnthropicToolResult(block: Json): block is JsonObject {
  return isJsonObject(block) && block.type === 'tool_result';
}

/** Converts a `tool_result` block to a tool message. `fallbackId` is the call id if the block has none. */
export function fromAnthropicToolResult(block: JsonObject, fallbackId: string): AnthropicToolResult {
  const callId = getFilledText(block, 'tool_use_id') ?? fallbackId;
  const { content } = block;
  const parts: Json[] = [];
  if (typeof content === 'string') parts.push({ type: 'text', text: content });
  else if (Array.isArray(content)) for (const part of content) parts.push(fromAnthropicBlock(part, callId));
  else if (content !== undefined && content !== null) parts.push({ type: 'text', text: JSON.stringify(content) });
  if (parts.length === 0) parts.push({ type: 'text', text: '' });
  return {
    callId,
    message: { role: 'tool', content: parts, tool_call_id: callId },
    isError: block.is_error === true,
    record: block,
  };
}

/** Returns the content of a message as a list of blocks; a plain string becomes one text block. */
export function toContentBlocks(record: JsonObject): readonly Json[] {
  return typeof record.content === 'string' ? [{ type: 'text', text: record.content }] : listAt(record, 'content');
}

/**
 * Converts a message to canonical messages, without validation. Each tool result becomes a separate message, followed
 * by the remaining content.
 */
export function fromAnthropicMessage(record: JsonObject, fallbackId: string): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const rest: Json[] = [];
  for (const [index, block] of toContentBlocks(record).entries()) {
    if (isAnthropicToolResult(block)) messages.push(fromAnthropicToolResult(block, `${fallbackId}-${index}`).message);
    else rest.push(fromAnthropicBlock(block, `${fallbackId}-${index}`));
  }
  const role = record.role === 'assistant' ? 'assistant' : record.role === 'system' ? 'system' : 'user';
  if (rest.length > 0 || messages.length === 0) messages.push({ role, content: rest });
  return messages;
}

function toAnthropicSource(block: Block): JsonObject | undefined {
  const source = byteSourceOf(block);
  if (source?.type === 'base64')
    return { type: 'base64', media_type: mediaTypeOf(block) ?? 'application/octet-stream', data: source.data };
  if (source?.type === 'url') return { type: 'url', url: source.url };
  const text = 'source' in block ? fieldsOrEmpty(block.source) : {};
  if (text.type === 'text' && typeof text.text === 'string')
    return { type: 'text', media_type: 'text/plain', data: text.text };
  return undefined;
}

function jsonOf(block: Block): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(block));
  return json;
}

/**
 * Converts a canonical block to Anthropic's form; null if the wire has no such form, for example for bytes in the blob
 * store.
 */
export function toAnthropicBlock(block: Block): JsonObject | null {
  const json = jsonOf(block);
  switch (block.type) {
    case 'thinking': {
      const redacted = getFilledText(json, 'redacted');
      if (redacted !== undefined && textAt(json, 'thinking') === '')
        return { type: 'redacted_thinking', data: redacted };
      return omitKeys(json, 'redacted');
    }
    case 'tool-use':
      return {
        type: 'tool_use',
        id: json.id ?? '',
        name: json.name ?? '',
        input: json.parameters ?? {},
        ...omitKeys(json, 'type', 'id', 'name', 'parameters', 'arguments'),
      };
    case 'image': {
      const source = toAnthropicSource(block);
      return source === undefined ? null : { type: 'image', source };
    }
    case 'file': {
      const source = toAnthropicSource(block);
      return source === undefined ? null : { type: 'document', source, title: json.name ?? 'document' };
    }
    default: {
      const wrapped = /^anthropic-(.+)$/.exec(block.type)?.[1];
      return wrapped === undefined ? json : { ...json, type: wrapped };
    }
  }
}

/** Converts a tool message to a `tool_result` block. */
export function toAnthropicToolResult(message: Message, isError: boolean): JsonObject {
  const [only] = message.content;
  const single =
    message.content.length === 1 && only?.type === 'text' && 'text' in only ? String(only.text) : undefined;
  const content: Json = single ?? message.content.map((block) => toAnthropicBlock(block) ?? { type: 'text', text: '' });
  return {
    type: 'tool_result',
    tool_use_id: message.tool_call_id ?? '',
    content,
    ...(isError ? { is_error: true } : {}),
  };
}
