/** What a provider is sent of blocks and roles that it does not take. */
import { blockDefinitionOf } from '@coppice/content';
import { type Block, isBlank, type Message, type Role } from '@coppice/core';
import { strayResultMessage, systemAsUserMessage } from '@coppice/core/context';
import type { ProviderSupport } from './contract.ts';

/** What decides how blocks go. */
export interface Lowering {
  readonly supports: ProviderSupport;
  /** Whether a block of a supported type can go as it is. */
  takes(block: Block, role: Role): boolean;
  /** Told of each block that goes as something else. */
  onLowered(block: Block, role: Role): void;
}

const noText: Block & { readonly text: string } = { type: 'text', text: '(no text)' };

/**
 * The messages as a provider can take them: blocks that it does not take are lowered, tool results of a provider without
 * tools and system messages of one without a place for them go as marked user messages. A message of which nothing is
 * left is left out, save for a tool result, which its call waits for. Messages that need nothing stay the same objects.
 */
export function lowerMessages(messages: readonly Message[], lowering: Lowering): readonly Message[] {
  const { supports } = lowering;
  const native = new Set(supports.blocks);
  const lowered: Message[] = [];
  for (const message of messages) {
    const content = lowerBlocks(message, native, lowering);
    if (message.role === 'tool') {
      const result = content.length === 0 ? { ...message, content: [noText] } : { ...message, content };
      lowered.push(supports.tools ? (content === message.content ? message : result) : strayResultMessage(result));
    } else if (content === message.content || content.length > 0) {
      const next = content === message.content ? message : { ...message, content };
      if (next !== message && isBlank(next)) continue;
      lowered.push(next.role === 'system' && !supports.systemInPlace ? systemAsUserMessage(next) : next);
    }
  }
  return lowered;
}

function lowerBlocks(message: Message, native: ReadonlySet<string>, lowering: Lowering): readonly Block[] {
  const { role, content } = message;
  const goes = (block: Block) => block.type === 'text' || (native.has(block.type) && lowering.takes(block, role));
  if (content.every(goes)) return content;
  const blocks: Block[] = [];
  for (const block of content) {
    if (goes(block)) blocks.push(block);
    else {
      lowering.onLowered(block, role);
      for (const other of blockDefinitionOf(block).lower(block)) blocks.push(other);
    }
  }
  return blocks;
}
