/** Answers a call with the models of this server instead of forwarding it. The call is recorded like any other. */
import { joinBytes, messageKit } from '@coppice/content';
import { type Message, readPath } from '@coppice/core';
import { listOrEmpty } from '@coppice/core/decode';
import { endsWithin, type ModelChoice } from '@coppice/engine';
import { throwHttpError } from '../http-errors.ts';
import type { RawReply } from '../routes/define.ts';
import { type CutOffReason, type ParsedRequest, parseJsonObject } from './exchange.ts';
import { chunkedHeaders } from './forwarded-headers.ts';
import { startLocalAnswer } from './local-answer.ts';
import { parseRequest } from './parse-request.ts';
import { configuredGroupingOf, type ProxyCall } from './proxy.ts';
import { findContinuedReply } from './record.ts';
import { findCallSecrets } from './remove-secrets.ts';
import { readCallOrigin } from './session-of-call.ts';
import { wireServiceOf } from './wire-error.ts';

// How long to wait until an earlier reply is recorded. While the store is unavailable the recorder keeps retrying, and the
// client must not wait for that.
const recordedMs = 5_000;

const countPath = 'messages/count_tokens';
// Paths that the models of this server cannot answer.
const forwardedOnly = new Set(['embeddings']);
const answered = new Set(['chat/completions', 'responses', 'messages', countPath, ...forwardedOnly]);

/** Throws for a path that needs an upstream service, if none is configured. */
function refusePath({ method, version, path }: ProxyCall): never {
  if (version === 'v1' && answered.has(path))
    return throwHttpError('http/method', `/v1/${path} takes POST, not ${method}.`, { allow: 'POST' });
  return throwHttpError(
    'http/not-found',
    `There is no ${method} /${version}/${path.slice(0, 200)} without an upstream service. Configure one, or use a path that this server answers itself.`,
  );
}

export async function answerLocally(call: ProxyCall, project: string): Promise<RawReply> {
  const { services } = call;
  // The models of this server do not support Google's API.
  const wire = call.wire === 'google' ? null : call.wire;
  if (call.version === 'v1' && (call.method === 'GET' || call.method === 'HEAD')) {
    if (call.path === 'models') return modelList(call);
    if (call.path.startsWith('models/')) return modelById(call);
  }
  if (call.version === 'v1' && call.path === countPath && call.method === 'POST') return tokenCount(call);
  if (wire === null && !(forwardedOnly.has(call.path) && call.method === 'POST')) return refusePath(call);
  const body = call.body === null ? null : parseJsonObject(new TextDecoder().decode(call.body));
  const parsed = wire === null || body === null ? null : parseRequest(wire, body);
  const asked = wire === null || parsed === null ? null : { ...parsed, wire };
  if (call.body === null || body === null || asked === null)
    return throwHttpError('http/invalid', 'The request has no messages, so there is nothing to answer.');
  const before = await answeredBefore(call, asked, project);
  const { owner } = call.caller;
  const secrets = findCallSecrets(call.header, {}, services.config);
  // A stopping server refuses the call here, before it is in the queue of the recorder.
  const { ending, end } = services.calls.begin();
  const ticket = services.recorder.enter({
    owner,
    project,
    wire: asked.wire,
    request: call.body,
    secrets,
    origin: readCallOrigin(call.header, configuredGroupingOf(services, project)),
  });
  const { providers, now, newId } = services;
  const startedAt = now();
  const kept: Uint8Array[] = [];
  let [keeping, firstMs]: [boolean, number | null] = [true, null];
  const signal = AbortSignal.any([call.signal, ending]);
  const finish = (status: number, cut: CutOffReason) => {
    ticket.finish({
      provider: 'coppice',
      response: joinBytes(kept),
      encoding: undefined,
      status,
      cut: keeping ? cut : 'limit',
      timing: { startedAt, firstMs, totalMs: now() - startedAt },
    });
    end();
  };
  try {
    const { status, contentType, pieces } = await startLocalAnswer(asked, body, {
      providers,
      now,
      newId,
      signal,
      before,
    });
    const encoder = new TextEncoder();
    const raw = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = await pieces.next().catch((error: unknown) => {
          // The call must leave the queue; otherwise calls that continue it would wait for it.
          finish(status, 'service');
          throw error;
        });
        if (next.done === true) {
          controller.close();
          // A model whose call is aborted ends its stream normally, so the signal decides.
          finish(status, ending.aborted ? 'service' : null);
          return;
        }
        firstMs ??= now() - startedAt;
        const bytes = encoder.encode(next.value);
        keeping &&= ticket.keep(bytes.byteLength);
        if (keeping) kept.push(bytes);
        controller.enqueue(bytes);
      },
      async cancel() {
        finish(status, 'client');
        await pieces.return(undefined);
      },
    });
    return { raw, status, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-cache', ...chunkedHeaders } };
  } catch (error) {
    ticket.cancel();
    end();
    throw error;
  }
}

