import { isText, type Message, type MessageKit } from '@coppice/core';
import { blockDefinitionOf } from './blocks/index.ts';
import { equalityKey } from './equality.ts';

/** What a message costs besides its blocks: role and markup. */
const messageOverhead = 4;

/**
 * The text of a message for search and previews: each block as text, on lines of its own; text blocks that follow each
 * other are joined with nothing, as they are everywhere. A message of one text block gives that very text.
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

/** About how many tokens a message is to a model. What a provider reports is the truth; this is for what is not sent yet. */
export function messageTokens(message: Message): number {
  let tokens = messageOverhead;
  for (const block of message.content) tokens += blockDefinitionOf(block).tokens(block);
  return tokens;
}

/** What core is given to know messages by. */
export const messageKit: MessageKit = { key: equalityKey, text: searchText, tokens: messageTokens };
