import type { Json, JsonObject } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import {
  assembleAnthropicReply,
  assembleChatCompletion,
  assembleOpenAiResponse,
} from '../formats/request-log/streams.ts';
import { createAnthropicReader } from './anthropic-from-wire.ts';
import { createChatCompletionReader } from './chat-from-wire.ts';
import type { WireReader, WireReplyEvent } from './contract.ts';
import { createResponsesReader } from './responses-from-wire.ts';

function eventsOf(reader: WireReader, stream: readonly Json[]): WireReplyEvent[] {
  const events: WireReplyEvent[] = [];
  for (const each of stream) for (const event of reader.read(each, '') ?? []) events.push(event);
  return [...events, ...reader.end()];
}

/** Assembles a reply from its events, like code that shows a streaming reply. */
function shown(events: readonly WireReplyEvent[]) {
  const said = { text: '', thinking: '', calls: new Map<number, { id: string; name: string; json: string }>() };
  for (const event of events) {
    if (event.type === 'text-delta') said.text += event.text;
    if (event.type === 'thinking-delta') said.thinking += event.text;
    if (event.type === 'tool-use-start') said.calls.set(event.index, { id: event.id, name: event.name, json: '' });
    const call = event.type === 'tool-use-delta' ? said.calls.get(event.index) : undefined;
    if (event.type === 'tool-use-delta' && call !== undefined) call.json += event.json;
  }
  return { ...said, calls: [...said.calls.values()] };
}

const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const end = chunk({}, 'tool_calls');

/** Unusual streams of servers with chat completions, and the expected result. */
const odd: readonly (readonly [string, readonly JsonObject[], ReturnType<typeof shown>])[] = [
  [
    'a name in pieces',
    [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'lo' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'ok', arguments: '{"x"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      end,
    ],
    { text: '', thinking: '', calls: [{ id: 'a', name: 'look', json: '{"x":1}' }] },
  ],
  [
    'the whole name and id with every piece, and no index',
    [
      chunk({ tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{"x"' } }] }),
      chunk({ tool_calls: [{ id: 'a', function: { name: 'look', arguments: ':1}' } }] }),
      chunk({ tool_calls: [{ id: 'b', function: { name: 'look', arguments: '{}' } }] }),
      end,
    ],
    {
      text: '',
      thinking: '',
      calls: [
        { id: 'a', name: 'look', json: '{"x":1}' },
        { id: 'b', name: 'look', json: '{}' },
      ],
    },
  ],
  [
    'the same index for every call',
    [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] }),
      chunk({ tool_calls: [{ index: 0, id: 'b', function: { name: 'read', arguments: '{}' } }] }),
      end,
    ],
    {
      text: '',
      thinking: '',
      calls: [
        { id: 'a', name: 'look', json: '{}' },
        { id: 'b', name: 'read', json: '{}' },
      ],
    },
  ],
  [
    'arguments as an object',
    [chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: { x: 1 } } }] }), end],
    { text: '', thinking: '', calls: [{ id: 'a', name: 'look', json: '{"x":1}' }] },
  ],
  [
    'content in parts, with reasoning among them',
    [
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Yes' }] }),
      chunk({ content: '.' }),
      chunk({}, 'stop'),
    ],
    { text: 'Yes.', thinking: 'Hm.', calls: [] },
  ],
  [
    'reasoning under three names',
    [
      chunk({ reasoning_content: '', reasoning: 'One. ' }),
      chunk({ reasoning_content: 'Two. ' }),
      chunk({ thinking: 'Three. ' }),
      chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'Four.' }] }),
      chunk({ content: 'Yes.' }, 'stop'),
    ],
    { text: 'Yes.', thinking: 'One. Two. Three. Four.', calls: [] },
  ],
];

