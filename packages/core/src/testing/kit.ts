import { isText, type Message, type MessageKit } from '../message.ts';

/** A message kit for tests: equality by trimmed text and other blocks, one token per four characters. */
export const testKit: MessageKit = {
  key(message: Message): string {
    const parts = message.content
      .map((block) => (isText(block) ? block.text.trim() : JSON.stringify(block)))
      .filter((part) => part !== '');
    return JSON.stringify([message.role, message.tool_call_id ?? null, parts]);
  },
  text: (message) => message.content.map((block) => (isText(block) ? block.text : '')).join('\n'),
  tokens: (message) => Math.ceil(JSON.stringify(message.content).length / 4),
};
