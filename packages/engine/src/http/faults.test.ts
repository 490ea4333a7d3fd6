import { isMalformedToolUse } from '@coppice/content/wires';
import { textMessage } from '@coppice/core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../config/secret.ts';
import { accumulateReply } from '../providers/accumulate-reply.ts';
import { checkProviderEvents } from '../providers/conformance.ts';
import type { Clock, Provider, ProviderCall, ProviderEvent, ProviderNotice } from '../providers/contract.ts';
import { anthropic, openaiCompatible } from '../providers/members.ts';
import { type FakeFault, type FakeProvider, type FakeResponse, openFakeProvider } from '../testing/fake-provider.ts';
import { openRawServer } from '../testing/raw-server.ts';

/** A clock that never waits and records the requested delays. */
function createInstantClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => 0,
    random: () => 0.5,
    wait: async (ms) => {
      waits.push(ms);
    },
  };
}

const key = 'sk-the-key-of-the-test';
const wires: readonly { readonly wire: string; readonly provider: Provider }[] = [
  { wire: 'OpenAI', provider: openaiCompatible },
  { wire: 'Anthropic', provider: anthropic },
];
const forms = wires.flatMap(({ wire, provider }) => [
  { name: `${wire}, streamed`, provider, streaming: true },
  { name: `${wire}, whole`, provider, streaming: false },
]);
type Form = (typeof forms)[number];

let fake: FakeProvider | undefined;
// The first call of a process loads modules, which may take longer than the short limits of these tests.
beforeAll(async () => {
  const server = await openRawServer((_request, response) => void response.end());
  await (await fetch(server.url)).text();
  await server.close();
});
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

/** The limits and signal of a call, and a callback that is called while events arrive. */
type AskOptions = Pick<ProviderCall, 'limits' | 'signal'> & {
  onProgress?(events: readonly ProviderEvent[], server: FakeProvider): void;
};