describe('one reading of each stream', () => {
  it.each(odd)('[WR4] a chat stream is read the same for display and for storage: %s', (_name, stream, said) => {
    const events = shown(eventsOf(createChatCompletionReader(), stream));
    expect(events).toEqual(said);
    const { choices } = assembleChatCompletion(stream);
    expect(choices).toMatchObject([
      {
        message: {
          content: said.text,
          ...(said.thinking === '' ? {} : { reasoning_content: said.thinking }),
          ...(said.calls.length === 0
            ? {}
            : {
                tool_calls: said.calls.map(({ id, name, json }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: json },
                })),
              }),
        },
      },
    ]);
  });

  it('[WR4] an Anthropic signature arrives in pieces, and null usage is ignored', () => {
    const stream = [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 7, cache_read_input_tokens: 3 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'ab' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'cd' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: null, output_tokens: 2 } },
      { type: 'message_stop' },
    ];
    expect(eventsOf(createAnthropicReader(), stream)).toMatchObject([
      { type: 'thinking-delta' },
      { type: 'thinking-delta', text: 'Hm.' },
      { type: 'thinking-end', signature: 'abcd' },
      { type: 'usage', inputTokens: 10, outputTokens: 2 },
      { type: 'end', finishReason: 'stop' },
    ]);
    expect(assembleAnthropicReply(stream)).toMatchObject({
      content: [{ type: 'thinking', thinking: 'Hm.', signature: 'abcd' }],
      usage: { input_tokens: 7, output_tokens: 2, cache_read_input_tokens: 3 },
      stop_reason: 'end_turn',
    });
  });

  it('[WR4] paragraphs of a summary stay separate, even in an interrupted response', () => {
    const delta = (part: number, text: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index: part,
      delta: text,
    });
    const stream = [
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs' } },
      ...[delta(0, 'On'), delta(0, 'e.'), delta(1, 'Two.')],
      { type: 'response.output_item.added', output_index: 1, item: { type: 'message', id: 'msg' } },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Yes' },
    ];
    expect(shown(eventsOf(createResponsesReader(), stream))).toMatchObject({ thinking: 'One.\n\nTwo.', text: 'Yes' });
    expect(assembleOpenAiResponse(stream)).toMatchObject({
      output: [
        { type: 'reasoning', summary: [{ text: 'One.' }, { text: 'Two.' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'Yes' }] },
      ],
    });
  });

  const item = (type: string, more: object) => ({ type: `response.output_item.${type}`, ...more });
  const message = (id: string | undefined, ...texts: string[]) => ({
    type: 'message',
    role: 'assistant',
    ...(id === undefined ? {} : { id }),
    content: texts.map((text) => ({ type: 'output_text', text })),
  });
  const piece = (item_id: string, delta: string) => ({ type: 'response.output_text.delta', item_id, delta });
  const unusual: readonly (readonly [string, readonly JsonObject[], string])[] = [
    [
      'items without an index',
      [item('done', { item: message('m1', 'One.') }), item('done', { item: message('m2', 'Two.') })],
      'One.|Two.',
    ],
    [
      'items without an index or an id',
      [
        item('added', { item: message(undefined) }),
        { type: 'response.output_text.delta', delta: 'One.' },
        item('done', { item: message(undefined, 'One.') }),
        item('done', { item: message(undefined, 'Two.') }),
      ],
      'One.|Two.',
    ],
    [
      'pieces of two items without an index, alternating',
      [
        item('added', { item: message('m1') }),
        piece('m1', 'On'),
        item('added', { item: message('m2') }),
        piece('m2', 'Tw'),
        piece('m1', 'e.'),
        piece('m2', 'o.'),
      ],
      'One.|Two.',
    ],
    [
      'a piece before its item',
      [
        { ...piece('m1', 'On'), output_index: 0 },
        item('added', { output_index: 0, item: message('m1') }),
        { ...piece('m1', 'e.'), output_index: 0 },
      ],
      'One.',
    ],
    [
      'a part that arrives only as a whole',
      [
        item('added', { output_index: 0, item: message('m1') }),
        { type: 'response.output_text.done', output_index: 0, content_index: 0, item_id: 'm1', text: 'One.' },
      ],
      'One.',
    ],
    [
      'pieces and then the whole part',
      [
        item('added', { output_index: 0, item: message('m1') }),
        { ...piece('m1', 'One.'), output_index: 0 },
        { type: 'response.output_text.done', output_index: 0, content_index: 0, item_id: 'm1', text: 'One.' },
      ],
      'One.',
    ],
    [
      'ids that differ between the events of an item',
      [
        item('added', { output_index: 0, item: message('x1') }),
        { ...piece('x2', 'One.'), output_index: 0 },
        item('done', { output_index: 0, item: message('x3', 'One.') }),
        item('added', { output_index: 1, item: message('x4') }),
        item('done', { output_index: 1, item: message('x5', 'Two.') }),
      ],
      'One.|Two.',
    ],
  ];

  it.each(unusual)('[WR4] a response is read the same for display and for storage: %s', (_name, stream, texts) => {
    expect(shown(eventsOf(createResponsesReader(), stream)).text).toHaveLength(texts.replaceAll('|', '').length);
    const output = assembleOpenAiResponse(stream)['output'];
    expect(JSON.stringify(output).match(/"text":"[^"]*"/g)).toEqual(texts.split('|').map((text) => `"text":"${text}"`));
  });

  it('[WR4] a response has ended when an event says so, whatever its status says and whatever arrives later', () => {
    const created = { type: 'response.created', response: { id: 'r', status: 'in_progress' } };
    for (const type of ['response.completed', 'response.done'])
      expect(assembleOpenAiResponse([created, { type, response: { id: 'r' } }, created])).toMatchObject({
        status: 'completed',
      });
  });

  it('[WR4] the text of an Anthropic block that is stored unchanged arrives in pieces', () => {
    const stream = [
      { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: 'So ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: 'far.' } },
      { type: 'content_block_stop', index: 0 },
    ];
    expect(assembleAnthropicReply(stream)).toMatchObject({ content: [{ type: 'compaction', content: 'So far.' }] });
  });
});
