import type { TextBlock } from '@coppice/core';
import { defineBlock, pickComparedFields } from '../define.ts';

/**
 * The block type of plain text, which is stored unchanged. Comparisons ignore surrounding white space and blank text
 * blocks.
 */
export const text = defineBlock<TextBlock>({
  type: 'text',
  summary: 'Plain text or Markdown.',
  is: (value): value is TextBlock =>
    'type' in value && value.type === 'text' && 'text' in value && typeof value.text === 'string',
  problem: (fields) => (typeof fields.text === 'string' ? undefined : 'is a text block without a string in text'),
  toText: (block) => block.text,
  lower: (block) => [block],
  withKnownFields: ({ text: said }) => ({ type: 'text', text: said }),
  equalityForm(block) {
    const trimmed = block.text.trim();
    return trimmed === '' ? undefined : { ...pickComparedFields(block), text: trimmed };
  },
});
