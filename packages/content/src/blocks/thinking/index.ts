import type { Block } from '@coppice/core';
import { estimateTokens } from '../../tokens.ts';
import { defineBlock, findOptionalStringProblem } from '../define.ts';

/** The reasoning of a model, with the data that its provider needs to accept it again. */
export interface ThinkingBlock extends Block {
  readonly type: 'thinking';
  /** The readable reasoning; empty if the provider does not show it. */
  readonly thinking: string;
  /**
   * The provider's signature over the text. It is stored unchanged, because otherwise the reasoning cannot be sent
   * back.
   */
  readonly signature?: string;
  /** Reasoning that the provider sent in encrypted form only. */
  readonly redacted?: string;
}

/** The block type of reasoning. Ignored when messages are compared, unless a message has nothing else. */
export const thinking = defineBlock<ThinkingBlock>({
  type: 'thinking',
  summary: 'Reasoning of a model, with its signature.',
  isReasoning: true,
  is: (value): value is ThinkingBlock =>
    'type' in value && value.type === 'thinking' && 'thinking' in value && typeof value.thinking === 'string',
  problem(fields) {
    if (typeof fields.thinking !== 'string') return 'is a thinking block without a string in thinking';
    return findOptionalStringProblem(fields, 'signature') ?? findOptionalStringProblem(fields, 'redacted');
  },
  toText: (block) => block.thinking,
  // Without the signing provider, reasoning is only text, which a model might mistake for an instruction.
  lower: () => [],
  equalityForm: () => undefined,
  withKnownFields: ({ thinking: said }) => ({ type: 'thinking', thinking: said }),
  tokens: (block) => estimateTokens(block.thinking) + Math.ceil((block.redacted?.length ?? 0) / 4),
});
