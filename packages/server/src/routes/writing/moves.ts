/** Where things hang and where the user is: moves, copies, merges, the active node. */
import { treeId as asTreeId, moveToTree, nodeId } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { omitUndefined } from '../../omit-undefined.ts';
import { checkVersion, requireTree, resolveTree } from '../../resolve-tree.ts';
import { runContext, runWrite, toWritten } from '../../tree-view.ts';
import { nodeIdText, plainWriteQuery, writeBody, writtenSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { grown, touched } from './results.ts';

const move = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/{node}/move',
  name: 'moveNode',
  summary:
    'Hangs a branch elsewhere, in this tree or, as a copy and a removal, in another. The version is that of the tree it is taken from.',
  needs: { version: 'required' },
  query: plainWriteQuery,
  body: writeBody({ parentId: z.string(), before: z.string().optional(), treeId: z.string().optional() }),
  answer: writtenSchema(z.object({ nodeId: nodeIdText, from: nodeIdText.optional() })),
  async handle(call) {
    const place = await resolveTree(call, call.params.tree);
    const { store, treeId } = place;
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
    // A tree that is kept and one that is not live in two stores: what is named must be known to the one it is in.
    await requireTree({ treeId: there, store, temporary: place.temporary });
    // What is taken away has to be what the caller has seen; the other tree only grows, which takes nothing from anybody.
    await checkVersion(place, call.expectedVersion);
    const moved = await moveToTree(
      store,
      { from: { treeId, nodeId: node }, to: { treeId: there, parentId: nodeId(parentId) } },
      runContext({ ...call, expectedVersion: undefined }),
    );
    const outcome = await toWritten(store, moved);
    return toReply({ ...outcome, result: { nodeId: moved.result.nodeId } }, { version: outcome.version });
  },
});

const cherryPick = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/cherry-pick',
  name: 'cherryPick',
  summary: 'Copies a message, or a range, to the end of the active branch or below the parent that is named.',
  needs: { version: 'required' },
  query: plainWriteQuery,
  body: writeBody({
    nodeId: z.string(),
    to: z.string().optional(),
    from: z.string().optional(),
    parentId: z.string().optional(),
  }),
  answer: grown,
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
  summary: 'Goes to a node. Needs no version: the last one wins.',
  body: z.strictObject({ nodeId: z.string() }),
  answer: touched,
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
  summary: 'Goes to the variant before or after a node, and down to the leaf that was last visited there.',
  body: z.strictObject({ nodeId: z.string(), direction: z.enum(['next', 'previous']) }),
  answer: touched,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { nodeId: from, direction } = call.body;
    const outcome = await runWrite(call, store, { type: 'navigate', treeId, nodeId: nodeId(from), direction });
    return toReply(outcome, { version: outcome.version });
  },
});

/** The routes. */
export const places = [move, cherryPick, setActive, navigate];
