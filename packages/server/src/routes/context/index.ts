/** The routes of the context: its size and cost, compaction, summaries of branches, and merges. */

import { estimateTokens } from '@coppice/content';
import { ask, type Message, type NodeId, nodeId, readTree, refuse, type Store, type TreeId } from '@coppice/core';
import { buildRequestMessages, compactionBudgetFor, readContextPage } from '@coppice/core/context';
import { omitUndefined } from '@coppice/core/decode';
import { type Cost, computeReplyLimit, readBranchModel, type ToolRegistry } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { assertExpectedVersion, resolveTree } from '../../resolve-tree.ts';
import { createRunContext, readNodes } from '../../tree-view.ts';
import {
  anyObjectSchema,
  listOfSchema,
  messageSchema,
  nodeIdSchema,
  pageLimitSchema,
  plainWriteQuerySchema,
  writeBodySchema,
  writeResponseSchema,
} from '../../wire/schemas.ts';
import { defineRoute, type RouteCall, requireVersion, toReply } from '../define.ts';

const getContext = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/context',
  name: 'getContext',
  summary:
    'Returns the context that a model would get at a node: its messages with their tokens (all, or one page), the use of the context window, and the cost of a reply.',
  query: z.strictObject({
    nodeId: z.string().optional(),
    model: z.string().optional(),
    maxTokens: z.string().optional(),
    /** The tools that are offered with the next call, by name, separated by commas. */
    tools: z.string().max(16_000).optional(),
    limit: pageLimitSchema.optional(),
    before: z.string().optional(),
  }),
  answer: z.object({
    version: z.number(),
    nodeId: nodeIdSchema.nullable(),
    model: z.string(),
    entries: listOfSchema(
      z.object({
        nodeId: nodeIdSchema.nullable(),
        kind: z.enum(['system-prompt', 'message', 'summary', 'branch-summary', 'injected']),
        message: messageSchema,
        tokens: z.number(),
        reported: z.number().nullable(),
      }),
    ),
    count: z.number(),
    before: nodeIdSchema.nullable(),
    shares: z.object({ system: z.number(), summaries: z.number(), messages: z.number(), tools: z.number() }),
    /** The number of offered tools and the tokens of their descriptions, which each model call contains. */
    toolDefinitions: z.object({ count: z.number(), tokens: z.number() }),
    flags: listOfSchema(anyObjectSchema),
    compaction: z.object({ nodeId: nodeIdSchema, summary: z.string() }).nullable(),
    tokens: z.number(),
    estimate: z.object({ tokens: z.number(), reported: z.number().nullable(), newer: z.number() }),
    window: z.number(),
    known: z.boolean(),
    used: z.number(),
    maxTokens: z.number(),
    room: z.enum(['ok', 'short']),
    compactAt: z.number(),
    /** The highest possible cost of the next reply, in US dollars; null if the price is unknown. */
    cost: z.object({ input: z.number(), output: z.number(), total: z.number() }).nullable(),
    /** The cost in US dollars of a reply with the mean length of earlier replies; null if the price is unknown. */
    expectedCost: z.object({ input: z.number(), output: z.number(), total: z.number() }).nullable(),
  }),
  async handle(call) {
    const { services, query } = call;
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { row, to, found, chosen } = await store.read(treeId, function* () {
      const tree = yield* readTree(treeId);
      const end = query.nodeId === undefined ? tree.activeNodeId : nodeId(query.nodeId);
      const to = end === tree.rootId ? null : end;
      if (to !== null && (yield* ask('head', { id: to })) === null)
        return refuse('tree/unknown-node', `There is no message ${end}.`, { nodeId: end });
      const seen = yield* readContextPage(to, {
        systemPrompt: tree.attributes.systemPrompt,
        kit: services.kit,
        limit: query.limit ?? Number.POSITIVE_INFINITY,
        ...(query.before === undefined ? {} : { before: nodeId(query.before) }),
      });
      const branch = to === null ? null : yield* readBranchModel(treeId, to);
      return { row: tree, to: end, found: seen, chosen: branch?.model };
    });
    const modelId = query.model ?? chosen ?? (await services.defaultModel());
    await services.providers.learnWindow(modelId, call.signal);
    const model = services.providers.model(modelId);
    const { window, maxOut, windowKnown: known } = model.info;
    const { flags } = buildRequestMessages(found, { systemInPlace: model.provider.supports.systemInPlace });
    const toolDefinitions = countToolTokens(services.tools, query.tools);
    // If the provider reported the tokens, they already include the tools.
    const inputTokens = found.estimate.tokens + (found.estimate.reported === null ? toolDefinitions.tokens : 0);
    const limit = computeReplyLimit(model.info, undefined, inputTokens);
    const longest = limit.maxTokens ?? maxOut;
    const cost = model.cost({ inputTokens, outputTokens: longest });
    const outputTokens = Math.min(longest, meanReplyTokens(found.entries));
    const expectedCost = model.cost({ inputTokens, outputTokens });
    return toReply(
      {
        version: row.version,
        nodeId: to,
        model: model.id,
        entries: found.entries,
        count: found.count,
        before: found.before,
        shares: found.shares,
        flags,
        compaction: found.compaction,
        toolDefinitions,
        tokens: found.tokens + toolDefinitions.tokens,
        estimate: found.estimate,
        window,
        known,
        used: inputTokens / window,
        maxTokens: longest,
        room: limit.room,
        compactAt: window - compactionBudgetFor(window).reserve,
        cost: costView(cost),
        expectedCost: costView(expectedCost),
      },
      { version: row.version },
    );
  },
});

