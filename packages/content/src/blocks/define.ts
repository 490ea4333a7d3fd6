import {
  type Block,
  type Json,
  type JsonObject,
  ok,
  type Result,
  type Role,
  roles,
  type TextBlock,
} from '@coppice/core';
import { setOwn } from '../json-copy.ts';
import { invalidInput } from '../problem.ts';
import { estimateTokens } from '../tokens.ts';

/**
 * What the rest of the product may ask of a block, whatever its type. Nobody outside the registry switches over types:
 * a provider that cannot take a block sends what `lower` gives, an exporter or terminal without a case prints `toText`.
 */
export interface BlockDefinition<B extends Block = Block> {
  /** The value of `type`, and the name of the member's folder. */
  readonly type: B['type'];
  /** One line for tables and menus. */
  readonly summary: string;
  /** In whose messages it may stand. */
  readonly roles: readonly Role[];
  /** Whether a value has this block's shape. Cheap, and safe on anything; `parse` is the one that checks every field. */
  is(value: object): value is B;
  /** Reads a block from fresh JSON data; the refusal names `at` and says what is wrong. Fields it does not know are kept. */
  parse(fields: JsonObject, at: string): Result<B>;
  /** The block for a reader of plain text, and for search. */
  toText(block: B): string;
  /** The block for a provider that does not take this type; empty when it is better left out. */
  lower(block: B): readonly Block[];
  /** What counts when two messages are compared; `undefined` when the block does not count at all. */
  equalityForm(block: B): JsonObject | undefined;
  /** About how many tokens the block is to a model. */
  tokens(block: B): number;
  /** The block with the fields that its type has and no others, for readers who may see nothing else. */
  withKnownFields(block: B): Block;
}

/** What a member must say itself; the rest has defaults. */
export interface BlockSpec<B extends Block> {
  readonly type: B['type'];
  readonly summary: string;
  /** All roles unless said otherwise. */
  readonly roles?: readonly Role[];
  is(value: object): value is B;
  /** What is wrong with the fields of a block of this type, to follow "content[2] …"; `undefined` when nothing is. */
  problem(fields: JsonObject): string | undefined;
  /** Default: the type in brackets. */
  toText?(block: B): string;
  /** Default: one text block of `toText`. */
  lower?(block: B): readonly Block[];
  /** Default: every field but those that only a provider cares about. */
  normal?(block: B): JsonObject | undefined;
  /** Default: the estimate for `toText`. */
  tokens?(block: B): number;
  /** Default: one text block of `toText`. Builds the block anew, without what only a provider needs. */
  withKnownFields?(block: B): B;
}

/**
 * Fields of a block that steer or authenticate a provider's call and say nothing to anybody else. They are stored and
 * sent back, and never decide whether two messages are equal: a client that resends a history moves `cache_control`
 * along and may lose signatures, and must still meet its own branch.
 */
export const providerOnlyFields: ReadonlySet<string> = new Set([
  'cache_control',
  'cacheControl',
  'signature',
  'textSignature',
  'thinkingSignature',
  'thought_signature',
  'thoughtSignature',
  'extra_content',
  'providerMetadata',
  'providerOptions',
]);

/** The fields of a block that count for equality, fresh, without provider-only fields and those in `apart`. */
export function comparedFields(block: Block, apart: readonly string[] = []): Record<string, Json> {
  const counted: Record<string, Json> = {};
  for (const [key, value] of Object.entries(block)) {
    if (!providerOnlyFields.has(key) && !apart.includes(key)) setOwn(counted, key, value);
  }
  return counted;
}

/** A text block. */
function toTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** Completes a member of the registry with the defaults. */
export function defineBlock<B extends Block>(spec: BlockSpec<B>): BlockDefinition<B> {
  const toText = (block: B) => spec.toText?.(block) ?? `[${block.type}]`;
  return {
    type: spec.type,
    summary: spec.summary,
    roles: spec.roles ?? roles,
    is: (value): value is B => spec.is(value),
    parse(fields, at) {
      const what = spec.problem(fields);
      if (what !== undefined) return invalidInput(at, what);
      return spec.is(fields) ? ok(fields) : invalidInput(at, `is no ${spec.type} block`);
    },
    toText,
    lower: (block) => (spec.lower === undefined ? [toTextBlock(toText(block))] : spec.lower(block)),
    equalityForm: (block) => (spec.normal === undefined ? comparedFields(block) : spec.normal(block)),
    tokens: (block) => (spec.tokens === undefined ? estimateTokens(toText(block)) : spec.tokens(block)),
    withKnownFields: (block) =>
      spec.withKnownFields === undefined ? toTextBlock(toText(block)) : spec.withKnownFields(block),
  };
}

/** Says what is wrong with a field that must be a string, if it is there at all. */
export function optionalStringProblem(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || typeof value === 'string' ? undefined : `has a field ${name} that is not a string`;
}
