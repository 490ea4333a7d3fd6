/**
 * Moves the bytes of images and files between messages of assistant-ui, which have them as data URLs, and blocks of a
 * tree, whose bytes the server keeps apart.
 */
import type { CoppiceClient } from '@coppice/client';
import { extractInlineBytes, isBase64, toBase64 } from '@coppice/content';
import type { Block, Json, JsonObject, Message } from '@coppice/core';
import { fieldsOrEmpty, isJsonObject } from '@coppice/core/decode';

/** An image or a file with its bytes as base64. */
export interface BytesBlock extends Block {
  readonly mediaType: string;
  readonly source: JsonObject;
}

/** The field of an object that replaces a data URL: the index of the block with its bytes. */
const indexField = 'coppiceBytes';

function mapJson(value: Json, change: (value: Json) => Json | undefined): Json {
  const changed = change(value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return value.map((each: Json) => mapJson(each, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapJson(each, change)]));
}

/** Extracts the bytes from the data URLs of a value. Bytes that the server would not restore exactly stay. */
export function extractBytes(value: JsonObject): {
  readonly value: JsonObject;
  readonly blocks: readonly BytesBlock[];
} {
  // A value with this field could not be told from one whose bytes were taken.
  if (JSON.stringify(value).includes(`"${indexField}":`)) return { value, blocks: [] };
  const blocks: BytesBlock[] = [];
  const changed = mapJson(value, (each) => {
    if (typeof each !== 'string' || !each.startsWith('data:')) return undefined;
    const [start = '', mediaType = ''] = /^data:([^;,]+);base64,/.exec(each) ?? [];
    if (start === '') return undefined;
    const type = mediaType.startsWith('image/') ? 'image' : 'file';
    const name = type === 'file' ? { name: `file.${/\w*$/.exec(mediaType)}` } : {};
    const block = { type, mediaType, ...name, source: { type: 'base64' as const, data: each.slice(start.length) } };
    if (extractInlineBytes(block) === undefined) return undefined;
    blocks.push(block);
    return { [indexField]: blocks.length - 1, start };
  });
  return isJsonObject(changed) ? { value: changed, blocks } : { value, blocks: [] };
}

/** Whether a block is an image or a file with bytes. */
function isBytesBlock({ type }: Block): boolean {
  return type === 'image' || type === 'file';
}

/** Puts the bytes of blocks back into the data URLs from which they were taken. */
export function restoreBytes(value: JsonObject, content: readonly Block[]): JsonObject {
  const blocks = content.filter(isBytesBlock);
  const changed = mapJson(value, (each) => {
    if (!isJsonObject(each) || typeof each[indexField] !== 'number' || typeof each.start !== 'string') return undefined;
    const block = blocks[each[indexField]];
    return each.start + ((block === undefined ? undefined : base64Of(block)) ?? '');
  });
  return isJsonObject(changed) ? changed : value;
}

function sourceOf(block: Block): JsonObject {
  const { source }: { readonly source?: Json } = fieldsOrEmpty(JSON.parse(JSON.stringify(block)));
  return isJsonObject(source) ? source : {};
}

function base64Of(block: Block): string | undefined {
  const { type, data } = sourceOf(block);
  return type === 'base64' && typeof data === 'string' && isBase64(data) ? data : undefined;
}

/** Returns the URL of an image of another program; undefined for other blocks, and if its bytes are missing. */
export function imageUrlOf(block: Block): { readonly url: string; readonly mediaType: string } | undefined {
  if (block.type !== 'image') return undefined;
  const { mediaType = 'image/png' }: { readonly mediaType?: unknown } & Block = block;
  const type = String(mediaType);
  const data = base64Of(block);
  const { url } = sourceOf(block);
  if (data !== undefined) return { url: `data:${type};base64,${data}`, mediaType: type };
  return typeof url === 'string' ? { url, mediaType: type } : undefined;
}

/** Reads the bytes to which a message refers. A block stays a reference if its bytes are missing. */
export async function loadMessageBytes(client: CoppiceClient, message: Message): Promise<Message> {
  if (!message.content.some((block) => isBytesBlock(block) && sourceOf(block).type === 'blob')) return message;
  const content = await Promise.all(
    message.content.map(async (block): Promise<Block> => {
      const { type, hash } = sourceOf(block);
      if (!isBytesBlock(block) || type !== 'blob' || typeof hash !== 'string') return block;
      const response = await client.send(`/api/attachments/${encodeURIComponent(hash)}`);
      if (!response.ok) return block;
      const data = toBase64(new Uint8Array(await response.arrayBuffer()));
      const whole: BytesBlock = { mediaType: 'application/octet-stream', ...block, source: { type: 'base64', data } };
      return whole;
    }),
  );
  return { ...message, content };
}
