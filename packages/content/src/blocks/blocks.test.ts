import { readdirSync, readFileSync } from 'node:fs';
import { type Block, unwrapResult } from '@coppice/core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineBlock } from './define.ts';
import {
  blockDefinitionOf,
  blockDefinitions,
  type ContentBlock,
  isKnownBlock,
  isUnknownBlock,
  parseBlock,
} from './index.ts';
import { type UnknownBlock, unknownBlockDefinition } from './unknown.ts';

describe('the block registry', () => {
  it('[C41] has one line and one folder per member, named by its type', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    const lines = readFileSync(`${import.meta.dirname}/members.ts`, 'utf8')
      .trim()
      .split('\n');
    expect(blockDefinitions.map((definition) => definition.type).toSorted()).toEqual(folders.toSorted());
    expect(lines.length).toBe(folders.length);
    for (const folder of folders)
      expect(readdirSync(`${import.meta.dirname}/${folder}`)).toContain(`${folder}.test.ts`);
  });

  it('[C41] derives the union of blocks, in which known types narrow', () => {
    const nameOf = (block: ContentBlock): string => {
      if (!isKnownBlock(block)) return 'unknown';
      return block.type === 'text' ? block.text : block.type;
    };
    expect(nameOf({ type: 'text', text: 'a' })).toBe('a');
    expect(nameOf({ type: 'thinking', thinking: 'a' })).toBe('thinking');
    expect(nameOf({ type: 'x-mark' })).toBe('unknown');
    expectTypeOf<UnknownBlock>().toExtend<ContentBlock>();
  });

  it('[C40] treats a type that this build does not know as unknown, and keeps the whole block', () => {
    const fields = { z: 1, type: 'x-poll', options: ['a', 'b'], cache_control: { type: 'ephemeral' } };
    const block = unwrapResult(parseBlock(fields, 'user', 'content[0]'));
    expect(JSON.stringify(block)).toBe(JSON.stringify(fields));
    expect([isKnownBlock(block), isUnknownBlock(block), blockDefinitionOf(block) === unknownBlockDefinition]).toEqual([
      false,
      true,
      true,
    ]);
    expect(unknownBlockDefinition.toText(block)).toBe('[x-poll]');
    expect(unknownBlockDefinition.lower(block)).toEqual([{ type: 'text', text: '[x-poll]' }]);
    expect(unknownBlockDefinition.equalityForm(block)).toEqual({ z: 1, type: 'x-poll', options: ['a', 'b'] });
  });

  it('[C40] shows the text of an unknown block that has one', () => {
    const block: Block & { readonly text: string } = { type: 'x-note', text: 'Oak' };
    expect(unknownBlockDefinition.toText(block)).toBe('Oak');
  });

  it('[C40] gives a new member defaults for everything except its shape', () => {
    const mark = defineBlock<Block>({
      type: 'x-mark',
      summary: 'A mark.',
      is: (value): value is Block => 'type' in value,
      problem: () => undefined,
    });
    const block = { type: 'x-mark', a: 1, signature: 's' };
    expect(mark.roles).toEqual(['user', 'assistant', 'tool', 'system']);
    expect(mark.toText(block)).toBe('[x-mark]');
    expect(mark.lower(block)).toEqual([{ type: 'text', text: '[x-mark]' }]);
    expect(mark.equalityForm(block)).toEqual({ type: 'x-mark', a: 1 });
    expect(mark.tokens(block)).toBeGreaterThan(0);
  });

  it('[C42] accepts a block as one of its type only if it has the right shape', () => {
    const broken: Block = { type: 'image' };
    expect([isKnownBlock(broken), isUnknownBlock(broken)]).toEqual([false, false]);
    expect(blockDefinitionOf(broken)).toBe(unknownBlockDefinition);
  });
});
