/** The recording proxy: chooses the upstream service of a call, forwards or answers the call, and records it. */
import { joinBytes } from '@coppice/content';
import type { JsonObject } from '@coppice/core';
import { computeCost } from '@coppice/engine';
import { decompress } from '#platform/compression';
import { joinPath } from '#platform/system';
import { type FinishedResponse, forwardCall } from '#platform/upstream';
import type { Caller } from '../caller.ts';
import { throwHttpError } from '../http-errors.ts';
import { listEncodings } from '../platform/content-encodings.ts';
import type { RawReply } from '../routes/define.ts';
import type { SharedServices } from '../services.ts';
import { answerLocally } from './answer-locally.ts';
import type { WireKind } from './exchange.ts';
import { buildForwardedHeaders } from './forwarded-headers.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { findCallSecrets } from './remove-secrets.ts';
import type { ResponseBufferOptions } from './response-buffer.ts';
import { type CallGrouping, readCallOrigin } from './session-of-call.ts';
import { formatWireError, type WireService, wireServiceOf } from './wire-error.ts';

/** A call of a program, as a proxy route receives it. */
export interface ProxyCall {
  readonly services: SharedServices;
  readonly caller: Caller;
  readonly wire: WireKind | null;
  /** The version in the path: `v1`, or `v1beta` on Google's wire. */
  readonly version: string;
  /** The path below the version, for example `chat/completions`, as received. */
  readonly path: string;
  /** The query string as received. */
  readonly search: string;
  readonly method: string;
  readonly project: string | undefined;
  readonly body: Uint8Array | null;
  /** The stream of the request's body if the call is not recorded. Null if the body was read into `body`, or is empty. */
  readonly chunks: AsyncIterable<Uint8Array> | null;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
  /** All headers, by their names in lower case. */
  headers(): Readonly<Record<string, string>>;
}

/**
 * Returns the folder next to the configuration file for calls that wait to be recorded, and for calls that could not be
 * recorded.
 */
export function overflowFolderBeside(configFile: string): string {
  return joinPath(configFile, '..', 'proxy-spill');
}

/** Creates the recorder of a server. */
export function createRecorder(
  services: Pick<SharedServices, 'config' | 'providers' | 'ownerServicesOf' | 'now' | 'newId' | 'log'>,
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
    onNoThread: (error) =>
      log.warn({ err: error }, 'calls are recorded on the main thread, because no worker thread could be started'),
    spillFolder: config.file === null ? spillFolder : overflowFolderBeside(config.file),
    // While the store is unavailable, every call fails. So the first error is logged immediately, later ones at most
    // once per second.
    onError: (error) => {
      if (now() - reportedAt < 1_000) return;
      reportedAt = now();
      const { waiting, spilled, dropped, failed } = recorder.state;
      log.error({ err: error, waiting, spilled, dropped, failed }, 'a call was not recorded');
    },
    // Every failed call is logged, because nothing else tells the operator about the loss.
    onFailed: ({ id, project, code }, error) =>
      log.error({ err: error, call: id, project, code }, 'a call was not recorded and is listed as a failed call'),
    onRecovered: () => log.info('calls are recorded again'),
  });
  recorder.resume();
  return recorder;
}

function costFor(
  services: Pick<SharedServices, 'providers'>,
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
    const cost = computeCost(info.price, {
      // Anthropic reports cached input tokens separately, not as part of the input.
      inputTokens:
        number('prompt_tokens', 'input_tokens', 'inputTokens') +
        number('cache_read_input_tokens') +
        number('cache_creation_input_tokens'),
      outputTokens: number('completion_tokens', 'output_tokens', 'outputTokens'),
      cacheReadTokens: number('cache_read_input_tokens'),
      cacheWriteTokens: number('cache_creation_input_tokens'),
      reasoningTokens: 0,
    });
    return cost === null ? null : { ...cost };
  } catch {
    return null;
  }
}

const publicAddresses: Readonly<Record<WireService, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com',
};

/**
 * Returns the base URL of a service up to the version of the call, set by the operator; null if our own models answer.
 */
function upstreamOf(services: SharedServices, service: WireService, version: string): string | null {
  const configured = services.config.proxy[service];
  const provider = services.config.providers.get(service);
  if (configured === undefined && provider?.key === undefined) return null;
  const base = configured ?? provider?.baseUrl ?? publicAddresses[service];
  // Google has several versions, and the path of the call contains the version.
  if (service === 'google') return `${base.replace(/\/v1(?:alpha|beta)?$/, '')}/${version}`;
  return service === 'anthropic' && configured !== undefined && !configured.endsWith('/v1') ? `${configured}/v1` : base;
}

function headersFor(call: ProxyCall, service: WireService, url: string): Record<string, string> {
  const { auth, config } = call.services;
  const key = config.providers.get(service)?.key;
  return buildForwardedHeaders({
    service,
    received: call.headers(),
    userHeader: auth.mode === 'users' ? auth.proxy?.userHeader : undefined,
    // A key is sent only to the host for which it was configured.
    secret: key !== undefined && key.origin === new URL(url).origin ? key.for(url) : null,
  });
}

const projectName = /^[\w.@-]{1,100}$/;

function projectOf(call: ProxyCall): string {
  const named = call.project ?? call.header('x-coppice-project') ?? 'proxy';
  return projectName.test(named)
    ? named
    : throwHttpError('http/invalid', 'A project name has up to 100 letters, digits, and . _ @ -.');
}

