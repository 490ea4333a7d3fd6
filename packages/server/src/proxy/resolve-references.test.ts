import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testToken } from '../testing/index.ts';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const json = { 'content-type': 'application/json' };
const reasoning = (id: string, summary = 'It may be an oak.') => ({
  id,
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: summary }],
});
const text = (id: string, words: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: words, annotations: [], logprobs: [] }],
});
const called = (id: string, callId: string, place = 'wood') => ({
  id,
  type: 'function_call',
  call_id: callId,
  name: 'look',
  arguments: JSON.stringify({ place }),
  status: 'completed',
});
const result = (callId: string) => ({ type: 'function_call_output', call_id: callId, output: 'An oak.' });
const reference = (id: string) => ({ type: 'item_reference', id });
const user = (words: string) => ({ role: 'user', content: words });

interface Item {
  readonly type: string;
}

function responseOf(number: number, output: readonly Item[]) {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-5-mini',
    output,
    usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  };
}

async function answering(...outputs: readonly (readonly Item[])[]): Promise<ProxyFixture> {
  open = await openProxyFixture((request, response, number) => {
    const whole = responseOf(number, outputs[number] ?? [text(`msg_end_${number}`, 'Yes.')]);
    if (!request.body.includes('"stream":true')) {
      response.writeHead(200, json);
      response.end(JSON.stringify(whole));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const { output, ...begun } = whole;
    const say = (event: { readonly type: string }) => response.write(`data: ${JSON.stringify(event)}\n\n`);
    say({ type: 'response.created', ...{ response: { ...begun, status: 'in_progress', output: [] } } });
    for (const [at, item] of output.entries()) {
      say({ type: 'response.output_item.added', ...{ output_index: at, item } });
      const words = /"output_text","text":"([^"]*)"/.exec(JSON.stringify(item))?.[1];
      const of = 'id' in item ? item.id : null;
      if (words !== undefined)
        say({
          type: 'response.output_text.delta',
          ...{ item_id: of, output_index: at, content_index: 0, delta: words },
        });
      say({ type: 'response.output_item.done', ...{ output_index: at, item } });
    }
    say({ type: 'response.completed', ...{ response: whole } });
    response.end();
  });
  return open;
}

const look = tool({
  description: 'Looks at a place.',
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => `An oak in the ${place}.`,
});

const line = [
  ['user', 1],
  ['assistant', 2],
  ['tool', 3],
  ['assistant', 4],
];