async function ask(form: Form, turns: readonly FakeResponse[], options: AskOptions = {}) {
  const server = await openFakeProvider(turns);
  fake = server;
  const notices: ProviderNotice[] = [];
  const clock = createInstantClock();
  const events: ProviderEvent[] = [];
  const call: ProviderCall = {
    connection: { baseUrl: server.url, key: new Secret(key, server.url) },
    streaming: form.streaming,
    clock,
    // Only the limit under test is short, because other short limits could be exceeded on a busy machine.
    limits: { firstByteMs: 20_000, wholeFirstByteMs: 20_000, idleMs: 20_000, ...options.limits },
    onNotice: (notice) => notices.push(notice),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  const request = { model: 'm-x', messages: [textMessage('user', 'Hello')], maxTokens: 100 };
  const watching = setInterval(() => options.onProgress?.(events, server), 5);
  try {
    for await (const event of form.provider.stream(request, call)) events.push(event);
  } finally {
    clearInterval(watching);
  }
  expect(checkProviderEvents(events)).toEqual([]);
  const fold = accumulateReply(form.provider.name);
  for (const event of events) fold.push(event);
  const { message, last } = fold.reply();
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  expect(JSON.stringify(events)).not.toContain(key);
  return { events, message, last, text, notices, waits: clock.waits, requests: server.requests, server };
}

describe.each(forms)('a provider that misbehaves ($name)', (form) => {
  const { streaming } = form;

  it('[G23] hangs before it responds: the call ends as a timeout that may be retried', async () => {
    const { last, server } = await ask(form, ['hang'], { limits: { firstByteMs: 600, wholeFirstByteMs: 600 } });
    expect(last).toMatchObject({ code: 'provider/timeout', kind: 'unavailable', retryable: true });
    await server.waitForSockets();
    expect(server.requests).toHaveLength(1);
  });

  it('[G24] sends three words and then only pings: the call ends, and the words are kept', async () => {
    const { last, text, server } = await ask(form, ['hang-after-3'], { limits: { idleMs: 600 } });
    expect(last).toMatchObject({ code: 'provider/timeout', retryable: true });
    expect(text).toBe(streaming ? 'One two three' : '');
    await server.waitForSockets();
  });

  it('[G24] sends a byte at a time and never a whole event: the call ends', async () => {
    const { last, server } = await ask(form, ['slow'], { limits: streaming ? { idleMs: 100 } : { turnMs: 150 } });
    expect(last).toMatchObject({ code: 'provider/timeout' });
    await server.waitForSockets();
  });

  it('[G25] drops the stream: the received text is kept, and nothing is repeated', async () => {
    const { last, text, requests } = await ask(form, ['drop']);
    if (streaming) {
      expect(last).toMatchObject({ code: 'provider/dropped', retryable: true });
      expect([text, requests.length]).toEqual(['One two three', 1]);
      return;
    }
    // There was no text yet, so the request was retried.
    expect([last?.type, text, requests.length]).toEqual(['end', 'One two three four five.', 2]);
  });

  it('[G26] drops the connection before any text: the request is repeated', async () => {
    const { last, text, requests } = await ask(form, ['drop-at-once']);
    expect([last?.type, text, requests.length]).toEqual(['end', 'One two three four five.', 2]);
  });

  it('[G26] responds 429 three times: the request is repeated after the delays it asks for', async () => {
    const { text, requests, waits, notices } = await ask(form, ['429', '429', '429']);
    expect([text, requests.length, waits]).toEqual(['One two three four five.', 4, [0, 0, 0]]);
    expect(notices.map((notice) => notice.type === 'retry' && notice.attempt)).toEqual([1, 2, 3]);
    expect(notices[0]).toMatchObject({ error: { code: 'provider/rate-limited', status: 429, retryAfterMs: 0 } });
  });

  it.each(['500', '503', '529'] as const)(
    '[G26] responds %s every time: the request is made six times with growing pauses',
    async (fault) => {
      const { last, requests, waits } = await ask(form, Array<FakeFault>(10).fill(fault));
      expect(requests).toHaveLength(6);
      expect(waits).toEqual([375, 750, 1500, 3000, 6000]);
      const code = fault === '500' ? 'provider/failed' : 'provider/overloaded';
      expect(last).toMatchObject({ code, status: Number(fault), retryable: true });
    },
  );

  it('[G27] asks to wait for an hour: the call fails at once and reports the hour', async () => {
    const { last, requests, waits } = await ask(form, ['429-patient']);
    expect([requests.length, waits]).toEqual([1, []]);
    expect(last).toMatchObject({ code: 'provider/rate-limited', retryAfterMs: 3_600_000 });
  });

  it('[G28] fails in the middle of a reply: the request is not repeated', async () => {
    const { last, text, requests } = await ask(form, ['error-event', 'error-event', 'error-event']);
    expect(last).toMatchObject(streaming ? { code: 'provider/overloaded' } : { type: 'end' });
    expect([text, requests.length]).toEqual(streaming ? ['One two three', 1] : ['One two three four five.', 4]);
  });

  it('[G26] fails in a stream before any text: the request is repeated', async () => {
    const { text, requests } = await ask(form, ['error-at-once']);
    expect([text, requests.length]).toEqual(['One two three four five.', 2]);
  });

  it.each([
    ['garbage', 'not valid JSON'],
    ['html', 'web page'],
    ['html-in-disguise', 'web page'],
  ] as const)(
    '[G29] sends %s: the call ends with a typed failure and an excerpt after one request',
    async (fault, words) => {
      const { last, requests, message } = await ask(form, [fault]);
      expect(last).toMatchObject({ code: 'provider/bad-response', kind: 'unavailable' });
      expect(last?.type === 'error' && last.message).toContain(words);
      const excerpt = last?.type === 'error' ? (last.excerpt ?? '') : '';
      expect(excerpt.length).toBeGreaterThan(10);
      expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(2048);
      expect([requests.length, message]).toEqual([1, null]);
    },
  );

  it('[G29] sends a picture, or nothing at all: the call ends with a typed failure', async () => {
    expect((await ask(form, ['wrong-type'])).last).toMatchObject({ code: 'provider/bad-response' });
    await fake?.close();
    const { last } = await ask(form, Array<FakeFault>(6).fill('empty'));
    expect(last).toMatchObject({ code: streaming ? 'provider/dropped' : 'provider/bad-response' });
  });

  it('[G25, G29] breaks off inside its JSON: interrupted after some text, malformed before any', async () => {
    const { last, text } = await ask(form, ['truncated']);
    expect(last).toMatchObject({ code: streaming ? 'provider/dropped' : 'provider/bad-response' });
    expect(text).toBe(streaming ? 'One two' : '');
  });

  it.each(['gzip-bomb', 'endless', 'endless-event'] as const)(
    '[G30] sends %s: the reply is cut at the limit, and the connection closed',
    async (fault) => {
      const before = process.memoryUsage().rss;
      const { last, server } = await ask(form, [fault], {
        limits: { bodyBytes: 3 << 20, eventBytes: 1 << 20, idleMs: 20_000 },
      });
      expect(last).toMatchObject({ code: 'provider/too-large', retryable: false });
      await server.waitForSockets();
      expect(process.memoryUsage().rss - before).toBeLessThan(128 << 20);
    },
  );

  it('[G5] gives two calls one id: each gets a unique one', async () => {
    const { message } = await ask(form, ['dup-ids']);
    const ids = message?.content
      .filter((block) => block.type === 'tool-use')
      .map((block) => ('id' in block ? block.id : ''));
    expect(new Set(ids).size).toBe(2);
    expect(ids?.[0]).toBe('call_0');
  });

  it('[WR1] sends invalid UTF-8: the rest of the reply is read', async () => {
    const { text, last } = await ask(form, ['bad-utf8']);
    expect(last?.type).toBe('end');
    expect(text.replaceAll('\ufffd', '')).toBe('One two three four five.');
    expect(text).toContain('\ufffd');
  });

  it('[G9] ends inside the arguments of a call: the call is kept, marked, and not run', async () => {
    const { message, last } = await ask(form, ['toolcall-cut']);
    // Anthropic's non-streamed response contains the arguments as an object, which cannot be cut off.
    if (form.provider.name === 'anthropic' && !streaming) return;
    expect(last).toMatchObject({ type: 'end', finishReason: 'length' });
    const call = message?.content.at(-1);
    expect(call).toMatchObject({ type: 'tool-use', id: 'call_1', name: 'look', parameters: {} });
    expect(call !== undefined && isMalformedToolUse(call)).toBe(true);
  });

  it('[G31] redirects: the redirect is not followed, so that the key is sent to no other host', async () => {
    const { last, requests } = await ask(form, ['redirect']);
    expect(last).toMatchObject({ code: 'provider/redirected', kind: 'refused', retryable: false });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['401', 'provider/unauthorised'],
    ['404', 'provider/unknown-model'],
    ['400-overflow', 'provider/context-overflow'],
  ] as const)('[G18] refuses with %s: the code gives the reason, and only one request is made', async (fault, code) => {
    const { last, requests } = await ask(form, [fault]);
    expect(last).toMatchObject({ code, retryable: false });
    expect(requests).toHaveLength(1);
  });

  it('[G35] is stopped by an abort: the connection closes, a second abort does nothing, and no listener is left', async () => {
    const abort = new AbortController();
    const added: string[] = [];
    const { signal } = abort;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      added.push('+');
      return add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      added.push('-');
      return remove(...args);
    };
    const { last, server, text } = await ask(form, ['hang-after-3'], {
      signal,
      // Continues when all text has arrived, or for a non-streamed response when the request has arrived.
      onProgress(events, { requests }) {
        const said = events.filter(({ type }) => type === 'text-delta').length;
        if (streaming ? said < 3 : requests.length === 0) return;
        abort.abort();
        abort.abort();
      },
    });
    expect(last).toMatchObject({ code: 'provider/aborted', kind: 'aborted' });
    expect(text).toBe(streaming ? 'One two three' : '');
    await server.waitForSockets();
    expect(server.brokenOff).toBe(1);
    expect(added.join('')).toMatch(/^(?:\+-)+$/);
  });

  it('[G34] takes longer than a turn may in total: the call ends, retries included', async () => {
    const turns = Array<FakeFault>(6).fill('hang');
    const { last } = await ask(form, turns, { limits: { turnMs: 80 } });
    expect(last).toMatchObject({ code: 'provider/timeout' });
  });
});