/** Returns the operator's grouping for the calls of a project; null if it is not configured. */
export function configuredGroupingOf({ config }: Pick<SharedServices, 'config'>, project: string): CallGrouping | null {
  return config.proxy.projects?.get(project) ?? config.proxy.grouping ?? null;
}

function decodePath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the path below the base URL, with the query string. */
function upstreamPath(call: ProxyCall): string {
  // A token in the query is only for this server. The rest is forwarded unchanged.
  const parts = call.search.slice(1).split('&');
  // Google's clients may send their key in the query. It is our token, unless the token has its own header.
  const isOurs =
    call.header('x-coppice-token') === undefined && call.version !== 'v1' ? /^(?:token|key)(?:=|$)/i : /^token(?:=|$)/i;
  const forwardedQuery = parts.filter((part) => part !== '' && !isOurs.test(decodePath(part))).join('&');
  return forwardedQuery === '' ? call.path : `${call.path}?${forwardedQuery}`;
}

/**
 * Returns the body of a request as the recorder parses it; null if it cannot be decompressed or is larger than the
 * limit when it is. Such a call is forwarded and not recorded.
 */
async function decompressRequest(
  body: Uint8Array,
  encoding: string | undefined,
  { limits }: Pick<SharedServices, 'limits'>,
): Promise<Uint8Array | null> {
  if (encoding === undefined || listEncodings(encoding).length === 0) return body;
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of decompress(body, encoding) ?? []) {
      length += piece.byteLength;
      if (length > limits.proxyBytes) return null;
      pieces.push(piece);
    }
  } catch {
    return null;
  }
  return length === 0 ? null : joinBytes(pieces);
}

/** Returns the Content-Length of a body that is forwarded as a stream; null if the client did not send one. */
function declaredLength({ chunks, header }: ProxyCall): number | null {
  const length = chunks === null ? undefined : header('content-length');
  return length === undefined ? null : Number(length);
}

// Only this much of an error response is read. A longer body is not an error message.
const errorBytes = 256 * 1024;

/** Forwards or answers a call. It is recorded after the client has received its bytes. */
export async function proxyCall(call: ProxyCall): Promise<RawReply> {
  const { services, wire, method, signal, body, chunks } = call;
  const service = wireServiceOf(call, call.header);
  const project = projectOf(call);
  const upstream = upstreamOf(services, service, call.version);
  const request = body === null ? null : await decompressRequest(body, call.header('content-encoding'), services);
  if (upstream === null) {
    if (body !== null && request === null)
      throwHttpError('http/media-type', 'The body has an unknown content encoding, or is too large when decompressed.');
    return answerLocally({ ...call, body: request }, project);
  }
  const { now, recorder, log } = services;
  if (wire !== null && body !== null && request === null)
    log.warn(
      { project, encoding: call.header('content-encoding') },
      'a call is not recorded, because its body cannot be decompressed or is too large',
    );
  const { owner } = call.caller;
  const url = `${upstream}/${upstreamPath(call)}`;
  const headers = headersFor(call, service, url);
  const secrets = findCallSecrets(call.header, headers, services.config);
  // A stopping server refuses the call here, before it is in the queue of the recorder.
  const { ending, end } = services.calls.begin();
  const ticket =
    wire === null || request === null
      ? null
      : recorder.enter({
          owner,
          project,
          wire,
          request,
          secrets,
          origin: readCallOrigin(call.header, configuredGroupingOf(services, project)),
        });
  const startedAt = now();
  const finish = ({ bytes, cut, firstMs }: FinishedResponse, status: number, encoding?: string) => {
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
    const keeping: ResponseBufferOptions = {
      wire,
      keep: (bytes) => ticket?.keep(bytes) ?? false,
      releaseBytes: (bytes) => ticket?.releaseBytes(bytes),
    };
    const length = body === null ? declaredLength(call) : body.byteLength;
    const back = await forwardCall({ method, url, headers, body: body ?? chunks, length, signal, ending, keeping });
    void back.upstreamRequest.then((upstreamRequest) => finish(upstreamRequest, back.status, back.encoding));
    return { raw: back.body, status: back.status, headers: back.headers };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    finishUnanswered(signal.aborted ? 'client' : ending.aborted ? 'stop' : null, message, finish);
    if (signal.aborted) return throwHttpError('http/closing', 'The client disconnected.');
    if (ending.aborted) return throwHttpError('http/closing', 'The server is stopping.');
    const reported = {
      status: 502,
      message: `The service cannot be reached: ${message}`,
      code: 'upstream_unreachable',
    };
    const error = formatWireError(service, reported);
    return { raw: JSON.stringify(error), status: 502, headers: { 'Content-Type': 'application/json' } };
  }
}

function finishUnanswered(
  by: 'client' | 'stop' | null,
  message: string,
  finish: (upstreamRequest: FinishedResponse, status: number) => void,
): void {
  const cut = by === 'client' ? 'client' : 'service';
  const errorBody = new TextEncoder().encode(JSON.stringify({ error: { message } }));
  if (by === null) finish({ bytes: errorBody, cut, firstMs: null }, 502);
  else finish({ bytes: new Uint8Array(), cut, firstMs: null }, 200);
}
