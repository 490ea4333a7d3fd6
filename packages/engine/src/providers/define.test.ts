import { textMessage } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeMessage, makeToolResult } from '../testing/fixture.ts';
import {
  createScriptedProvider,
  makeTextEvents,
  makeToolEvents,
  makeUsageEvent,
  type ScriptedEvent,
} from '../testing/scripted.ts';
import { collectReply } from './accumulate-reply.ts';
import { checkProviderEvents } from './conformance.ts';
import type { ProviderCall, ProviderEvent, ProviderNotice, ProviderRequest } from './contract.ts';

const request: ProviderRequest = { model: 'one', messages: [textMessage('user', 'Hi')], maxTokens: 10 };
const call: ProviderCall = { connection: { baseUrl: '' } };

async function play(
  beats: readonly ScriptedEvent[],
  over: Partial<ProviderCall> = {},
  asked: Partial<ProviderRequest> = {},
) {
  const events: ProviderEvent[] = [];
  for await (const event of createScriptedProvider([beats]).stream({ ...request, ...asked }, { ...call, ...over }))
    events.push(event);
  return events;
}

const beat: fc.Arbitrary<ScriptedEvent> = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), text: fc.constantFrom('', 'a', 'b ') }),
  fc.record({ type: fc.constant('thinking-delta' as const), text: fc.constantFrom('', 'hm') }),
  fc.record({ type: fc.constant('thinking-end' as const) }),
  fc.record({ type: fc.constant('thinking-end' as const), signature: fc.constant('s') }),
  fc.record({
    type: fc.constant('tool-use-start' as const),
    index: fc.nat(2),
    id: fc.constantFrom('', 'x', 'y'),
    name: fc.constant('t'),
  }),
  fc.record({
    type: fc.constant('tool-use-delta' as const),
    index: fc.nat(2),
    json: fc.constantFrom('', '{', '"a":1', '}'),
  }),
  fc.record({ type: fc.constant('tool-use-end' as const), index: fc.nat(2), parameters: fc.constant({}) }),
  fc.constant(makeUsageEvent(1, 2)),
  fc.record({ type: fc.constant('end' as const), finishReason: fc.constant('stop' as const), raw: fc.constant(null) }),
  fc.record({ type: fc.constant('throw' as const), error: fc.constant(new Error('oops')) }),
);

