import { isText, type Message, type MessageKit } from '@coppice/core';
import { blockDefinitionOf } from './blocks/index.ts';
import { equalityKey } from './equality.ts';

/** The tokens of a message besides its blocks: role and markup. */
const messageOverhead = 4;

/**
 * Returns the text of a message for search and previews: each block as text on its own lines; adjacent text blocks are
 * joined without a separator. A message with one text block gives exactly that text.
 */
export function searchText(message: Message): string {
  let text = '';
  let afterText = true;
  for (const block of message.content) {
    const part = blockDefinitionOf(block).toText(block);
    if (part === '') continue;
    const joins = isText(block);
    if (text !== '' && !(joins && afterText)) text += '\n';
    text += part;
    afterText = joins;
  }
  return text;
}

/** Estimates the tokens of a message. Usage reported by a provider is exact; this is for messages not sent yet. */
export function messageTokens(message: Message): number {
  let tokens = messageOverhead;
  for (const block of message.content) tokens += blockDefinitionOf(block).tokens(block);
  return tokens;
}

/** The message kit for core. */
export const messageKit: MessageKit = { key: equalityKey, text: searchText, tokens: messageTokens };
