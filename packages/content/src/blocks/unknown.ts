import type { Block, Json } from '@coppice/core';
import { defineBlock } from './define.ts';

/** A block of a type that is not in the registry. It is stored and written back unchanged, key order included. */
export interface UnknownBlock extends Block {
  readonly type: string;
  readonly [key: string]: Json;
}

/** The definition for blocks of unknown types, and for blocks of known types that have not been parsed. */
export const unknownBlockDefinition = defineBlock<Block>({
  type: 'unknown',
  summary: 'A block of a type that this version does not know.',
  is: (value): value is Block => 'type' in value && typeof value.type === 'string',
  problem: (fields) => (typeof fields.type === 'string' && fields.type !== '' ? undefined : 'has no type'),
  toText: (block) => ('text' in block && typeof block.text === 'string' ? block.text : `[${block.type}]`),
});
