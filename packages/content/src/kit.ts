import { type Block, isText, type Message, type MessageKit } from '@coppice/core';
import { blockDefinitionOf } from './blocks/index.ts';
import { isProgramText } from './conversation-title.ts';
import { equalityKey } from './equality.ts';

/** The number of tokens of a message besides its blocks, for role and markup. */
const messageOverhead = 4;

/**
 * Returns the text of a message for search and previews: each block as text on its own lines. The reasoning before a
 * reply comes last, and so do blocks that a program added to the words of a user, because a preview shows the beginning.
 * Adjacent text blocks are joined without a separator. For a message with one text block it returns exactly that text.
 */
export function toSearchText(message: Message): string {
  const added = addedByPrograms(message);
  if (added.size === 0) return joinTexts(inReadingOrder(message.content));
  const words = joinTexts(message.content.filter((block) => !added.has(block)));
  return words.trim() === '' ? joinTexts(message.content) : `${words}\n${joinTexts([...added])}`;
}

/** Returns the blocks that a program added before the words of a user; none if there are no such words. */
function addedByPrograms({ role, content }: Message): ReadonlySet<Block> {
  const first = content[0];
  if (role !== 'user' || content.length === 1 || first === undefined || !isAdded(first)) return noBlocks;
  const added = content.filter(isAdded);
  return added.length === content.length ? noBlocks : new Set(added);
}

const noBlocks: ReadonlySet<Block> = new Set();
const isAdded = (block: Block) => isText(block) && isProgramText(block.text);

function joinTexts(blocks: readonly Block[]): string {
  let text = '';
  let afterText = true;
  for (const block of blocks) {
    const part = blockDefinitionOf(block).toText(block);
    if (part === '') continue;
    const joins = isText(block);
    if (text !== '' && !(joins && afterText)) text += '\n';
    text += part;
    afterText = joins;
  }
  return text;
}

/** Moves the reasoning before a reply to its end. Reasoning between texts stays, because it separates them. */
function inReadingOrder(content: readonly Block[]): readonly Block[] {
  const reply = content.findIndex((block) => !blockDefinitionOf(block).isReasoning);
  return reply <= 0 ? content : [...content.slice(reply), ...content.slice(0, reply)];
}

/** Estimates the tokens of a message, for messages that were not sent yet. Usage reported by a provider is exact. */
export function estimateMessageTokens(message: Message): number {
  let tokens = messageOverhead;
  for (const block of message.content) tokens += blockDefinitionOf(block).tokens(block);
  return tokens;
}

/** The functions for messages that core and stores need, for Coppice's block types. */
export const messageKit: MessageKit = { key: equalityKey, text: toSearchText, tokens: estimateMessageTokens };