describe('a provider, whatever its implementation does', () => {
  it('[G1, G2, G5] keeps the order of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(beat, { maxLength: 14 }), async (beats) => {
        expect(checkProviderEvents(await play(beats))).toEqual([]);
      }),
    );
  });

  it('[G1, G2] closes reasoning that begins between the pieces of a call', async () => {
    const events = await play([
      { type: 'tool-use-start', index: 1, id: 'x', name: 't' },
      { type: 'thinking-delta', text: 'hm' },
      { type: 'tool-use-delta', index: 1, json: '{}' },
      { type: 'thinking-delta', text: 'hm' },
      { type: 'tool-use-end', index: 1, parameters: {} },
      { type: 'end', finishReason: 'stop', raw: null },
    ]);
    expect(events.map((event) => event.type)).toEqual([
      'tool-use-start',
      'thinking-delta',
      'thinking-end',
      'tool-use-delta',
      'thinking-delta',
      'thinking-end',
      'tool-use-end',
      'end',
    ]);
  });

  it('[G1] holds usage back until the end and passes on only the last report', async () => {
    const events = await play([
      makeUsageEvent(1, 1),
      { type: 'text-delta', text: 'a' },
      makeUsageEvent(2, 2),
      ...makeTextEvents('b'),
    ]);
    expect(events.map((event) => event.type)).toEqual(['text-delta', 'text-delta', 'usage', 'end']);
    expect(events[2]).toMatchObject({ inputTokens: 10 });
  });

  it('[G3] never throws: an exception becomes the last event, and so does a missing end', async () => {
    const thrown = await play([
      { type: 'text-delta', text: 'a' },
      { type: 'throw', error: new Error('with sk-abcdefghijklmnop') },
    ]);
    expect(thrown.at(-1)).toMatchObject({
      type: 'error',
      code: 'provider/internal',
      kind: 'internal',
      retryable: false,
    });
    expect(JSON.stringify(thrown)).not.toContain('abcdefghijklmnop');
    expect((await play([{ type: 'text-delta', text: 'a' }])).at(-1)).toMatchObject({
      code: 'provider/dropped',
      retryable: true,
    });
  });

  it('[G4] ends at once when it is aborted, even if its implementation hangs', async () => {
    const abort = new AbortController();
    const provider = createScriptedProvider([[]], {});
    const deaf = createScriptedProvider([
      async function* () {
        yield { type: 'text-delta', text: 'a' } as const;
        await new Promise(() => undefined);
      },
    ]);
    const events: ProviderEvent[] = [];
    for await (const event of deaf.stream(request, { ...call, signal: abort.signal })) {
      events.push(event);
      if (event.type === 'text-delta') setTimeout(() => abort.abort(), 1);
    }
    expect(events.map((event) => event.type)).toEqual(['text-delta', 'error']);
    expect(events[1]).toMatchObject({ code: 'provider/aborted', kind: 'aborted' });
    expect(provider.running).toBe(0);
  });

  it('[G4] aborts its implementation when the reader stops early', async () => {
    const provider = createScriptedProvider([[{ type: 'text-delta', text: 'a' }, { type: 'hang' }]]);
    for await (const event of provider.stream(request, call)) if (event.type === 'text-delta') break;
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(provider.running).toBe(0);
  });

  it('[G5] gives a call a new id if the provider gave none, or one that is in the history', async () => {
    const messages = [
      textMessage('user', 'x'),
      makeMessage('assistant', { type: 'tool-use', id: 'a', name: 't', parameters: {} }),
      makeToolResult('a', 'r'),
    ];
    const calls = ['a', '', 'b'].map((id) => ({ id, name: 't', parameters: {} }));
    const ids = (await play(makeToolEvents(...calls), {}, { messages })).flatMap((event) =>
      event.type === 'tool-use-start' ? [event.id] : [],
    );
    expect(new Set(['a', ...ids]).size).toBe(4);
    expect(ids[2]).toBe('b');
    for (const id of ids.slice(0, 2)) expect(id).toMatch(/^call_[a-z0-9]{24}$/);
  });

  it('[G6] gets parameters within its range, and each change is reported', async () => {
    const reported: ProviderNotice[] = [];
    const provider = createScriptedProvider([makeTextEvents('ok')], {
      parameters: { temperature: { min: 0, max: 1 }, stop: { most: 1 }, maxTokens: { min: 1, max: 50 } },
      supports: { ...createScriptedProvider([]).supports, tools: false, thinking: false },
    });
    const tools = [{ name: 't', description: '', parameters: {} }];
    const wild = {
      temperature: 1.5,
      topP: 0.5,
      seed: 3,
      stop: ['', 'a', 'b'],
      maxTokens: 99.5,
      tools,
      thinking: { effort: 'low' },
    } as const;
    await collectReply(
      provider.stream({ ...request, ...wild }, { ...call, onNotice: (notice) => reported.push(notice) }),
    );
    expect(provider.requests[0]).toMatchObject({ temperature: 1, stop: ['a'], maxTokens: 50 });
    expect(provider.requests[0]).toMatchObject({
      topP: undefined,
      seed: undefined,
      tools: undefined,
      thinking: undefined,
    });
    expect(reported).toEqual([
      { type: 'parameter-changed', name: 'tools', asked: ['t'] },
      { type: 'parameter-changed', name: 'thinking', asked: 'low' },
      { type: 'parameter-changed', name: 'maxTokens', asked: 99, sent: 50 },
      { type: 'parameter-changed', name: 'temperature', asked: 1.5, sent: 1 },
      { type: 'parameter-changed', name: 'topP', asked: 0.5 },
      { type: 'parameter-changed', name: 'stop', asked: ['a', 'b'], sent: ['a'] },
      { type: 'parameter-changed', name: 'seed', asked: 3 },
    ]);
  });

  it('[G7] gets blocks that it accepts: others are lowered, and calls and results become text without tool support', async () => {
    const provider = createScriptedProvider([makeTextEvents('ok')], {
      supports: { ...createScriptedProvider([]).supports, blocks: ['text'], tools: false, systemInPlace: false },
    });
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBO' } } as const;
    const messages = [
      makeMessage('user', { type: 'text', text: 'See' }, image),
      makeMessage('assistant', { type: 'thinking', thinking: 'Hm', signature: 's' }),
      makeMessage('assistant', { type: 'tool-use', id: 'a', name: 'look', parameters: { at: 1 } }),
      makeToolResult('a', 'sun'),
      textMessage('system', 'Be brief.'),
    ];
    await collectReply(provider.stream({ ...request, messages }, call));
    const sent = provider.requests[0]?.messages ?? [];
    expect(sent.map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'user']);
    expect(sent[0]?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'text', text: '[image: image/png]' },
    ]);
    expect(sent[1]?.content).toEqual([{ type: 'text', text: 'look({"at":1})' }]);
    expect(JSON.stringify(sent.slice(2))).toMatch(/sun.*Be brief/);
  });

  it('[G7] gets no pictures for a model known not to see them', async () => {
    const provider = createScriptedProvider([makeTextEvents('ok')]);
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBO' } } as const;
    const capabilities = { tools: true, thinking: true, images: false };
    await collectReply(
      provider.stream({ ...request, messages: [makeMessage('user', image)] }, { ...call, capabilities }),
    );
    expect(provider.requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: '[image: image/png]' }]);
  });

  it('[G13] without its required key is not called, and names the variable to set', async () => {
    const provider = createScriptedProvider([makeTextEvents('ok')], { keyNames: ['SOME_KEY'] });
    const { last } = await collectReply(provider.stream(request, call));
    expect(last).toMatchObject({ code: 'provider/no-key', kind: 'refused' });
    expect(last?.type === 'error' && last.message).toContain('SOME_KEY');
    expect(provider.requests).toHaveLength(0);
  });
});
