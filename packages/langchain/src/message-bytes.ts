/**
 * Finds the bytes of images and files in the content parts of LangChain, which has several forms for them, so that a
 * tree keeps the bytes in its blob store.
 */
import { extractInlineBytes } from '@coppice/content';
import type { Block, Json, JsonObject } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';

/** An image or a file with its bytes as base64. */
interface BytesBlock extends Block {
  readonly mediaType: string;
  readonly source: { readonly type: 'base64'; readonly data: string };
}

/** The bytes of a part, and the part with other bytes. */
interface PartBytes {
  readonly mediaType: string;
  readonly data: string;
  readonly replace: (data: string) => JsonObject;
}

function textIn(part: JsonObject, ...names: readonly string[]): string | undefined {
  return names.map((name) => part[name]).find((value) => typeof value === 'string');
}

function bytesInUrl(url: Json | undefined, replace: (url: string) => JsonObject): PartBytes | undefined {
  const [, start = '', mediaType = ''] = (typeof url === 'string' && /^(data:([^;,]+);base64,)/i.exec(url)) || [];
  if (start === '' || typeof url !== 'string') return undefined;
  return { mediaType, data: url.slice(start.length), replace: (data) => replace(start + data) };
}

/** Returns the bytes of a part: a data URL, base64 with a media type, or the `source` of Anthropic. */
function bytesOfPart(part: JsonObject): PartBytes | undefined {
  const { image_url: image, source } = part;
  if (isJsonObject(image)) return bytesInUrl(image.url, (url) => ({ ...part, image_url: { ...image, url } }));
  if (image !== undefined) return bytesInUrl(image, (url) => ({ ...part, image_url: url }));
  if (isJsonObject(source)) {
    const { type, data } = source;
    const mediaType = textIn(source, 'media_type', 'mediaType');
    if (type !== 'base64' || typeof data !== 'string' || mediaType === undefined) return undefined;
    return { mediaType, data, replace: (changed) => ({ ...part, source: { ...source, data: changed } }) };
  }
  const mediaType = textIn(part, 'mime_type', 'mimeType');
  if (typeof part.data !== 'string' || mediaType === undefined)
    return bytesInUrl(part.url, (url) => ({ ...part, url }));
  return { mediaType, data: part.data, replace: (data) => ({ ...part, data }) };
}

/** Returns the name of a file, which other programs show; by default its media type determines the name. */
function nameOfPart(part: Json, mediaType: string): string {
  const fields = isJsonObject(part) ? part : {};
  const { metadata } = fields;
  const given = textIn({ ...(isJsonObject(metadata) ? metadata : {}), ...fields }, 'filename', 'name', 'title');
  return given ?? `file.${/\w*$/.exec(mediaType)}`;
}

/** The content of a message without bytes, the blocks that contain the bytes, and the index of each block's part. */
export interface ContentWithoutBytes {
  readonly content: Json;
  readonly blocks: readonly BytesBlock[];
  readonly places: readonly number[];
}

/** Extracts the bytes from the parts of a message. Bytes that the blob store would not restore exactly stay. */
export function extractBytes(content: Json): ContentWithoutBytes {
  const blocks: BytesBlock[] = [];
  const places: number[] = [];
  if (!Array.isArray(content)) return { content, blocks, places };
  const parts = content.map((part: Json, at): Json => {
    const found = isJsonObject(part) ? bytesOfPart(part) : undefined;
    if (found === undefined) return part;
    const { mediaType, data } = found;
    const type = mediaType.startsWith('image/') ? 'image' : 'file';
    const name = type === 'file' ? { name: nameOfPart(part, mediaType) } : {};
    const block = { type, mediaType, ...name, source: { type: 'base64' as const, data } };
    if (extractInlineBytes(block) === undefined) return part;
    blocks.push(block);
    places.push(at);
    return found.replace('');
  });
  return { content: parts, blocks, places };
}

/** Puts the bytes of blocks back into the parts from which they were taken. */
export function restoreBytes(content: Json, blocks: readonly Block[], places: Json | undefined): Json {
  if (!Array.isArray(content) || !Array.isArray(places)) return content;
  const bytes = blocks.filter(({ type }) => type === 'image' || type === 'file').map(base64Of);
  return content.map((part: Json, at): Json => {
    const data = bytes[places.indexOf(at)];
    return data === undefined || !isJsonObject(part) ? part : (bytesOfPart(part)?.replace(data) ?? part);
  });
}

function base64Of(block: Block): string | undefined {
  const { source }: Block & { readonly source?: unknown } = block;
  if (typeof source !== 'object' || source === null || !('data' in source)) return undefined;
  return typeof source.data === 'string' ? source.data : undefined;
}

/** Converts an image of another program to a part; undefined for other blocks, and if its bytes are missing. */
export function imagePartOf(block: Block): JsonObject | undefined {
  if (block.type !== 'image') return undefined;
  const { source, mediaType = 'image/png' }: Block & { readonly source?: object; readonly mediaType?: unknown } = block;
  const data = base64Of(block);
  const address = source !== undefined && 'url' in source ? source.url : undefined;
  const url = data === undefined ? address : `data:${String(mediaType)};base64,${data}`;
  return typeof url === 'string' ? { type: 'image_url', image_url: { url } } : undefined;
}
