/** The routes that read pages of a branch, and the topology of a tree. */

import { ask, readTopology, readTree, type TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { toTopologyColumns } from '@coppice/core/tree';
import { z } from '@hono/zod-openapi';
import { resolveTree } from '../../resolve-tree.ts';
import { readThreadPage } from '../../thread-page.ts';
import { linearMessageSchema, toLinearMessages } from '../../wire/linear-messages.ts';
import {
  bookmarkSchema,
  conversationFormatSchema,
  listOfSchema,
  nodeIdSchema,
  nodeSchema,
  pageLimitSchema,
  queryFlagSchema,
  topologyColumnsSchema,
  topologyNodeSchema,
  wholeNumberQuerySchema,
} from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const variants = z.object({ index: z.number(), total: z.number(), ids: listOfSchema(nodeIdSchema) });

const threadPage = z
  .object({
    rootId: nodeIdSchema,
    activeNodeId: nodeIdSchema.nullable(),
    version: z.number(),
    conversation_format: conversationFormatSchema,
    nodes: listOfSchema(nodeSchema),
    groups: z.record(z.string(), listOfSchema(nodeSchema)),
    variants: z.record(z.string(), variants),
    before: nodeIdSchema.nullable(),
    after: nodeIdSchema.nullable(),
    bookmarks: z.record(z.string(), bookmarkSchema),
    runs: z.record(z.string(), z.string()),
    messages: listOfSchema(linearMessageSchema).optional(),
  })
  .openapi('ThreadPage');

const page = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/page',
  name: 'getPage',
  summary:
    'Returns a page of a branch: its last messages, or those before or after a cursor, with the position of each among its variants. With `linear` also as plain messages, for clients that do not support branches.',
  query: z.strictObject({
    nodeId: z.string().optional(),
    limit: pageLimitSchema.optional(),
    before: z.string().optional(),
    after: z.string().optional(),
    siblings: queryFlagSchema.optional(),
    format: conversationFormatSchema.optional(),
  }),
  answer: threadPage,
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { format, ...request } = call.query;
    const found = await readThreadPage(resolved.store, resolved.treeId, request);
    const messages = format === 'linear' ? { messages: toLinearMessages(found.nodes) } : {};
    return toReply({ ...found, ...messages }, { version: found.version });
  },
});

/** Reads the topology of a tree, complete or below a node, with bookmarks, from one snapshot. */
function* readShape(id: TreeId, options: { readonly from?: string; readonly depth?: number } = {}) {
  const { rootId, activeNodeId, version } = yield* readTree(id);
  const nodes = yield* readTopology(id, options);
  const { bookmarks } = yield* ask('subtreeInfo', { of: rootId });
  return { rootId, activeNodeId, version, nodes, bookmarks };
}

const shape = {
  rootId: nodeIdSchema,
  activeNodeId: nodeIdSchema.nullable(),
  version: z.number(),
  conversation_format: conversationFormatSchema,
  bookmarks: listOfSchema(bookmarkSchema),
};

const topology = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/topology',
  name: 'getTopology',
  summary:
    'Returns the structure of a tree as a flat list without contents: complete, or below a node down to a depth.',
  query: z.strictObject({ from: z.string().optional(), depth: wholeNumberQuerySchema.optional() }),
  answer: z.object({ ...shape, nodes: listOfSchema(topologyNodeSchema) }),
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const { from, depth } = call.query;
    const found = await store.read(id, () => readShape(id, omitUndefined({ from, depth })));
    return toReply(found, { version: found.version });
  },
});

const columns = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/topology/columns',
  name: 'getTopologyColumns',
  summary:
    'Returns the structure of the whole tree as columns: for each field the list of its values. Less than half the size of the flat list.',
  answer: z.object({ ...shape, columns: topologyColumnsSchema }),
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const { nodes, ...found } = await store.read(id, () => readShape(id));
    return toReply({ ...found, columns: toTopologyColumns(nodes) }, { version: found.version });
  },
});

export const pageRoutes = [page, topology, columns];
