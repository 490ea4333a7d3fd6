import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Block, isTextOnly, type Message, type Role, type TextBlock, textMessage, textOf } from './message.ts';
import { coalesceMessages } from './request.ts';
import { toolUseBlock } from './testing/chain.ts';

const text = (words: string): TextBlock => ({ type: 'text', text: words });
const image: Block = { type: 'image' };

function tool(words: string): Message {
  return { ...textMessage('tool', words), tool_call_id: 'k' };
}

test('[X25] neighbours of one role become one message of one text block', () => {
  const messages: Message[] = [
    textMessage('user', 'one '),
    { role: 'user', content: [text('two'), text(' three')] },
    textMessage('assistant', 'A'),
    textMessage('assistant', 'B'),
    textMessage('assistant', ''),
    textMessage('user', 'end'),
  ];
  expect(coalesceMessages(messages)).toEqual([
    textMessage('user', 'one two three'),
    textMessage('assistant', 'A\n\nB'),
    textMessage('user', 'end'),
  ]);
});

test.each<[string, string[], number[], string]>([
  ['two questions', ['first question.', 'My second question.'], [], 'first question.\n\nMy second question.'],
  ['an end in white space', ['first\n', 'second'], [], 'first\nsecond'],
  ['a beginning with white space', ['first', '\u00a0second'], [], 'first\u00a0second'],
  ['two halves', ['Hel', 'lo'], [1], 'Hello'],
  ['halves among questions', ['why?', 'Hel', 'lo', 'again?'], [2], 'why?\n\nHello\n\nagain?'],
  ['an empty one between', ['a', '', 'b'], [], 'a\n\nb'],
  ['an empty one first', ['', 'b'], [], 'b'],
])('[X38] %s are joined with nothing or a blank line', (_, pieces, continues, joined) => {
  const messages = pieces.map((piece) => textMessage('user', piece));
  expect(coalesceMessages(messages, new Set(continues))).toEqual([textMessage('user', joined)]);
});

describe('messages that never merge', () => {
  test.each<[string, Message, Message]>([
    ['two tool messages', tool('a'), tool('b')],
    ['two system messages', textMessage('system', 'a'), textMessage('system', 'b')],
    ['two roles', textMessage('user', 'a'), textMessage('assistant', 'b')],
    ['a call', textMessage('assistant', 'a'), { role: 'assistant', content: [text('b'), toolUseBlock('k')] }],
    ['after a call', { role: 'assistant', content: [toolUseBlock('k')] }, textMessage('assistant', 'b')],
    ['an image', textMessage('user', 'a'), { role: 'user', content: [image, text('b')] }],
    ['thinking', textMessage('assistant', 'a'), { role: 'assistant', content: [{ type: 'thinking' }, text('b')] }],
  ])('[X26] %s', (_, first, second) => {
    const messages = [first, second];
    expect(coalesceMessages(messages)).toBe(messages);
  });

  test('[X26] messages do not merge across a message that does not merge', () => {
    const messages = [textMessage('user', 'a'), textMessage('system', 'rule'), textMessage('user', 'b')];
    expect(coalesceMessages(messages)).toBe(messages);
  });
});

const anyMessage: fc.Arbitrary<Message> = fc
  .tuple(
    fc.constantFrom<Role>('user', 'assistant', 'tool', 'system'),
    fc.array(fc.oneof({ weight: 4, arbitrary: fc.string({ maxLength: 4 }).map(text) }, fc.constant(image)), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([role, content]) => (role === 'tool' ? { role, content, tool_call_id: 'k' } : { role, content }));
const anyMessages = fc.array(anyMessage, { maxLength: 20 });

test('[X27] merging changes only white space where texts meet, keeps the order, and sends every text once', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const spoken = (list: readonly Message[]) => {
        const turns: [Role, string][] = [];
        for (const each of list) {
          const last = turns.at(-1);
          const said = textOf(each).replace(/\s/g, '');
          if (last?.[0] === each.role) last[1] += said;
          else turns.push([each.role, said]);
        }
        return turns;
      };
      const merged = coalesceMessages(messages);
      expect(spoken(merged)).toEqual(spoken(messages));
      expect(merged.filter((each) => !isTextOnly(each))).toEqual(messages.filter((each) => !isTextOnly(each)));
    }),
  );
});

test('[X27] merging a second time changes nothing, and leaves no neighbours that could merge', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const merged = coalesceMessages(messages);
      expect(coalesceMessages(merged)).toBe(merged);
      const may = (each: Message | undefined) =>
        each !== undefined && (each.role === 'user' || each.role === 'assistant') && isTextOnly(each);
      for (const [index, each] of merged.entries())
        expect(may(each) && may(merged[index - 1]) && merged[index - 1]?.role === each.role).toBe(false);
    }),
  );
});

test('[X27] messages that do not merge stay the same objects, and the input is not changed', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const before = structuredClone(messages);
      const merged = coalesceMessages(messages);
      expect(messages).toEqual(before);
      for (const each of messages) if (!isTextOnly(each)) expect(merged.includes(each)).toBe(true);
    }),
  );
});

test('[X27] a hundred thousand pieces of one reply become that reply', () => {
  const pieces = Array.from({ length: 100_000 }, () => textMessage('assistant', 'ab'));
  const continues = new Set(pieces.keys());
  expect(coalesceMessages(pieces, continues)).toEqual([textMessage('assistant', 'ab'.repeat(100_000))]);
});
