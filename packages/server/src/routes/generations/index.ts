/** The routes of generations: start, follow from any offset and process, approve tool calls, and stop. */

import { ask, nodeId, readTree, refuse, type TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { type GenerateOptions, isTurnEventsRun, type TurnEvent, type TurnStart } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import { type EventStream, encodeEvent, respondWithStream } from '../../live/event-stream.ts';
import { readTreeVersion, waitForFirstReplies } from '../../live/turns.ts';
import { parseNewMessages, resolveTree } from '../../resolve-tree.ts';
import type { SharedServices } from '../../services.ts';
import {
  listOfSchema,
  messageInputSchema,
  nodeIdSchema,
  plainWriteQuerySchema,
  treeIdSchema,
  wholeNumberQuerySchema,
  writeBodySchema,
} from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const begun = z
  .object({
    actId: z.string(),
    treeId: treeIdSchema,
    version: z.number(),
    nodes: listOfSchema(z.object({ nodeId: nodeIdSchema, parentId: nodeIdSchema, runId: z.string().nullable() })),
  })
  .openapi('StartedTurn');

const requestSchema = writeBodySchema({
  type: z.enum(['send', 'reply', 'regenerate', 'combine', 'continue']),
  parentId: z.string().optional(),
  nodeId: z.string().optional(),
  nodeIds: listOfSchema(z.string()).optional(),
  way: z.enum(['combine', 'table', 'differences']).optional(),
  instructions: z.string().max(20_000).optional(),
  messages: listOfSchema(messageInputSchema).optional(),
  models: listOfSchema(z.string()).optional(),
  n: z.number().int().min(1).optional(),
  temperature: z.number().optional(),
  maxTokens: z.number().int().min(1).optional(),
  topP: z.number().optional(),
  stop: listOfSchema(z.string()).optional(),
  seed: z.number().int().optional(),
  thinking: z
    .strictObject({ effort: z.enum(['low', 'medium', 'high']), budgetTokens: z.number().int().optional() })
    .optional(),
  tools: listOfSchema(z.string()).optional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.strictObject({ name: z.string() })]).optional(),
  fallbackModel: z.string().optional(),
  requestId: z.string().max(200).optional(),
  select: z.boolean().optional(),
  merge: z.boolean().optional(),
});

type GenerationBody = z.output<typeof requestSchema>;

function turnStartOf(treeId: TreeId, wish: GenerationBody): TurnStart {
  const { type, parentId, nodeId: at } = wish;
  if (type === 'send') {
    const messages = parseNewMessages(wish.messages ?? []);
    if (messages.length === 0) return refuse('message/blank', 'There is no message to send.', {});
    const parent = parentId === undefined ? undefined : nodeId(parentId);
    return { type, treeId, messages, parentId: parent, merge: wish.merge };
  }
  if (wish.messages !== undefined)
    return throwHttpError('http/invalid', 'body.messages: is only allowed with the type send.');
  if (type === 'combine') {
    const { nodeIds, way = 'combine', instructions } = wish;
    if (nodeIds === undefined) return throwHttpError('http/invalid', 'body.nodeIds: is missing.');
    return { type, treeId, nodeIds: nodeIds.map(nodeId), way, instructions };
  }
  const named = type === 'reply' ? (parentId ?? at) : at;
  if (named === undefined)
    return throwHttpError('http/invalid', `body.${type === 'reply' ? 'parentId' : 'nodeId'}: is missing.`);
  return type === 'reply' ? { type, treeId, parentId: nodeId(named) } : { type, treeId, nodeId: nodeId(named) };
}

const generate = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/generations',
  name: 'generate',
  summary:
    'Generates replies: to a new message, to an existing node, another reply to the same prompt, one reply from several (`nodeIds`, `way`), or the continuation of an incomplete reply.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: requestSchema,
  answer: begun,
  status: 202,
  async handle(call) {
    const { services, ownerServices, body } = call;
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const start = turnStartOf(treeId, body);
    await store.read(treeId, () => readTree(treeId));
    const { n, temperature, maxTokens, topP, stop, seed, thinking, tools, toolChoice, fallbackModel } = body;
    const models = body.models ?? [await services.defaultModel()];
    const options: GenerateOptions = {
      models,
      ...omitUndefined({ n, temperature, maxTokens, topP, stop, seed, tools, toolChoice, fallbackModel, thinking }),
      ...omitUndefined({ requestId: body.requestId, select: body.select }),
      ...omitUndefined({ expectedVersion: call.expectedVersion, onConflict: call.onConflict }),
      actor: call.caller.actor,
    };
    const live = await services.turns.begin(ownerServices, store, start, options);
    const nodes = await waitForFirstReplies(live, models.length * (n ?? 1));
    const version = await readTreeVersion(store, treeId);
    return toReply({ actId: live.actId, treeId, version, nodes }, { version });
  },
});

const running = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/generations',
  name: 'listGenerations',
  summary: 'Lists the replies that are being generated in a tree, in any process.',
  answer: z.object({
    items: listOfSchema(
      z.object({
        runId: z.string(),
        nodeId: nodeIdSchema,
        actId: z.string().nullable(),
        startedAt: z.number(),
        beatAt: z.number(),
      }),
    ),
  }),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    await store.read(treeId, () => readTree(treeId));
    const replies = (await store.runs.list(treeId)).filter((run) => !isTurnEventsRun(run));
    const items = replies.map((run) => ({
      runId: run.id,
      nodeId: run.nodeId,
      actId: typeof run.data.actId === 'string' ? run.data.actId : null,
      startedAt: run.startedAt,
      beatAt: run.beatAt,
    }));
    return toReply({ items });
  },
});

