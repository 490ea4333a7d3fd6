// Decides when two messages are equal for prefix matching. The stored content is not affected.
import { isText, type JsonObject, type Message } from '@coppice/core';
import { pickComparedFields } from './blocks/define.ts';
import { blockDefinitionOf } from './blocks/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { sha256Hex } from './sha256.ts';

/**
 * The number of hex digits of a key: 128 of the 256 bits. A collision becomes likely only after 2⁶⁴ messages under one
 * parent, and the index needs half the space.
 */
const keyDigits = 32;

function comparedContent(message: Message): readonly JsonObject[] {
  const counted: JsonObject[] = [];
  for (const block of message.content) {
    const normal = blockDefinitionOf(block).equalityForm(block);
    if (normal !== undefined) counted.push(normal);
  }
  if (counted.length > 0) return counted;
  // The message has only blocks that are usually ignored. They are compared here; otherwise all such messages would be
  // equal.
  return message.content.filter((block) => !isText(block)).map((block) => pickComparedFields(block));
}

/**
 * Returns the part of a message that is compared: role, `tool_call_id` and the blocks in order. Text is trimmed; blank
 * text, thinking and provider-only fields are left out. A message with only thinking is compared by its thinking.
 */
export function equalityForm(message: Message): JsonObject {
  const { role, tool_call_id: call } = message;
  const content = comparedContent(message);
  return call === undefined ? { role, content } : { role, content, tool_call_id: call };
}

/**
 * Computes the equality key of a message: the first 128 bits of SHA-256 over the canonical JSON of {@link
 * equalityForm}, as 32 hex digits. Two messages are equal if and only if their keys are equal. Keys are stored, so a
 * change here needs a migration.
 */
export function equalityKey(message: Message): string {
  return sha256Hex(plainForm(message) ?? canonicalJson(equalityForm(message))).slice(0, keyDigits);
}

/**
 * Builds the canonical JSON of a message with one plain text directly; null for any other message. Most messages have
 * this form, and every message of a resent history is hashed.
 */
function plainForm({ role, content, tool_call_id: call }: Message): string | null {
  const [block] = content;
  if (content.length !== 1 || call !== undefined || block === undefined || !isText(block)) return null;
  for (const key in block) if (key !== 'type' && key !== 'text') return null;
  const trimmed = block.text.trim();
  if (trimmed === '') return null;
  return `{"content":[{"text":${JSON.stringify(trimmed)},"type":"text"}],"role":${JSON.stringify(role)}}`;
}
