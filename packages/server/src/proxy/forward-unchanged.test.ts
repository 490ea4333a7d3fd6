import { request } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { openRawServer } from '@coppice/engine/testing';
import OpenAI, { toFile } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerLimits } from '../contract.ts';
import { openTestServer, testToken } from '../testing/index.ts';
import { openProxyFixture, operatorApiKey, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function proxied(config = '', limits: Partial<ServerLimits> = {}): Promise<ProxyFixture> {
  open = await openProxyFixture(
    (asked, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-ratelimit-remaining-tokens': '7' });
      response.end(asked.method === 'HEAD' ? undefined : '{"id":  "kept as it is"}');
    },
    { config, limits: { stopMs: 500, ...limits } },
  );
  return open;
}

const token = { authorization: `Bearer ${testToken}` };

describe('a call that is not recorded', () => {
  it('[RP27] is sent to the upstream with its method, path, query and body unchanged, and nothing of it is recorded', async () => {
    const { url, service, trees } = await proxied();
    const calls: [string, string, string | undefined][] = [
      ['GET', '/v1/models/gpt-5-mini', undefined],
      ['GET', '/v1/responses/resp_1?include=a&include=b', undefined],
      ['GET', '/v1/responses/resp_1/input_items?after=x%2Fy', undefined],
      ['DELETE', '/v1/responses/resp_1', undefined],
      ['POST', '/v1/responses/resp_1/cancel', ''],
      ['POST', '/v1/responses/compact', '{"model":"m",  "input":[]}'],
      ['POST', '/v1/completions', '{"prompt":"Hi"}'],
      ['POST', '/v1/moderations', '{"input":"Hi"}'],
      ['POST', '/v1/conversations', '{}'],
      ['GET', '/v1/chat/completions', undefined],
      ['PATCH', '/p/shop/v1/something/new', '{"a":1}'],
      ['PUT', '/v1/something/new', 'not JSON'],
      ['HEAD', '/v1/files', undefined],
    ];
    for (const [method, path, body] of calls) {
      const answer = await fetch(`${url}${path}`, { method, headers: token, ...(body === undefined ? {} : { body }) });
      expect([path, answer.status, answer.headers.get('x-ratelimit-remaining-tokens')]).toEqual([path, 200, '7']);
      expect(await answer.text()).toBe(method === 'HEAD' ? '' : '{"id":  "kept as it is"}');
    }
    expect(service.requests.map(({ method, path, body }) => [method, path, body])).toEqual(
      calls.map(([method, path, body]) => [method, path.replace(/^\/p\/shop/, ''), body ?? '']),
    );
    expect(await trees()).toEqual([]);
  });

  it('[RP27] can be a form with a file, as OpenAI’s own client sends it', async () => {
    const { url, service } = await proxied();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testToken });
    await client.files.create({ file: await toFile(Buffer.from('oak'), 'note.txt'), purpose: 'assistants' });
    expect(service.requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(service.requests[0]?.body).toContain('oak');
  });

  it('[RP27] may be larger than a recorded call, with or without a declared length, and is sent on as it arrives', async () => {
    const { url, service } = await proxied('', { proxyBytes: 1_000 });
    const large = 'oak '.repeat(50_000);
    const post = (path: string, body: string | ReadableStream) =>
      fetch(`${url}${path}`, { method: 'POST', headers: token, body, ...{ duplex: 'half' } });
    for (const body of [large, new Blob([large]).stream()]) {
      const answer = await post('/v1/files', body);
      expect([answer.status, await answer.text()]).toEqual([200, '{"id":  "kept as it is"}']);
    }
    expect(service.requests.map(({ body, headers }) => [body === large, headers['content-length']])).toEqual([
      [true, `${large.length}`],
      [true, undefined],
    ]);
    for (const path of ['/v1/chat/completions', '/v1beta/models/m:generateContent'])
      expect((await post(path, new Blob([large], { type: 'application/json' }).stream())).status).not.toBe(200);
    expect(service.requests).toHaveLength(2);
  });

  it('[RP27] on Anthropic’s paths and with its version header is sent to Anthropic, on Google’s to Google, each with its own key', async () => {
    const google = await openRawServer((_asked, response) => {
      response.end('{}');
    });
    const { url, service } = await proxied(
      `[providers.google]\nbase_url = "${google.url}/v1beta"\napi_key = "google-key-of-the-operator"\n`,
    );
    const ask = (path: string, headers: Readonly<Record<string, string>>) => fetch(`${url}${path}`, { headers });
    await ask('/v1/messages/batches', { 'x-api-key': testToken });
    await ask('/v1/files', { 'x-api-key': testToken, 'anthropic-version': '2023-06-01' });
    expect(service.requests.map(({ path, headers }) => [path, headers['x-api-key'], headers.authorization])).toEqual([
      ['/v1/messages/batches', undefined, undefined],
      ['/v1/files', undefined, undefined],
    ]);
    await ask('/v1beta/models?pageSize=2', { 'x-goog-api-key': testToken });
    await ask('/v1/models/gemini-2.5-pro:countTokens?alt=json', { 'x-goog-api-key': testToken });
    await ask(`/v1beta/files?key=${testToken}`, { 'x-goog-api-key': testToken });
    await fetch(`${url}/p/shop/upload/v1beta/files`, {
      method: 'POST',
      headers: { 'x-goog-api-key': testToken, 'x-goog-upload-protocol': 'resumable' },
      body: '{"file":{}}',
    });
    expect(google.requests.at(-1)?.body).toBe('{"file":{}}');
    expect(google.requests.map(({ path, headers }) => [path, headers['x-goog-api-key']])).toEqual([
      ['/v1beta/models?pageSize=2', 'google-key-of-the-operator'],
      ['/v1/models/gemini-2.5-pro:countTokens?alt=json', 'google-key-of-the-operator'],
      ['/v1beta/files', 'google-key-of-the-operator'],
      ['/upload/v1beta/files', 'google-key-of-the-operator'],
    ]);
    await google.close();
  });

  it('[RP27] needs the token, like every other call', async () => {
    const { url, service } = await proxied();
    for (const path of ['/v1/files', '/p/shop/v1/anything/else', '/v1beta/models']) {
      expect((await fetch(`${url}${path}`)).status).toBe(401);
      expect((await fetch(`${url}${path}`, { method: 'DELETE', headers: { 'x-goog-api-key': 'wrong' } })).status).toBe(
        401,
      );
    }
    expect(service.requests).toEqual([]);
  });

  it('[RP27] is refused without an upstream: 404, or 405 if another method is allowed', async () => {
    const server = await openTestServer();
    const cases: [string, string, number][] = [
      ['GET', '/v1/files', 404],
      ['GET', '/v1/messages', 405],
      ['DELETE', '/v1/chat/completions', 405],
    ];
    for (const [method, path, status] of cases)
      expect([path, (await server.ask(method, path)).status]).toEqual([path, status]);
    const google = await server.ask('GET', '/v1beta/cachedContents');
    expect([google.status, google.body]).toMatchObject([
      404,
      { error: { code: 404, status: 'NOT_FOUND', details: [{ reason: 'http/not-found' }] } },
    ]);
    await server.close();
  });
});

