/** What is read of one tree without changing it. */
import {
  ask,
  diffBranches,
  diffMessages,
  impactOf,
  type Node,
  type NodeHead,
  type NodeId,
  nodeId,
  type Reading,
  type Role,
  readPath,
  readPathThrough,
  readRecentLeaves,
  readTopology,
  readTree,
  refuse,
  treeId,
} from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { formatOf, placeOf } from '../../places.ts';
import { readThreadPage } from '../../thread-page.ts';
import { readNodes } from '../../tree-view.ts';
import {
  anyObject,
  bookmark,
  conversationFormat,
  count,
  flag,
  list,
  node,
  nodeIdText,
  role,
  topologyNode,
  treeIdText,
} from '../../wire/schemas.ts';
import { defineRoute, reply } from '../define.ts';

// A page past this is no page; whoever wants the whole path asks for the path.
const mostNodes = 1_000;

const variants = z.object({ index: z.number(), total: z.number(), ids: list(nodeIdText) });

/** A page of a thread. */
export const threadPage = z
  .object({
    rootId: nodeIdText,
    activeNodeId: nodeIdText.nullable(),
    version: z.number(),
    conversation_format: conversationFormat,
    nodes: list(node),
    groups: z.record(z.string(), list(node)),
    variants: z.record(z.string(), variants),
    before: nodeIdText.nullable(),
    bookmarks: z.record(z.string(), bookmark),
    runs: z.record(z.string(), z.string()),
  })
  .openapi('ThreadPage');

const page = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/page',
  name: 'getPage',
  summary: 'The last messages of a branch, or those above a cursor, with where each stands among its variants.',
  query: z.strictObject({
    nodeId: z.string().optional(),
    limit: count.optional(),
    before: z.string().optional(),
    siblings: flag.optional(),
  }),
  answer: threadPage,
  async handle(call) {
    const place = await placeOf(call, call.params.tree);
    const found = await readThreadPage(place.store, place.treeId, call.query);
    return reply({ ...found, conversation_format: await formatOf(place) }, { version: found.version });
  },
});

const topology = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/topology',
  name: 'getTopology',
  summary: 'The tree without what it says, flat: all of it, or what is below a node down to a depth.',
  query: z.strictObject({ from: z.string().optional(), depth: count.optional() }),
  answer: z.object({
    rootId: nodeIdText,
    activeNodeId: nodeIdText.nullable(),
    version: z.number(),
    conversation_format: conversationFormat,
    nodes: list(topologyNode),
    bookmarks: list(bookmark),
  }),
  async handle(call) {
    const place = await placeOf(call, call.params.tree);
    const { treeId: id, store } = place;
    const { from, depth } = call.query;
    const found = await store.read(id, function* () {
      const row = yield* readTree(id);
      const nodes = yield* readTopology(id, {
        ...(from === undefined ? {} : { from }),
        ...(depth === undefined ? {} : { depth }),
      });
      const { bookmarks } = yield* ask('inside', { of: row.rootId });
      return { rootId: row.rootId, activeNodeId: row.activeNodeId, version: row.version, nodes, bookmarks };
    });
    return reply({ ...found, conversation_format: await formatOf(place) }, { version: found.version });
  },
});

const nodesAnswer = z.object({ version: z.number(), nodes: list(node) });

function* withVersion<T>(id: ReturnType<typeof treeId>, nodes: Reading<T>): Reading<{ version: number; nodes: T }> {
  const { version } = yield* readTree(id);
  return { version, nodes: yield* nodes };
}

const path = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/path',
  name: 'getPath',
  summary:
    'The way from a node, or the first turn, down to another, both included; to the active node if none is named.',
  query: z.strictObject({ from: z.string().optional(), to: z.string().optional() }),
  answer: nodesAnswer,
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const { from, to } = call.query;
    const found = await store.read(id, function* () {
      const { version, activeNodeId } = yield* readTree(id);
      const end = to ?? activeNodeId;
      const nodes = end === null ? [] : yield* readPath({ to: end, ...(from === undefined ? {} : { from }) });
      return { version, nodes };
    });
    return reply(found, { version: found.version });
  },
});

