import { createHash } from 'node:crypto';
import {
  type Block,
  isText,
  type JsonObject,
  type Message,
  type TextBlock,
  textMessage,
  unwrapResult,
} from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { providerOnlyFields } from './blocks/define.ts';
import type { ThinkingBlock } from './blocks/thinking/index.ts';
import type { ToolUseBlock } from './blocks/tool-use/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { equalityForm, equalityKey } from './equality.ts';
import { normaliseMessage } from './legacy.ts';
import { parseMessage } from './message.ts';
import {
  arbitraryFilledText,
  arbitraryMessage,
  arbitraryThinkingBlock,
  isSameData,
  reverseKeys,
} from './testing/arbitraries.ts';

const text = (value: string): TextBlock => ({ type: 'text', text: value });
const thought = (thinking: string, more: Partial<ThinkingBlock> = {}): ThinkingBlock => ({
  type: 'thinking',
  thinking,
  ...more,
});
const toolUse = (parameters: JsonObject, id = 'c'): ToolUseBlock => ({ type: 'tool-use', id, name: 'f', parameters });
const withContent = (message: Message, content: readonly Block[]): Message => ({ ...message, content });

describe('the equality key', () => {
  it('[C48] is 32 hex digits: the first 128 bits of SHA-256 over the canonical JSON of the normal form', () => {
    fc.assert(
      fc.property(arbitraryMessage, (message) => {
        const digest = createHash('sha256')
          .update(canonicalJson(equalityForm(message)))
          .digest('hex');
        expect(equalityKey(message)).toBe(digest.slice(0, 32));
      }),
    );
  });

  it('[C48] is pinned, because keys are stored', () => {
    const call = toolUse({ b: 1, a: [] }, 'c1');
    const key = (message: Message) => [canonicalJson(equalityForm(message)), equalityKey(message)];
    expect(key(textMessage('user', ' Hello\n'))).toEqual([
      '{"content":[{"text":"Hello","type":"text"}],"role":"user"}',
      '40132ff52f0b52fba43ae7f048ad5d96',
    ]);
    expect(key({ role: 'assistant', content: [thought('Hm.'), call] })).toEqual([
      '{"content":[{"id":"c1","name":"f","parameters":{"a":[],"b":1},"type":"tool-use"}],"role":"assistant"}',
      'b7de0eb7d5008f2d485ed9fe8ae304f4',
    ]);
    expect(key({ ...textMessage('tool', '4'), tool_call_id: 'c1' })).toEqual([
      '{"content":[{"text":"4","type":"text"}],"role":"tool","tool_call_id":"c1"}',
      'd614012c3f36af8ba30c57b68dc0524b',
    ]);
  });

  it('[C49] does not change with the order of keys', () => {
    fc.assert(
      fc.property(arbitraryMessage, (message) => {
        expect(equalityKey(unwrapResult(parseMessage(reverseKeys(message))))).toBe(equalityKey(message));
      }),
    );
  });

  it('[C49] is the same for a string and for one text block', () => {
    fc.assert(
      fc.property(arbitraryFilledText, (text) => {
        const legacy = unwrapResult(normaliseMessage({ role: 'user', content: text }));
        expect(equalityKey(legacy)).toBe(equalityKey(textMessage('user', text)));
      }),
    );
  });

  it('[C49] does not change with white space around text, or with blank text blocks', () => {
    fc.assert(
      fc.property(arbitraryMessage, fc.constantFrom(' ', '\n\t', '\u00a0', '\u2028'), (message, space) => {
        const padded = message.content.flatMap((block): readonly Block[] =>
          isText(block) ? [text(space + block.text + space), text(space)] : [block],
        );
        expect(equalityKey(withContent(message, padded))).toBe(equalityKey(message));
      }),
    );
  });

  it('[C49] does not change when thinking is added or removed', () => {
    fc.assert(
      fc.property(arbitraryMessage, arbitraryThinkingBlock, fc.nat(), (message, thought, at) => {
        const without = message.content.filter((block) => block.type !== 'thinking');
        const place = at % (message.content.length + 1);
        const more = [...message.content.slice(0, place), thought, ...message.content.slice(place)];
        expect(equalityKey(withContent(message, without))).toBe(equalityKey(message));
        expect(equalityKey(withContent(message, more))).toBe(equalityKey(message));
      }),
    );
  });

  it('[C49] does not change with cache_control, signatures and other provider-only fields', () => {
    fc.assert(
      fc.property(arbitraryMessage, fc.constantFrom(...providerOnlyFields), (message, field) => {
        const decorated = message.content.map((block) => ({ ...block, [field]: { type: 'ephemeral' } }));
        const plain = message.content.map((block) =>
          Object.fromEntries(Object.entries(block).filter(([key]) => key !== field)),
        );
        const bare = plain.map((fields) => ({ type: String(fields.type), ...fields }));
        expect(equalityKey(withContent(message, decorated))).toBe(equalityKey(withContent(message, bare)));
      }),
    );
  });

  it('[C49] does change with a field of that name inside parameters', () => {
    const call = (parameters: JsonObject): Message => ({ role: 'assistant', content: [toolUse(parameters)] });
    expect(equalityKey(call({ signature: 'a' }))).not.toBe(equalityKey(call({ signature: 'b' })));
  });

  it('[C50] differs with role, tool_call_id, text and parameters', () => {
    const base = textMessage('user', 'Oak');
    const tool = (call: string): Message => ({ ...textMessage('tool', 'Oak'), tool_call_id: call });
    const call = (parameters: JsonObject, id?: string): Message => ({
      role: 'assistant',
      content: [toolUse(parameters, id)],
    });
    const messages = [
      base,
      textMessage('assistant', 'Oak'),
      textMessage('system', 'Oak'),
      tool('a'),
      tool('b'),
      textMessage('user', 'oak'),
      textMessage('user', 'O ak'),
      textMessage('user', 'Oak\u0301'),
      call({}),
      call({ a: 1 }),
      call({ a: '1' }),
      call({ a: [1, 2] }),
      call({ a: [2, 1] }),
      call({}, 'd'),
    ];
    expect(new Set(messages.map(equalityKey)).size).toBe(messages.length);
  });

  it('[C50] differs with the order of blocks, and with the boundary between two text blocks', () => {
    const texts = (...parts: readonly string[]): Message => ({ role: 'user', content: parts.map(text) });
    expect(equalityKey(texts('a', 'b'))).not.toBe(equalityKey(texts('b', 'a')));
    expect(equalityKey(texts('a', 'b'))).not.toBe(equalityKey(texts('ab')));
  });

  it('[C50] is the same exactly when the normal forms are', () => {
    fc.assert(
      fc.property(arbitraryMessage, arbitraryMessage, (left, right) => {
        expect(equalityKey(left) === equalityKey(right)).toBe(isSameData(equalityForm(left), equalityForm(right)));
      }),
    );
  });

  it('[C51] covers thinking without its signature if a message has nothing else', () => {
    const only = (thinking: string, more?: Partial<ThinkingBlock>): string =>
      equalityKey({ role: 'assistant', content: [text(' '), thought(thinking, more)] });
    expect(only('a')).not.toBe(only('b'));
    expect(only('', { redacted: 'a' })).not.toBe(only('', { redacted: 'b' }));
    expect(only('', { signature: 'a' })).toBe(only('', { signature: 'b' }));
    expect(only('')).not.toBe(equalityKey(textMessage('assistant', ' ')));
  });
});
