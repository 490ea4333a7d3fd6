import type { Message } from '@coppice/core';
import { replaceKeysInJson } from './mask-keys.ts';

/** Replaces every key in a message; returns the same message if it contains none. Images are not searched. */
export function maskMessage(message: Message, keys: readonly string[]): Message {
  if (keys.length === 0) return message;
  const content = message.content.map((block) => (block.type === 'image' ? block : replaceKeysInJson(block, keys)));
  return content.some((block, at) => block !== message.content[at]) ? { ...message, content } : message;
}
