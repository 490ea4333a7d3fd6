/** The recording proxy: where calls go, who may make them, and what is kept of them. */
import { join } from 'node:path';
import type { JsonObject } from '@coppice/core';
import { costOf } from '@coppice/engine';
import type { Caller } from '../caller.ts';
import { refuseHttp } from '../http-errors.ts';
import type { RawReply } from '../routes/define.ts';
import type { Services } from '../services.ts';
import { type Asked, parseObject, type Returned, readAsked, readReturned, type WireKind } from './exchange.ts';
import { ownAnswer } from './own-answer.ts';
import { type CallTaken, Recorder, type Ticket } from './recorder.ts';
import { passOn } from './upstream.ts';

/** A call as a route hands it on. */
export interface ProxyCall {
  readonly services: Services;
  readonly caller: Caller;
  readonly wire: WireKind | null;
  /** Below the base address, such as `chat/completions`. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly project: string | undefined;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
}

/** Makes the recorder of a server. */
export function createRecorder(
  services: Pick<Services, 'config' | 'providers' | 'roomOf' | 'now' | 'newId' | 'log'>,
): Recorder {
  const { config, log } = services;
  return new Recorder({
    storeOf: (owner) => services.roomOf(owner).store,
    now: services.now,
    newId: services.newId,
    recording: config.proxy.recording,
    readReturned: ({ asked, response, status, whole }) => readReturned(asked.wire, response, status, whole),
    costOf: (call, returned) => costFor(services, call, returned),
    ...(config.file === null ? {} : { spillFolder: join(config.file, '..', 'proxy-spill') }),
    onError: (error) => log.error({ err: error }, 'a call was not recorded'),
  });
}

function costFor(
  services: Pick<Services, 'providers'>,
  call: CallTaken,
  { usage, model }: Returned,
): JsonObject | null {
  if (usage === null) return null;
  const number = (...names: readonly string[]) => {
    for (const name of names) {
      const value = usage[name];
      if (typeof value === 'number') return value;
    }
    return 0;
  };
  try {
    const { info } = services.providers.model(`${call.provider}/${model ?? call.asked.model}`);
    const cost = costOf(info.price, {
      // Anthropic counts what was read from or written to its cache beside the input, not in it.
      inputTokens:
        number('prompt_tokens', 'input_tokens') +
        number('cache_read_input_tokens') +
        number('cache_creation_input_tokens'),
      outputTokens: number('completion_tokens', 'output_tokens'),
      cacheReadTokens: number('cache_read_input_tokens'),
      cacheWriteTokens: number('cache_creation_input_tokens'),
      reasoningTokens: 0,
    });
    return cost === null ? null : { ...cost };
  } catch {
    return null;
  }
}

/** Which of the two services a path belongs to. */
function serviceOf(call: ProxyCall): 'openai' | 'anthropic' {
  const anthropic = call.wire === 'messages' || call.header('anthropic-version') !== undefined;
  return anthropic ? 'anthropic' : 'openai';
}

/** The base address that calls are passed on to, fixed by the operator; null where our own models answer. */
function upstreamOf(services: Services, service: 'openai' | 'anthropic'): string | null {
  const said = services.config.proxy[service];
  if (said !== undefined) return service === 'anthropic' && !said.endsWith('/v1') ? `${said}/v1` : said;
  const provider = services.config.providers.get(service);
  if (provider?.key === undefined) return null;
  return provider.baseUrl ?? (service === 'openai' ? 'https://api.openai.com/v1' : 'https://api.anthropic.com/v1');
}

// What a service may need to know; everything else, cookies above all, stays here.
const passedHeaders = [
  'content-type',
  'accept',
  'accept-encoding',
  'user-agent',
  'idempotency-key',
  'openai-organization',
  'openai-project',
  'openai-beta',
  'anthropic-version',
  'anthropic-beta',
];

function headersFor(call: ProxyCall, service: 'openai' | 'anthropic', url: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = call.header(name);
    if (value !== undefined) headers[name] = value;
  }
  // With the token in a header of its own, the client's own key is meant for the service.
  const own = call.header('x-coppice-token') !== undefined;
  const authorization = call.header('authorization');
  const apiKey = call.header('x-api-key');
  if (own && authorization !== undefined) headers['authorization'] = authorization;
  if (own && apiKey !== undefined) headers['x-api-key'] = apiKey;
  if (own) return headers;
  const key = call.services.config.providers.get(service)?.key;
  // A key goes to the host that it was configured for, and to no other.
  const secret = key !== undefined && key.origin === new URL(url).origin ? key.for(url) : null;
  if (secret !== null)
    Object.assign(headers, service === 'openai' ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret });
  return headers;
}

