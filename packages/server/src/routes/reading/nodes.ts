/** The routes that read single nodes, their siblings and children, and what refers to them. */
import {
  ask,
  type Node,
  type NodeId,
  nodeId,
  type ReadProgram,
  readDeleteImpact,
  readTree,
  refuse,
} from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { readTreeFormat, resolveTree } from '../../resolve-tree.ts';
import { readNodes } from '../../tree-view.ts';
import { anyObjectSchema, bookmarkSchema, listOfSchema, nodeIdSchema, nodeSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { maxPageNodes, nodesAnswerSchema, requireLiveNode } from './answers.ts';

const getNode = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}',
  name: 'getNode',
  summary: 'Returns one node with its message and its bookmark.',
  answer: z.object({ version: z.number(), node: nodeSchema, bookmark: z.union([bookmarkSchema, z.null()]) }),
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version } = yield* readTree(id);
      const one = yield* requireLiveNode(call.params.node);
      return { version, node: one, bookmark: yield* ask('bookmark', { on: one.id }) };
    });
    return toReply(found, { version: found.version });
  },
});

function* readChildren(of: NodeId): ReadProgram<readonly Node[]> {
  const [ids = []] = yield* ask('childIds', { of: [of] });
  return yield* readNodes(ids);
}

const children = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/children',
  name: 'getChildren',
  summary: 'Lists the children of a node or of the root, in order.',
  answer: nodesAnswerSchema,
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version } = yield* readTree(id);
      const parent = yield* requireLiveNode(call.params.node);
      return { version, nodes: yield* readChildren(parent.id) };
    });
    return toReply(found, { version: found.version });
  },
});

const siblings = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/siblings',
  name: 'getSiblings',
  summary: 'Lists the variants of a node including the node itself, and its position among them.',
  answer: z.object({ version: z.number(), index: z.number(), total: z.number(), nodes: listOfSchema(nodeSchema) }),
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version } = yield* readTree(id);
      const one = yield* requireLiveNode(call.params.node);
      const nodes = one.parentId === null ? [one] : yield* readChildren(one.parentId);
      return { version, index: nodes.findIndex((each) => each.id === one.id), total: nodes.length, nodes };
    });
    return toReply(found, { version: found.version });
  },
});

const impact = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/impact',
  name: 'getImpact',
  summary:
    'Returns what a deletion would remove: the number of nodes, and the bookmarks, replies in progress and share links that refer to them.',
  query: z.strictObject({ mode: z.enum(['splice', 'cascade', 'group']).optional() }),
  answer: z.object({
    count: z.number(),
    bookmarks: listOfSchema(bookmarkSchema),
    pending: listOfSchema(nodeIdSchema),
    active: z.boolean(),
    shares: z.number(),
  }),
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const { services, caller, params } = call;
    const { mode } = call.query;
    const found = await store.read(id, function* () {
      const one = yield* requireLiveNode(params.node);
      const members =
        mode === 'group' && one.groupId > 0 && one.parentId !== null
          ? (yield* ask('children', { of: one.parentId })).filter((head) => head.groupId === one.groupId)
          : [one];
      const nodeIds = members.map((member) => member.id);
      const inside = mode === 'cascade' ? (yield* ask('topology', { of: one.id })).map((each) => each.id) : nodeIds;
      const context = { ...services, treeId: id, now: services.now(), actor: caller.actor, stale: false };
      const command = { type: 'delete', treeId: id, nodeIds, mode: mode === 'cascade' ? 'cascade' : 'splice' } as const;
      return { impact: yield* readDeleteImpact(command, context), inside: new Set<NodeId>(inside) };
    });
    const shares = (await services.store.accounts.shares(caller.owner, id)).filter(
      (share) => share.revokedAt === null && share.nodeIds.some((each) => found.inside.has(each)),
    );
    return toReply({ ...found.impact, shares: shares.length });
  },
});

const contents = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/contents',
  name: 'getContents',
  summary: 'Returns the messages of several nodes, by id. Unknown ids are left out.',
  query: z.strictObject({ ids: z.string() }),
  answer: z.object({ messages: z.record(z.string(), anyObjectSchema) }),
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { treeId: id, store } = resolved;
    const ids = call.query.ids.split(',').filter((text) => text !== '');
    if (ids.length > maxPageNodes)
      return refuse('command/invalid', `Request at most ${maxPageNodes} nodes at once.`, {});
    await store.read(id, () => readTree(id));
    const texts = await store.content(id, ids.map(nodeId));
    // The stored contents are JSON already. They are concatenated, because parsing and serialising them would be slow.
    const parts = [...texts].map(([each, text]) => `${JSON.stringify(each)}:${text}`);
    const format = JSON.stringify(await readTreeFormat(resolved));
    return { text: `{"conversation_format":${format},"messages":{${parts.join(',')}}}` };
  },
});

const bookmarks = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/bookmarks',
  name: 'getBookmarks',
  summary: 'Lists the bookmarks of a tree.',
  answer: z.object({ version: z.number(), items: listOfSchema(bookmarkSchema) }),
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version, rootId } = yield* readTree(id);
      return { version, items: (yield* ask('subtreeInfo', { of: rootId })).bookmarks };
    });
    return toReply(found, { version: found.version });
  },
});

export const nodeRoutes = [getNode, children, siblings, impact, contents, bookmarks];
