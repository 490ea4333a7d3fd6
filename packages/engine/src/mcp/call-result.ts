/** Converts the result of an MCP tool call to message blocks. */
import { parseBlock } from '@coppice/content';
import type { Block, Json, JsonObject, TextBlock } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { decodeBase64, encodeBase64 } from '#platform/system';
import { ToolResultContent } from '../tools/content.ts';

function resultTextOf(said: string): TextBlock {
  return { type: 'text', text: said };
}

function resultField(fields: JsonObject, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Converts a call's result. Content of an unknown type becomes JSON text, so that nothing is dropped silently. */
export function toToolResultContent(result: unknown): ToolResultContent {
  if (!isJsonObject(result)) return new ToolResultContent([resultTextOf(JSON.stringify(result) ?? '')]);
  const content = Array.isArray(result.content) ? result.content : [];
  const blocks = content.map(toResultBlock);
  const structured = result.structuredContent ?? result.toolResult;
  // The structured content is used only if there is no other content, because servers repeat it as text.
  if (blocks.length === 0 && structured !== undefined) blocks.push(resultTextOf(JSON.stringify(structured)));
  return new ToolResultContent(blocks, result.isError === true);
}

function toResultBlock(entry: Json): Block {
  if (!isJsonObject(entry)) return resultTextOf(JSON.stringify(entry));
  switch (entry.type) {
    case 'text':
      return resultTextOf(typeof entry.text === 'string' ? entry.text : '');
    case 'image':
      return bytesBlock(entry.data, resultField(entry, 'mimeType') ?? 'image/png', 'image');
    case 'audio':
      return bytesBlock(entry.data, resultField(entry, 'mimeType') ?? 'audio/wav', 'audio');
    case 'resource':
      return isJsonObject(entry.resource) ? resourceBlock(entry.resource) : resultTextOf(JSON.stringify(entry));
    case 'resource_link':
      return resultTextOf(resourceLink(entry));
    default:
      return resultTextOf(JSON.stringify(entry));
  }
}

function resourceBlock(fields: JsonObject): Block {
  const uri = resultField(fields, 'uri') ?? 'resource';
  const mediaType = resultField(fields, 'mimeType');
  if (typeof fields.blob === 'string')
    return bytesBlock(fields.blob, mediaType ?? 'application/octet-stream', resourceName(uri));
  const source = { type: 'text', text: typeof fields.text === 'string' ? fields.text : '' };
  return (
    checkBytes({ type: 'file', name: resourceName(uri), mediaType: mediaType ?? 'text/plain', source }) ??
    resultTextOf(source.text)
  );
}

/** Describes a linked resource as text. It is not fetched, because a server must not make Coppice send requests. */
function resourceLink(fields: JsonObject): string {
  const [name, uri, said] = [
    resultField(fields, 'name'),
    resultField(fields, 'uri'),
    resultField(fields, 'description'),
  ];
  return `[resource: ${[name, uri, said].filter((part) => part !== undefined).join(', ')}]`;
}

/** Returns the last segment of a URI as a display name. Never use it as a path. */
function resourceName(uri: string): string {
  const last = uri.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? '';
  return last.slice(-200) || 'resource';
}

function bytesBlock(data: Json | undefined, mediaType: string, name: string): Block {
  const given = typeof data === 'string' ? data : '';
  // Servers send base64 with line breaks, in the URL alphabet or without padding; decoding and encoding normalises it.
  const source = { type: 'base64', data: encodeBase64(decodeBase64(given)) };
  const block = /^image\//i.test(mediaType)
    ? checkBytes({ type: 'image', mediaType, source })
    : checkBytes({ type: 'file', name, mediaType, source });
  return block ?? resultTextOf(`[${name}: ${mediaType}, which cannot be read]`);
}

function checkBytes(fields: JsonObject): Block | null {
  const block = parseBlock(fields, 'tool', 'content');
  return block.ok ? block.value : null;
}