describe('calls of a provider', () => {
  const form: Form = { name: 'OpenAI, streamed', provider: openaiCompatible, streaming: true };

  it('[G10] accept a complete response where a stream was requested', async () => {
    const { text, last } = await ask(form, ['whole-anyway']);
    expect([text, last?.type]).toEqual(['One two three four five.', 'end']);
  });

  it('[G36] at the same time do not mix, and every socket is returned', async () => {
    const server = await openRawServer(async (request, response, number) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const said = /call number (\d+)/.exec(request.body)?.[1] ?? '';
      for (let count = 0; count < 20; count++) {
        response.write(`data: {"choices":[{"index":0,"delta":{"content":"${said} "}}]}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, (number * 7 + count) % 3));
      }
      response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });
    const texts = await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        let text = '';
        const request = { model: 'm', messages: [textMessage('user', `call number ${number}`)], maxTokens: 100 };
        for await (const event of openaiCompatible.stream(request, { connection: { baseUrl: server.url } }))
          if (event.type === 'text-delta') text += event.text;
        return text;
      }),
    );
    expect(texts).toEqual(texts.map((_, number) => `${number} `.repeat(20)));
    await server.waitForSockets();
    expect(server.sockets).toBe(0);
    await server.close();
  });

  it('[G33] reuse a connection after a reply was read to its end', async () => {
    fake = await openFakeProvider();
    const request = { model: 'm', messages: [textMessage('user', 'Hi')], maxTokens: 10 };
    for (let count = 0; count < 5; count++)
      for await (const event of openaiCompatible.stream(request, { connection: { baseUrl: fake.url } }))
        expect(event.type).not.toBe('error');
    // A second socket may be opened before the first one is free again.
    expect(fake.requests).toHaveLength(5);
    expect(fake.sockets).toBeLessThanOrEqual(2);
  });

  it('[G33] close the connection when the reader leaves early', async () => {
    fake = await openFakeProvider(['hang-after-3']);
    const request = { model: 'm', messages: [textMessage('user', 'Hi')], maxTokens: 10 };
    for await (const event of openaiCompatible.stream(request, { connection: { baseUrl: fake.url } }))
      if (event.type === 'text-delta') break;
    await fake.waitForSockets();
    expect(fake.brokenOff).toBe(1);
  });

  it('[G19] to an unreachable server fail at once and are not repeated often', async () => {
    const server = await openRawServer(() => undefined);
    await server.close();
    const request = { model: 'm', messages: [textMessage('user', 'Hi')], maxTokens: 10 };
    const events: ProviderEvent[] = [];
    for await (const event of openaiCompatible.stream(request, { connection: { baseUrl: server.url } }))
      events.push(event);
    expect(events).toMatchObject([{ type: 'error', code: 'provider/unreachable', retryable: true }]);
  });

  it('[G31] to an invalid address, or one with a password, are refused', async () => {
    const request = { model: 'm', messages: [textMessage('user', 'Hi')], maxTokens: 10 };
    for (const baseUrl of ['', 'ftp://example.org', 'http://me:word@127.0.0.1:1']) {
      const events: ProviderEvent[] = [];
      for await (const event of openaiCompatible.stream(request, { connection: { baseUrl } })) events.push(event);
      expect(events).toMatchObject([{ type: 'error', code: 'provider/rejected' }]);
    }
  });

  it('[G31] with a key for another host are refused before anything is sent', async () => {
    fake = await openFakeProvider();
    const request = { model: 'm', messages: [textMessage('user', 'Hi')], maxTokens: 10 };
    const events: ProviderEvent[] = [];
    const connection = { baseUrl: fake.url, key: new Secret(key, 'https://api.example.org') };
    for await (const event of openaiCompatible.stream(request, { connection })) events.push(event);
    expect(events).toMatchObject([{ type: 'error', code: 'provider/foreign-host', kind: 'refused' }]);
    expect(fake.requests).toHaveLength(0);
  });
});