const events = defineRoute({
  method: 'get',
  path: '/api/generations/{act}/events',
  name: 'followGeneration',
  summary:
    'Streams the events of a turn on any server (id = index, data = the event), from `from` or after Last-Event-ID, until the turn ends.',
  needs: { stream: true },
  query: z.strictObject({ from: wholeNumberQuerySchema.optional() }),
  produces: 'text/event-stream',
  answer: z.string(),
  async handle(call) {
    const { services, ownerServices, params } = call;
    const last = call.header('last-event-id');
    const from = last !== undefined && /^\d{1,15}$/.test(last) ? Number(last) + 1 : (call.query.from ?? 0);
    const stream = services.streams.open(call.caller);
    const found = await services.turns
      .events(ownerServices, params.act, from, stream.closed)
      .catch((thrown: unknown) => {
        stream.close();
        throw thrown;
      });
    if (found === null) {
      stream.close();
      return refuse('tree/unknown-node', `No turn ${params.act} is running. Follow its node instead.`, {
        actId: params.act,
      });
    }
    call.signal.addEventListener('abort', () => stream.close(), { once: true });
    void sendTurn(stream, found, services.log);
    return respondWithStream(stream);
  },
});

async function sendTurn(
  stream: EventStream,
  events: AsyncIterable<readonly [number, TurnEvent]>,
  log: SharedServices['log'],
): Promise<void> {
  try {
    for await (const [index, event] of events) {
      await stream.waitForDrain();
      if (!stream.send(encodeEvent(event.type, event, index))) return;
    }
  } catch (error) {
    // The store is unavailable. The reader reconnects, and continues after the last event that it got.
    log.warn({ err: error }, 'the events of a turn of another server could not be read');
  }
  stream.close();
}

const follow = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/stream',
  name: 'followNode',
  summary:
    'Streams the text of one reply, generated by any process: `text-delta` (id = the offset after the text), then `end` or `error`.',
  needs: { stream: true },
  query: z.strictObject({ offset: wholeNumberQuerySchema.optional() }),
  produces: 'text/event-stream',
  answer: z.string(),
  async handle(call) {
    const { services, ownerServices, params } = call;
    const { store, treeId } = await resolveTree(call, params.tree);
    const head = await store.read(treeId, () => ask('head', { id: params.node }));
    if (head === null)
      return refuse('tree/unknown-node', `There is no message ${params.node}.`, { nodeId: params.node });
    const last = call.header('last-event-id');
    const from = last !== undefined && /^\d{1,15}$/.test(last) ? Number(last) : (call.query.offset ?? 0);
    const stream = services.streams.open(call.caller);
    call.signal.addEventListener('abort', () => stream.close(), { once: true });
    const followed = ownerServices
      .engineOf(store)
      .generator.follow({ treeId, nodeId: params.node, from }, stream.closed);
    void (async () => {
      for await (const event of followed) {
        await stream.waitForDrain();
        const id = event.type === 'text-delta' ? event.offset + event.text.length : undefined;
        if (!stream.send(encodeEvent(event.type, event, id))) return;
      }
      stream.close();
    })();
    return respondWithStream(stream);
  },
});

const stopped = z.object({ aborted: z.boolean() });

const abort = defineRoute({
  method: 'post',
  path: '/api/generations/{act}/abort',
  name: 'abortGeneration',
  summary:
    'Stops a turn in any process and keeps its text so far. Returns `aborted: false` if the turn has already ended.',
  answer: stopped,
  // Servers forget finished turns after a while. So a finished turn, a turn of another owner and an unknown turn get
  // the same response.
  handle: async ({ services, ownerServices, params }) =>
    toReply({ aborted: await services.turns.abort(ownerServices, params.act) }),
});

const abortNode = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/{node}/abort',
  name: 'abortNode',
  summary: 'Stops the reply of a node in any process and keeps its text so far.',
  answer: stopped,
  async handle(call) {
    const { ownerServices, params } = call;
    const { store, treeId } = await resolveTree(call, params.tree);
    const head = await store.read(treeId, () => ask('head', { id: params.node }));
    if (head === null)
      return refuse('tree/unknown-node', `There is no message ${params.node}.`, { nodeId: params.node });
    return toReply({ aborted: await ownerServices.engineOf(store).generator.abort({ nodeId: params.node }) });
  },
});

const approve = defineRoute({
  method: 'post',
  path: '/api/generations/{act}/approvals/{call}',
  name: 'approveCall',
  summary:
    'Approves or rejects a tool call of a turn on any server. `remember` allows later calls of the same tool without asking.',
  body: z.strictObject({ approve: z.boolean(), remember: z.boolean().optional() }),
  answer: z.object({ approved: z.boolean() }),
  async handle({ services, ownerServices, params, body }) {
    const { approve: approved, remember = false } = body;
    await services.turns.decide(ownerServices, { actId: params.act, callId: params.call, approved }, remember);
    return toReply({ approved });
  },
});

export const generationRoutes = [generate, running, events, follow, abort, abortNode, approve];
