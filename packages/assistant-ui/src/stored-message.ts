/**
 * Converts messages of assistant-ui to messages of a tree and back. Text and reasoning become blocks that other
 * programs can read; a separate block holds the rest, so that a message is restored exactly.
 */
import type { Block, Json, JsonObject, Message } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { extractBytes, imageUrlOf, restoreBytes } from './message-bytes.ts';

/** A message in the storage format of a runtime. */
export interface StoredMessage {
  /** The message id of assistant-ui. */
  readonly id: string;
  /** The name of the storage format, such as `ai-sdk/v6`. */
  readonly format: string;
  readonly content: JsonObject;
}

type OwnBlock = Block & JsonObject;
type SpokenRole = 'user' | 'assistant' | 'system';

/** The type of the block for data that other blocks cannot represent. */
const ownType = 'assistant-ui';
/** The fields that contain the parts of a message in the storage formats. */
const partFields = ['parts', 'content'] as const;

function roleOf(content: JsonObject): SpokenRole {
  const { role } = content;
  return role === 'user' || role === 'system' ? role : 'assistant';
}

/** Converts a part to a block, and returns the fields that the block cannot represent. */
function splitPart(part: Json): { readonly block: OwnBlock; readonly rest: JsonObject } | null {
  if (!isJsonObject(part) || typeof part.text !== 'string') return null;
  const { type, text, ...rest } = part;
  if (type === 'text') return { block: { type, text }, rest };
  if (type === 'reasoning') return { block: { type: 'thinking', thinking: text }, rest: { ...rest, type } };
  return null;
}

function joinPart(block: JsonObject, rest: JsonObject): JsonObject {
  if (block.type === 'thinking') return { ...rest, text: block.thinking ?? '' };
  return { type: 'text', text: block.text ?? '', ...rest };
}

/** Converts a message of assistant-ui to a message of a tree. */
export function toTreeMessage({ id, format, content: given }: StoredMessage): Message & { readonly role: SpokenRole } {
  const { value: content, blocks: files } = extractBytes(given);
  const field = partFields.find((name) => Array.isArray(content[name]));
  const listed = field === undefined ? [] : content[field];
  const blocks: OwnBlock[] = [];
  const parts = (Array.isArray(listed) ? listed : []).map((part: Json): Json => {
    const split = splitPart(part);
    if (split === null) return { part };
    blocks.push(split.block);
    return { block: blocks.length - 1, ...(Object.keys(split.rest).length === 0 ? {} : { rest: split.rest }) };
  });
  const payload = field === undefined ? content : { ...content, [field]: parts };
  const own: OwnBlock = { type: ownType, id, format, payload, field: field ?? null };
  return { role: roleOf(content), content: [...blocks, ...files, own] };
}

/** Converts a message of a tree back; null if another program wrote it. */
export function fromTreeMessage(message: Message): StoredMessage | null {
  const blocks = message.content.map((block): JsonObject => JSON.parse(JSON.stringify(block)));
  const own = blocks.findLast(({ type }) => type === ownType);
  if (own === undefined || typeof own.id !== 'string' || typeof own.format !== 'string') return null;
  const { id, format, payload, field } = own;
  if (!isJsonObject(payload)) return null;
  const listed = typeof field === 'string' ? payload[field] : null;
  const restore = (content: JsonObject) => ({ id, format, content: restoreBytes(content, message.content) });
  if (typeof field !== 'string' || !Array.isArray(listed)) return restore(payload);
  const parts = listed.flatMap((entry: Json): Json[] => {
    if (!isJsonObject(entry)) return [];
    if (typeof entry.block !== 'number') return entry.part === undefined ? [] : [entry.part];
    const block = blocks[entry.block];
    return block === undefined ? [] : [joinPart(block, isJsonObject(entry.rest) ? entry.rest : {})];
  });
  return restore({ ...payload, [field]: parts });
}

/** Converts a message of another program to a storage format: its text, its reasoning and its images. */
export function toForeignContent(message: Message, format: string, createdAt: number): JsonObject {
  const isSdk = format.startsWith('ai-sdk');
  const parts = message.content.flatMap((block): JsonObject[] => {
    const image = imageUrlOf(block);
    if (image !== undefined) return [isSdk ? { type: 'file', ...image } : { type: 'image', image: image.url }];
    const { type, text, thinking }: JsonObject = JSON.parse(JSON.stringify(block));
    if (type === 'text' && typeof text === 'string') return [{ type, text }];
    if (type === 'thinking' && typeof thinking === 'string') return [{ type: 'reasoning', text: thinking }];
    return [];
  });
  const role = message.role === 'user' || message.role === 'system' ? message.role : 'assistant';
  if (isSdk) return { role, parts };
  const shared = { role, content: parts, createdAt: new Date(createdAt).toISOString() };
  if (role === 'assistant') {
    const status = { type: 'complete', reason: 'stop' };
    const metadata = { unstable_state: null, unstable_annotations: [], unstable_data: [], steps: [], custom: {} };
    return { ...shared, status, metadata };
  }
  return { ...shared, ...(role === 'user' ? { attachments: [] } : {}), metadata: { custom: {} } };
}
