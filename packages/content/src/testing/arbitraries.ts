import type { Block, JsonObject, Message, Role } from '@coppice/core';
import fc from 'fast-check';
import { blockDefinitions } from '../blocks/index.ts';
import { canonicalJson } from '../canonical-json.ts';

const known = new Set<string>(blockDefinitions.map((definition) => definition.type));

/** Generates any text, including lone surrogates and control characters. */
export const arbitraryText: fc.Arbitrary<string> = fc.string({
  unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
});

/** Generates text that is not blank. */
export const arbitraryFilledText: fc.Arbitrary<string> = fc
  .tuple(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }))
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '');

/** Generates keys as in foreign data, often dangerous ones. */
const anyKey: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON', 'type', '0', '10', ''),
);

/** Generates a JSON object with any keys. */
export const arbitraryObject: fc.Arbitrary<JsonObject> = fc.letrec<{ value: JsonObject[string]; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
      fc.integer(),
      arbitraryText,
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(anyKey, tie('value')), { maxLength: 5 })
      .map((entries): JsonObject => Object.fromEntries(entries)),
  }),
).object;

/** Generates a block of an unknown type. */
export const arbitraryUnknownBlock: fc.Arbitrary<Block> = fc
  .tuple(
    arbitraryText.filter((type) => type !== '' && !known.has(type)),
    arbitraryObject,
    arbitraryObject,
  )
  // The type may be anywhere among the keys. fromEntries keeps `__proto__` an ordinary key.
  .map(([type, before, after]) =>
    Object.fromEntries([
      ...Object.entries(before).filter(([key]) => key !== 'type'),
      ['type', type],
      ...Object.entries(after).filter(([key]) => key !== 'type'),
    ]),
  )
  .map((fields) => ({ type: String(fields.type), ...fields }));

/** Generates a text block that is not blank. */
const textBlock: fc.Arbitrary<Block> = arbitraryFilledText.map((text) => ({ type: 'text', text }));

/** Generates a tool call with any parameters. */
const toolUseBlock: fc.Arbitrary<Block> = fc.record({
  type: fc.constant('tool-use'),
  id: fc.uuid(),
  name: fc.string({ minLength: 1 }),
  parameters: arbitraryObject,
});

/** Generates a thinking block, with or without signature and encrypted reasoning. */
export const arbitraryThinkingBlock: fc.Arbitrary<Block> = fc.record(
  { type: fc.constant('thinking'), thinking: arbitraryText, signature: fc.string(), redacted: fc.string() },
  { requiredKeys: ['type', 'thinking'] },
);

/** Generates a message that is not blank, with a role that may contain its blocks. */
export const arbitraryMessage: fc.Arbitrary<Message> = fc
  .tuple(
    fc.constantFrom<Role>('user', 'assistant', 'tool', 'system'),
    fc.array(fc.oneof(textBlock, arbitraryUnknownBlock, arbitraryThinkingBlock), { maxLength: 3 }),
    textBlock,
    fc.array(toolUseBlock, { maxLength: 2 }),
    fc.uuid(),
  )
  .map(([role, blocks, last, calls, call]): Message => {
    const content = [...blocks, last, ...(role === 'assistant' ? calls : [])];
    return role === 'tool' ? { role, content, tool_call_id: call } : { role, content };
  });

/** Reverses the keys of every object in the data; integer keys stay where JavaScript puts them. */
export function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reverseKeys(member)] as const);
  return Object.fromEntries(entries.reverse());
}

/** Whether two values are the same data; the order of keys does not matter. */
export function isSameData(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
