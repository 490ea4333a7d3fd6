import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireKind } from './exchange.ts';
import { ResponseBuffer, type ResponseBufferOptions } from './response-buffer.ts';
import { condenseStream, readStreamEvents } from './stream-events.ts';
import { type CapturedResponse, decompressResponse } from './waiting-call.ts';

const chat = (delta: object, more: object = {}) => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const call = (text: string, index = 0) => chat({ tool_calls: [{ index, function: { arguments: text } }] });

/** The event streams of each service. */
const said: Readonly<Record<WireKind, readonly object[]>> = {
  chat: [
    chat({ role: 'assistant', content: '' }),
    chat({ content: 'é€😀' }, { obfuscation: 'xxxx' }),
    chat({ reasoning: 'so' }),
    chat({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '' } }] }),
    call('{"a'),
    call('":1}'),
    call('{', 1),
    { id: 'c', choices: [{ index: 1, delta: { content: 'other' }, finish_reason: null }] },
    { id: 'c', choices: [{ index: 1, delta: { reasoning: 'why' }, finish_reason: null }] },
    {
      id: 'c',
      choices: [0, 1].map((index) => ({ index, delta: { content: `both${index}` }, finish_reason: null })),
      usage: { total_tokens: 2 },
    },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { total_tokens: 3 } },
  ],
  messages: [
    { type: 'message_start', message: { id: 'm', content: [] } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a\nb' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'é' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"' } },
    { type: 'ping' },
    { type: 'message_stop' },
  ],
  responses: [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'ä', obfuscation: 'yy' },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'b' },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{}' },
    { type: 'response.completed', response: { id: 'r', output: [] } },
  ],
  google: [
    { candidates: [{ content: { parts: [{ text: 'é' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'so', thought: true }] } }] },
    { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }], usageMetadata: { totalTokenCount: 3 } },
  ],
};

const lines = (events: readonly object[], end = '\n') =>
  events.map((event) => `event: x${end}data: ${JSON.stringify(event)}${end}${end}`).join('');

/** Creates a buffer with limited space and reports how much is in use. */
function keeper(space: number, more: Partial<ResponseBufferOptions> = {}) {
  const used = { bytes: 0 };
  const keep = (bytes: number) => {
    if (used.bytes + bytes > space) return false;
    used.bytes += bytes;
    return true;
  };
  const giveBack = (bytes: number) => {
    used.bytes -= bytes;
  };
  return {
    kept: new ResponseBuffer({ wire: 'chat', keep, releaseBytes: giveBack, condenseFrom: 2_000, ...more }),
    used,
  };
}

const word = (at: number) => chat({ content: `${at} ` }, { obfuscation: 'x'.repeat(400) });
const words = (count: number) => Array.from({ length: count }, (_, at) => word(at));

