/** The recorded work of programs: their sessions, and the sub-agents of each. */
import { findSubAgents, spawnLinkOf } from '@coppice/content';
import { ask, readTree, type Store } from '@coppice/core';
import { addFigures, type RecordedSession, RecordedWork, sumSessionFigures, zeroFigures } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { omitUndefined } from '../../omit-undefined.ts';
import { resolveTree } from '../../resolve-tree.ts';
import { countQuerySchema, listOfSchema, pageLimitSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const figures = z
  .object({
    calls: z.number(),
    toolCalls: z.number(),
    tokens: z.number(),
    cachedTokens: z.number(),
    cost: z.number().nullable().openapi({ description: 'In US dollars; null if no price is known.' }),
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
  folder: z.string().nullable().openapi({ description: 'The folder in which the program works, if it says so.' }),
  branch: z.string().nullable().openapi({ description: 'The git branch, if the program says it.' }),
  parentId: z.string().nullable().openapi({ description: 'The tree of the session that it belongs to.' }),
  call: z.string().nullable().openapi({ description: 'For a sub-agent: the tool call that spawned it.' }),
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
      description: 'Sessions, last changed first, each followed by its sub-agents and the calls beside it.',
    }),
    cursor: z.string().nullable(),
    running: z.number().openapi({ description: 'The calls that are under way in this process.' }),
    recent: figures.openapi({ description: 'The sum of the listed sessions since the given time.' }),
  })
  .openapi('RecordedWork');

// The computed figures are cached as long as the store exists.
const works = new WeakMap<Store, RecordedWork>();

function workOf(store: Store): RecordedWork {
  const known = works.get(store) ?? new RecordedWork(store);
  works.set(store, known);
  return known;
}

/** A session and all its sub-agents as one list, parents first. */
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
    since: countQuerySchema
      .optional()
      .openapi({ description: 'The beginning of the recent figures, in milliseconds.' }),
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
        (sum, session) => addFigures(sum, sumSessionFigures(session, 'recent')),
        zeroFigures,
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
  summary: 'The session that spawned a tree, and the sub-agents that the tree spawned, with their tool calls.',
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
