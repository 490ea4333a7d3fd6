/** The routes that create, list, change, copy, delete and restore whole trees. */

import { storeInlineMessages } from '@coppice/content';
import {
  actId,
  type NodeId,
  nodeId,
  parseTreeId,
  readPath,
  readTree,
  refuse,
  run,
  type TreeId,
  treeId,
  unwrapResult,
} from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { z } from '@hono/zod-openapi';
import { assertTreeExists, parseNewMessages, readTreeFormat, readTreeView, resolveTree } from '../../resolve-tree.ts';
import { createRunContext, runWrite, toTreeView, toWriteAnswer } from '../../tree-view.ts';
import { linearMessageSchema, toLinearMessages } from '../../wire/linear-messages.ts';
import { purgeRemainderSchema, toPurgeRemainder } from '../../wire/purge-view.ts';
import {
  anyObjectSchema,
  jsonObjectOrNullSchema,
  jsonObjectSchema,
  listOfSchema,
  messageInputSchema,
  pageLimitSchema,
  plainWriteQuerySchema,
  queryFlagSchema,
  shortTextSchema,
  treeIdSchema,
  treeViewSchema,
  writeBodySchema,
  writeQuerySchema,
  writeResponseSchema,
} from '../../wire/schemas.ts';
import { defineRoute, type RouteCall, toReply } from '../define.ts';
import { folderAndTagRoutes } from './folders.ts';
import { shapeRoutes } from './shapes.ts';

const madeTree = writeResponseSchema(
  z.object({ treeId: treeIdSchema, created: z.boolean(), tree: treeViewSchema }),
).openapi('CreatedTree');
const changedTree = writeResponseSchema(z.object({ treeId: treeIdSchema })).openapi('ChangedTree');

const create = defineRoute({
  method: 'post',
  path: '/api/trees',
  name: 'createTree',
  summary: 'Creates a tree, optionally with first messages. The same id again returns the same tree.',
  body: z.strictObject({
    id: z.string().optional(),
    rootId: z.string().optional(),
    title: shortTextSchema.optional(),
    systemPrompt: z.string().optional(),
    project: shortTextSchema.optional(),
    folder: shortTextSchema.optional(),
    tags: listOfSchema(shortTextSchema).optional(),
    pinned: z.boolean().optional(),
    metadata: jsonObjectSchema.optional(),
    temporary: z.boolean().optional(),
    messages: listOfSchema(messageInputSchema).optional(),
  }),
  answer: madeTree,
  status: 201,
  also: [200],
  async handle(call) {
    const { id, rootId, temporary = false, messages, ...attributes } = call.body;
    const newTreeId = id === undefined ? treeId(call.services.newId()) : unwrapResult(parseTreeId(id));
    const given = parseNewMessages(messages ?? []);
    const store = temporary ? call.ownerServices.temporary.store : await call.ownerServices.storeOf(newTreeId);
    if (temporary) await call.ownerServices.admitTemporary(newTreeId);
    const storedMessages = await storeInlineMessages(given, store.blobs);
    const context = createRunContext(call, call.services.newId());
    const set = omitUndefined(attributes);
    const created = await run(
      store,
      { type: 'create', treeId: newTreeId, attributes: set, messages: storedMessages, ...omitUndefined({ rootId }) },
      context,
    );
    // The first commit only inserts the root, which no response contains.
    const isMaking = created.commit?.version === 1;
    const outcome = await toWriteAnswer(store, isMaking ? { ...created, commit: null } : created);
    const resolved = { treeId: newTreeId, store, temporary };
    const tree = await readTreeView(resolved);
    const result = { treeId: newTreeId, created: created.result.created, tree };
    const status = created.result.created ? 201 : 200;
    return toReply({ ...outcome, actId: created.actId, result }, { status, version: tree.version });
  },
});

const listTrees = defineRoute({
  method: 'get',
  path: '/api/trees',
  name: 'listTrees',
  summary: 'Lists trees, last changed first.',
  query: z.strictObject({
    project: z.string().optional(),
    folder: z.string().optional(),
    tag: z.string().optional(),
    pinned: queryFlagSchema.optional(),
    trashed: queryFlagSchema.optional(),
    forest: queryFlagSchema.optional(),
    title: z.string().optional(),
    limit: pageLimitSchema.optional(),
    cursor: z.string().optional(),
  }),
  answer: z.object({ items: listOfSchema(treeViewSchema), cursor: z.string().nullable() }),
  async handle({ ownerServices, query }) {
    const { limit, ...filters } = query;
    const page = await ownerServices.store.trees(
      omitUndefined({ ...filters, limit: limit === undefined ? undefined : Math.min(limit, 500) }),
    );
    const items = page.items.map((row) => toTreeView(row, { format: row.format, temporary: false }));
    return toReply({ items, cursor: page.cursor });
  },
});

