/** Converts blocks and roles that a provider does not support. */
import { blockDefinitionOf } from '@coppice/content';
import { type Block, isBlank, type Message, type Role } from '@coppice/core';
import { buildStrayResultMessage, convertSystemToUserMessage } from '@coppice/core/context';
import type { ProviderSupport } from './contract.ts';

/** The features of the provider, and a callback for each conversion. */
export interface LoweringOptions {
  readonly supports: ProviderSupport;
  /** Returns whether a block of a supported type can be sent unchanged. */
  takes(block: Block, role: Role): boolean;
  /** Called for each block that is sent in another form. */
  onLowered(block: Block, role: Role): void;
}

const noText: Block & { readonly text: string } = { type: 'text', text: '(no text)' };

/**
 * Converts messages for a provider. Unsupported blocks are replaced by simpler ones. Tool results become user messages
 * if the provider has no tools, and so do system messages between others if it does not accept them. A message without
 * remaining content is left out, except a tool result, because its call needs one. Messages that need no change stay
 * the same objects.
 */
export function lowerMessages(messages: readonly Message[], lowering: LoweringOptions): readonly Message[] {
  const { supports } = lowering;
  const native = new Set(supports.blocks);
  const lowered: Message[] = [];
  for (const message of messages) {
    const content = lowerBlocks(message, native, lowering);
    if (message.role === 'tool') {
      const result = content.length === 0 ? { ...message, content: [noText] } : { ...message, content };
      lowered.push(supports.tools ? (content === message.content ? message : result) : buildStrayResultMessage(result));
    } else if (content === message.content || content.length > 0) {
      const next = content === message.content ? message : { ...message, content };
      if (next !== message && isBlank(next)) continue;
      lowered.push(next.role === 'system' && !supports.systemInPlace ? convertSystemToUserMessage(next) : next);
    }
  }
  return lowered;
}

function lowerBlocks(message: Message, native: ReadonlySet<string>, lowering: LoweringOptions): readonly Block[] {
  const { role, content } = message;
  const isSentUnchanged = (block: Block) =>
    block.type === 'text' || (native.has(block.type) && lowering.takes(block, role));
  if (content.every(isSentUnchanged)) return content;
  const blocks: Block[] = [];
  for (const block of content) {
    if (isSentUnchanged(block)) blocks.push(block);
    else {
      lowering.onLowered(block, role);
      for (const other of blockDefinitionOf(block).lower(block)) blocks.push(other);
    }
  }
  return blocks;
}
