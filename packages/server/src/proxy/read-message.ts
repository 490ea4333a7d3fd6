/** Parses one message of a call. */
import { defaultLimits, normaliseMessage, utf8Length } from '@coppice/content';
import type { Json, JsonObject, Message } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { sha256 as hashOf } from '#platform/crypto';
import { removeResponseOnlyFields } from './exchange.ts';

/** The type of the block that replaces a block or an unreadable message that is too large. */
const omittedBlock = 'omitted';

// The limits for a message that is too large: blocks up to this length are kept, longer texts are truncated. If the
// message is still too large, the second limit applies.
const keptLengths = [1024 * 1024, 64 * 1024];

/**
 * Parses a message; null if it is invalid. In a message that is too large, large blocks are replaced by their size and
 * hash, so that it keeps its place in the history and matches when it is sent again.
 */
export function readWireMessage(record: JsonObject): Message | null {
  const plain = removeResponseOnlyFields(record);
  const read = normaliseMessage(plain, { blank: 'keep' });
  if (read.ok) return read.value;
  if (JSON.stringify(plain).length <= defaultLimits.messageBytes / 4) return null;
  for (const kept of keptLengths) {
    const short = normaliseMessage(shortened(plain, kept), { blank: 'keep' });
    if (short.ok) return short.value;
  }
  return null;
}

/** The type of the block that stores an unreadable message. */
const unreadableBlock = 'x-message';

/**
 * Parses a message of a history. An unreadable one is kept as a block with all its data; otherwise the messages after
 * it would get another parent. Null if it is blank.
 */
export function readOrKeepMessage(record: JsonObject): Message | null {
  const read = readWireMessage(record);
  if (read !== null) return read;
  const { content } = record;
  if (content === undefined || content === null || (Array.isArray(content) && content.length === 0)) return null;
  const role = record['role'] === 'assistant' ? 'assistant' : 'user';
  const unreadable = normaliseMessage({ role, content: [{ type: unreadableBlock, message: record }] });
  if (unreadable.ok) return unreadable.value;
  const text = JSON.stringify(record);
  return { role, content: [omittedOf(unreadableBlock, text)] };
}

function omittedOf(type: Json, text: string) {
  const sha256 = hashOf(text, 'hex');
  return { type: omittedBlock, of: type, bytes: utf8Length(text), sha256 };
}

function shortened(record: JsonObject, kept: number): JsonObject {
  const { content } = record;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return Array.isArray(blocks)
    ? { ...record, content: blocks.flatMap((block) => shortenedBlock(block, kept)) }
    : record;
}

function shortenedBlock(block: Json, kept: number): readonly Json[] {
  const text = JSON.stringify(block);
  if (text.length <= kept) return [block];
  const type = isJsonObject(block) ? (block['type'] ?? 'unknown') : 'text';
  const omitted = omittedOf(type, text);
  const blockText = isJsonObject(block) ? block['text'] : block;
  if (typeof blockText !== 'string') return [omitted];
  // A surrogate pair must not be split.
  const beginning = blockText.slice(0, kept).replace(/[\ud800-\udbff]$/, '');
  return [{ type: 'text', text: beginning }, omitted];
}
