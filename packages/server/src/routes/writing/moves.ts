/** The routes that move, copy and merge messages, or set the active node. */

import { treeId as asTreeId, moveToTree, nodeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { z } from '@hono/zod-openapi';
import { assertExpectedVersion, assertTreeExists, resolveTree } from '../../resolve-tree.ts';
import { createRunContext, runWrite, toWriteAnswer } from '../../tree-view.ts';
import { nodeIdSchema, plainWriteQuerySchema, writeBodySchema, writeResponseSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { addedNodesSchema, nodeAnswerSchema } from './results.ts';

const move = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/{node}/move',
  name: 'moveNode',
  summary: 'Moves a branch within the tree or to another tree. The expected version is the version of the source tree.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({ parentId: z.string(), before: z.string().optional(), treeId: z.string().optional() }),
  answer: writeResponseSchema(z.object({ nodeId: nodeIdSchema, from: nodeIdSchema.optional() })),
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { store, treeId } = resolved;
    const { node } = call.params;
    const { parentId, before, treeId: other } = call.body;
    if (other === undefined || other === treeId) {
      const outcome = await runWrite(call, store, {
        type: 'move',
        treeId,
        nodeId: node,
        parentId: nodeId(parentId),
        ...omitUndefined({ before: before === undefined ? undefined : nodeId(before) }),
      });
      return toReply(outcome, { version: outcome.version });
    }
    const there = asTreeId(other);
    // Temporary and permanent trees are in two stores, so the target tree must be in the same store as the source.
    await assertTreeExists({ treeId: there, store, temporary: resolved.temporary });
    // The expected version is that of the source tree. The target tree only gets new nodes, which cannot conflict.
    await assertExpectedVersion(resolved, call.expectedVersion);
    const moved = await moveToTree(
      store,
      { from: { treeId, nodeId: node }, to: { treeId: there, parentId: nodeId(parentId) } },
      createRunContext({ ...call, expectedVersion: undefined }),
    );
    const outcome = await toWriteAnswer(store, moved);
    return toReply({ ...outcome, result: { nodeId: moved.result.nodeId } }, { version: outcome.version });
  },
});

const cherryPick = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/cherry-pick',
  name: 'cherryPick',
  summary: 'Copies a message or a range to the end of the active branch or below another node.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({
    nodeId: z.string(),
    to: z.string().optional(),
    from: z.string().optional(),
    parentId: z.string().optional(),
  }),
  answer: addedNodesSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { nodeId: first, to, from, parentId } = call.body;
    const outcome = await runWrite(call, store, {
      type: 'cherry-pick',
      treeId,
      nodeId: nodeId(first),
      ...omitUndefined({
        to: to === undefined ? undefined : nodeId(to),
        from: from === undefined ? undefined : asTreeId(from),
        parentId: parentId === undefined ? undefined : nodeId(parentId),
      }),
    });
    return toReply(outcome, { version: outcome.version });
  },
});

const setActive = defineRoute({
  method: 'put',
  path: '/api/trees/{tree}/active',
  name: 'setActive',
  summary: 'Sets the active node. Needs no expected version, because the last request wins.',
  body: z.strictObject({ nodeId: z.string() }),
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const outcome = await runWrite(call, store, { type: 'select', treeId, nodeId: nodeId(call.body.nodeId) });
    return toReply(outcome, { version: outcome.version });
  },
});

const navigate = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/navigate',
  name: 'navigate',
  summary: 'Makes the previous or next variant of a node active, down to its last visited leaf.',
  body: z.strictObject({ nodeId: z.string(), direction: z.enum(['next', 'previous']) }),
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { nodeId: from, direction } = call.body;
    const outcome = await runWrite(call, store, { type: 'navigate', treeId, nodeId: nodeId(from), direction });
    return toReply(outcome, { version: outcome.version });
  },
});

export const moveRoutes = [move, cherryPick, setActive, navigate];