/**
 * Returns the conversation of the reply that a call continues by its id. The client has received that reply, so it is
 * recorded or will be recorded soon.
 */
async function answeredBefore(call: ProxyCall, asked: ParsedRequest, project: string): Promise<readonly Message[]> {
  const { previous, conversation } = asked;
  if (previous === null && conversation === null) return [];
  const { services, caller } = call;
  const { store } = services.ownerServicesOf(caller.owner);
  const find = () => findContinuedReply(store, project, asked);
  const found = (await find()) ?? (await endsWithin(services.recorder.idle(), recordedMs).then(find));
  if (found === null) {
    // A conversation whose id is new has no replies yet.
    if (previous === null) return [];
    return throwHttpError('http/invalid', `There is no recorded response ${previous.slice(0, 100)} to continue.`);
  }
  const path = await store.read(found.tree.id, () => readPath({ to: found.nodeId }));
  return path.flatMap((node) => (node.message === null || node.kind !== 'message' ? [] : [node.message]));
}

/** Returns the token count of a request in Anthropic's format, by the same estimate that measures contexts. */
function tokenCount({ body }: ProxyCall): RawReply {
  const request = body === null ? null : parseJsonObject(new TextDecoder().decode(body));
  const asked = request === null ? null : parseRequest('messages', request);
  if (request === null || asked === null)
    return throwHttpError('http/invalid', 'The request has no messages, so there are no tokens to count.');
  const prompt = { role: 'system' as const, content: [{ type: 'text', text: asked.systemPrompt ?? '' }] };
  const tools = listOrEmpty(request, 'tools').map((tool) => ({ type: 'text', text: JSON.stringify(tool) }));
  const sent: readonly Message[] = [
    ...(asked.systemPrompt === undefined ? [] : [prompt]),
    ...(tools.length === 0 ? [] : [{ role: 'system' as const, content: tools }]),
    ...asked.history,
  ];
  return jsonReply({ input_tokens: sent.reduce((sum, message) => sum + messageKit.tokens(message), 0) });
}

/** Returns one model as OpenAI or Anthropic describes it. */
function modelEntry(call: ProxyCall, { id, provider, label }: ModelChoice): object {
  if (wireServiceOf(call, call.header) === 'openai') return { id, object: 'model', created: 0, owned_by: provider };
  // The publication date of the model is unknown.
  return { type: 'model', id, display_name: label, created_at: '1970-01-01T00:00:00Z' };
}

function readyModels({ services }: ProxyCall): readonly ModelChoice[] {
  return services.providers.list().filter((choice) => choice.ready);
}

function jsonReply(value: object): RawReply {
  return { raw: JSON.stringify(value), status: 200, headers: { 'Content-Type': 'application/json' } };
}

/** Returns the list of models, in the format of the service that the client expects. */
function modelList(call: ProxyCall): RawReply {
  const models = readyModels(call);
  const data = models.map((choice) => modelEntry(call, choice));
  if (wireServiceOf(call, call.header) === 'openai') return jsonReply({ object: 'list', data });
  return jsonReply({ data, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null });
}

/** Returns one model by its id. The id contains a slash, which some clients encode. */
function modelById(call: ProxyCall): RawReply {
  const path = call.path.slice('models/'.length);
  const found = readyModels(call).find(({ id }) => id === path || encodeURIComponent(id) === path);
  if (found === undefined) return throwHttpError('http/not-found', `There is no model ${path.slice(0, 200)}.`);
  return jsonReply(modelEntry(call, found));
}
