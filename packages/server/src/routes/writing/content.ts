/** Messages: appended, edited, split, joined, deleted. */
import { type EditCommand, nodeId, refuse } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { omitUndefined } from '../../omit-undefined.ts';
import { contentOfNode, readMessages, resolveTree } from '../../resolve-tree.ts';
import { runWrite } from '../../tree-view.ts';
import {
  contentInput,
  listOfSchema,
  messageInput,
  nodeIdText,
  plainWriteQuery,
  writeBody,
  writeQuery,
  writtenSchema,
} from '../../wire/schemas.ts';
import { sharesBefore, shownShare } from '../../wire/share-view.ts';
import { defineRoute, toReply } from '../define.ts';
import { deleted, edited, grown } from './results.ts';

const append = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/messages',
  name: 'appendMessages',
  summary: 'Adds a chain of messages below a node, reusing what is there already.',
  needs: { version: 'required' },
  query: plainWriteQuery,
  body: writeBody({
    parentId: z.string().optional(),
    messages: listOfSchema(messageInput),
    select: z.boolean().optional(),
    merge: z.boolean().optional(),
  }),
  answer: grown,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { parentId, select, merge } = call.body;
    const messages = readMessages(call.body.messages);
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
    'Says a message differently: as a variant beside it, in place with the old text kept, or split at the prefix.',
  needs: { version: 'required' },
  query: plainWriteQuery,
  body: writeBody({
    content: contentInput,
    mode: z.enum(['branch', 'in-place', 'prefix']).optional(),
    id: z.string().optional(),
    select: z.boolean().optional(),
    moveBookmark: z.boolean().optional(),
  }),
  answer: edited,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { content: said, mode, id, select, moveBookmark } = call.body;
    // Read as an assistant's, which may hold every block there is; core refuses those that its own role may not have.
    const content: EditCommand['content'] = typeof said === 'string' ? said : contentOfNode(said, 'assistant');
    const more = omitUndefined({ mode, id, select, moveBookmark });
    const { node } = call.params;
    const outcome = await runWrite(call, store, { type: 'edit', treeId, nodeId: node, content, ...more });
    const { version } = outcome;
    if (mode !== 'in-place') return toReply(outcome, { version });
    // Links go on showing what they showed; whoever edited may have them show the new text.
    const { services, caller } = call;
    const outdated = await sharesBefore(services.store, caller.owner, {
      treeId,
      nodeId: node,
      version,
      now: services.now(),
    });
    return toReply({ ...outcome, outdatedShares: outdated.map(shownShare) }, { version });
  },
});

const split = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/nodes/{node}/split',
  name: 'splitNode',
  summary: 'Cuts a message of text in two; the new node is the left half.',
  needs: { version: 'required' },
  query: plainWriteQuery,
  body: writeBody({ position: z.number().int(), id: z.string().optional() }),
  answer: writtenSchema(z.object({ nodeId: nodeIdText, right: nodeIdText })),
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
  summary: 'Makes one message of a message of text and its only reply of the same role; the reply keeps its id.',
  needs: { version: 'required' },
  query: plainWriteQuery,
  body: writeBody({}),
  answer: writtenSchema(z.object({ nodeId: nodeIdText, removed: nodeIdText })),
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
  summary: 'Takes a node into the trash: its children take its place, or all below goes, or its whole group goes.',
  needs: { version: 'required' },
  query: writeQuery({ mode: z.enum(['splice', 'cascade', 'group']).optional() }),
  answer: deleted,
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
  summary: 'Takes several nodes into the trash as one.',
  needs: { version: 'required' },
  query: plainWriteQuery,
  body: writeBody({ nodeIds: listOfSchema(z.string()), mode: z.enum(['splice', 'cascade']).optional() }),
  answer: deleted,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { nodeIds, mode } = call.body;
    const command = { type: 'delete', treeId, nodeIds: nodeIds.map(nodeId), ...omitUndefined({ mode }) } as const;
    const outcome = await runWrite(call, store, command);
    return toReply(outcome, { version: outcome.version });
  },
});

/** The routes. */
export const content = [append, edit, split, join, deleteNode, deleteNodes];
