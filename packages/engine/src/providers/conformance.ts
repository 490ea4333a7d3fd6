/** The conformance suite that every provider's test runs. It works offline: a local server sends recorded bytes. */
import type { ContentBlock } from '@coppice/content';
import type { Message } from '@coppice/core';
import { isToolUse, textMessage } from '@coppice/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../config/secret.ts';
import { openRawServer, type RawServer } from '../testing/raw-server.ts';
import { accumulateReply, collectReply, type ModelReply } from './accumulate-reply.ts';
import type {
  FinishReason,
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderRequest,
  ProviderUsage,
} from './contract.ts';

/** A recorded stream and its expected result. */
export interface ProviderCase {
  /** What the case tests, as a part of the test's name. */
  readonly name: string;
  /** The recorded bytes of the stream; absent for a provider without a network. */
  readonly stream?: string;
  /** The same reply as a non-streamed response, if it was recorded. */
  readonly whole?: string;
  readonly request?: Partial<ProviderRequest>;
  /** The expected reply; absent if it varies. */
  readonly content?: readonly ContentBlock[];
  readonly finishReason: FinishReason;
  readonly usage?: Omit<ProviderUsage, 'raw'>;
}

/** The recorded streams of one provider. */
export interface ProviderCases {
  readonly model: string;
  readonly cases: readonly ProviderCase[];
  /** The content type of the provider's streams. */
  readonly mediaType?: string;
  /** An error body, sent with status 500. */
  readonly refusal?: string;
}

/** Returns all violations of the event contract in a list of events, one sentence each. */
export function checkProviderEvents(events: readonly ProviderEvent[]): string[] {
  const found: string[] = [];
  const open = new Map<number, boolean>();
  const ids = new Set<string>();
  let thinking = false;
  let last: ProviderEvent | undefined;
  for (const [at, event] of events.entries()) {
    if (last?.type === 'end' || last?.type === 'error') found.push(`event ${at} comes after the last one`);
    if (last?.type === 'usage' && event.type !== 'end' && event.type !== 'error')
      found.push(`event ${at} comes after usage`);
    if (thinking && !['thinking-delta', 'thinking-end'].includes(event.type))
      found.push(`event ${at} begins inside reasoning`);
    if (event.type === 'thinking-delta') thinking = true;
    if (event.type === 'thinking-end') thinking = false;
    if (event.type === 'tool-use-start') {
      if (open.has(event.index)) found.push(`event ${at} starts call ${event.index} again`);
      if (ids.has(event.id) || event.id === '')
        found.push(`event ${at} has the id ${JSON.stringify(event.id)} again, or none`);
      ids.add(event.id);
      open.set(event.index, true);
    }
    if ((event.type === 'tool-use-delta' || event.type === 'tool-use-end') && open.get(event.index) !== true)
      found.push(`event ${at} is about call ${event.index}, which is not open`);
    if (event.type === 'tool-use-end') open.set(event.index, false);
    if (event.type === 'end' && [...open.values()].includes(true)) found.push('the end comes before the end of a call');
    if ((event.type === 'text-delta' || event.type === 'thinking-delta') && event.text === '')
      found.push(`event ${at} says nothing`);
    last = event;
  }
  if (last?.type !== 'end' && last?.type !== 'error') found.push('there is no last event');
  return found;
}

