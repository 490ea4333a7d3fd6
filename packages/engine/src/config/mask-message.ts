import type { Message } from '@coppice/core';
import { replaceKeysIn } from './mask-keys.ts';

/** A message in which every key is replaced; the same message where there is none. Pictures are not searched. */
export function maskMessage(message: Message, keys: readonly string[]): Message {
  if (keys.length === 0) return message;
  const content = message.content.map((block) => (block.type === 'image' ? block : replaceKeysIn(block, keys)));
  return content.some((block, at) => block !== message.content[at]) ? { ...message, content } : message;
}
