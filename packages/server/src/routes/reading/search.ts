/** The route that searches all branches. */
import { type Role, refuse, treeId } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { listOfSchema, nodeIdSchema, pageLimitSchema, roleSchema, treeIdSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const search = defineRoute({
  method: 'get',
  path: '/api/search',
  name: 'search',
  summary: 'Searches the messages of all branches for all words of the query, newest first.',
  query: z.strictObject({
    q: z.string(),
    treeId: z.string().optional(),
    project: z.string().optional(),
    role: z.string().optional(),
    limit: pageLimitSchema.optional(),
    cursor: z.string().optional(),
  }),
  answer: z.object({
    items: listOfSchema(
      z
        .object({
          treeId: treeIdSchema,
          nodeId: nodeIdSchema,
          role: roleSchema,
          title: z.string().nullable(),
          createdAt: z.number(),
          snippet: z.string(),
        })
        .openapi('SearchHit'),
    ),
    cursor: z.string().nullable(),
  }),
  async handle({ ownerServices, query }) {
    const { q, treeId: within, project, role: wanted, limit, cursor } = query;
    return toReply(
      await ownerServices.store.search({
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
  return text.split(',').map((name) => roleSchema.safeParse(name).data ?? badRole(name));
}

function badRole(name: string): never {
  return refuse(
    'command/invalid',
    `${JSON.stringify(name.slice(0, 40))} is not a role. Use user, assistant, tool or system.`,
  );
}

export const searchRoutes = [search];
