import { parseMessage } from '@coppice/content';
import { isMalformedToolUse, parseToolArguments } from '@coppice/content/wires';
import { describe, expect, it } from 'vitest';
import { accumulateReply } from './accumulate-reply.ts';
import type { ProviderEvent } from './contract.ts';

function fold(...events: readonly ProviderEvent[]) {
  const reply = accumulateReply('anthropic');
  for (const event of events) reply.push(event);
  return reply.reply();
}

describe('a reply', () => {
  it('[G8] has its blocks in the order in which they began, with signatures and their providers', () => {
    const { message, usage, last } = fold(
      { type: 'thinking-delta', text: 'Hm' },
      { type: 'thinking-delta', text: '.' },
      { type: 'thinking-end', signature: 's1' },
      { type: 'thinking-end', redacted: 'r2' },
      { type: 'text-delta', text: 'a' },
      { type: 'tool-use-start', index: 4, id: 'x', name: 't' },
      { type: 'tool-use-start', index: 5, id: 'y', name: 't' },
      { type: 'tool-use-delta', index: 5, json: '{"b": 2}' },
      { type: 'tool-use-delta', index: 4, json: '{"a":1}' },
      { type: 'text-delta', text: 'b' },
      { type: 'tool-use-end', index: 5, parameters: { b: 2 } },
      { type: 'tool-use-end', index: 4, parameters: { a: 1 }, thoughtSignature: 'p' },
      { type: 'image', block: { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBO' } } },
      { type: 'text-delta', text: 'c' },
      { type: 'usage', inputTokens: 1, outputTokens: 2, raw: {} },
      { type: 'end', finishReason: 'tool-use', raw: 'x' },
    );
    expect(message?.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 's1', provider: 'anthropic' },
      { type: 'thinking', thinking: '', redacted: 'r2', provider: 'anthropic' },
      { type: 'text', text: 'a' },
      { type: 'tool-use', id: 'x', name: 't', parameters: { a: 1 }, thoughtSignature: 'p' },
      { type: 'tool-use', id: 'y', name: 't', parameters: { b: 2 }, arguments: '{"b": 2}' },
      { type: 'text', text: 'b' },
      { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBO' } },
      { type: 'text', text: 'c' },
    ]);
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 2, raw: {} });
    expect(last).toMatchObject({ finishReason: 'tool-use' });
    expect(parseMessage(message).ok).toBe(true);
  });

  it('[G8] without content is not a message, and empty reasoning is not a block', () => {
    expect(fold({ type: 'text-delta', text: '' }, { type: 'thinking-delta', text: '' }).message).toBeNull();
  });

  it('[G9] that stops inside a call keeps the call with the received arguments, marked', () => {
    const { message } = fold(
      { type: 'tool-use-start', index: 0, id: 'x', name: 't' },
      { type: 'tool-use-delta', index: 0, json: '{"a":' },
    );
    const [call] = message?.content ?? [];
    expect(call).toEqual({
      type: 'tool-use',
      id: 'x',
      name: 't',
      parameters: {},
      arguments: '{"a":',
      malformed: 'The reply ended inside the arguments.',
    });
    expect(call !== undefined && isMalformedToolUse(call)).toBe(true);
    expect(parseMessage(message).ok).toBe(true);
  });
});

describe('the arguments of a call', () => {
  it.each(['', '  ', 'null', '{}'])('[G9] may be empty: %j', (text) => {
    expect(parseToolArguments(text)).toEqual({ parameters: {} });
  });

  it.each(['{"a":', '[1]', '"x"', '7', '{"a":1,"a":2}', '{"a":12345678901234567890}', 'look()'])(
    '[G9] are marked when they are %s',
    (text) => {
      const { parameters, malformed } = parseToolArguments(text);
      expect(parameters).toEqual({});
      expect(malformed).toMatch(/^The arguments .+\.$/s);
    },
  );

  it('[G9] keep a key such as __proto__ as an ordinary one', () => {
    const { parameters } = parseToolArguments('{"__proto__":{"x":1}}');
    expect(Object.keys(parameters)).toEqual(['__proto__']);
    expect('x' in parameters).toBe(false);
  });
});
