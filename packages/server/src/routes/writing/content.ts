/** The routes that append, edit, split, join and delete messages. */

import { storeInlineBlocks, storeInlineMessages } from '@coppice/content';
import { type EditCommand, nodeId, refuse } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { z } from '@hono/zod-openapi';
import { parseEditedContent, parseNewMessages, resolveTree } from '../../resolve-tree.ts';
import { runWrite } from '../../tree-view.ts';
import {
  contentInputSchema,
  listOfSchema,
  messageInputSchema,
  nodeIdSchema,
  plainWriteQuerySchema,
  writeBodySchema,
  writeQuerySchema,
  writeResponseSchema,
} from '../../wire/schemas.ts';
import { findOutdatedShares, toShareView } from '../../wire/share-view.ts';
import { defineRoute, toReply } from '../define.ts';
import { addedNodesSchema, deleteAnswerSchema, editAnswerSchema } from './results.ts';

const append = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/messages',
  name: 'appendMessages',
  summary: 'Appends messages below a node. Messages that already exist there are reused.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({
    parentId: z.string().optional(),
    messages: listOfSchema(messageInputSchema),
    select: z.boolean().optional(),
    merge: z.boolean().optional(),
  }),
  answer: addedNodesSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { parentId, select, merge } = call.body;
    const messages = await storeInlineMessages(parseNewMessages(call.body.messages), store.blobs);
    if (messages.length === 0) return refuse('message/blank', 'There is no message to append.', {});
    const outcome = await runWrite(call, store, {
      type: 'append',
      treeId,
      messages,
      ...omitUndefined({ select, merge, parentId: parentId === undefined ? undefined : nodeId(parentId) }),
    });
    return toReply(outcome, { version: outcome.version });
  },
});

const edit = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/{node}/edit',
  name: 'editNode',
  summary:
    'Edits a message: as a new variant, in place with the old text kept in the history, or split at the common prefix.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({
    content: contentInputSchema,
    mode: z.enum(['branch', 'in-place', 'prefix']).optional(),
    id: z.string().optional(),
    select: z.boolean().optional(),
    moveBookmark: z.boolean().optional(),
  }),
  answer: editAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { content: said, mode, id, select, moveBookmark } = call.body;
    // The content is parsed like that of an assistant, which may contain every block. Core then refuses blocks that the
    // role of the message may not have.
    const content: EditCommand['content'] =
      typeof said === 'string' ? said : await storeInlineBlocks(parseEditedContent(said, 'assistant'), store.blobs);
    const more = omitUndefined({ mode, id, select, moveBookmark });
    const { node } = call.params;
    const outcome = await runWrite(call, store, { type: 'edit', treeId, nodeId: node, content, ...more });
    const { version } = outcome;
    if (mode !== 'in-place') return toReply(outcome, { version });
    // Share links still show the old text. The response lists them, so that the editor can update them.
    const { services, caller } = call;
    const outdated = await findOutdatedShares(services.store, caller.owner, {
      treeId,
      nodeId: node,
      version,
      now: services.now(),
    });
    return toReply({ ...outcome, outdatedShares: outdated.map(toShareView) }, { version });
  },
});

const split = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/{node}/split',
  name: 'splitNode',
  summary: 'Splits a text message in two. The new node is the first half.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({ position: z.number().int(), id: z.string().optional() }),
  answer: writeResponseSchema(z.object({ nodeId: nodeIdSchema, right: nodeIdSchema })),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { position, id } = call.body;
    const outcome = await runWrite(call, store, {
      type: 'split',
      treeId,
      nodeId: call.params.node,
      position,
      ...omitUndefined({ id }),
    });
    return toReply(outcome, { version: outcome.version });
  },
});

const join = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/{node}/join',
  name: 'joinNode',
  summary: 'Joins a text message with its only child of the same role. The child keeps its id.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({}),
  answer: writeResponseSchema(z.object({ nodeId: nodeIdSchema, removed: nodeIdSchema })),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const outcome = await runWrite(call, store, { type: 'join', treeId, nodeId: call.params.node });
    return toReply(outcome, { version: outcome.version });
  },
});

const deleteNode = defineRoute({
  method: 'delete',
  path: '/api/trees/{tree}/nodes/{node}',
  name: 'deleteNode',
  summary: 'Deletes a node. By `mode` its children move up, or all its descendants or its whole group are deleted too.',
  needs: { version: 'required' },
  query: writeQuerySchema({ mode: z.enum(['splice', 'cascade', 'group']).optional() }),
  answer: deleteAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { node } = call.params;
    const { mode } = call.query;
    const outcome =
      mode === 'group'
        ? await runWrite(call, store, { type: 'delete-group', treeId, nodeId: node })
        : await runWrite(call, store, { type: 'delete', treeId, nodeIds: [node], ...omitUndefined({ mode }) });
    return toReply(outcome, { version: outcome.version });
  },
});

const deleteNodes = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/delete',
  name: 'deleteNodes',
  summary: 'Deletes several nodes in one commit.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema({ nodeIds: listOfSchema(z.string()), mode: z.enum(['splice', 'cascade']).optional() }),
  answer: deleteAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { nodeIds, mode } = call.body;
    const command = { type: 'delete', treeId, nodeIds: nodeIds.map(nodeId), ...omitUndefined({ mode }) } as const;
    const outcome = await runWrite(call, store, command);
    return toReply(outcome, { version: outcome.version });
  },
});

export const contentRoutes = [append, edit, split, join, deleteNode, deleteNodes];