const leaves = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/leaves',
  name: 'getLeaves',
  summary: 'The newest ends of branches, newest first.',
  query: z.strictObject({ limit: count.optional() }),
  answer: nodesAnswer,
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const limit = Math.min(call.query.limit ?? 20, mostNodes);
    const found = await store.read(id, () => withVersion(id, readRecentLeaves(limit)));
    return reply(found, { version: found.version });
  },
});

function* theLive(id: NodeId): Reading<Node> {
  return (yield* ask('node', { id })) ?? refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

const getNode = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}',
  name: 'getNode',
  summary: 'One node.',
  answer: z.object({ version: z.number(), node, bookmark: bookmark.nullable() }),
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version } = yield* readTree(id);
      const one = yield* theLive(call.params.node);
      return { version, node: one, bookmark: yield* ask('bookmark', { on: one.id }) };
    });
    return reply(found, { version: found.version });
  },
});

/** The last nodes of the path through a node: where a branch ends, without reading all of it. */
function* readEndThrough(id: NodeId, limit: number): Reading<readonly Node[]> {
  const node = yield* theLive(id);
  const to = yield* ask('lastVisited', { from: node.id });
  return (yield* ask('path', { to, limit: Math.max(1, Math.min(limit, mostNodes)) })).nodes;
}

const pathThrough = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/path',
  name: 'getPathThrough',
  summary: 'The path through a node down to the leaf that was last visited below it, or the last nodes of it.',
  query: z.strictObject({ limit: count.optional() }),
  answer: nodesAnswer,
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const { limit } = call.query;
    const wanted = () =>
      limit === undefined ? readPathThrough(call.params.node) : readEndThrough(call.params.node, limit);
    const found = await store.read(id, () => withVersion(id, wanted()));
    return reply(found, { version: found.version });
  },
});

function* readFull(heads: readonly NodeHead[]): Reading<readonly Node[]> {
  return yield* readNodes(heads.map((head) => head.id));
}

const children = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/children',
  name: 'getChildren',
  summary: 'What hangs on a node, in order; the root may be named too.',
  answer: nodesAnswer,
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version } = yield* readTree(id);
      const parent = yield* theLive(call.params.node);
      return { version, nodes: yield* readFull(yield* ask('children', { of: parent.id })) };
    });
    return reply(found, { version: found.version });
  },
});

const siblings = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/siblings',
  name: 'getSiblings',
  summary: 'The variants of a node, itself among them, and which it is.',
  answer: z.object({ version: z.number(), index: z.number(), total: z.number(), nodes: list(node) }),
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version } = yield* readTree(id);
      const one = yield* theLive(call.params.node);
      const nodes = one.parentId === null ? [one] : yield* readFull(yield* ask('children', { of: one.parentId }));
      return { version, index: nodes.findIndex((each) => each.id === one.id), total: nodes.length, nodes };
    });
    return reply(found, { version: found.version });
  },
});

const impact = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/nodes/{node}/impact',
  name: 'getImpact',
  summary: 'What a delete would take and what points there.',
  query: z.strictObject({ mode: z.enum(['splice', 'cascade', 'group']).optional() }),
  answer: z.object({
    count: z.number(),
    bookmarks: list(bookmark),
    pending: list(nodeIdText),
    active: z.boolean(),
    shares: z.number(),
  }),
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const { services, caller, params } = call;
    const { mode } = call.query;
    const found = await store.read(id, function* () {
      const one = yield* theLive(params.node);
      const members =
        mode === 'group' && one.groupId > 0 && one.parentId !== null
          ? (yield* ask('children', { of: one.parentId })).filter((head) => head.groupId === one.groupId)
          : [one];
      const nodeIds = members.map((member) => member.id);
      const inside = mode === 'cascade' ? (yield* ask('topology', { of: one.id })).map((each) => each.id) : nodeIds;
      const context = { ...services, treeId: id, now: services.now(), actor: caller.actor, stale: false };
      const command = { type: 'delete', treeId: id, nodeIds, mode: mode === 'cascade' ? 'cascade' : 'splice' } as const;
      return { impact: yield* impactOf(command, context), inside: new Set<NodeId>(inside) };
    });
    const shares = (await services.store.accounts.shares(caller.owner, id)).filter(
      (share) => share.revokedAt === null && share.nodeIds.some((each) => found.inside.has(each)),
    );
    return reply({ ...found.impact, shares: shares.length });
  },
});