describe('the models of this server', () => {
  it('[RP29] are listed and described in the format of the client, and an unknown one is a 404', async () => {
    const server = await openTestServer();
    const listening = await server.listen();
    const openai = new OpenAI({ baseURL: `${listening.url}/v1`, apiKey: testToken, maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: listening.url, apiKey: testToken, maxRetries: 0 });
    const { data } = await openai.models.list();
    const id = data[0]?.id ?? '';
    expect(data[0]).toEqual({ id, object: 'model', created: 0, owned_by: id.split('/')[0] });
    expect(await openai.models.retrieve(id)).toMatchObject({ id, object: 'model' });
    await expect(openai.models.retrieve('nobody/none')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const listed = await anthropic.models.list();
    expect(listed.data.map((model) => model.id)).toEqual(data.map((model) => model.id));
    expect(listed).toMatchObject({ has_more: false, first_id: id, last_id: data.at(-1)?.id });
    expect(await anthropic.models.retrieve(id)).toMatchObject({ id, type: 'model', display_name: expect.any(String) });
    await expect(anthropic.models.retrieve('nobody/none')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await listening.close();
    await server.close();
  });
});

describe('headers of a call', () => {
  /** Sends a call with exactly these headers. */
  function send(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/v1/chat/completions`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve());
      });
      sent.on('error', reject);
      sent.end('{"model":"m","messages":[{"role":"user","content":"Hi"}]}');
    });
  }

  it('[RP28] are passed on, even unknown ones; those of the connection and of Coppice are not', async () => {
    const { url, service } = await proxied();
    const passed = {
      'content-type': 'application/json',
      'user-agent': 'agent/1',
      'x-stainless-lang': 'js',
      session_id: 'abc',
      'x-codex-turn-metadata': '{"a":1}',
      'x-something-new': 'yes',
      'accept-language': 'de',
    };
    await send(url, {
      ...passed,
      ...token,
      connection: 'keep-alive, x-only-here',
      'x-only-here': '1',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      cookie: 'coppice=abc; other=1',
      'proxy-authorization': 'Basic abc',
      'x-forwarded-for': '10.0.0.1',
      'x-real-ip': '10.0.0.1',
      referer: 'http://127.0.0.1/',
      'x-coppice-project': 'shop',
      'x-coppice-session': 'one',
      'x-with-the-token': `again ${testToken}`,
    });
    const { host, connection, 'content-length': length, ...rest } = service.requests[0]?.headers ?? {};
    expect(rest).toEqual({ ...passed, authorization: `Bearer ${operatorApiKey}` });
    expect([host, length]).toEqual([new URL(service.url).host, '57']);
    expect(connection).not.toContain('x-only-here');
  });

  it('[RP28] include the keys of the client, if the token has a separate header', async () => {
    const { url, service } = await proxied();
    const keys = { authorization: 'Bearer sk-of-the-client', 'x-api-key': 'second', 'x-goog-api-key': 'third' };
    await send(url, { 'content-type': 'application/json', 'x-coppice-token': testToken, ...keys });
    expect(service.requests[0]?.headers).toMatchObject(keys);
    expect(JSON.stringify(service.requests[0]?.headers)).not.toContain(testToken);
  });
});
