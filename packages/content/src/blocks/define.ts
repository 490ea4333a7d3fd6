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
import { setOwnProperty } from '../json-copy.ts';
import { refuseInvalidInput } from '../problem.ts';
import { estimateTokens } from '../tokens.ts';

/**
 * The operations on blocks of one type. Code outside the registry never switches over types: a provider that does not
 * accept a block sends the result of `lower`, and an exporter or terminal without a special case prints `toText`.
 */
export interface BlockDefinition<B extends Block = Block> {
  /** The value of `type`, and the name of the type's folder. */
  readonly type: B['type'];
  /** A description in one line, for tables and menus. */
  readonly summary: string;
  /** The roles whose messages may contain the block. */
  readonly roles: readonly Role[];
  /**
   * Whether the block is the model's reasoning. Reasoning at the start of a message is placed after the reply in its
   * search text, so that previews begin with the reply.
   */
  readonly isReasoning: boolean;
  /** Whether a value has the shape of this block. Cheap, and safe on any value; only `parse` checks every field. */
  is(value: object): value is B;
  /**
   * Parses a block from newly copied JSON. A refusal starts with `at`, such as `content[2]`. Unknown fields are kept.
   */
  parse(fields: JsonObject, at: string): Result<B>;
  /** Returns the block as plain text, which is also used for search. */
  toText(block: B): string;
  /**
   * Returns replacement blocks for a provider that does not accept this type; empty if the block is better left out.
   */
  lower(block: B): readonly Block[];
  /**
   * Returns the part of the block that is compared when two messages are compared; undefined if the block is ignored.
   */
  equalityForm(block: B): JsonObject | undefined;
  /** Estimates the tokens of the block. */
  tokens(block: B): number;
  /** Returns the block with only the fields of its type, for readers that must not see others. */
  withKnownFields(block: B): Block;
}

/** What a block type must define for {@link defineBlock}; the optional members have defaults. */
export interface BlockSpec<B extends Block> {
  readonly type: B['type'];
  readonly summary: string;
  /** Default: all roles. */
  readonly roles?: readonly Role[];
  /** Default: false. */
  readonly isReasoning?: boolean;
  is(value: object): value is B;
  /**
   * Returns the problem of a block's fields as the rest of a sentence after "content[2] …"; undefined if all fields are
   * valid.
   */
  problem(fields: JsonObject): string | undefined;
  /** Default: the type in brackets. */
  toText?(block: B): string;
  /** Default: one text block of `toText`. */
  lower?(block: B): readonly Block[];
  /** Default: every field except the provider-only fields. */
  equalityForm?(block: B): JsonObject | undefined;
  /** Default: the estimate for `toText`. */
  tokens?(block: B): number;
  /** Returns a new block with only the fields of its type. Default: one text block of `toText`. */
  withKnownFields?(block: B): B;
}

/**
 * Fields of a block that only matter to its provider, for caching or authentication. They are stored and sent back, but
 * ignored when messages are compared. A client that resends a history moves `cache_control` and may lose signatures,
 * and must still match its own branch.
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

/** Returns the fields that are compared: all except the provider-only fields and those in `excluded`. */
export function pickComparedFields(block: Block, excluded: readonly string[] = []): Record<string, Json> {
  const counted: Record<string, Json> = {};
  for (const [key, value] of Object.entries(block)) {
    if (!providerOnlyFields.has(key) && !excluded.includes(key)) setOwnProperty(counted, key, value);
  }
  return counted;
}

function toTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** Builds the definition of a block type and fills in the defaults. */
export function defineBlock<B extends Block>(spec: BlockSpec<B>): BlockDefinition<B> {
  const toText = (block: B) => spec.toText?.(block) ?? `[${block.type}]`;
  return {
    type: spec.type,
    summary: spec.summary,
    roles: spec.roles ?? roles,
    isReasoning: spec.isReasoning ?? false,
    is: (value): value is B => spec.is(value),
    parse(fields, at) {
      const what = spec.problem(fields);
      if (what !== undefined) return refuseInvalidInput(at, what);
      return spec.is(fields) ? ok(fields) : refuseInvalidInput(at, `is no ${spec.type} block`);
    },
    toText,
    lower: (block) => (spec.lower === undefined ? [toTextBlock(toText(block))] : spec.lower(block)),
    equalityForm: (block) => (spec.equalityForm === undefined ? pickComparedFields(block) : spec.equalityForm(block)),
    tokens: (block) => (spec.tokens === undefined ? estimateTokens(toText(block)) : spec.tokens(block)),
    withKnownFields: (block) =>
      spec.withKnownFields === undefined ? toTextBlock(toText(block)) : spec.withKnownFields(block),
  };
}

/** Returns the problem of an optional string field; undefined if it is missing or a string. */
export function findOptionalStringProblem(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || typeof value === 'string' ? undefined : `has a field ${name} that is not a string`;
}
