import { openRawServer } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
let google: Awaited<ReturnType<typeof openRawServer>> | null = null;
afterEach(async () => {
  await open?.close();
  await google?.close();
  [open, google] = [null, null];
});

const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 2, totalTokenCount: 15 };
const chunk = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  modelVersion: 'gemini-x',
  responseId: 'r1',
});
const text = (said: string) => ({ text: said });
const user = (...parts: readonly object[]) => ({ role: 'user', parts });
const model = (...parts: readonly object[]) => ({ role: 'model', parts });

/** Returns a proxy for a service on Google's wire that answers with these bodies. */
async function proxied(
  ...answers: readonly { readonly type: string; readonly body: string; readonly status?: number }[]
) {
  const left = [...answers];
  google = await openRawServer((_asked, response) => {
    const { type, body, status = 200 } = left.shift() ?? { type: 'application/json', body: '{}' };
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  });
  const config = `[providers.google]\nbase_url = "${google.url}/v1beta"\napi_key = "google-key-of-the-operator"\n`;
  open = await openProxyFixture(
    (_asked, response) => {
      response.end('{}');
    },
    { config },
  );
  return open;
}

const json = (value: unknown) => ({ type: 'application/json', body: JSON.stringify(value) });
const sse = (...chunks: readonly object[]) => ({
  type: 'text/event-stream',
  body: chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(''),
});

describe("calls on Google's wire", () => {
  it('[RP1, RP36] are recorded with prompt, calls, results, usage and model, and a resent history adds nothing', async () => {
    const calls = [
      { functionCall: { name: 'read', args: { path: 'a' } } },
      { functionCall: { name: 'read', args: { path: 'b' } } },
    ];
    const answers = [
      sse(
        chunk([{ text: 'Which?', thought: true }]),
        chunk([text('I re')]),
        chunk([text('ad.'), ...calls], { finishReason: 'STOP' }),
        { ...chunk([]), usageMetadata },
      ),
      json({ ...chunk([text('Both are oaks.')], { finishReason: 'STOP' }), usageMetadata }),
    ];
    const { post, trees, nodes } = await proxied(...answers);
    const tools = [{ functionDeclarations: [{ name: 'read' }, { name: 'write' }] }];
    const systemInstruction = { parts: [text('You read.')] };
    const first = { systemInstruction, tools, contents: [user(text('Read both.'))] };
    const streamed = await post('/v1beta/models/gemini-x:streamGenerateContent?alt=sse', first);
    expect(await streamed.text()).toBe(answers[0]?.body);
    const results = ['oak', 'elm'].map((output) => ({ functionResponse: { name: 'read', response: { output } } }));
    const contents = [user(text('Read both.')), model(text('I read.'), ...calls), user(...results)];
    await post('/p/proxy/v1beta/models/gemini-x:generateContent', { systemInstruction, tools, contents });
    const [tree, ...more] = await trees();
    expect(more).toEqual([]);
    expect(tree?.attributes).toMatchObject({ systemPrompt: 'You read.', autoTitle: 'Read both' });
    const recorded = await nodes();
    expect(recorded.map(({ role, depth }) => [role, depth])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['tool', 4],
      ['assistant', 5],
    ]);
    expect(recorded[1]?.node.message?.content).toMatchObject([
      { type: 'thinking', thinking: 'Which?' },
      { type: 'text', text: 'I read.' },
      { type: 'tool-use', id: 'call-read', parameters: { path: 'a' } },
      { type: 'tool-use', id: 'call-read-2', parameters: { path: 'b' } },
    ]);
    expect(recorded[1]?.node.meta.source).toMatchObject({
      provider: 'google',
      model_name: 'gemini-x',
      tools: ['read', 'write'],
      usage: { inputTokens: 9, outputTokens: 6 },
    });
    expect(recorded.slice(2, 4).map(({ node, text: said }) => [node.message?.tool_call_id, said])).toEqual([
      ['call-read', 'oak'],
      ['call-read-2', 'elm'],
    ]);
  });

  it('[RP36] a stream as a list that ends before its end keeps the chunks that arrived', async () => {
    const list = JSON.stringify([
      chunk([text('One, "[')]),
      chunk([text('two.')]),
      chunk([text('three.')], { finishReason: 'STOP' }),
    ]);
    const { post, nodes } = await proxied(
      { type: 'application/json', body: list.slice(0, list.indexOf('three')) },
      { type: 'application/json', body: list.slice(0, -1) },
    );
    const path = '/v1beta/models/gemini-x:streamGenerateContent';
    for (const words of ['Count.', 'Again.']) await post(path, { contents: [user(text(words))] });
    expect((await nodes()).map(({ text: said, status }) => [said, status])).toEqual([
      ['Count.', 'success'],
      ['One, "[two.', 'interrupted'],
      ['Again.', 'success'],
      ['One, "[two.three.', 'success'],
    ]);
  });

  it('[RP36] a stream as a list is one reply, and a blocked prompt and a failure are errors', async () => {
    const { post, nodes } = await proxied(
      json([chunk([text('One, ')]), chunk([text('two.')], { finishReason: 'STOP' })]),
      json({ promptFeedback: { blockReason: 'SAFETY' } }),
      { ...json({ error: { code: 429, message: 'Too many.' } }), status: 429 },
    );
    const path = '/v1beta/models/gemini-x:streamGenerateContent';
    for (const words of ['Count.', 'Bad.', 'More.']) await post(path, { contents: [user(text(words))] });
    expect((await nodes()).map(({ text: said, status }) => [said, status])).toEqual([
      ['Count.', 'success'],
      ['One, two.', 'success'],
      ['Bad.', 'success'],
      ['', 'error'],
      ['More.', 'success'],
      ['', 'error'],
    ]);
  });
});