describe('items that a client only references', () => {
  const first = [reasoning('rs_1'), text('msg_1', 'Let me look.'), called('fc_1', 'call_1')];

  it.each([false, true])(
    '[RP14, RP22] the default path of the AI SDK with a reasoning model is one chain, streamed %s',
    async (isStreamed) => {
      const second = [reasoning('rs_2'), called('fc_2', 'call_2', 'meadow')];
      const last = [reasoning('rs_3'), text('msg_3', 'There is an oak.')];
      const { url, nodes, recorder, service } = await answering(first, second, last, [text('msg_4', 'Old.')]);
      const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: testToken })('gpt-5-mini');
      const asked: ModelMessage[] = [{ role: 'user', content: 'What is in the wood?' }];
      const options = { model, tools: { look }, stopWhen: stepCountIs(5), maxRetries: 0 };
      let said: ModelMessage[];
      if (isStreamed) {
        const stream = streamText({ ...options, messages: asked });
        await stream.consumeStream();
        said = await stream.responseMessages;
      } else said = (await generateText({ ...options, messages: asked })).responseMessages;
      await generateText({ ...options, messages: [...asked, ...said, { role: 'user', content: 'How old?' }] });
      expect(service.requests.some(({ body }) => body.includes('item_reference'))).toBe(true);
      const all = await nodes();
      expect(recorder.state).toMatchObject({ recorded: 4, failed: 0 });
      expect(all.map(({ role, depth }) => [role, depth])).toEqual([
        ...line,
        ['tool', 5],
        ['assistant', 6],
        ['user', 7],
        ['assistant', 8],
      ]);
    },
  );

  const spellings: readonly (readonly [string, readonly object[]])[] = [
    ['every item by its name', [reference('rs_1'), reference('msg_1'), reference('fc_1')]],
    [
      'reasoning by its name, the rest in full',
      [reference('rs_1'), text('msg_1', 'Let me look.'), called('fc_1', 'call_1')],
    ],
    ['the text by its name, the call in full', [reference('rs_1'), reference('msg_1'), called('fc_1', 'call_1')]],
    [
      'an item both by its name and in full',
      [reference('rs_1'), reference('msg_1'), text('msg_1', 'Let me look.'), called('fc_1', 'call_1')],
    ],
    [
      'the same without ids on what is sent in full',
      [
        reference('rs_1'),
        reference('msg_1'),
        { role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
        reference('fc_1'),
        { ...called('fc_1', 'call_1'), id: undefined },
      ],
    ],
    ['in full without the reasoning', [text('msg_1', 'Let me look.'), called('fc_1', 'call_1')]],
  ];

  it.each(spellings)('[RP22] %s leads to the recorded reply', async (_name, items) => {
    const { post, nodes, recorder } = await answering(first, [text('msg_2', 'Old.')]);
    await post('/v1/responses', { model: 'm', input: [user('Name one.')] });
    await post('/v1/responses', { model: 'm', input: [user('Name one.'), ...items, result('call_1')] });
    const all = await nodes();
    expect(all.map(({ role, depth }) => [role, depth])).toEqual(line);
    expect(all[1]?.node.message?.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool-use']);
    expect(recorder.state).toMatchObject({ recorded: 2, failed: 0 });
  });

  it('[RP22] a reference means its own item: an edited text beside it is a branch with that text alone', async () => {
    const { post, nodes } = await answering(first, [text('msg_2', 'Old.')]);
    const session = { 'x-coppice-session': 'one' };
    await post('/v1/responses', { model: 'm', input: [user('Name one.')] }, session);
    const edited = [reference('rs_1'), text('msg_x', 'I look.'), called('fc_1', 'call_1')];
    await post('/v1/responses', { model: 'm', input: [user('Name one.'), ...edited, result('call_1')] }, session);
    const all = await nodes();
    expect(all.map(({ role, depth }) => [role, depth])).toEqual([
      ...line.slice(0, 2),
      ['assistant', 2],
      ['tool', 3],
      ['assistant', 4],
    ]);
    expect(all[2]?.node.message?.content).toEqual([
      { type: 'thinking', thinking: 'It may be an oak.' },
      { type: 'text', text: 'I look.' },
      { type: 'tool-use', id: 'call_1', name: 'look', parameters: { place: 'wood' } },
    ]);
  });

  it('[RP22] items of messages before the response lead to those messages', async () => {
    const shell = {
      id: 'sh_1',
      type: 'shell_call',
      call_id: 'call_9',
      action: { commands: ['ls'] },
      status: 'completed',
    };
    const printed = { id: 'so_1', type: 'shell_call_output', call_id: 'call_9', output: 'oak.txt' };
    const { post, nodes } = await answering([shell, printed, text('msg_1', 'One file.')], [text('msg_2', 'Yes.')]);
    await post('/v1/responses', { model: 'm', input: [user('List it.')] });
    const named = ['sh_1', 'so_1', 'msg_1'].map(reference);
    await post('/v1/responses', { model: 'm', input: [user('List it.'), ...named, user('Sure?')] });
    expect((await nodes()).map(({ role, depth }) => [role, depth])).toEqual([...line, ['user', 5], ['assistant', 6]]);
  });

  it('[RP7] a system message that follows a reply is kept in its position', async () => {
    const { post, nodes } = await answering([text('msg_1', 'One.')], [text('msg_2', 'Two.')]);
    await post('/v1/responses', { model: 'm', input: [user('Count.')] });
    const input = [{ role: 'developer', content: 'Be brief.' }, user('On.')];
    await post('/v1/responses', { model: 'm', previous_response_id: 'resp_0', input });
    expect((await nodes()).map(({ role, text: said, depth }) => [role, said, depth])).toEqual([
      ['user', 'Count.', 1],
      ['assistant', 'One.', 2],
      ['system', 'Be brief.', 3],
      ['user', 'On.', 4],
      ['assistant', 'Two.', 5],
    ]);
  });

  it('[RP22] two referenced replies in a row stay two messages', async () => {
    const { post, nodes } = await answering(
      [reasoning('rs_1', ''), text('msg_1', 'One.')],
      [text('msg_2', 'Two.')],
      [text('msg_3', 'Three.')],
    );
    await post('/v1/responses', { model: 'm', input: [user('Count.')] });
    await post('/v1/responses', { model: 'm', previous_response_id: 'resp_0', input: [] });
    await post('/v1/responses', {
      model: 'm',
      input: [user('Count.'), reference('rs_1'), reference('msg_1'), reference('msg_2'), user('On.')],
    });
    expect((await nodes()).map(({ text: said, depth }) => [said, depth])).toEqual([
      ['Count.', 1],
      ['One.', 2],
      ['Two.', 3],
      ['On.', 4],
      ['Three.', 5],
    ]);
  });
});
