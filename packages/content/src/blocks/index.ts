import type { Block, JsonObject, Result, Role } from '@coppice/core';
import { refuseInvalidInput } from '../problem.ts';
import type { BlockDefinition } from './define.ts';
import * as members from './members.ts';
import { type UnknownBlock, unknownBlockDefinition } from './unknown.ts';

type Member = (typeof members)[keyof typeof members];
type BlockOf<Definition> = Definition extends BlockDefinition<infer B> ? B : never;

/** A block of a type in the registry; derived from `members.ts`. */
export type KnownBlock = BlockOf<Member>;
/** Any block of a parsed message. Check `isKnownBlock` before switching over `type`. */
export type ContentBlock = KnownBlock | UnknownBlock;

/** The definitions of all block types in the registry. */
export const blockDefinitions: readonly BlockDefinition[] = Object.values(members);

const byType: ReadonlyMap<string, BlockDefinition> = new Map(
  blockDefinitions.map((definition) => [definition.type, definition]),
);

/**
 * Returns the definition of a block's type if the block has the shape of that type, else the definition for unknown
 * blocks.
 */
export function blockDefinitionOf(block: Block): BlockDefinition {
  const definition = byType.get(block.type);
  return definition?.is(block) ? definition : unknownBlockDefinition;
}

/** Whether a block has a type of the registry and the shape of that type. */
export function isKnownBlock(block: Block): block is KnownBlock {
  return blockDefinitionOf(block) !== unknownBlockDefinition;
}

/** Whether a block has a type that is not in the registry. */
export function isUnknownBlock(block: Block): block is UnknownBlock {
  return !byType.has(block.type);
}

/** Parses one block of a message from newly copied JSON. A refusal starts with `at`, such as `content[2]`. */
export function parseBlock(fields: JsonObject, role: Role, at: string): Result<Block> {
  const definition = (typeof fields.type === 'string' ? byType.get(fields.type) : undefined) ?? unknownBlockDefinition;
  if (!definition.roles.includes(role)) {
    return refuseInvalidInput(
      at,
      `is a ${definition.type} block in a message of role ${role}; it belongs to ${definition.roles.join(', ')}`,
    );
  }
  return definition.parse(fields, at);
}

/** Replaces tool calls by text, for messages of roles other than assistant, which cannot contain calls. */
export function replaceCallsByText(content: readonly Block[]): readonly Block[] {
  return content.map((block) =>
    block.type === 'tool-use' ? { type: 'text', text: blockDefinitionOf(block).toText(block) } : block,
  );
}