const getTree = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}',
  name: 'getTree',
  summary:
    'Returns one tree. With `linear` it includes the messages of the active path, for clients that do not support branches.',
  query: z.strictObject({ format: z.enum(['tree', 'linear']).optional(), count: queryFlagSchema.optional() }),
  answer: treeViewSchema.extend({
    messages: listOfSchema(linearMessageSchema).optional(),
  }),
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const view = await readTreeView(resolved, call.query.count === undefined ? {} : { count: call.query.count });
    if (call.query.format !== 'linear') return toReply(view, { version: view.version });
    const { row, nodes } = await resolved.store.read(resolved.treeId, function* () {
      const found = yield* readTree(resolved.treeId);
      return { row: found, nodes: found.activeNodeId === null ? [] : yield* readPath({ to: found.activeNodeId }) };
    });
    const facts = { format: await readTreeFormat(resolved), temporary: resolved.temporary };
    return toReply({ ...toTreeView(row, facts), messages: toLinearMessages(nodes) }, { version: row.version });
  },
});

const patchTree = defineRoute({
  method: 'patch',
  path: '/api/trees/{tree}',
  name: 'patchTree',
  summary:
    'Changes attributes of a tree. Null removes an attribute. The system prompt can be changed only while the tree is empty.',
  needs: { version: 'optional' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({
    title: shortTextSchema.nullable().optional(),
    autoTitle: shortTextSchema.nullable().optional(),
    systemPrompt: z.string().nullable().optional(),
    project: shortTextSchema.nullable().optional(),
    folder: shortTextSchema.nullable().optional(),
    pinned: z.boolean().nullable().optional(),
    tags: listOfSchema(shortTextSchema).nullable().optional(),
    metadata: jsonObjectOrNullSchema.optional(),
  }),
  answer: writeResponseSchema(z.object({ treeId: treeIdSchema, tree: treeViewSchema })),
  async handle(call) {
    const { expectedVersion: _version, onConflict: _conflict, ...noted } = call.body;
    const resolved = await resolveTree(call, call.params.tree);
    const set = omitUndefined(noted);
    const outcome = await runWrite(call, resolved.store, { type: 'attributes', treeId: resolved.treeId, set });
    const tree = await readTreeView(resolved);
    return toReply({ ...outcome, result: { treeId: resolved.treeId, tree } }, { version: outcome.version });
  },
});

const setSystemPrompt = defineRoute({
  method: 'put',
  path: '/api/trees/{tree}/system-prompt',
  name: 'setSystemPrompt',
  summary:
    'Copies the active path or the whole tree to a new tree with another system prompt. The old tree stays unchanged.',
  body: z.strictObject({
    systemPrompt: z.string().nullable(),
    whole: z.boolean().optional(),
    id: z.string().optional(),
  }),
  answer: madeTree,
  status: 201,
  also: [200],
  async handle(call) {
    const { systemPrompt, whole = false, id } = call.body;
    return copyTree(call, { attributes: { systemPrompt }, whole, id });
  },
});

const duplicate = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/duplicate',
  name: 'duplicateTree',
  summary: 'Copies a tree, complete or up to a node, to a new tree.',
  body: z.strictObject({
    id: z.string().optional(),
    nodeId: z.string().optional(),
    whole: z.boolean().optional(),
    title: shortTextSchema.nullable().optional(),
  }),
  answer: madeTree,
  status: 201,
  also: [200],
  async handle(call) {
    const { title, whole = false, id, nodeId: to } = call.body;
    return copyTree(call, {
      attributes: title === undefined ? {} : { title },
      whole,
      id,
      ...(to === undefined ? {} : { nodeId: nodeId(to) }),
    });
  },
});

interface CopyWish {
  readonly attributes: { readonly title?: string | null; readonly systemPrompt?: string | null };
  readonly whole: boolean;
  readonly id: string | undefined;
  readonly nodeId?: NodeId;
}