describe('a response while it arrives', () => {
  it('[RP20] a compacted part of a stream is read the same with the rest after it, wherever it is cut', async () => {
    const wires: readonly WireKind[] = ['chat', 'messages', 'responses', 'google'];
    const cases = fc.record({
      wire: fc.constantFrom(...wires),
      picks: fc.array(fc.nat(20), { maxLength: 12 }),
      end: fc.constantFrom('\n', '\r\n', '\r'),
      cut: fc.nat(2_000),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ wire, picks, end, cut }) => {
        const events = picks.map((at) => said[wire][at % said[wire].length] ?? {});
        const bytes = Buffer.from(lines(events, end));
        const { bytes: together, rest } = await condenseStream(wire, bytes.subarray(0, cut));
        const again = Buffer.concat([together, rest, bytes.subarray(cut)]);
        expect(await readStreamEvents(wire, again)).toEqual(await readStreamEvents(wire, bytes));
      }),
    );
  });

  it('[RP20] with little content in many bytes is kept completely in little memory', async () => {
    const { kept, used } = keeper(20_000);
    for (const event of words(500)) {
      kept.add(Buffer.from(lines([event])));
      await kept.waitForCondensing();
    }
    const bytes = await kept.take();
    expect(kept.isWhole).toBe(true);
    // The reported usage equals the kept bytes, so the limit is exact.
    expect(used.bytes).toBe(bytes.byteLength);
    const [all] = await readStreamEvents('chat', bytes);
    expect(all).toEqual(chat({ content: Array.from({ length: 500 }, (_, at) => `${at} `).join('') }));
  });

  it('[RP20] of several that arrive mixed, chunk by chunk or in one chunk, is assembled separately', async () => {
    const mixed = (count: number, apart: boolean) =>
      Array.from({ length: count }, (_, at) => {
        const choices = [0, 1, 2].map((index) => ({
          index,
          delta: { content: `${index}${at} ` },
          finish_reason: null,
        }));
        const more = { id: 'c', obfuscation: 'x'.repeat(400) };
        return apart ? choices.map((choice) => ({ ...more, choices: [choice] })) : [{ ...more, choices }];
      }).flat();
    for (const apart of [true, false]) {
      const { kept } = keeper(60_000);
      for (const event of mixed(200, apart)) {
        kept.add(Buffer.from(lines([event])));
        await kept.waitForCondensing();
      }
      expect(kept.isWhole).toBe(true);
      const events = await readStreamEvents('chat', await kept.take());
      expect(events).toEqual(
        [0, 1, 2].map((index) => {
          const content = Array.from({ length: 200 }, (_, at) => `${index}${at} `).join('');
          return { id: 'c', choices: [{ index, delta: { content }, finish_reason: null }] };
        }),
      );
    }
  });

  it('[RP20] that is a document, compressed, or cannot be shortened is kept unchanged, up to the limit', async () => {
    const cases: readonly [Partial<ResponseBufferOptions>, string][] = [
      [{}, `{"choices": "${'x'.repeat(5_000)}"}`],
      [{ wire: null }, lines(words(10))],
      [{}, `data: ${'x'.repeat(5_000)}`],
      [{}, lines(Array.from({ length: 8 }, (_, at) => ({ choices: [], note: `${at}`.repeat(500) })))],
    ];
    for (const [more, text] of cases) {
      const { kept } = keeper(6_000, more);
      for (let at = 0; at < text.length; at += 700) kept.add(Buffer.from(text.slice(at, at + 700)));
      kept.add(Buffer.alloc(7_000));
      expect(kept.isWhole).toBe(false);
      // Comments and event names are dropped.
      expect(
        Buffer.from(await kept.take())
          .toString()
          .replaceAll('event: x\n', ''),
      ).toBe(text.replaceAll('event: x\n', ''));
    }
  });

  it('[RP20] that cannot be rewritten is kept unchanged', async () => {
    const { kept } = keeper(1_000_000);
    const deep = `data: {"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n\n`;
    kept.add(Buffer.from(deep));
    expect(Buffer.from(await kept.take()).toString()).toBe(deep);
  });

  it('[RP20] that never ends is not read forever, however little it contains', async () => {
    const { kept } = keeper(6_000, { streamBytes: 20_000 });
    const piece = Buffer.from(lines([chat({ content: '' }, { obfuscation: 'x'.repeat(400) })]));
    let count = 0;
    for (; kept.isWhole && count < 1_000; count++) {
      kept.add(piece);
      await kept.waitForCondensing();
    }
    expect(count).toBe(Math.floor(20_000 / piece.byteLength) + 1);
  });

  it('[RP20] that unpacks to more than the limit is read completely if its content is short', async () => {
    const text = lines(words(6).map((event) => ({ ...event, obfuscation: 'x'.repeat(1_000_000) })));
    const timing = { startedAt: 0, firstMs: 1, totalMs: 2 };
    const taken: CapturedResponse = {
      provider: 'openai',
      response: gzipSync(text),
      encoding: 'gzip',
      status: 200,
      cut: null,
      timing,
    };
    const { bytes, cut } = await decompressResponse('chat', taken, 5_000_000);
    expect([cut, await readStreamEvents('chat', bytes)]).toEqual([null, [chat({ content: '0 1 2 3 4 5 ' })]]);
  });
});
