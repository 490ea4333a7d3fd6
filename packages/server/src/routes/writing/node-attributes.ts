/** The routes for bookmarks, tags, titles and groups of nodes. Their changes do not cause version conflicts. */
import { nodeId } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { resolveTree } from '../../resolve-tree.ts';
import { runWrite } from '../../tree-view.ts';
import {
  anyObjectSchema,
  jsonObjectSchema,
  listOfSchema,
  plainWriteQuerySchema,
  shortTextSchema,
  writeBodySchema,
  writeResponseSchema,
} from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { nodeAnswerSchema } from './results.ts';

const setBookmark = defineRoute({
  method: 'put',
  path: '/api/trees/{tree}/nodes/{node}/bookmark',
  name: 'setBookmark',
  summary: 'Sets or renames the bookmark of a node.',
  body: z.strictObject({ title: shortTextSchema }),
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { title } = call.body;
    const outcome = await runWrite(call, store, { type: 'bookmark', treeId, nodeId: call.params.node, title });
    return toReply(outcome, { version: outcome.version });
  },
});

const removeBookmark = defineRoute({
  method: 'delete',
  path: '/api/trees/{tree}/nodes/{node}/bookmark',
  name: 'removeBookmark',
  summary: 'Removes the bookmark of a node.',
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const outcome = await runWrite(call, store, { type: 'bookmark', treeId, nodeId: call.params.node, title: null });
    return toReply(outcome, { version: outcome.version });
  },
});

const setTags = defineRoute({
  method: 'put',
  path: '/api/trees/{tree}/nodes/{node}/tags',
  name: 'setTags',
  summary: 'Replaces the tags of a node.',
  body: z.strictObject({ tags: listOfSchema(shortTextSchema) }),
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { tags } = call.body;
    const outcome = await runWrite(call, store, { type: 'tag', treeId, nodeId: call.params.node, tags });
    return toReply(outcome, { version: outcome.version });
  },
});

const setTitle = defineRoute({
  method: 'put',
  path: '/api/trees/{tree}/nodes/{node}/title',
  name: 'setTitle',
  summary: 'Sets the title of a node. Null removes it.',
  body: z.strictObject({ title: shortTextSchema.nullable() }),
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { title } = call.body;
    const outcome = await runWrite(call, store, { type: 'title', treeId, nodeId: call.params.node, title });
    return toReply(outcome, { version: outcome.version });
  },
});

const annotate = defineRoute({
  method: 'patch',
  path: '/api/trees/{tree}/nodes/{node}/meta',
  name: 'annotateNode',
  summary: 'Sets metadata fields of a node. Null removes a field. `excluded` hides the node from models.',
  body: z.strictObject({ set: jsonObjectSchema }),
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { set } = call.body;
    const outcome = await runWrite(call, store, { type: 'annotate', treeId, nodeId: call.params.node, set });
    return toReply(outcome, { version: outcome.version });
  },
});

const group = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/group',
  name: 'groupNodes',
  summary: 'Groups variants of one parent, or ungroups a single node.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({ nodeIds: listOfSchema(z.string()) }),
  answer: writeResponseSchema(anyObjectSchema),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const nodeIds = call.body.nodeIds.map(nodeId);
    const outcome = await runWrite(call, store, { type: 'group', treeId, nodeIds });
    return toReply(outcome, { version: outcome.version });
  },
});

export const nodeAttributeRoutes = [setBookmark, removeBookmark, setTags, setTitle, annotate, group];
