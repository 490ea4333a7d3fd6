/** Reads one message of a call. */
import { createHash } from 'node:crypto';
import { defaultLimits, normaliseMessage } from '@coppice/content';
import type { Json, JsonObject, Message } from '@coppice/core';
import { asResent, isWireObject } from './exchange.ts';

/** The type of a block that stands for one which is too large to be kept. */
const omittedBlock = 'omitted';

// Of a message that is too large, blocks up to here stay as they are, and so much stays of a longer text; where that is
// still too much, up to the second bound.
const keptLengths = [1024 * 1024, 64 * 1024];

/**
 * A message in canonical form, or null where it cannot be read as one. Of one that is past the bound the large blocks are
 * named by their size and hash: so it keeps its place in the history, and is found again when it is sent again.
 */
export function readWireMessage(record: JsonObject): Message | null {
  const plain = asResent(record);
  const read = normaliseMessage(plain, { blank: 'keep' });
  if (read.ok) return read.value;
  if (JSON.stringify(plain).length <= defaultLimits.messageBytes / 4) return null;
  for (const kept of keptLengths) {
    const short = normaliseMessage(shortened(plain, kept), { blank: 'keep' });
    if (short.ok) return short.value;
  }
  return null;
}

/** The type of a block that holds a message which cannot be read as one. */
const unreadableBlock = 'x-message';

/**
 * A message of a history. One that cannot be read keeps its place, as a block with all that it holds, since whatever
 * follows would hang below another message otherwise. Null where it says nothing.
 */
export function readOrKeepMessage(record: JsonObject): Message | null {
  const read = readWireMessage(record);
  if (read !== null) return read;
  const { content } = record;
  if (content === undefined || content === null || (Array.isArray(content) && content.length === 0)) return null;
  const role = record['role'] === 'assistant' ? 'assistant' : 'user';
  const kept = normaliseMessage({ role, content: [{ type: unreadableBlock, message: record }] });
  if (kept.ok) return kept.value;
  const text = JSON.stringify(record);
  return { role, content: [omittedOf(unreadableBlock, text)] };
}

function omittedOf(type: Json, text: string) {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { type: omittedBlock, of: type, bytes: Buffer.byteLength(text), sha256 };
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
  const type = isWireObject(block) ? (block['type'] ?? 'unknown') : 'text';
  const omitted = omittedOf(type, text);
  const said = isWireObject(block) ? block['text'] : block;
  if (typeof said !== 'string') return [omitted];
  // Never half a character.
  const beginning = said.slice(0, kept).replace(/[\ud800-\udbff]$/, '');
  return [{ type: 'text', text: beginning }, omitted];
}