async function copyTree(call: RouteCall<{ readonly tree: TreeId }, unknown, unknown>, wish: CopyWish) {
  const resolved = await resolveTree(call, call.params.tree);
  await assertTreeExists(resolved);
  const newTreeId = wish.id === undefined ? treeId(call.services.newId()) : unwrapResult(parseTreeId(wish.id));
  const { store, temporary } = resolved;
  if (temporary) await call.ownerServices.admitTemporary(newTreeId);
  const copied = await run(
    store,
    {
      type: 'duplicate',
      treeId: newTreeId,
      from: resolved.treeId,
      whole: wish.whole,
      attributes: wish.attributes,
      ...(wish.nodeId === undefined ? {} : { nodeId: wish.nodeId }),
    },
    createRunContext(call),
  );
  const created = copied.commit !== null;
  const tree = await readTreeView({ treeId: newTreeId, store, temporary });
  // A copy may be as large as its tree, so the response has no nodes. Clients read them page by page.
  const { version, actId: act } = copied;
  const answer = { treeId: newTreeId, version, actId: act, activeNodeId: tree.activeNodeId, nodes: [] };
  return toReply(
    { ...answer, result: { treeId: newTreeId, created, tree } },
    { status: created ? 201 : 200, version: tree.version },
  );
}

const remove = defineRoute({
  method: 'delete',
  path: '/api/trees/{tree}',
  name: 'deleteTree',
  summary:
    'Moves a tree to the trash. With `purge` it deletes the tree permanently. A temporary tree is always deleted permanently.',
  needs: { version: 'optional' },
  query: writeQuerySchema({ purge: queryFlagSchema.optional() }),
  answer: z.object({
    treeId: treeIdSchema,
    state: z.enum(['trashed', 'purged', 'discarded']),
    ...z.object(purgeRemainderSchema).partial().shape,
  }),
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { treeId: id, store } = resolved;
    if (resolved.temporary) {
      await call.ownerServices.temporary.discard(id);
      return toReply({ treeId: id, state: 'discarded' as const });
    }
    if (call.query.purge === true) {
      const report = await store.purgeTree(id);
      return toReply({ treeId: id, state: 'purged' as const, ...toPurgeRemainder(report) });
    }
    const { version } = await runWrite(call, store, { type: 'delete-tree', treeId: id });
    return toReply({ treeId: id, state: 'trashed' as const }, { version });
  },
});

const restore = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/restore',
  name: 'restoreTree',
  summary: 'Restores a tree from the trash.',
  needs: { version: 'optional' },
  answer: changedTree,
  async handle(call) {
    const { store, treeId: id } = await resolveTree(call, call.params.tree);
    const outcome = await runWrite(call, store, { type: 'restore-tree', treeId: id });
    return toReply(outcome, { version: outcome.version });
  },
});

const keep = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/keep',
  name: 'keepTree',
  summary: 'Makes a temporary tree permanent, with its ids, order, groups and active node.',
  answer: z.object({ treeId: treeIdSchema, version: z.number(), tree: treeViewSchema }),
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    if (!resolved.temporary) {
      await assertTreeExists(resolved);
      return refuse('command/invalid', `The chat ${resolved.treeId} is already kept.`, { treeId: resolved.treeId });
    }
    const { actor, now, newId } = createRunContext(call);
    const { version } = await call.ownerServices.temporary.keep(resolved.treeId, {
      actor,
      at: now(),
      actId: actId(newId()),
    });
    const tree = await readTreeView({ treeId: resolved.treeId, store: call.ownerServices.store, temporary: false });
    return toReply({ treeId: resolved.treeId, version, tree }, { version });
  },
});

const clear = defineRoute({
  method: 'delete',
  path: '/api/trees/{tree}/messages',
  name: 'clearTree',
  summary: 'Moves all messages of a tree to its trash. The empty tree stays.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  answer: writeResponseSchema(anyObjectSchema),
  async handle(call) {
    const { store, treeId: id } = await resolveTree(call, call.params.tree);
    const outcome = await runWrite(call, store, { type: 'clear', treeId: id });
    return toReply(outcome, { version: outcome.version });
  },
});

export const treeRoutes = [
  create,
  listTrees,
  getTree,
  patchTree,
  setSystemPrompt,
  duplicate,
  remove,
  restore,
  keep,
  clear,
  ...folderAndTagRoutes,
  ...shapeRoutes,
];
