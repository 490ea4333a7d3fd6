import type { JsonObject } from '@coppice/core';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';
import { readCapturedResponse } from './read-captured-response.ts';
import { condenseStream } from './stream-events.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

type Handler = Parameters<typeof openProxyFixture>[0];

async function proxied(handler: Handler): Promise<ProxyFixture> {
  open = await openProxyFixture(handler);
  return open;
}

const path = '/v1/responses';

function encode(events: readonly JsonObject[], lineEnd = '\n'): Uint8Array {
  const lines = events.map((event) => `event: ${event['type']}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}`);
  return new TextEncoder().encode(lines.map((one) => `${one}${lineEnd}`).join(''));
}

async function read(response: Uint8Array, cut: 'service' | null) {
  const timing = { startedAt: 0, firstMs: null, totalMs: 0 };
  return readCapturedResponse(
    'responses',
    { provider: 'openai', response, encoding: undefined, status: 200, cut, timing },
    [],
  );
}

const text = 'Grüße, 世界 🌳';
const thinking = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };
const said = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
const called = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":1}' };

const parts: readonly JsonObject[] = [
  { type: 'response.created', response: { id: 'r1', status: 'in_progress', model: 'm', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...thinking, summary: [] } },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' },
  { type: 'response.output_item.done', output_index: 0, item: thinking },
  { type: 'response.output_item.added', output_index: 1, item: { ...said, content: [] } },
  { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Grüße, ' },
  { type: 'response.something.new', output_index: 1, more: [1] },
  { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: '世界 🌳' },
  { type: 'response.output_item.done', output_index: 1, item: said },
  { type: 'response.output_item.added', output_index: 2, item: { ...called, arguments: '' } },
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"at":1}' },
  { type: 'response.output_item.done', output_index: 2, item: called },
];
const completed: JsonObject = {
  type: 'response.completed',
  response: { id: 'r1', status: 'completed', model: 'm', output: [thinking, said, called] },
};

describe('a stream of responses', () => {
  it.each([
    ['line feeds', '\n'],
    ['carriage returns and line feeds', '\r\n'],
  ])(
    '[RP5] cut at any byte is recorded as far as it came, and is complete only at the end (%s)',
    async (_, lineEnd) => {
      const bytes = encode([...parts, completed], lineEnd);
      let longest = 0;
      for (let length = 0; length <= bytes.length; length++) {
        const { answers, error } = await read(bytes.subarray(0, length), length === bytes.length ? null : 'service');
        const [answer] = answers;
        const written = answer?.message?.content.map((block) => ('text' in block ? block.text : '')).join('') ?? '';
        expect(text.startsWith(String(written))).toBe(true);
        expect(String(written).length).toBeGreaterThanOrEqual(longest);
        longest = String(written).length;
        // The last line end is not needed to know the last event.
        const isWhole = length > bytes.length - lineEnd.length * 2 - 1;
        expect([length, answer?.status]).toEqual([length, isWhole ? 'success' : 'interrupted']);
        if (answer?.message === null && length > 6) expect(error?.['message']).toMatch(/ended before the answer began/);
      }
      expect(longest).toBe(text.length);
    },
  );

  it('[RP5] without its last event is interrupted, and with an error in the middle keeps text and error', async () => {
    expect((await read(encode(parts), null)).answers).toMatchObject([{ status: 'interrupted' }]);
    const failed = { type: 'error', code: 'server_error', message: 'Overloaded', sequence_number: 9 };
    const broken = await read(encode([...parts.slice(0, 6), failed]), null);
    expect(broken.answers).toMatchObject([{ status: 'interrupted', message: { content: [{}, { text: 'Grüße, ' }] } }]);
    expect(broken.error).toMatchObject({ message: 'Overloaded' });
  });

  it('[RP20] condensed while it arrives gives the same answer, with each paragraph of a summary', async () => {
    const paragraph = (part: number, delta: string): JsonObject => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: part,
      delta,
    });
    const stream = [...parts.slice(0, 2), paragraph(0, 'On'), paragraph(0, 'e.'), paragraph(1, 'Two.')];
    const { bytes } = await condenseStream('responses', encode(stream));
    for (const each of [encode(stream), bytes])
      expect((await read(each, 'service')).answers[0]?.message?.content).toEqual([
        { type: 'thinking', thinking: 'One.\n\nTwo.' },
      ]);
  });
});

function responding(...answers: readonly JsonObject[]): Handler {
  return (_request, response, number) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[Math.min(number, answers.length - 1)]));
  };
}

function response(id: string, words: string): JsonObject {
  const content = [{ type: 'output_text', text: words }];
  return { id, status: 'completed', output: [{ id: `msg_${id}`, type: 'message', role: 'assistant', content }] };
}

it('[RP7] a response in the background has an empty reply, which the next call continues', async () => {
  const { post, nodes } = await proxied(
    responding({ id: 'r1', status: 'queued', background: true, output: [] }, response('r2', 'Old.')),
  );
  await post(path, { model: 'm', background: true, input: 'Name one.' });
  await post(path, { model: 'm', previous_response_id: 'r1', input: 'How old?' });
  expect((await nodes()).map((node) => `${node.depth} ${node.text} ${node.status}`)).toEqual([
    '1 Name one. success',
    '2  interrupted',
    '3 How old? success',
    '4 Old. success',
  ]);
});