const projectName = /^[\w.@-]{1,100}$/;

function projectOf(call: ProxyCall): string {
  const named = call.project ?? call.header('x-coppice-project') ?? 'proxy';
  return projectName.test(named)
    ? named
    : refuseHttp('http/invalid', 'A project has up to 100 letters, digits, and . _ @ -.');
}

/** Passes a call on, or answers it, and has it recorded once the client has its bytes. */
export async function proxyCall(call: ProxyCall): Promise<RawReply> {
  const { services, wire } = call;
  const service = serviceOf(call);
  const project = projectOf(call);
  const upstream = upstreamOf(services, service);
  const body = wire === null || call.body === null ? null : parseObject(new TextDecoder().decode(call.body));
  const asked = wire === null || body === null ? null : readAsked(wire, body);
  if (upstream === null) return answerOurselves(call, asked, project);
  const ticket = asked === null ? null : services.recorder.enter(call.caller.owner, project);
  const startedAt = services.now();
  const url = `${upstream}/${call.path}`;
  try {
    const { method, signal } = call;
    const back = await passOn({ method, url, headers: headersFor(call, service, url), body: call.body, signal });
    if (ticket !== null && asked !== null)
      void back.text.then(({ text, whole, firstMs }) => {
        const timing = { startedAt, firstMs, totalMs: services.now() - startedAt };
        ticket.finish({ asked, project, provider: service, response: text, status: back.status, whole, timing });
      });
    return { raw: back.body, status: back.status, headers: back.headers };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    finishFailed(ticket, asked, { project, provider: service, startedAt, now: services.now(), message });
    if (call.signal.aborted) return refuseHttp('http/closing', 'The client went away.');
    const error = {
      error: { message: `The service cannot be reached: ${message}`, type: 'api_error', code: 'upstream_unreachable' },
    };
    return { raw: JSON.stringify(error), status: 502, headers: { 'Content-Type': 'application/json' } };
  }
}

function finishFailed(
  ticket: Ticket | null,
  asked: Asked | null,
  facts: {
    readonly project: string;
    readonly provider: string;
    readonly startedAt: number;
    readonly now: number;
    readonly message: string;
  },
): void {
  if (ticket === null || asked === null) return;
  const { project, provider, startedAt, now, message } = facts;
  const response = JSON.stringify({ error: { message } });
  const timing = { startedAt, firstMs: null, totalMs: now - startedAt };
  ticket.finish({ asked, project, provider, response, status: 502, whole: false, timing });
}

async function answerOurselves(call: ProxyCall, asked: Asked | null, project: string): Promise<RawReply> {
  const { services, signal } = call;
  if (call.path === 'models') return modelList(services);
  if (asked === null)
    return refuseHttp('http/invalid', 'There is nothing to answer: no upstream is set for this, and no messages came.');
  const ticket = services.recorder.enter(call.caller.owner, project);
  const startedAt = services.now();
  const { providers, now, newId } = services;
  const answer = ownAnswer(asked, { providers, now, newId, signal });
  const encoder = new TextEncoder();
  let text = '';
  let firstMs: number | null = null;
  const finish = (whole: boolean) => {
    const timing = { startedAt, firstMs, totalMs: now() - startedAt };
    ticket.finish({ asked, project, provider: 'coppice', response: text, status: 200, whole, timing });
  };
  const pieces = answer.pieces();
  const raw = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) {
        controller.close();
        finish(true);
        return;
      }
      firstMs ??= now() - startedAt;
      text += next.value;
      controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      finish(false);
      await pieces.return(undefined);
    },
  });
  return { raw, status: 200, headers: { 'Content-Type': answer.contentType, 'Cache-Control': 'no-cache' } };
}

function modelList(services: Services): RawReply {
  const data = services.providers
    .list()
    .filter((choice) => choice.ready)
    .map(({ id, provider }) => ({ id, object: 'model', created: 0, owned_by: provider }));
  return {
    raw: JSON.stringify({ object: 'list', data }),
    status: 200,
    headers: { 'Content-Type': 'application/json' },
  };
}
