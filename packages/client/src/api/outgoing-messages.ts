/** Messages as a client sends them, and their conversion to the generated types. */
import type { Message } from '@coppice/core';

/** A message to send. Without an id, the server creates one. */
export interface OutgoingMessage {
  readonly id?: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | Message['content'];
}

/** Copies content to a mutable list, which the generated types require. */
export function toMutableContent(content: string | Message['content']) {
  return typeof content === 'string' ? content : content.map((block) => ({ ...block }));
}

/** Converts messages to mutable lists, which the generated types require. */
export function toMutableMessages(messages: readonly OutgoingMessage[] | undefined) {
  return messages?.map(({ content, ...rest }) => ({
    ...rest,
    content: toMutableContent(content),
  }));
}
