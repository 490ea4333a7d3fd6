import { type Refusal, type Result, unwrapResult } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseMessage, normaliseMessages } from './legacy.ts';
import { arbitraryFilledText, arbitraryMessage, arbitraryObject, arbitraryText } from './testing/arbitraries.ts';

const call = (id: string, name: string, args: unknown, more: object = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...more,
});

function refusalOf(result: Result<unknown>): Refusal {
  if (result.ok) expect.fail('it was read');
  return result.refusal;
}

describe('normalising a legacy message', () => {
  it('[C17] makes exactly one text block of a string', () => {
    expect(unwrapResult(normaliseMessage({ role: 'user', content: ' Hello\n' }))).toStrictEqual({
      role: 'user',
      content: [{ type: 'text', text: ' Hello\n' }],
    });
    expect(refusalOf(normaliseMessage({ role: 'user', content: '' })).code).toBe('message/blank');
    expect(unwrapResult(normaliseMessage({ role: 'user', content: '' }, { blank: 'keep' })).content).toEqual([
      { type: 'text', text: '' },
    ]);
  });

  it('[C18] makes only the calls of null or empty content with calls', () => {
    for (const content of [null, undefined, '', []]) {
      const message = unwrapResult(
        normaliseMessage({ role: 'assistant', content, tool_calls: [call('c1', 'f', '{}')] }),
      );
      expect(message).toStrictEqual({
        role: 'assistant',
        content: [{ type: 'tool-use', id: 'c1', name: 'f', parameters: {} }],
      });
    }
  });

  it('[C19] puts calls after the text, in order', () => {
    const message = unwrapResult(
      normaliseMessage({
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [call('c1', 'f', '{"a": [1, 2]}'), call('c2', 'g', { b: null })],
      }),
    );
    expect(message).toStrictEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool-use', id: 'c1', name: 'f', parameters: { a: [1, 2] } },
        { type: 'tool-use', id: 'c2', name: 'g', parameters: { b: null } },
      ],
    });
  });

  it('[C19] puts calls after blocks as well, and keeps other fields of a call', () => {
    const { content } = unwrapResult(
      normaliseMessage({
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Hm.' }],
        tool_calls: [call('c1', 'f', '', { index: 0, extra_content: { google: { thought_signature: 's' } } })],
      }),
    );
    expect(content).toEqual([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool-use', id: 'c1', name: 'f', parameters: {}, extra_content: { google: { thought_signature: 's' } } },
    ]);
  });

  it('[C20] reads blank or missing arguments as an empty object', () => {
    for (const args of ['', '  \n', null, undefined]) {
      const { content } = unwrapResult(
        normaliseMessage({ role: 'assistant', content: null, tool_calls: [call('c', 'f', args)] }),
      );
      expect(content).toStrictEqual([{ type: 'tool-use', id: 'c', name: 'f', parameters: {} }]);
    }
  });

  it('[C21] refuses arguments that are not a JSON object, with id, name and raw text', () => {
    for (const raw of ['{"a":', 'oak', '[1]', '"a"', '3', 'null', '{"a":1,"a":2}', '{"a":1e400}', 7, [1]]) {
      const refusal = refusalOf(
        normaliseMessages([
          { role: 'user', content: 'a' },
          { role: 'assistant', content: null, tool_calls: [call('c9', 'f', raw)] },
        ]),
      );
      expect(refusal.code).toBe('message/invalid');
      expect(refusal.message).toMatch(/^messages\[1\]\.tool_calls\[0\] calls "f" \(id "c9"\) with arguments that /);
      if (typeof raw === 'string') expect(refusal.message).toContain(raw);
      expect(refusal.data).toMatchObject({ index: 1, id: 'c9', name: 'f', arguments: raw });
    }
  });

  it('[C21] shows only the beginning of a long raw text, and returns all of it', () => {
    const raw = `${'a'.repeat(199)}🌳${'b'.repeat(5000)}`;
    const refusal = refusalOf(
      normaliseMessage({ role: 'assistant', content: null, tool_calls: [call('c', 'f', raw)] }),
    );
    expect(refusal.message.length).toBeLessThan(700);
    expect(refusal.message).not.toMatch(/\p{Surrogate}/u);
    expect(refusal.data.arguments).toBe(raw);
  });

  it('[C22] refuses null content without calls, and calls by any role but the assistant', () => {
    for (const message of [
      { role: 'assistant', content: null },
      { role: 'user' },
      { role: 'assistant', content: null, tool_calls: [] },
    ]) {
      const refusal = refusalOf(normaliseMessage(message, { blank: 'keep' }));
      expect(refusal.code).toBe('message/invalid');
      expect(refusal.message).toBe('message has neither content nor tool_calls.');
    }
    expect(
      refusalOf(normaliseMessage({ role: 'user', content: 'a', tool_calls: [call('c', 'f', '')] })).message,
    ).toContain('which only assistant messages may have');
  });

  it('[C22] refuses malformed calls by their index', () => {
    const reasonFor = (calls: unknown) =>
      refusalOf(normaliseMessage({ role: 'assistant', content: 'a', tool_calls: calls })).message;
    expect(reasonFor('f')).toContain('has "f" as tool_calls where a list is needed');
    expect(reasonFor(['f'])).toBe('message.tool_calls[0] is "f" where a tool call is needed.');
    expect(reasonFor([{ function: { name: 'f' } }])).toContain('without an id');
    expect(reasonFor([{ id: 'c', function: {} }])).toContain('(id "c") without the name of a tool');
    expect(reasonFor([{ id: 'c' }])).toContain('(id "c") without its function');
    expect(reasonFor([{ id: 'c', type: 'custom', custom: {} }])).toContain('of type "custom"');
    expect(reasonFor([call('c', 'f', ''), call('c', 'g', '')])).toContain('uses the tool call id "c" a second time');
    expect(refusalOf(normaliseMessage({ role: 'user', content: 4 })).message).toContain('has 4 as content');
  });

  it('[C23] keeps the tool_call_id of a tool message and makes a block of its text', () => {
    expect(unwrapResult(normaliseMessage({ role: 'tool', tool_call_id: 'c1', content: '4' }))).toStrictEqual({
      role: 'tool',
      content: [{ type: 'text', text: '4' }],
      tool_call_id: 'c1',
    });
  });

  it('[C24] changes nothing the second time', () => {
    const legacy = fc
      .record({
        role: fc.constant('assistant'),
        content: fc.oneof(fc.constant(null), arbitraryText, arbitraryFilledText),
        tool_calls: fc.uniqueArray(
          fc
            .tuple(
              fc.string({ minLength: 1 }),
              fc.oneof(
                arbitraryObject,
                arbitraryObject.map((value) => JSON.stringify(value)),
                fc.constant(''),
              ),
            )
            .map(([id, args]) => call(id, 'f', args)),
          { selector: (entry) => entry.id, minLength: 1, maxLength: 3 },
        ),
      })
      .map((message): unknown => message);
    fc.assert(
      fc.property(fc.oneof(legacy, arbitraryMessage), (input) => {
        const once = unwrapResult(normaliseMessage(input));
        const twice = unwrapResult(normaliseMessage(once));
        expect(JSON.stringify(twice)).toBe(JSON.stringify(once));
        expect(Array.isArray(once.content) && !('tool_calls' in once)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('[C12] keeps __proto__ in arguments an ordinary key', () => {
    const { content } = unwrapResult(
      normaliseMessage({
        role: 'assistant',
        content: null,
        tool_calls: [call('c', 'f', '{"__proto__":{"polluted":1}}')],
      }),
    );
    expect(JSON.stringify(content)).toContain('"parameters":{"__proto__":{"polluted":1}}');
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
  });
});