const contents = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/contents',
  name: 'getContents',
  summary: 'The messages of some nodes, by id; what is not there is left out.',
  query: z.strictObject({ ids: z.string() }),
  answer: z.object({ messages: z.record(z.string(), anyObject) }),
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const ids = call.query.ids.split(',').filter((text) => text !== '');
    if (ids.length > mostNodes) return refuse('command/invalid', `At most ${mostNodes} nodes are given at once.`, {});
    await store.read(id, () => readTree(id));
    const texts = await store.content(id, ids.map(nodeId));
    // The texts are JSON already: they are put together, not read and printed again.
    const parts = [...texts].map(([each, text]) => `${JSON.stringify(each)}:${text}`);
    return { text: `{"messages":{${parts.join(',')}}}` };
  },
});

const bookmarks = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/bookmarks',
  name: 'getBookmarks',
  summary: 'The bookmarks of a tree.',
  answer: z.object({ version: z.number(), items: list(bookmark) }),
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const found = await store.read(id, function* () {
      const { version, rootId } = yield* readTree(id);
      return { version, items: (yield* ask('inside', { of: rootId })).bookmarks };
    });
    return reply(found, { version: found.version });
  },
});

const textPart = z.object({ type: z.enum(['equal', 'added', 'removed']), text: z.string() });

const diff = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/diff',
  name: 'getDiff',
  summary: 'What two branches have in common and what each has for itself, with the words that differ pair by pair.',
  query: z.strictObject({ a: z.string(), b: z.string() }),
  answer: z.object({
    version: z.number(),
    common: nodeIdText.nullable(),
    shared: z.number(),
    left: list(node),
    right: list(node),
    messages: list(
      z.object({
        left: nodeIdText,
        right: nodeIdText,
        equal: z.boolean(),
        text: list(textPart),
        blocks: list(anyObject),
      }),
    ),
  }),
  async handle(call) {
    const { treeId: id, store } = await placeOf(call, call.params.tree);
    const { a, b } = call.query;
    const { version, found } = await store.read(id, function* () {
      const row = yield* readTree(id);
      const [left, right] = [yield* readPath({ to: a }), yield* readPath({ to: b })];
      return { version: row.version, found: diffBranches(left, right) };
    });
    const messages = found.left.flatMap((left, index) => {
      const right = found.right[index];
      if (right === undefined || left.message === null || right.message === null) return [];
      const { equal, text, blocks } = diffMessages(left.message, right.message);
      return [{ left: left.id, right: right.id, equal, text, blocks }];
    });
    return reply({ version, ...found, messages }, { version });
  },
});

const search = defineRoute({
  method: 'get',
  path: '/api/search',
  name: 'search',
  summary: 'Messages in which all words of the query occur as they are written, in every branch, newest first.',
  query: z.strictObject({
    q: z.string(),
    treeId: z.string().optional(),
    project: z.string().optional(),
    role: z.string().optional(),
    limit: count.optional(),
    cursor: z.string().optional(),
  }),
  answer: z.object({
    items: list(
      z
        .object({
          treeId: treeIdText,
          nodeId: nodeIdText,
          role,
          title: z.string().nullable(),
          createdAt: z.number(),
          snippet: z.string(),
        })
        .openapi('SearchHit'),
    ),
    cursor: z.string().nullable(),
  }),
  async handle({ room, query }) {
    const { q, treeId: within, project, role: wanted, limit, cursor } = query;
    return reply(
      await room.store.search({
        text: q,
        ...(within === undefined ? {} : { treeId: treeId(within) }),
        ...(project === undefined ? {} : { project }),
        ...(wanted === undefined ? {} : { roles: rolesIn(wanted) }),
        ...(limit === undefined ? {} : { limit: Math.min(limit, 200) }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    );
  },
});

function rolesIn(text: string): readonly Role[] {
  return text.split(',').map((name) => role.safeParse(name).data ?? badRole(name));
}

function badRole(name: string): never {
  return refuse('command/invalid', `${JSON.stringify(name.slice(0, 40))} is no role: user, assistant, tool, system.`);
}

/** The routes. */
export const reading = [
  page,
  topology,
  path,
  leaves,
  getNode,
  pathThrough,
  children,
  siblings,
  impact,
  contents,
  bookmarks,
  diff,
  search,
];
