/** The routes of the history: the commits of a tree, the tree at any version, and restoring a version. */

import { readTreeAsOf, type Tree, type TreeId, unwrapResult } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { readHistoryStart } from '@coppice/core/history';
import { allBookmarks, branchPage, childIds, topology } from '@coppice/core/tree';
import { z } from '@hono/zod-openapi';
import { resolveTree } from '../../resolve-tree.ts';
import { runWrite, toTreeView } from '../../tree-view.ts';
import {
  anyObjectSchema,
  bookmarkSchema,
  listOfSchema,
  nodeIdSchema,
  nodeSchema,
  pageLimitSchema,
  plainWriteQuerySchema,
  queryFlagSchema,
  topologyNodeSchema,
  treeViewSchema,
  wholeNumberQuerySchema,
  writeResponseSchema,
} from '../../wire/schemas.ts';
import { defineRoute, type RouteCall, toReply } from '../define.ts';

const commits = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/history',
  name: 'getHistory',
  summary: 'Lists the commits of a tree before a version, newest first.',
  query: z.strictObject({ before: wholeNumberQuerySchema.optional(), limit: pageLimitSchema.optional() }),
  answer: z.object({
    items: listOfSchema(
      z
        .object({
          version: z.number(),
          actId: z.string(),
          actor: z.string(),
          at: z.number(),
          kind: z.enum(['do', 'undo', 'redo']),
          structural: z.boolean(),
          steps: z.record(z.string(), z.number()),
        })
        .openapi('CommitSummary'),
    ),
    begins: z
      .object({ version: z.number(), at: z.number() })
      .openapi('HistoryStart')
      .nullable()
      .describe('The oldest commit that is kept, if older ones were deleted.'),
  }),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { before, limit } = call.query;
    const page = omitUndefined({ before, limit: limit === undefined ? undefined : Math.min(Math.max(1, limit), 500) });
    const begins = await store.read(treeId, () => readHistoryStart());
    return toReply({ items: await store.history(treeId, page), begins });
  },
});

type PastTree = RouteCall<{ readonly tree: TreeId; readonly version: number }, unknown, unknown>;

async function readPast(call: PastTree): Promise<{ readonly tree: Tree; readonly temporary: boolean }> {
  const { store, treeId, temporary } = await resolveTree(call, call.params.tree);
  return { tree: await store.read(treeId, () => readTreeAsOf(treeId, call.params.version)), temporary };
}

const asOf = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/history/{version}',
  name: 'getVersion',
  summary: 'Returns the tree as of a version, without message contents.',
  answer: z.object({
    tree: treeViewSchema,
    activeNodeId: nodeIdSchema.nullable(),
    nodes: listOfSchema(topologyNodeSchema),
    bookmarks: listOfSchema(bookmarkSchema),
  }),
  async handle(call) {
    const { tree, temporary } = await readPast(call);
    const view = toTreeView(tree, { format: 'tree', temporary, messageCount: tree.size });
    const bookmarks = [...allBookmarks(tree)];
    return toReply({ tree: view, activeNodeId: tree.activeNodeId, nodes: topology(tree), bookmarks });
  },
});

const pageAsOf = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/history/{version}/page',
  name: 'getVersionPage',
  summary: 'Returns a page of a branch as of a version.',
  query: z.strictObject({
    nodeId: z.string().optional(),
    limit: pageLimitSchema.optional(),
    before: z.string().optional(),
    siblings: queryFlagSchema.optional(),
  }),
  answer: z.object({
    rootId: nodeIdSchema,
    activeNodeId: nodeIdSchema.nullable(),
    version: z.number(),
    nodes: listOfSchema(nodeSchema),
    groups: z.record(z.string(), listOfSchema(nodeSchema)),
    variants: z.record(z.string(), z.object({ index: z.number(), total: z.number(), ids: listOfSchema(nodeIdSchema) })),
    before: nodeIdSchema.nullable(),
  }),
  async handle(call) {
    const { tree } = await readPast(call);
    const page = unwrapResult(branchPage(tree, omitUndefined(call.query)));
    const variants = page.nodes.map(({ id, parentId }) => {
      const ids = parentId === null ? [id] : [...childIds(tree, parentId)];
      return [id, { index: ids.indexOf(id), total: ids.length, ids }] as const;
    });
    return toReply({ ...page, groups: Object.fromEntries(page.groups), variants: Object.fromEntries(variants) });
  },
});

const restoreVersion = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/history/{version}/restore',
  name: 'restoreVersion',
  summary: 'Restores the tree to an earlier version, as a new commit.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  answer: writeResponseSchema(anyObjectSchema),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const outcome = await runWrite(call, store, { type: 'restore-version', treeId, version: call.params.version });
    return toReply(outcome, { version: outcome.version });
  },
});

export const historyRoutes = [commits, asOf, pageAsOf, restoreVersion];
