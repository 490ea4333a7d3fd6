import type { Block, Json } from '@coppice/core';
import { defineBlock } from './define.ts';

/** A block of a type that this build does not know. Kept as it came, key order included, and written back unchanged. */
export interface UnknownBlock extends Block {
  readonly type: string;
  readonly [key: string]: Json;
}

/** What is done with a block of unknown type, and with one of a known type that has not been through the door. */
export const unknown = defineBlock<Block>({
  type: 'unknown',
  summary: 'A block of a type that this version does not know.',
  is: (value): value is Block => 'type' in value && typeof value.type === 'string',
  problem: (fields) => (typeof fields.type === 'string' && fields.type !== '' ? undefined : 'has no type'),
  toText: (block) => ('text' in block && typeof block.text === 'string' ? block.text : `[${block.type}]`),
});
