/** The routes that forward calls of other programs to model providers and record them as trees. */
import { z } from '@hono/zod-openapi';
import type { Caller } from '../../caller.ts';
import { throwHttpError } from '../../http-errors.ts';
import type { WireKind } from '../../proxy/exchange.ts';
import { proxyCall } from '../../proxy/proxy.ts';
import type { Recorder } from '../../proxy/recorder.ts';
import { wireErrorSchemas } from '../../proxy/wire-error.ts';
import { defineRoute, type RawReply, type RouteCall, type RouteDefinition, toReply } from '../define.ts';

const anything = z.unknown();
// The query belongs to the upstream service. Anthropic's clients send `?beta=true`.
const anyQuery = z.looseObject({});

/** The path and description of a proxy route. */
interface ProxyRoute {
  /** The path before `/v1`. */
  readonly base: string;
  /** The path below `/v1`. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
}

/** Forwards a call, with the project that the path names. */
async function forwardCall(
  call: RouteCall<object, unknown, unknown>,
  { path }: ProxyRoute,
  wire: WireKind | null,
  body: Uint8Array | null,
): Promise<RawReply> {
  const { services, caller, signal, header, headers, params } = call;
  const project = 'name' in params && typeof params.name === 'string' ? params.name : undefined;
  const method = body === null ? 'GET' : 'POST';
  const search = call.search();
  const to = { version: 'v1', path, method, project, search, chunks: null };
  return proxyCall({ services, caller, signal, header, headers, wire, body, ...to });
}

/** Returns the error schema of a path. On paths of several services the headers of the client decide. */
function proxyRefusal(path: string): z.ZodType {
  if (path.startsWith('messages')) return wireErrorSchemas.anthropic;
  const { openai, anthropic } = wireErrorSchemas;
  return path === 'models' || path === 'embeddings' ? z.union([openai, anthropic]) : openai;
}

function definePostRoute(route: ProxyRoute, wire: WireKind | null): RouteDefinition {
  const { base, path, name, summary } = route;
  return defineRoute({
    method: 'post',
    path: `${base}/v1/${path}`,
    name,
    summary,
    needs: { body: 'bytes', isEncoded: true, limit: 'proxyBytes', access: 'write' },
    query: anyQuery,
    answer: anything,
    refusal: proxyRefusal(path),
    handle: async (call) => forwardCall(call, route, wire, await call.bytes()),
  });
}

function defineListRoute(route: ProxyRoute): RouteDefinition {
  const { base, path, name, summary } = route;
  return defineRoute({
    method: 'get',
    path: `${base}/v1/${path}`,
    name,
    summary,
    query: anyQuery,
    answer: anything,
    refusal: proxyRefusal(path),
    handle: (call) => forwardCall(call, route, null, null),
  });
}

function routesBelow(base: string, ending: string): RouteDefinition[] {
  const describe = (path: string, name: string, summary: string): ProxyRoute => ({
    base,
    path,
    name: `${name}${ending}`,
    summary,
  });
  return [
    definePostRoute(
      describe('chat/completions', 'proxyChatCompletions', 'Forwards and records a chat completion.'),
      'chat',
    ),
    definePostRoute(describe('responses', 'proxyResponses', 'Forwards and records a response.'), 'responses'),
    definePostRoute(describe('messages', 'proxyMessages', 'Forwards and records an Anthropic message.'), 'messages'),
    definePostRoute(describe('messages/count_tokens', 'proxyCountTokens', 'Forwards a token count.'), null),
    definePostRoute(describe('embeddings', 'proxyEmbeddings', 'Forwards embeddings without recording them.'), null),
    defineListRoute(
      describe('models', 'proxyModels', 'Lists the models of the upstream service, or those of this server.'),
    ),
  ];
}

const stateShape = z
  .object({
    recording: z.boolean(),
    health: z.enum(['recording', 'paused', 'behind', 'failing']),
    waiting: z.number(),
    waitingBytes: z.number(),
    spilled: z.number(),
    recorded: z.number(),
    dropped: z.number(),
    failed: z.number(),
    unacknowledged: z.number(),
    lastError: z.string().nullable(),
    calls: z.array(
      z.object({
        at: z.number(),
        project: z.string(),
        model: z.string(),
        status: z.number(),
        usage: z.unknown(),
        firstMs: z.number().nullable(),
        totalMs: z.number(),
        treeId: z.string().nullable(),
        nodeId: z.string().nullable(),
        nodes: z.number(),
      }),
    ),
  })
  .openapi('ProxyState');

/**
 * Returns the state of the recorder with the caller's calls only. Errors may contain file paths, so only admins see
 * them.
 */
function toProxyState(recorder: Recorder, { owner, role }: Caller): z.input<typeof stateShape> {
  const own = recorder.calls.filter((call) => call.owner === owner);
  const { lastError, ...reported } = recorder.state;
  return {
    ...reported,
    lastError: role === 'admin' ? lastError : null,
    calls: own.map(({ owner: _, ...call }) => call),
  };
}

const state = defineRoute({
  method: 'get',
  path: '/api/proxy',
  name: 'getProxy',
  summary: 'Returns the state of recording, and the last recorded calls.',
  answer: stateShape,
  handle: ({ services: { recorder }, caller }) => toReply(toProxyState(recorder, caller)),
});

const pause = defineRoute({
  method: 'put',
  path: '/api/proxy/recording',
  name: 'setRecording',
  summary: 'Resumes or pauses the recording of calls.',
  needs: { access: 'admin' },
  body: z.strictObject({ recording: z.boolean() }),
  answer: stateShape,
  handle({ services: { recorder }, caller, body }) {
    recorder.recording = body.recording;
    return toReply(toProxyState(recorder, caller));
  },
});

const failedCall = z
  .object({
    id: z.string(),
    at: z.number(),
    project: z.string(),
    wire: z.enum(['chat', 'messages', 'responses', 'google']),
    model: z.string().nullable(),
    status: z.number().nullable(),
    code: z.string(),
    reason: z.string().nullable().openapi({ description: 'The error message; null unless the caller is an admin.' }),
    keptBytes: z.number().openapi({ description: 'The size of the stored call; 0 if it cannot be recorded again.' }),
  })
  .openapi('FailedCall');

const failedCalls = z.object({ calls: z.array(failedCall) });

async function failedFor(recorder: Recorder, { owner, role }: Caller): Promise<z.input<typeof failedCalls>> {
  const failed = await recorder.listFailed(owner);
  const calls = failed.map(({ owner: _, reason, ...call }) => ({ ...call, reason: role === 'admin' ? reason : null }));
  return { calls };
}

const listFailed = defineRoute({
  method: 'get',
  path: '/api/proxy/failed',
  name: 'listFailedCalls',
  summary: 'Lists your calls that could not be recorded and are not acknowledged, newest first.',
  answer: failedCalls,
  handle: async ({ services: { recorder }, caller }) => toReply(await failedFor(recorder, caller)),
});

const acknowledgeFailed = defineRoute({
  method: 'post',
  path: '/api/proxy/failed/acknowledge',
  name: 'acknowledgeFailedCalls',
  summary:
    'Acknowledges failed calls, the given ones or all of yours: removes them from the list and deletes their stored data.',
  needs: { access: 'write' },
  body: z.strictObject({ ids: z.array(z.string()).max(10_000).optional() }),
  answer: failedCalls.extend({ acknowledged: z.number() }),
  async handle({ services: { recorder }, caller, body }) {
    const acknowledged = await recorder.acknowledgeFailed(caller.owner, body.ids);
    return toReply({ acknowledged, ...(await failedFor(recorder, caller)) });
  },
});

const retryFailed = defineRoute({
  method: 'post',
  path: '/api/proxy/failed/{id}/retry',
  name: 'retryFailedCall',
  summary: 'Tries to record a failed call again from its stored data.',
  needs: { access: 'write' },
  answer: failedCalls,
  async handle({ services: { recorder }, caller, params }) {
    if (!(await recorder.retryFailed(caller.owner, params.id)))
      throwHttpError(
        'http/not-found',
        `There is no failed call ${JSON.stringify(params.id)} that can be recorded again.`,
      );
    return toReply(await failedFor(recorder, caller));
  },
});

/** The proxy routes, with and without a project. */
export const proxyRoutes: readonly RouteDefinition[] = [
  ...routesBelow('', ''),
  ...routesBelow('/p/{name}', 'OfProject'),
  state,
  pause,
  listFailed,
  acknowledgeFailed,
  retryFailed,
];
