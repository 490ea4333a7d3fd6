/** The routes that read paths through a tree. */
import {
  ask,
  type Node,
  type NodeId,
  type ReadProgram,
  readPath,
  readPathThrough,
  readRecentLeaves,
  readTree,
} from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { resolveTree } from '../../resolve-tree.ts';
import { pageLimitSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { maxPageNodes, nodesAnswerSchema, readWithTreeVersion, requireLiveNode } from './answers.ts';

const path = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/path',
  name: 'getPath',
  summary:
    'Returns the path from a node (by default the first message) down to another node (by default the active one), both included.',
  query: z.strictObject({ from: z.string().optional(), to: z.string().optional() }),
  answer: nodesAnswerSchema,
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const { from, to } = call.query;
    const found = await store.read(id, function* () {
      const { version, activeNodeId } = yield* readTree(id);
      const end = to ?? activeNodeId;
      const nodes = end === null ? [] : yield* readPath({ to: end, ...(from === undefined ? {} : { from }) });
      return { version, nodes };
    });
    return toReply(found, { version: found.version });
  },
});

const leaves = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/leaves',
  name: 'getLeaves',
  summary: 'Lists the newest leaves of a tree, newest first.',
  query: z.strictObject({ limit: pageLimitSchema.optional() }),
  answer: nodesAnswerSchema,
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const limit = Math.min(call.query.limit ?? 20, maxPageNodes);
    const found = await store.read(id, () => readWithTreeVersion(id, readRecentLeaves(limit)));
    return toReply(found, { version: found.version });
  },
});

/** Reads the last nodes of the path through a node, without reading the whole branch. */
function* readEndThrough(id: NodeId, limit: number): ReadProgram<readonly Node[]> {
  const node = yield* requireLiveNode(id);
  const to = yield* ask('lastVisited', { from: node.id });
  return (yield* ask('path', { to, limit: Math.max(1, Math.min(limit, maxPageNodes)) })).nodes;
}

const pathThrough = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/path',
  name: 'getPathThrough',
  summary: 'Returns the path through a node down to the last visited leaf below it, or only its last nodes.',
  query: z.strictObject({ limit: pageLimitSchema.optional() }),
  answer: nodesAnswerSchema,
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const { limit } = call.query;
    const wanted = () =>
      limit === undefined ? readPathThrough(call.params.node) : readEndThrough(call.params.node, limit);
    const found = await store.read(id, () => readWithTreeVersion(id, wanted()));
    return toReply(found, { version: found.version });
  },
});

export const pathRoutes = [path, leaves, pathThrough];
