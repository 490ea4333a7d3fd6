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
import { refuseInvalidInput } from '../problem.ts';
import { estimateTokens } from '../tokens.ts';

/**
 * The operations on a block of any type. Code outside the registry never switches over types: a provider that does not
 * accept a block sends the result of `lower`, and an exporter or terminal without a special case prints `toText`.
 */
export interface BlockDefinition<B extends Block = Block> {
  /** The value of `type`, and the name of the type's folder. */
  readonly type: B['type'];
  /** One line for tables and menus. */
  readonly summary: string;
  /** The roles whose messages may contain it. */
  readonly roles: readonly Role[];
  /** Whether a value has this block's shape. Cheap, and safe on any value; only `parse` checks every field. */
  is(value: object): value is B;
  /** Parses a block from newly copied JSON; the refusal names `at` and says what is wrong. Unknown fields are kept. */
  parse(fields: JsonObject, at: string): Result<B>;
  /** Returns the block as plain text, also for search. */
  toText(block: B): string;
  /**
   * Returns replacement blocks for a provider that does not accept this type; empty if the block is better left out.
   */
  lower(block: B): readonly Block[];
  /** Returns the part that counts when two messages are compared; undefined if the block does not count. */
  equalityForm(block: B): JsonObject | undefined;
  /** Estimates the tokens of the block. */
  tokens(block: B): number;
  /** Returns the block with only the fields of its type, for readers that must not see others. */
  withKnownFields(block: B): Block;
}

/** The definition of a block type; fields that are left out get defaults. */
export interface BlockSpec<B extends Block> {
  readonly type: B['type'];
  readonly summary: string;
  /** Default: all roles. */
  readonly roles?: readonly Role[];
  is(value: object): value is B;
  /** Returns what is wrong with the fields of a block, to follow "content[2] …"; undefined if nothing is. */
  problem(fields: JsonObject): string | undefined;
  /** Default: the type in brackets. */
  toText?(block: B): string;
  /** Default: one text block of `toText`. */
  lower?(block: B): readonly Block[];
  /** Default: every field except those for the provider only. */
  normal?(block: B): JsonObject | undefined;
  /** Default: the estimate for `toText`. */
  tokens?(block: B): number;
  /** Default: one text block of `toText`. Builds a new block without the fields for the provider only. */
  withKnownFields?(block: B): B;
}

/**
 * Fields of a block that steer or authenticate a provider's call and mean nothing to others. They are stored and sent
 * back, but never decide whether two messages are equal: a client that resends a history moves `cache_control` and may
 * lose signatures, and must still match its own branch.
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

/** Returns the fields that count for equality: all except provider-only ones and those in `apart`. */
export function pickComparedFields(block: Block, apart: readonly string[] = []): Record<string, Json> {
  const counted: Record<string, Json> = {};
  for (const [key, value] of Object.entries(block)) {
    if (!providerOnlyFields.has(key) && !apart.includes(key)) setOwn(counted, key, value);
  }
  return counted;
}

function toTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** Builds a block definition and fills in the defaults. */
export function defineBlock<B extends Block>(spec: BlockSpec<B>): BlockDefinition<B> {
  const toText = (block: B) => spec.toText?.(block) ?? `[${block.type}]`;
  return {
    type: spec.type,
    summary: spec.summary,
    roles: spec.roles ?? roles,
    is: (value): value is B => spec.is(value),
    parse(fields, at) {
      const what = spec.problem(fields);
      if (what !== undefined) return refuseInvalidInput(at, what);
      return spec.is(fields) ? ok(fields) : refuseInvalidInput(at, `is no ${spec.type} block`);
    },
    toText,
    lower: (block) => (spec.lower === undefined ? [toTextBlock(toText(block))] : spec.lower(block)),
    equalityForm: (block) => (spec.normal === undefined ? pickComparedFields(block) : spec.normal(block)),
    tokens: (block) => (spec.tokens === undefined ? estimateTokens(toText(block)) : spec.tokens(block)),
    withKnownFields: (block) =>
      spec.withKnownFields === undefined ? toTextBlock(toText(block)) : spec.withKnownFields(block),
  };
}

/** Returns what is wrong with an optional string field; undefined if nothing is. */
export function optionalStringProblem(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || typeof value === 'string' ? undefined : `has a field ${name} that is not a string`;
}
