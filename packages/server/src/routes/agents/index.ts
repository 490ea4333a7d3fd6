/** The routes that report recorded work: the sessions of programs, and the sub-agents of each. */

import { findSubAgents, spawnLinkOf } from '@coppice/content';
import { ask, readTree, type Store } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import {
  addCallTotals,
  type RecordedSession,
  RecordedSessionReader,
  sumSessionTotals,
  zeroCallTotals,
} from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { resolveTree } from '../../resolve-tree.ts';
import { listOfSchema, pageLimitSchema, wholeNumberQuerySchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const figures = z
  .object({
    calls: z.number(),
    toolCalls: z.number(),
    tokens: z.number(),
    cachedTokens: z.number(),
    cost: z.number().nullable().openapi({ description: 'The cost in US dollars; null if the price is unknown.' }),
    errors: z.number(),
    workMs: z.number(),
  })
  .openapi('WorkFigures');

const sessionFields = {
  treeId: z.string(),
  kind: z.enum(['session', 'sub-agent', 'side-calls']),
  title: z.string().nullable(),
  project: z.string().nullable(),
  program: z.string().nullable(),
  session: z.string().nullable(),
  folder: z
    .string()
    .nullable()
    .openapi({ description: 'The folder in which the program works; null if the program does not report it.' }),
  branch: z.string().nullable().openapi({ description: 'The git branch; null if the program does not report it.' }),
  parentId: z
    .string()
    .nullable()
    .openapi({ description: 'The tree of the session to which this session belongs; null for a main session.' }),
  call: z.string().nullable().openapi({ description: 'For a sub-agent: the tool call that started it.' }),
  model: z.string().nullable(),
  running: z.boolean(),
  figures,
  recent: figures,
  startedAt: z.number(),
  lastAt: z.number(),
};

const recordedSession = z.object(sessionFields).openapi('RecordedSession');

const recordedWork = z
  .object({
    sessions: listOfSchema(recordedSession).openapi({
      description: 'Sessions, last changed first. Each is followed by its sub-agents and its separate calls.',
    }),
    cursor: z.string().nullable(),
    running: z.number().openapi({ description: 'The number of calls in progress in this process.' }),
    recent: figures.openapi({ description: 'The sum of the listed sessions since the given time.' }),
  })
  .openapi('RecordedWork');

// Computed figures, cached for each store.
const works = new WeakMap<Store, RecordedSessionReader>();

function workOf(store: Store): RecordedSessionReader {
  const known = works.get(store) ?? new RecordedSessionReader(store);
  works.set(store, known);
  return known;
}

/** Returns a session and all its sub-agents as one list, parents first. */
function flatten(
  { children, ...session }: RecordedSession,
  parentId: string | null,
  isRunning: (session: Pick<RecordedSession, 'project' | 'session'>) => boolean,
): z.input<typeof recordedSession>[] {
  const own = { ...session, parentId, running: isRunning(session) };
  return [own, ...children.flatMap((child) => flatten(child, session.treeId, isRunning))];
}

const list = defineRoute({
  method: 'get',
  path: '/api/agents',
  name: 'listRecordedWork',
  summary: 'Lists what programs did through the recording proxy: sessions, sub-agents, calls, tokens, cost and errors.',
  query: z.strictObject({
    project: z.string().optional(),
    program: z.string().optional(),
    limit: pageLimitSchema.optional(),
    cursor: z.string().optional(),
    since: wholeNumberQuerySchema
      .optional()
      .openapi({ description: 'The time from which `recent` counts, in milliseconds since 1970.' }),
  }),
  answer: recordedWork,
  async handle({ services, ownerServices, caller, query }) {
    const limit = query.limit === undefined ? undefined : Math.min(Math.max(1, query.limit), 200);
    const page = await workOf(ownerServices.store).list(omitUndefined({ ...query, limit }));
    const running = services.recorder.running(caller.owner);
    const names = new Set(running.map(({ project, session }) => JSON.stringify([project, session])));
    const isRunning = ({ project, session }: Pick<RecordedSession, 'project' | 'session'>) =>
      session !== null && names.has(JSON.stringify([project, session]));
    return toReply({
      sessions: page.sessions.flatMap((session) => flatten(session, null, isRunning)),
      cursor: page.cursor,
      running: running.length,
      recent: page.sessions.reduce(
        (sum, session) => addCallTotals(sum, sumSessionTotals(session, 'recent')),
        zeroCallTotals,
      ),
    });
  },
});

const linkedTree = z.object({
  treeId: z.string(),
  title: z.string().nullable(),
  call: z.string().nullable(),
  agentType: z.string().nullable(),
});

const subAgents = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/sub-agents',
  name: 'getSubAgents',
  summary:
    'Returns the session that started a tree as a sub-agent, and the sub-agents that the tree started, with their tool calls.',
  answer: z
    .object({
      spawnedBy: linkedTree.nullable(),
      agents: listOfSchema(linkedTree),
    })
    .openapi('SubAgents'),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { attributes } = await store.read(treeId, () => readTree(treeId));
    const link = spawnLinkOf(attributes);
    const parent = link === null ? null : await store.read(link.treeId, () => ask('tree', {}));
    const agents = (await findSubAgents(store, [treeId])).get(treeId) ?? [];
    const spawnedBy =
      link === null || parent === null || parent.attributes.trashedAt !== undefined
        ? null
        : {
            treeId: parent.id,
            title: parent.attributes.title ?? parent.attributes.autoTitle ?? null,
            call: link.call,
            agentType: link.agentType,
          };
    return toReply({ spawnedBy, agents: agents.map((agent) => ({ ...agent })) });
  },
});

export const agentRoutes = [list, subAgents];
