// When two messages are the same for prefix matching. The stored text is never touched by any of this.
import { isText, type JsonObject, type Message } from '@coppice/core';
import { comparedFields } from './blocks/define.ts';
import { blockDefinitionOf } from './blocks/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { sha256Hex } from './sha256.ts';

/** 128 of the 256 bits: 2⁶⁴ messages under one parent before two are likely to meet, in half the index. */
const keyDigits = 32;

function comparedContent(message: Message): readonly JsonObject[] {
  const counted: JsonObject[] = [];
  for (const block of message.content) {
    const normal = blockDefinitionOf(block).equalityForm(block);
    if (normal !== undefined) counted.push(normal);
  }
  if (counted.length > 0) return counted;
  // Nothing counts, yet it may not be blank: then what usually does not count has to, or all such messages were one.
  return message.content.filter((block) => !isText(block)).map((block) => comparedFields(block));
}

/**
 * What counts of a message when it is compared: role, `tool_call_id` and the blocks in order; text trimmed, blank text,
 * thinking and provider-only fields left out. A message that has only thinking is compared by it.
 */
export function equalityForm(message: Message): JsonObject {
  const { role, tool_call_id: call } = message;
  const content = comparedContent(message);
  return call === undefined ? { role, content } : { role, content, tool_call_id: call };
}

/**
 * The equality key of a message: the first 128 bits of SHA-256 over the canonical JSON of its normal form, as 32 hex
 * digits. Two messages are equal exactly when their keys are. Keys are stored: a change here needs a migration.
 */
export function equalityKey(message: Message): string {
  return sha256Hex(plainForm(message) ?? canonicalJson(equalityForm(message))).slice(0, keyDigits);
}

/**
 * The canonical JSON of the normal form of a message of one plain text, written down at once, or null for any other
 * message. Most messages are such, and every one of a history that is sent again is hashed.
 */
function plainForm({ role, content, tool_call_id: call }: Message): string | null {
  const [block] = content;
  if (content.length !== 1 || call !== undefined || block === undefined || !isText(block)) return null;
  for (const key in block) if (key !== 'type' && key !== 'text') return null;
  const trimmed = block.text.trim();
  if (trimmed === '') return null;
  return `{"content":[{"text":${JSON.stringify(trimmed)},"type":"text"}],"role":${JSON.stringify(role)}}`;
}