function costView(cost: Cost | null) {
  return cost === null ? null : { input: cost.input, output: cost.output, total: cost.total };
}

/** Counts the offered tools and the tokens of their descriptions. Unknown names are left out. */
function countToolTokens(tools: ToolRegistry, names: string | undefined) {
  const known = new Set(tools.list().map(({ name }) => name));
  const offered = (names ?? '').split(',').filter((name) => known.has(name));
  const tokens = offered.length === 0 ? 0 : estimateTokens(JSON.stringify(tools.specs(offered)));
  return { count: offered.length, tokens };
}

// The assumed length of a reply on a branch without replies.
const firstReplyTokens = 400;

/** Returns the mean tokens of the replies in a list. */
function meanReplyTokens(entries: readonly { readonly message: Message; readonly tokens: number }[]): number {
  const replies = entries.filter((entry) => entry.message.role === 'assistant');
  if (replies.length === 0) return firstReplyTokens;
  return Math.ceil(replies.reduce((sum, entry) => sum + entry.tokens, 0) / replies.length);
}

const summaryWriteSchema = writeResponseSchema(anyObjectSchema).openapi('SummaryWriteResult');

type ContextAct = Pick<
  RouteCall<unknown, unknown, unknown>,
  'caller' | 'services' | 'expectedVersion' | 'onConflict' | 'signal'
>;

/** Returns the actor, a new act and the signal, for operations of the engine that make several commits. */
function newActOf(call: ContextAct) {
  return { actor: call.caller.actor, actId: createRunContext(call).newId(), signal: call.signal };
}

async function compactionAnswer(store: Store, treeId: TreeId, actId: string, result: object, added: readonly NodeId[]) {
  const { row, nodes } = await store.read(treeId, function* () {
    return { row: yield* readTree(treeId), nodes: yield* readNodes(added) };
  });
  const { version, activeNodeId } = row;
  return toReply({ treeId, version, actId, activeNodeId, result, nodes }, { version });
}

const compact = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/compact',
  name: 'compact',
  summary: 'Compacts a branch: models get a summary instead of older messages. Nothing is deleted.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({
    nodeId: z.string().optional(),
    focus: z.string().max(4_000).optional(),
    summary: z.string().optional(),
    model: z.string().optional(),
  }),
  answer: summaryWriteSchema,
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { store, treeId } = resolved;
    await assertExpectedVersion(resolved, call.expectedVersion);
    const { nodeId: at, model, focus, summary } = call.body;
    const done = await call.ownerServices.engineOf(store).compactor.compact({
      treeId,
      ...newActOf(call),
      ...omitUndefined({ focus, summary }),
      ...(at === undefined ? {} : { nodeId: nodeId(at) }),
      ...(model === undefined ? {} : { model: call.services.providers.model(model) }),
    });
    return compactionAnswer(store, treeId, done.actId, done, [done.nodeId]);
  },
});

const merge = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/merge',
  name: 'merge',
  summary: 'Merges a branch into the active branch or into another one, as one summary or as copies of its messages.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({
    nodeId: z.string(),
    mode: z.enum(['summary', 'messages']).optional(),
    summary: z.string().optional(),
    focus: z.string().max(4_000).optional(),
    into: z.string().optional(),
  }),
  answer: summaryWriteSchema,
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { store, treeId } = resolved;
    const { nodeId: tip, mode, summary, focus, into } = call.body;
    // Writing a summary takes a while, and the tree may change meanwhile. The version is checked before, and the
    // summary is added at the requested position.
    const isWritten = summary === undefined && mode !== 'messages';
    if (isWritten) await assertExpectedVersion(resolved, call.expectedVersion);
    const done = await call.ownerServices.engineOf(store).compactor.merge({
      treeId,
      nodeId: nodeId(tip),
      ...newActOf(call),
      ...omitUndefined({ mode, summary, focus, expectedVersion: isWritten ? undefined : call.expectedVersion }),
      ...(into === undefined ? {} : { into: nodeId(into) }),
    });
    return compactionAnswer(store, treeId, done.actId, done, done.added);
  },
});

const branch = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/branch',
  name: 'branch',
  summary:
    'Makes another node active, optionally with a summary of the branch that you leave. The summary is given, or written by a model.',
  needs: { version: 'optional' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({
    nodeId: z.string(),
    summary: z.string().optional(),
    summarize: z.boolean().optional(),
    focus: z.string().max(4_000).optional(),
  }),
  answer: summaryWriteSchema,
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { store, treeId } = resolved;
    const { nodeId: to, summary, summarize, focus } = call.body;
    // Changing the active node needs no expected version, but adding a summary does.
    if (summary !== undefined || summarize === true) requireVersion(call.expectedVersion);
    const isWritten = summary === undefined && summarize === true;
    if (isWritten) await assertExpectedVersion(resolved, call.expectedVersion);
    const done = await call.ownerServices.engineOf(store).compactor.branchWithSummary({
      treeId,
      nodeId: nodeId(to),
      summary: isWritten ? undefined : (summary ?? null),
      ...newActOf(call),
      ...omitUndefined({ focus, expectedVersion: isWritten ? undefined : call.expectedVersion }),
    });
    return compactionAnswer(store, treeId, done.actId, done, done.added);
  },
});

export const contextRoutes = [getContext, compact, merge, branch];
