import type { Block } from '@coppice/core';
import { estimateTokens } from '../../tokens.ts';
import { defineBlock, optionalStringProblem } from '../define.ts';

/** What a model reasoned before it answered, with what its provider needs to accept it again. */
export interface ThinkingBlock extends Block {
  readonly type: 'thinking';
  /** The readable reasoning; empty when the provider shows none. */
  readonly thinking: string;
  /** Proof that the text is the provider's own; kept to the byte, or the reasoning cannot be sent back. */
  readonly signature?: string;
  /** Reasoning that the provider gave in encrypted form only. */
  readonly redacted?: string;
}

/** Reasoning. Never counts when messages are compared, unless a message has nothing else. */
export const thinking = defineBlock<ThinkingBlock>({
  type: 'thinking',
  summary: 'Reasoning of a model, with its signature.',
  is: (value): value is ThinkingBlock =>
    'type' in value && value.type === 'thinking' && 'thinking' in value && typeof value.thinking === 'string',
  problem(fields) {
    if (typeof fields.thinking !== 'string') return 'is a thinking block without a string in thinking';
    return optionalStringProblem(fields, 'signature') ?? optionalStringProblem(fields, 'redacted');
  },
  toText: (block) => block.thinking,
  // Without its signature's provider, reasoning is only something the model might take for an instruction.
  lower: () => [],
  normal: () => undefined,
  withKnownFields: ({ thinking: said }) => ({ type: 'thinking', thinking: said }),
  tokens: (block) => estimateTokens(block.thinking) + Math.ceil((block.redacted?.length ?? 0) / 4),
});