async function listOf(events: AsyncIterable<ProviderEvent>): Promise<ProviderEvent[]> {
  const list: ProviderEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

function foldOf(events: readonly ProviderEvent[], provider: string): ModelReply {
  const fold = accumulateReply(provider);
  for (const event of events) fold.push(event);
  return fold.reply();
}

/** Returns a reply without the values that differ between calls: generated ids and raw usage. */
function comparable(reply: ModelReply): unknown {
  const ids = new Map<string, string>();
  const content = reply.message?.content.map((block) => {
    if (!isToolUse(block)) return block;
    const made = ids.get(block.id) ?? `call ${ids.size}`;
    ids.set(block.id, made);
    // The provider may format the arguments differently in a non-streamed response.
    return { type: block.type, id: made, name: block.name, parameters: block.parameters };
  });
  const usage = reply.usage === null ? null : { ...reply.usage, raw: null };
  return { content, usage, last: reply.last?.type === 'end' ? reply.last.finishReason : reply.last };
}

// Chunk sizes that split the stream inside characters and line ends, or hardly at all.
const cuts = [1, 2, 7, 1000];

/** Runs the suite for one provider: every case in several chunk sizes, then errors, aborts and limits. */
export function runProviderConformance(
  provider: Provider,
  { model, cases, mediaType = 'text/event-stream', refusal }: ProviderCases,
): void {
  let server: RawServer;
  // What the server sends to the next request.
  let answer: {
    readonly body: Buffer;
    readonly type: string;
    readonly cut: number;
    readonly after: 'end' | 'hang' | 'drop';
    readonly status: number;
  };
  const networked = cases.some((each) => each.stream !== undefined);

  beforeAll(async () => {
    server = await openRawServer(async (_request, response) => {
      const { body, type, cut, after, status } = answer;
      response.writeHead(status, { 'content-type': type });
      for (let at = 0; at < body.length && !response.destroyed; at += cut) {
        response.write(body.subarray(at, at + cut));
        // Pauses regularly, so that the chunks arrive separately.
        if (at % 64 < cut) await new Promise((resolve) => setImmediate(resolve));
      }
      if (after === 'end') response.end();
      else if (after === 'drop') setTimeout(() => response.destroy(), 20);
    });
  });
  afterAll(() => server.close());

  const prime = (text: string, options: Partial<typeof answer> = {}) => {
    answer = { body: Buffer.from(text), type: mediaType, cut: 1 << 20, after: 'end', status: 200, ...options };
  };
  const call = (options: Partial<ProviderCall> = {}): ProviderCall => ({
    connection: { baseUrl: server.url, key: new Secret('sk-conformance-key', server.url) },
    limits: { retries: 0 },
    ...options,
  });
  const request = (each: ProviderCase): ProviderRequest => ({
    model,
    messages: [textMessage('user', 'Hello')],
    maxTokens: 1000,
    seed: 7,
    ...each.request,
  });
  const run = async (each: ProviderCase, options: Partial<ProviderCall> = {}, given: Partial<typeof answer> = {}) => {
    prime(each.stream ?? '', given);
    return listOf(provider.stream(request(each), call(options)));
  };

  describe(`${provider.name} as a member of the registry`, () => {
    it.each(cases)('[G1, G2] its events are well nested and end once: $name', async (each) => {
      expect(checkProviderEvents(await run(each))).toEqual([]);
    });

    it.each(cases)('[G8, G12] its events give the recorded reply: $name', async (each) => {
      const reply = foldOf(await run(each), provider.name);
      expect(reply.last).toMatchObject({ type: 'end', finishReason: each.finishReason });
      if (each.content !== undefined) expect(reply.message?.content).toEqual(each.content);
      if (each.usage !== undefined) expect({ ...reply.usage, raw: null }).toEqual({ ...each.usage, raw: null });
      const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = reply.usage ?? {};
      expect(inputTokens).toBeGreaterThanOrEqual(cacheReadTokens + cacheWriteTokens);
    });

    it.each(cases)('[G5] its calls have unique ids, also compared with the history: $name', async (each) => {
      const first = foldOf(await run(each), provider.name).message;
      const calls = first?.content.filter(isToolUse) ?? [];
      if (first === null || first === undefined || calls.length === 0) return;
      const results: Message[] = calls.map(({ id }) => ({ ...textMessage('tool', 'done'), tool_call_id: id }));
      const messages = [textMessage('user', 'Hello'), first, ...results, textMessage('user', 'Again')];
      const again = await run({ ...each, request: { ...each.request, messages } });
      const taken = new Set(calls.map((block) => block.id));
      for (const event of again) if (event.type === 'tool-use-start') expect(taken.has(event.id)).toBe(false);
    });

    it.each(cases)('[G4] an abort ends it at once and is reported: $name', async (each) => {
      const abort = new AbortController();
      prime(each.stream ?? '', {
        after: 'hang',
        body: Buffer.from(each.stream ?? '').subarray(0, Math.floor((each.stream?.length ?? 0) / 2)),
      });
      const events: ProviderEvent[] = [];
      // Waits until the request has arrived, because a late one would be counted for the next test.
      const before = server.requests.length;
      const look = setInterval(() => {
        if (networked && server.requests.length === before) return;
        clearInterval(look);
        abort.abort();
      }, 30);
      for await (const event of provider.stream(request(each), call({ signal: abort.signal, paceMs: 20 })))
        events.push(event);
      expect(checkProviderEvents(events)).toEqual([]);
      // A provider without a network may have finished before the abort.
      if (networked) expect(events.at(-1)).toMatchObject({ type: 'error', code: 'provider/aborted', kind: 'aborted' });
    });

    it('[G4] an abort before the start makes no request', async () => {
      const [each] = cases;
      const before = server.requests.length;
      const events = each === undefined ? [] : await run(each, { signal: AbortSignal.abort() });
      expect(events).toMatchObject([{ type: 'error', code: 'provider/aborted' }]);
      expect(server.requests.length).toBe(before);
    });

    it('[G7] a block that the provider does not accept is sent as text, and reported', async () => {
      const strange: ContentBlock = { type: 'x-strange', text: 'strange but readable' };
      const messages: Message[] = [
        { role: 'user', content: [{ type: 'text', text: 'Look:' } satisfies ContentBlock, strange] },
      ];
      const reported: unknown[] = [];
      const [each] = cases;
      const before = server.requests.length;
      if (each !== undefined)
        await run({ ...each, request: { ...each.request, messages } }, { onNotice: (notice) => reported.push(notice) });
      expect(reported).toContainEqual({ type: 'block-lowered', blockType: 'x-strange', role: 'user' });
      if (!networked) return;
      const sent = server.requests[before]?.body ?? '';
      expect(sent).toContain('strange but readable');
      expect(sent).not.toContain('x-strange');
    });

    it('[G6] a parameter out of range is brought within it, and reported', async () => {
      const reported: string[] = [];
      const onNotice: ProviderCall['onNotice'] = (notice) => {
        if (notice.type === 'parameter-changed') reported.push(notice.name);
      };
      const [each] = cases;
      const wild = {
        temperature: 99,
        topP: 7,
        stop: Array.from({ length: 100 }, (_, at) => `stop ${at}`),
        seed: Number.MAX_VALUE,
      };
      const events =
        each === undefined ? [] : await run({ ...each, request: { ...each.request, ...wild } }, { onNotice });
      expect(reported).toEqual(expect.arrayContaining(['temperature', 'topP', 'stop', 'seed']));
      expect(checkProviderEvents(events)).toEqual([]);
    });
  });

  if (!networked) return;
  const recorded = cases.filter((each) => each.stream !== undefined);
  const inBoth = recorded.filter((each) => each.whole !== undefined);

  describe(`${provider.name} over the wire`, () => {
    it.each(recorded)('[G11] bytes split anywhere give the same reply: $name', async (each) => {
      const whole = comparable(foldOf(await run(each), provider.name));
      for (const cut of cuts) expect(comparable(foldOf(await run(each, {}, { cut }), provider.name))).toEqual(whole);
    });

    it.each(recorded)('[G11] CR LF line ends and a byte order mark change nothing: $name', async (each) => {
      const plain = comparable(foldOf(await run(each), provider.name));
      const crlf = Buffer.from(`\ufeff${each.stream?.replaceAll('\n', '\r\n')}`);
      expect(comparable(foldOf(await run(each, {}, { body: crlf, cut: 3 }), provider.name))).toEqual(plain);
    });

    it.each(inBoth)('[G10] a complete response gives the same reply as the stream: $name', async (each) => {
      const streamed = comparable(foldOf(await run(each), provider.name));
      prime(each.whole ?? '', { type: 'application/json' });
      const events = await listOf(provider.stream(request(each), call({ streaming: false })));
      expect(checkProviderEvents(events)).toEqual([]);
      expect(comparable(foldOf(events, provider.name))).toEqual(streamed);
    });

    it.each(recorded)('[G25] a dropped stream keeps the received text and reports the drop: $name', async (each) => {
      const half = Buffer.from(each.stream ?? '').subarray(0, Math.floor((each.stream ?? '').length / 2));
      const events = await run(each, {}, { body: half, after: 'drop' });
      expect(checkProviderEvents(events)).toEqual([]);
      expect(events.at(-1)).toMatchObject({
        type: 'error',
        kind: 'unavailable',
        code: 'provider/dropped',
        retryable: true,
      });
    });

    it('[G3] a failure is the last event, with status and excerpt and without the key', async () => {
      prime(refusal ?? '{"error":{"message":"broken by sk-conformance-key","type":"api_error"}}', {
        status: 500,
        type: 'application/json',
      });
      const [each] = recorded;
      const events = each === undefined ? [] : await listOf(provider.stream(request(each), call()));
      expect(events).toMatchObject([{ type: 'error', code: 'provider/failed', status: 500, retryable: true }]);
      expect(JSON.stringify(events)).not.toContain('sk-conformance-key');
    });

    it('[G31] the key is in its header and nowhere else', async () => {
      const [each] = recorded;
      const before = server.requests.length;
      if (each !== undefined) await run(each);
      const seen = server.requests[before];
      expect(`${seen?.path}${seen?.body}`).not.toContain('sk-conformance-key');
      expect(Object.values(seen?.headers ?? {}).join(' ')).toContain('sk-conformance-key');
    });

    it('[G33] every socket is returned', async () => {
      for (const each of recorded) await collectReply(provider.stream(request(each), call()));
      await server.waitForSockets(0);
      expect(server.sockets).toBe(0);
    });
  });
}
