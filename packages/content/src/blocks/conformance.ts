import { type Block, isText, type JsonObject, unwrapResult } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical-json.ts';
import { isJsonObject } from '../json-copy.ts';
import { type BlockDefinition, providerOnlyFields } from './define.ts';
import { blockDefinitionOf, parseBlock } from './index.ts';

/** The blocks that a block type's test passes to {@link runBlockConformance}. */
export interface BlockCases {
  /** Blocks that must be accepted, keyed by a description of the case. */
  readonly good: Readonly<Record<string, JsonObject & Block>>;
  /** Blocks that must be refused, keyed by words that the error message must contain. */
  readonly bad: Readonly<Record<string, JsonObject>>;
}

/** Tests the requirements for every block type of the registry. The test of each type calls it. */
export function runBlockConformance(definition: BlockDefinition, cases: BlockCases): void {
  const [role = 'user'] = definition.roles;

  describe(`${definition.type} as a member of the registry`, () => {
    it.each(Object.entries(cases.good))('[C25] is read and written back unchanged: %s', (_name, block) => {
      const text = JSON.stringify(block);
      const read = unwrapResult(parseBlock(JSON.parse(text), role, 'content[0]'));
      expect(JSON.stringify(read)).toBe(text);
      expect(blockDefinitionOf(read)).toBe(definition);
    });

    it.each(Object.entries(cases.bad))('[C26] is refused with a helpful message: %s', (words, fields) => {
      const result = parseBlock({ ...fields, type: definition.type }, role, 'message.content[7]');
      if (result.ok) expect.fail('the block was read');
      expect(result.refusal.code).toBe('message/invalid');
      expect(result.refusal.message).toContain('message.content[7] ');
      expect(result.refusal.message).toContain(words);
    });

    it.each(Object.entries(cases.good))(
      '[C27] has text, a lowered form, an equality form and tokens: %s',
      (_name, block) => {
        expect(typeof definition.toText(block)).toBe('string');
        for (const lowered of definition.lower(block)) expect(isText(lowered)).toBe(true);
        expect(Number.isInteger(definition.tokens(block))).toBe(true);
        expect(definition.tokens(block)).toBeGreaterThanOrEqual(0);
        const normal = definition.equalityForm(block);
        if (normal !== undefined) expect(canonicalJson(normal)).toContain(`"type":${JSON.stringify(block.type)}`);
      },
    );

    it.each(Object.entries(cases.good))(
      '[C59] has no field of another type where such fields are filtered: %s',
      (_name, block) => {
        const decorated: Record<string, JsonObject[string]> & Block = { ...block, 'x-secret': 'canary' };
        for (const field of providerOnlyFields) decorated[field] = 'canary';
        const { source } = decorated;
        if (isJsonObject(source)) decorated['source'] = { ...source, 'x-secret': 'canary' };
        const known = definition.withKnownFields(decorated);
        expect(JSON.stringify(known)).not.toContain('canary');
        // A block of a type without `withKnownFields` becomes plain text.
        if (known.type !== block.type) expect(known).toEqual({ type: 'text', text: definition.toText(block) });
        else expect(definition.toText(known)).toBe(definition.toText(block));
      },
    );

    it.each(Object.entries(cases.good))(
      '[C28] compares equal whatever provider-only fields it has: %s',
      (_name, block) => {
        const decorated: Record<string, JsonObject[string]> & Block = { ...block };
        for (const field of providerOnlyFields) decorated[field] = 'x';
        const [plain, other] = [definition.equalityForm(block), definition.equalityForm(decorated)];
        expect(other === undefined ? undefined : canonicalJson(other)).toBe(
          plain === undefined ? undefined : canonicalJson(plain),
        );
      },
    );
  });
}
