import { expect, it } from 'vitest';
import { runBlockConformance } from '../conformance.ts';
import { parseBlock } from '../index.ts';
import { toolUse } from './index.ts';

const call = { type: 'tool-use', id: 'call_1', name: 'search', parameters: { q: 'oak', n: 3 } } as const;

runBlockConformance(toolUse, {
  good: {
    'a call': call,
    'no parameters': { ...call, parameters: {} },
    'what a provider wants back': { ...call, arguments: '{"q": "oak", "n": 3}', thoughtSignature: 'c2ln' },
    'further fields': { ...call, caller: { type: 'direct' } },
  },
  bad: {
    'without an id': { name: 'search', parameters: {} },
    '(id "call_1") without the name': { id: 'call_1', name: '', parameters: {} },
    '(id "call_1", tool "search") whose parameters are no object': { id: 'call_1', name: 'search', parameters: [] },
    'arguments that is not a string': { ...call, arguments: {} },
    'thoughtSignature that is not a string': { ...call, thoughtSignature: 1 },
  },
});

it('[C31] a tool call is refused outside assistant messages', () => {
  for (const role of ['user', 'tool', 'system'] as const) {
    const result = parseBlock(call, role, 'message.content[0]');
    if (result.ok) expect.fail('the block was read');
    expect(result.refusal.message).toBe(
      `message.content[0] is a tool-use block in a message of role ${role}; it belongs to assistant.`,
    );
  }
});

it('[C32] a tool call reads as name and parameters, and is compared without its raw argument text', () => {
  expect(toolUse.toText(call)).toBe('search({"q":"oak","n":3})');
  expect(toolUse.lower(call)).toEqual([{ type: 'text', text: 'search({"q":"oak","n":3})' }]);
  expect(toolUse.equalityForm({ ...call, arguments: '{"n":3,"q":"oak"}', thoughtSignature: 'x' })).toEqual(call);
});
