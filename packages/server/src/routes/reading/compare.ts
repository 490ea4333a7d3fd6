/** The route that compares two branches. */
import { readPath, readTree } from '@coppice/core';
import { diffBranches, diffMessages } from '@coppice/core/diff';
import { z } from '@hono/zod-openapi';
import { resolveTree } from '../../resolve-tree.ts';
import { anyObjectSchema, listOfSchema, nodeIdSchema, nodeSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const textPart = z.object({ type: z.enum(['equal', 'added', 'removed']), text: z.string() });

const diff = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/diff',
  name: 'getDiff',
  summary: 'Compares two branches: the common part, the rest of each, and a word diff of each pair of messages.',
  query: z.strictObject({ a: z.string(), b: z.string() }),
  answer: z.object({
    version: z.number(),
    common: nodeIdSchema.nullable(),
    shared: z.number(),
    left: listOfSchema(nodeSchema),
    right: listOfSchema(nodeSchema),
    messages: listOfSchema(
      z.object({
        left: nodeIdSchema,
        right: nodeIdSchema,
        equal: z.boolean(),
        text: listOfSchema(textPart),
        blocks: listOfSchema(anyObjectSchema),
      }),
    ),
  }),
  async handle(call) {
    const { treeId: id, store } = await resolveTree(call, call.params.tree);
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
    return toReply({ version, ...found, messages }, { version });
  },
});

export const compareRoutes = [diff];
