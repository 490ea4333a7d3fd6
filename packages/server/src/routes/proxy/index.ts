/** Calls of other programs, passed on as they are and kept as trees. */
import { z } from '@hono/zod-openapi';
import type { Caller } from '../../caller.ts';
import { refuseHttp } from '../../http-errors.ts';
import type { WireKind } from '../../proxy/exchange.ts';
import { proxyCall } from '../../proxy/proxy.ts';
import type { Recorder } from '../../proxy/recorder.ts';
import { wireProblems } from '../../proxy/wire-refusal.ts';
import { defineRoute, type RawReply, type RouteCall, type RouteDefinition, toReply } from '../define.ts';

const anything = z.unknown();
// Whatever stands behind a path is the service's: Anthropic's clients say `?beta=true` there.
const anyQuery = z.looseObject({});

/** What is told of a route of the proxy. */
interface ProxyPlace {
  /** What stands before `/v1`. */
  readonly base: string;
  /** Below `/v1`. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
}

/** Hands a call on, with the project that its path names. */
async function handOn(
  call: RouteCall<object, unknown, unknown>,
  { path }: ProxyPlace,
  wire: WireKind | null,
  body: Uint8Array | null,
): Promise<RawReply> {
  const { services, caller, signal, header, params } = call;
  const project = 'name' in params && typeof params.name === 'string' ? params.name : undefined;
  const method = body === null ? 'GET' : 'POST';
  return proxyCall({ services, caller, signal, header, search: call.search(), wire, path, project, method, body });
}

/** What refusals of a path look like: a service that both have is spoken for by its clients. */
function proxyRefusal(path: string): z.ZodType {
  if (path.startsWith('messages')) return wireProblems.anthropic;
  const { openai, anthropic } = wireProblems;
  return path === 'models' || path === 'embeddings' ? z.union([openai, anthropic]) : openai;
}

function passedThrough(place: ProxyPlace, wire: WireKind | null): RouteDefinition {
  const { base, path, name, summary } = place;
  return defineRoute({
    method: 'post',
    path: `${base}/v1/${path}`,
    name,
    summary,
    needs: { body: 'bytes', limit: 'proxyBytes', access: 'write' },
    query: anyQuery,
    answer: anything,
    refusal: proxyRefusal(path),
    handle: async (call) => handOn(call, place, wire, await call.bytes()),
  });
}

function listedCall(place: ProxyPlace): RouteDefinition {
  const { base, path, name, summary } = place;
  return defineRoute({
    method: 'get',
    path: `${base}/v1/${path}`,
    name,
    summary,
    query: anyQuery,
    answer: anything,
    refusal: proxyRefusal(path),
    handle: (call) => handOn(call, place, null, null),
  });
}

function routesBelow(base: string, ending: string): RouteDefinition[] {
  const at = (path: string, name: string, summary: string): ProxyPlace => ({
    base,
    path,
    name: `${name}${ending}`,
    summary,
  });
  return [
    passedThrough(at('chat/completions', 'proxyChatCompletions', 'A chat completion, passed on and recorded.'), 'chat'),
    passedThrough(at('responses', 'proxyResponses', 'A response, passed on and recorded.'), 'responses'),
    passedThrough(at('messages', 'proxyMessages', 'A message to Anthropic, passed on and recorded.'), 'messages'),
    passedThrough(at('messages/count_tokens', 'proxyCountTokens', 'A count of tokens, passed on.'), null),
    passedThrough(at('embeddings', 'proxyEmbeddings', 'Embeddings, passed on and not recorded.'), null),
    listedCall(at('models', 'proxyModels', 'The models of the service that calls are passed on to, or our own.')),
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

/** How recording is, with the caller's own calls. What went wrong may tell of paths: it is for admins. */
function stateFor(recorder: Recorder, { owner, role }: Caller): z.input<typeof stateShape> {
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
  summary: 'How recording is, and what was recorded last.',
  answer: stateShape,
  handle: ({ services: { recorder }, caller }) => toReply(stateFor(recorder, caller)),
});

const pause = defineRoute({
  method: 'put',
  path: '/api/proxy/recording',
  name: 'setRecording',
  summary: 'Goes on recording calls, or keeps nothing of them until told to again.',
  needs: { access: 'admin' },
  body: z.strictObject({ recording: z.boolean() }),
  answer: stateShape,
  handle({ services: { recorder }, caller, body }) {
    recorder.recording = body.recording;
    return toReply(stateFor(recorder, caller));
  },
});

const failedCall = z
  .object({
    id: z.string(),
    at: z.number(),
    project: z.string(),
    wire: z.enum(['chat', 'messages', 'responses']),
    model: z.string().nullable(),
    status: z.number().nullable(),
    code: z.string(),
    reason: z.string().nullable().openapi({ description: 'In words; null unless the caller is an admin.' }),
    keptBytes: z
      .number()
      .openapi({ description: 'The size of what is kept of the call; 0 where it cannot be recorded again.' }),
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
  summary: 'The caller’s calls that could not be recorded and that nobody has acknowledged, newest first.',
  answer: failedCalls,
  handle: async ({ services: { recorder }, caller }) => toReply(await failedFor(recorder, caller)),
});

const acknowledgeFailed = defineRoute({
  method: 'post',
  path: '/api/proxy/failed/acknowledge',
  name: 'acknowledgeFailedCalls',
  summary: 'Takes failed calls off the list, with what was kept of them: those that are named, or all of the caller’s.',
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
  summary: 'Records a failed call again, from what was kept of it.',
  needs: { access: 'write' },
  answer: failedCalls,
  async handle({ services: { recorder }, caller, params }) {
    if (!(await recorder.retryFailed(caller.owner, params.id)))
      refuseHttp('http/not-found', `No failed call ${JSON.stringify(params.id)} is kept that could be recorded again.`);
    return toReply(await failedFor(recorder, caller));
  },
});

/** The proxy, plain and by project. */
export const proxy: readonly RouteDefinition[] = [
  ...routesBelow('', ''),
  ...routesBelow('/p/{name}', 'OfProject'),
  state,
  pause,
  listFailed,
  acknowledgeFailed,
  retryFailed,
];
