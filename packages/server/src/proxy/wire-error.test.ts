import Anthropic from '@anthropic-ai/sdk';
import { makeTextEvents } from '@coppice/engine/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../serve.ts';
import { openTestServer, type TestServer, testToken } from '../testing/index.ts';
import { openProxyFixture } from '../testing/proxy-fixture.ts';

let server: TestServer;
let listening: RunningServer;
beforeAll(async () => {
  server = await openTestServer({ limits: { proxyBytes: 2_000 }, replies: [makeTextEvents('Never asked.')] });
  listening = await server.listen();
});
afterAll(() => server.close());

const anthropicVersion = { 'anthropic-version': '2023-06-01' };

/** Sends a request that is refused; returns its status and body. */
async function refused(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) {
  const answer = await fetch(`${listening.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${testToken}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const said: ReturnType<typeof JSON.parse> = await answer.json();
  return { status: answer.status, said, headers: answer.headers };
}

const wrong = { authorization: 'Bearer wrong-token-of-somebody' };
const long = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(3_000) }] });

describe('refusals of the proxy', () => {
  it('[RP19] on Anthropic routes have the form of Anthropic errors, with our code beside', async () => {
    const cases: [string, Readonly<Record<string, string>>, string | undefined, number, string, string][] = [
      ['/v1/messages', wrong, '{}', 401, 'authentication_error', 'http/unauthorized'],
      ['/p/shop/v1/messages', wrong, '{}', 401, 'authentication_error', 'http/unauthorized'],
      ['/v1/messages?beta=true', {}, '{', 400, 'invalid_request_error', 'http/invalid'],
      ['/v1/messages', {}, long, 413, 'request_too_large', 'http/too-large'],
      ['/v1/messages', { 'content-encoding': 'gzip' }, '{}', 415, 'invalid_request_error', 'http/media-type'],
      ['/v1/messages', { 'x-coppice-project': '../etc' }, '{}', 400, 'invalid_request_error', 'http/invalid'],
      ['/v1/messages', { origin: 'https://example.org' }, '{}', 403, 'permission_error', 'http/forbidden-origin'],
      ['/v1/messages/count_tokens', {}, '{}', 400, 'invalid_request_error', 'http/invalid'],
      ['/v1/messages/batches', {}, '{}', 404, 'not_found_error', 'http/not-found'],
      ['/v1/files', anthropicVersion, '{}', 404, 'not_found_error', 'http/not-found'],
    ];
    for (const [path, headers, body, status, type, code] of cases) {
      const answer = await refused('POST', path, headers, body);
      expect([path, answer.status, answer.said]).toEqual([
        path,
        status,
        { type: 'error', error: { type, message: expect.stringMatching(/\w/), code } },
      ]);
    }
    const listed = await refused('GET', '/v1/models', { ...wrong, ...anthropicVersion });
    expect([listed.status, listed.said.type]).toEqual([401, 'error']);
  });

  it('[RP19] on OpenAI routes have the form of OpenAI errors', async () => {
    const cases: [string, Readonly<Record<string, string>>, string, number, string][] = [
      ['/v1/chat/completions', wrong, '{}', 401, 'http/unauthorized'],
      ['/v1/chat/completions', {}, '{', 400, 'http/invalid'],
      ['/v1/chat/completions', {}, long, 413, 'http/too-large'],
      ['/p/shop/v1/responses', wrong, '{}', 401, 'http/unauthorized'],
      ['/v1/responses', {}, '{"input":"Hi","previous_response_id":"resp_none"}', 400, 'http/invalid'],
      ['/v1/embeddings', {}, '{}', 400, 'http/invalid'],
      ['/v1/audio/speech', {}, '{}', 404, 'http/not-found'],
    ];
    for (const [path, headers, body, status, code] of cases) {
      const answer = await refused('POST', path, headers, body);
      const error = { message: expect.stringMatching(/\w/), type: 'invalid_request_error', param: null, code };
      expect([path, answer.status, answer.said]).toEqual([path, status, { error }]);
    }
    const method = await refused('GET', '/v1/chat/completions');
    expect([method.status, method.headers.get('allow'), method.said.error.code]).toEqual([405, 'POST', 'http/method']);
    // Other paths use Coppice's own error format.
    expect((await refused('GET', '/api/trees', wrong)).said.error).toMatchObject({ kind: 'refused', data: {} });
  });

  it('[RP14, RP19] are reported by unmodified clients like errors of their service', async () => {
    const ask = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] };
    const anthropic = new Anthropic({ baseURL: listening.url, apiKey: 'wrong', maxRetries: 0 });
    const reported = await anthropic.messages.create(ask).catch((error: unknown) => error);
    expect(reported).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(reported).toMatchObject({ status: 401, type: 'authentication_error' });
    const openai = new OpenAI({ baseURL: `${listening.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    const said = await openai.chat.completions.create(ask).catch((error: unknown) => error);
    expect(said).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(said).toMatchObject({ status: 401, code: 'http/unauthorized', type: 'invalid_request_error' });
  });

  it('[RP5, RP19] a service that tries to switch protocols is reported as unreachable', async () => {
    const proxied = await openProxyFixture((_request, response) => {
      response.socket?.write('HTTP/1.1 101 Other\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n');
    });
    const answer = await proxied.post('/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect([answer.status, await answer.json()]).toMatchObject([502, { error: { code: 'upstream_unreachable' } }]);
    expect((await proxied.nodes()).map(({ role, status }) => [role, status])).toEqual([
      ['user', 'success'],
      ['assistant', 'error'],
    ]);
    await proxied.service.waitForSockets();
    await proxied.close();
  });

  it('[A48] a HEAD request leaves no response of the service open', async () => {
    const proxied = await openProxyFixture((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      // The body is larger than any buffer, and never ends.
      response.write(' '.repeat(4_000_000));
    });
    const headers = { authorization: `Bearer ${testToken}` };
    const head = await fetch(`${proxied.url}/v1/models`, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/json']);
    await proxied.service.waitForSockets();
    await proxied.close();
  });

  it('[RP9, RP19] an error of a local model has the type of its kind', async () => {
    const error = { type: 'error', kind: 'unavailable', message: 'Slower.', retryable: true, status: 429 } as const;
    const slow = await openTestServer({ replies: [[{ ...error, code: 'provider/rate-limited' }]] });
    const ask = { model: 'scripted/one', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
    const messages = await slow.ask('POST', '/v1/messages', { body: ask });
    const one = { type: 'rate_limit_error', message: 'Slower.', code: 'provider/rate-limited' };
    expect([messages.status, messages.body]).toEqual([429, { type: 'error', error: one }]);
    const chat = await slow.ask('POST', '/v1/chat/completions', { body: ask });
    expect([chat.status, chat.body]).toEqual([429, { error: { ...one, param: null } }]);
    const many = await slow.ask('POST', '/v1/chat/completions', { body: { ...ask, n: 17 } });
    expect([many.status, many.body.error.type]).toEqual([400, 'invalid_request_error']);
    await slow.close();
  });
});
