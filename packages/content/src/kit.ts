import { isText, type Message, type MessageKit } from '@coppice/core';
import { blockDefinitionOf } from './blocks/index.ts';
import { equalityKey } from './equality.ts';

/** The number of tokens of a message besides its blocks, for role and markup. */
const messageOverhead = 4;

/**
 * Returns the text of a message for search and previews: each block as text on its own lines. Adjacent text blocks are
 * joined without a separator. For a message with one text block it returns exactly that text.
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

/** Estimates the tokens of a message, for messages that were not sent yet. Usage reported by a provider is exact. */
export function messageTokens(message: Message): number {
  let tokens = messageOverhead;
  for (const block of message.content) tokens += blockDefinitionOf(block).tokens(block);
  return tokens;
}

/** The functions for messages that core and stores need, for Coppice's block types. */
export const messageKit: MessageKit = { key: equalityKey, text: searchText, tokens: messageTokens };
