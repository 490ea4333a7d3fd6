/** The recording proxy: where calls go, who may make them, and what is kept of them. */
import { join } from 'node:path';
import type { JsonObject } from '@coppice/core';
import { costOf } from '@coppice/engine';
import type { Caller } from '../caller.ts';
import { refuseHttp } from '../http-errors.ts';
import type { RawReply } from '../routes/define.ts';
import type { Services } from '../services.ts';
import { answerLocally } from './answer-locally.ts';
import type { WireKind } from './exchange.ts';
import { secretKeysOf } from './hide-keys.ts';
import type { KeptAnswerOptions } from './keep-answer.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { forward, type UpstreamRequest } from './upstream.ts';
import { type Service, serviceOf, wireRefusal } from './wire-refusal.ts';

/** A call as a route hands it on. */
export interface ProxyCall {
  readonly services: Services;
  readonly caller: Caller;
  readonly wire: WireKind | null;
  /** Below the base address, such as `chat/completions`. */
  readonly path: string;
  /** What stood behind the path, as it came. */
  readonly search: string;
  readonly method: 'GET' | 'POST';
  readonly project: string | undefined;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
}

/** The folder of calls that wait to be recorded, or could not be, beside the configuration file. */
export function spillFolderBeside(configFile: string): string {
  return join(configFile, '..', 'proxy-spill');
}

/** Makes the recorder of a server. */
export function createRecorder(
  services: Pick<Services, 'config' | 'providers' | 'ownerServicesOf' | 'now' | 'newId' | 'log'>,
  { threadStore, spillFolder }: Pick<RecorderOptions, 'threadStore' | 'spillFolder'> = {},
): Recorder {
  const { config, log, now } = services;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const recorder = new Recorder({
    storeOf: (owner) => services.ownerServicesOf(owner).store,
    now,
    newId: services.newId,
    recording: config.proxy.recording,
    costOf: (provider, model, usage) => costFor(services, provider, model, usage),
    threadStore,
    onNoThread: (error) => log.warn({ err: error }, 'calls are recorded without a thread of their own'),
    spillFolder: config.file === null ? spillFolder : spillFolderBeside(config.file),
    // At once, and then once a second: a store that is away fails every call that comes.
    onError: (error) => {
      if (now() - reportedAt < 1_000) return;
      reportedAt = now();
      const { waiting, spilled, dropped, failed } = recorder.state;
      log.error({ err: error, waiting, spilled, dropped, failed }, 'a call was not recorded');
    },
    // Each of them, however many: nothing else says that this call is lost.
    onFailed: ({ id, project, code }, error) =>
      log.error({ err: error, call: id, project, code }, 'a call was not recorded and is kept among the failed ones'),
    onRecovered: () => log.info('calls are recorded again'),
  });
  recorder.resume();
  return recorder;
}

function costFor(
  services: Pick<Services, 'providers'>,
  provider: string,
  model: string,
  usage: JsonObject,
): JsonObject | null {
  const number = (...names: readonly string[]) => {
    for (const name of names) {
      const value = usage[name];
      if (typeof value === 'number') return value;
    }
    return 0;
  };
  try {
    const { info } = services.providers.model(`${provider}/${model}`);
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

/** The base address that calls are passed on to, fixed by the operator; null where our own models answer. */
function upstreamOf(services: Services, service: Service): string | null {
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
  'anthropic-dangerous-direct-browser-access',
  'x-app',
  'x-client-request-id',
  'x-request-id',
  'x-session-id',
  'session_id',
  'conversation_id',
  'originator',
  'http-referer',
  'x-title',
];

// How whoever records can unpack an answer; a service is not asked for anything else.
const unpackable = /^(?:gzip|x-gzip|deflate|br|identity|\*)(?:\s*;|$)/i;

function headersFor(call: ProxyCall, service: Service, url: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = call.header(name);
    if (value !== undefined) headers[name] = value;
  }
  const packed = headers['accept-encoding']?.split(',').map((one) => one.trim());
  if (packed !== undefined)
    headers['accept-encoding'] = packed.filter((one) => unpackable.test(one)).join(', ') || 'identity';
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

function decodePath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Where a call goes below the base address, with what stood behind its path. */
function upstreamPath(call: ProxyCall): string {
  // A token that is shown so is for this server alone; the rest is the service's, spelled as the client spelled it.
  const parts = call.search.slice(1).split('&');
  const behind = parts.filter((part) => part !== '' && !/^token(?:=|$)/i.test(decodePath(part))).join('&');
  return behind === '' ? call.path : `${call.path}?${behind}`;
}

// An error is short; what is longer is none.
const errorBytes = 256 * 1024;

/** Passes a call on, or answers it, and has it recorded once the client has its bytes. */
export async function proxyCall(call: ProxyCall): Promise<RawReply> {
  const { services, wire, method, signal, body } = call;
  const service = serviceOf(call.path, call.header);
  const project = projectOf(call);
  const upstream = upstreamOf(services, service);
  if (upstream === null) return answerLocally(call, project);
  const { now, recorder } = services;
  const { owner } = call.caller;
  const url = `${upstream}/${upstreamPath(call)}`;
  const headers = headersFor(call, service, url);
  const secrets = secretKeysOf(call.header, headers, services.config);
  const ticket =
    wire === null || body === null ? null : recorder.enter({ owner, project, wire, request: body, secrets });
  const startedAt = now();
  const { ending, end } = services.calls.begin();
  const finish = ({ bytes, cut, firstMs }: UpstreamRequest, status: number, encoding?: string) => {
    ticket?.finish({
      provider: service,
      response: status < 300 ? bytes : bytes.subarray(0, errorBytes),
      encoding,
      status,
      cut,
      timing: { startedAt, firstMs, totalMs: now() - startedAt },
    });
    end();
  };
  try {
    const keeping: KeptAnswerOptions = {
      wire,
      keep: (bytes) => ticket?.keep(bytes) ?? false,
      giveBack: (bytes) => ticket?.giveBack(bytes),
    };
    const back = await forward({ method, url, headers, body, signal, ending, keeping });
    void back.upstreamRequest.then((upstreamRequest) => finish(upstreamRequest, back.status, back.encoding));
    return { raw: back.body, status: back.status, headers: back.headers };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    finishUnanswered(signal.aborted ? 'client' : ending.aborted ? 'stop' : null, message, finish);
    if (signal.aborted) return refuseHttp('http/closing', 'The client went away.');
    if (ending.aborted) return refuseHttp('http/closing', 'The server is stopping.');
    const reported = {
      status: 502,
      message: `The service cannot be reached: ${message}`,
      code: 'upstream_unreachable',
    };
    const error = wireRefusal(service, reported);
    return { raw: JSON.stringify(error), status: 502, headers: { 'Content-Type': 'application/json' } };
  }
}

function finishUnanswered(
  by: 'client' | 'stop' | null,
  message: string,
  finish: (upstreamRequest: UpstreamRequest, status: number) => void,
): void {
  const cut = by === 'client' ? 'client' : 'service';
  const said = new TextEncoder().encode(JSON.stringify({ error: { message } }));
  if (by === null) finish({ bytes: said, cut, firstMs: null }, 502);
  else finish({ bytes: new Uint8Array(), cut, firstMs: null }, 200);
}
