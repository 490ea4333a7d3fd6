import { runInNewContext } from 'node:vm';
import { type Refusal, type Result, unwrapResult } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from './limits.ts';
import { parseMessage, parseMessages, parseMessageText, toContentText } from './message.ts';
import { arbitraryMessage, arbitraryUnknownBlock } from './testing/arbitraries.ts';

const text = (value: string) => ({ type: 'text', text: value });
const user = (...content: readonly unknown[]) => ({ role: 'user', content });

function refusalOf(result: Result<unknown>): Refusal {
  if (result.ok) expect.fail('it was read');
  return result.refusal;
}

describe('reading a message', () => {
  it('[C1] returns new plain data that shares nothing with the input', () => {
    const input = user({ type: 'x-list', items: [{ a: 1 }] });
    const before = structuredClone(input);
    const message = unwrapResult(parseMessage(input));
    expect(message).toEqual(before);
    expect(message.content).not.toBe(input.content);
    Object.assign(Object(input.content[0]), { items: 'changed' });
    expect(message).toEqual(before);
  });

  it('[C1] accepts objects without a prototype and of another realm, and returns plain ones', () => {
    const foreign: unknown = runInNewContext('({ role: "user", content: [{ type: "text", text: "a" }] })');
    const bare = Object.assign(Object.create(null), user(Object.assign(Object.create(null), text('a'))));
    for (const input of [foreign, bare]) {
      const message = unwrapResult(parseMessage(input));
      expect(message).toStrictEqual(user(text('a')));
    }
  });

  it('[C1] gives the same data when its result is read again', () => {
    fc.assert(
      fc.property(arbitraryMessage, (input) => {
        const message = unwrapResult(parseMessage(input));
        expect(JSON.stringify(parseMessage(message))).toBe(JSON.stringify({ ok: true, value: message }));
      }),
    );
  });

  it('[C2] accepts the four roles and names any other in the refusal', () => {
    for (const role of ['user', 'assistant', 'system']) {
      expect(unwrapResult(parseMessage({ role, content: [text('a')] })).role).toBe(role);
    }
    expect(unwrapResult(parseMessage({ role: 'tool', tool_call_id: '1', content: [text('a')] })).role).toBe('tool');
    expect(refusalOf(parseMessage({ role: 'root', content: [text('a')] })).message).toBe(
      'message has the role "root"; one of user, assistant, tool, system is needed.',
    );
    expect(refusalOf(parseMessage({ content: [text('a')] })).message).toContain('has the role nothing');
  });

  it('[C3] refuses a message without blocks, and one whose text is all white space, as blank', () => {
    expect(refusalOf(parseMessage(user())).code).toBe('message/blank');
    const refusal = refusalOf(parseMessage(user(text(''), text(' \n'))));
    expect(refusal.code).toBe('message/blank');
    expect(refusal.message).toBe('message is blank: its text is empty or white space.');
  });

  it('[C3] keeps blank text on request, but never a message without blocks', () => {
    expect(unwrapResult(parseMessage(user(text(' ')), { blank: 'keep' })).content).toEqual([text(' ')]);
    expect(refusalOf(parseMessage(user(), { blank: 'keep' })).code).toBe('message/blank');
  });

  it('[C3] accepts a message of only thinking or unknown blocks', () => {
    expect(parseMessage(user({ type: 'thinking', thinking: '' }, text(' '))).ok).toBe(true);
    expect(parseMessage(user({ type: 'x-mark' })).ok).toBe(true);
  });

  it('[C4] requires a tool_call_id on tool messages and refuses it elsewhere', () => {
    const content = [text('4')];
    expect(unwrapResult(parseMessage({ role: 'tool', tool_call_id: 'c1', content })).tool_call_id).toBe('c1');
    for (const call of [undefined, null, '', 1]) {
      const refusal = refusalOf(parseMessage({ role: 'tool', tool_call_id: call, content }));
      expect(refusal.message).toBe('message is a tool message without the tool_call_id that it answers.');
    }
    expect(refusalOf(parseMessage({ role: 'user', tool_call_id: 'c1', content })).message).toContain(
      'has a tool_call_id, which only tool messages have',
    );
    expect('tool_call_id' in unwrapResult(parseMessage({ role: 'user', tool_call_id: null, content }))).toBe(false);
  });

  it('[C5] refuses an unknown field by name, unless its value is null or undefined', () => {
    expect(refusalOf(parseMessage({ ...user(text('a')), name: 'Ann' })).message).toBe(
      'message has the field "name", which a message does not have.',
    );
    expect(unwrapResult(parseMessage({ ...user(text('a')), refusal: null, audio: undefined }))).toStrictEqual(
      user(text('a')),
    );
  });

  it('[C6] names the path of the refused value', () => {
    const where = (value: unknown) => refusalOf(parseMessage(value)).message;
    expect(where('a')).toBe('message is "a" where a message is needed.');
    expect(where([])).toBe('message is an array where a message is needed.');
    expect(where({ role: 'user', content: 'a' })).toBe(
      'message has "a" as content where an array of blocks is needed.',
    );
    expect(where(user(text('a'), 7))).toBe('message.content[1] is 7 where a block is needed.');
    expect(where(user({ text: 'a' }))).toBe('message.content[0] has no type.');
    expect(where(user({ type: 'x', a: { 'b c': [0, Number.NaN] } }))).toBe(
      'message.content[0].a["b c"][1] is NaN, which JSON cannot represent.',
    );
  });

  it('[C6] names the index in a list, and returns nothing of the rest', () => {
    const refusal = refusalOf(parseMessages([user(text('a')), user(text('b')), user({ type: 'text' })]));
    expect(refusal.message).toBe('messages[2].content[0] is a text block without a string in text.');
    expect(refusal.data).toMatchObject({ index: 2 });
    expect(refusalOf(parseMessages([user(text(' '))], { where: 'history' })).message).toContain('history[0] is blank');
    expect(refusalOf(parseMessages({})).message).toContain('where a list of messages is needed');
    expect(unwrapResult(parseMessages([user(text('a')), user(text('b'))])).length).toBe(2);
  });

  it('[C7] accepts a message of exactly the byte limit and refuses one byte more', () => {
    const limits = { ...defaultLimits, messageBytes: 4096 };
    const space = 4096 - JSON.stringify(user(text(''))).length;
    const sizes: readonly (readonly [string, number])[] = [
      ['a', 1],
      ['é', 2],
      ['漢', 3],
      ['🌳', 4],
      ['"', 2],
      ['\u0000', 6],
      ['\ud800', 6],
    ];
    for (const [character, bytes] of sizes) {
      const fitting = character.repeat(Math.floor(space / bytes)) + 'a'.repeat(space % bytes);
      expect([character, parseMessage(user(text(fitting)), { limits }).ok]).toEqual([character, true]);
      expect(refusalOf(parseMessage(user(text(`${fitting}a`)), { limits })).message).toBe(
        'message takes more than 4096 bytes as JSON.',
      );
    }
  });

  it('[C7] counts keys, numbers and the tool_call_id as well', () => {
    const limits = { ...defaultLimits, messageBytes: 4096 };
    // Each number has 24 characters and a comma, which is the longest form of a number.
    const numbers = Array.from({ length: 150 }, () => -1.2345678901234567e-100);
    const space = 4096 - JSON.stringify(user({ type: 'x', numbers, pad: '' })).length;
    expect(parseMessage(user({ type: 'x', numbers, pad: 'a'.repeat(space) }), { limits }).ok).toBe(true);
    expect(parseMessage(user({ type: 'x', numbers, pad: 'a'.repeat(space + 1) }), { limits }).ok).toBe(false);
    expect(parseMessage({ role: 'tool', tool_call_id: 'x'.repeat(5000), content: [text('a')] }, { limits }).ok).toBe(
      false,
    );
    expect(parseMessage(user({ type: 'x', ['k'.repeat(5000)]: 1 }), { limits }).ok).toBe(false);
  });

  it('[C8] accepts 200 levels of nesting and refuses 201', () => {
    const nested = (levels: number) => {
      let value: unknown = 'leaf';
      for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
      return user({ type: 'x', value });
    };
    expect(parseMessage(nested(197)).ok).toBe(true);
    expect(refusalOf(parseMessage(nested(198))).message).toBe('message nests deeper than 200 levels.');
    expect(refusalOf(parseMessage(nested(50_000))).message).toBe('message nests deeper than 200 levels.');
  });

  it('[C9] accepts 10,000 blocks and refuses 10,001', () => {
    const blocks = (count: number) => user(...Array.from({ length: count }, () => text('a')));
    expect(unwrapResult(parseMessage(blocks(10_000))).content.length).toBe(10_000);
    expect(refusalOf(parseMessage(blocks(10_001))).message).toBe(
      'message has 10001 blocks; at most 10000 are allowed.',
    );
  });

  it('[C10] refuses values that JSON cannot express, with their path, and drops undefined members', () => {
    class Oak {
      readonly rings = 3;
    }
    for (const value of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      () => 1,
      Symbol('a'),
      new Date(0),
      new Map(),
      new Oak(),
    ]) {
      const refusal = refusalOf(parseMessage(user({ type: 'x', value })));
      expect(refusal.message).toMatch(/^message\.content\[0\]\.value is .*, which JSON cannot represent\.$/);
    }
    expect(refusalOf(parseMessage(user({ type: 'x', list: [1, undefined] }))).message).toContain('.list[1] is nothing');
    expect(unwrapResult(parseMessage(user({ type: 'x', gone: undefined }))).content).toStrictEqual([{ type: 'x' }]);
  });

  it('[C11] refuses a cyclic value, and one that repeats a part until it is too large', () => {
    const loop: { type: string; self?: unknown } = { type: 'x' };
    loop.self = loop;
    expect(refusalOf(parseMessage(user(loop))).message).toBe('message nests deeper than 200 levels.');
    let bush: unknown = 'leaf';
    for (let level = 0; level < 60; level++) bush = [bush, bush];
    expect(
      refusalOf(parseMessage(user({ type: 'x', bush }), { limits: { ...defaultLimits, messageBytes: 10_000 } }))
        .message,
    ).toBe('message takes more than 10000 bytes as JSON.');
  });

  it('[C12] keeps __proto__, constructor and prototype as own keys that reach no prototype', () => {
    const json = '[{"type":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":2}]';
    const message = unwrapResult(parseMessageText(`{"role":"user","content":${json}}`));
    expect(toContentText(message.content)).toBe(json);
    const [block] = message.content;
    expect(Object.getPrototypeOf(block)).toBe(Object.prototype);
    expect(Object.keys(Object(block))).toEqual(['type', '__proto__', 'constructor', 'prototype']);
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
  });

  it('[C13] keeps lone surrogates and NUL, and writes them as escapes', () => {
    const message = unwrapResult(parseMessage(user(text('a\ud800b\u0000c'))));
    expect(message.content).toEqual([text('a\ud800b\u0000c')]);
    expect(toContentText(message.content)).toBe('[{"type":"text","text":"a\\ud800b\\u0000c"}]');
    expect(unwrapResult(parseMessageText(`{"role":"user","content":${toContentText(message.content)}}`))).toEqual(
      message,
    );
  });

  it('[C38] refuses one tool call id twice in a message', () => {
    const call = (id: string) => ({ type: 'tool-use', id, name: 'f', parameters: {} });
    expect(parseMessage({ role: 'assistant', content: [call('a'), call('b')] }).ok).toBe(true);
    expect(refusalOf(parseMessage({ role: 'assistant', content: [call('a'), call('b'), call('a')] })).message).toBe(
      'message.content[2] uses the tool call id "a" a second time.',
    );
  });

  it('[C39] keeps a block of unknown type byte for byte, from text to text', () => {
    fc.assert(
      fc.property(fc.array(arbitraryUnknownBlock, { minLength: 1, maxLength: 4 }), (content) => {
        const written = JSON.stringify(content);
        const message = unwrapResult(parseMessageText(`{"role":"user","content":${written}}`));
        expect(toContentText(message.content)).toBe(written);
      }),
      { numRuns: 500 },
    );
  });
});
