/** The routes of undo, redo and the trash. */

import {
  type ActId,
  type ActRecord,
  ask,
  type PurgeReport,
  parseActId,
  type ReadProgram,
  type ReversalResult,
  readTree,
  type TreeId,
  undoOrRedoAnywhere,
  unwrapResult,
} from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { insertedNodes, invert, isStructural } from '@coppice/core/tree';
import { z } from '@hono/zod-openapi';
import { assertExpectedVersion, resolveTree } from '../../resolve-tree.ts';
import { createRunContext, runWrite, toWriteAnswer, type WriteAnswer } from '../../tree-view.ts';
import { purgeRemainderSchema, toPurgeRemainder } from '../../wire/purge-view.ts';
import {
  listOfSchema,
  nodeIdSchema,
  plainWriteQuerySchema,
  treeIdSchema,
  writeBodySchema,
  writeQuerySchema,
  writeResponseSchema,
} from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';
import { nodeAnswerSchema } from './results.ts';

const reversed = writeResponseSchema(
  z.object({ actId: z.string(), versions: listOfSchema(z.number()), activeNodeId: nodeIdSchema.nullable() }),
).openapi('UndoResult');

const reversalFields = { force: z.boolean().optional(), actId: z.string().optional() };

/**
 * Returns the response of an undo with the versions of its commits instead of the commits, which contain all messages
 * of the act.
 */
function toVersionsReply(outcome: WriteAnswer<ReversalResult>) {
  const { act, activeNodeId } = outcome.result;
  const result = { actId: act.actId, versions: act.commits.map((commit) => commit.version), activeNodeId };
  return toReply({ ...outcome, result }, { version: outcome.version });
}

/**
 * Returns the version to expect after a running act was stopped: the current version if only that act changed the
 * structure since, otherwise the expected version.
 */
function* versionAfterStop(treeId: TreeId, expected: number, actId: ActId): ReadProgram<number> {
  const { version } = yield* readTree(treeId);
  const since = yield* ask('log', { since: expected });
  const others = since.some((commit) => commit.actId !== actId && isStructural(commit.steps));
  return others ? expected : version;
}

const reversible = z
  .object({
    actId: z.string(),
    at: z.number(),
    steps: z.record(z.string(), z.number()),
    text: z.string().nullable(),
  })
  .nullable();

/**
 * Returns the number of steps of an act by type, and the beginning of the text that it added. For a redo, the act is an
 * undo whose steps are inverted.
 */
function summarizeAct(act: ActRecord | null): z.infer<typeof reversible> {
  const [first] = act?.commits ?? [];
  if (act === null || first === undefined) return null;
  const steps: Record<string, number> = {};
  for (const commit of act.commits)
    for (const { type } of commit.kind === 'undo' ? invert(commit.steps, commit.version) : commit.steps)
      steps[type] = (steps[type] ?? 0) + 1;
  const added = act.commits.flatMap((commit) => insertedNodes(commit.steps)).find(({ text }) => text.trim() !== '');
  return { actId: act.actId, at: first.at, steps, text: added?.text.slice(0, 120) ?? null };
}

const getReversible = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/reversible',
  name: 'getReversible',
  summary: 'Returns what your next undo and redo would change in this tree; null if there is nothing to undo or redo.',
  answer: z.object({ undo: reversible, redo: reversible }),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { actor } = call.caller;
    const found = await store.read(treeId, function* () {
      yield* readTree(treeId);
      return { undo: yield* ask('undoable', { actor }), redo: yield* ask('redoable', { actor }) };
    });
    return toReply({ undo: summarizeAct(found.undo), redo: summarizeAct(found.redo) });
  },
});

const undo = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/undo',
  name: 'undo',
  summary: 'Undoes your newest act or the given one. Refused if other users added nodes below, unless `force` is set.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema(reversalFields).optional(),
  answer: reversed,
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    const { store, treeId } = resolved;
    const { force, actId } = call.body ?? {};
    const act = actId === undefined ? undefined : unwrapResult(parseActId(actId));
    const wanted = await store.read(treeId, () =>
      ask('undoable', { actor: call.caller.actor, ...omitUndefined({ actId: act }) }),
    );
    const { expectedVersion } = call;
    const running = wanted !== null && (await store.runs.list(treeId)).some((run) => run.data.actId === wanted.actId);
    if (!running || expectedVersion === undefined)
      return toVersionsReply(
        await runWrite(call, store, { type: 'undo', treeId, ...omitUndefined({ force, actId: act }) }),
      );
    // A reply in progress cannot be undone. It is stopped first, in any process, unless the expected version is
    // outdated.
    await assertExpectedVersion(resolved, expectedVersion);
    await call.ownerServices.engineOf(store).generator.abort({ actId: wanted.actId });
    const seen = await store.read(treeId, () => versionAfterStop(treeId, expectedVersion, wanted.actId));
    const callAfterStop = { ...call, expectedVersion: seen };
    return toVersionsReply(
      await runWrite(callAfterStop, store, { type: 'undo', treeId, ...omitUndefined({ force, actId: act }) }),
    );
  },
});

const redo = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/redo',
  name: 'redo',
  summary: 'Redoes the act that you undid last. Refused if you have changed the tree since.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  body: writeBodySchema(reversalFields).optional(),
  answer: reversed,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { force, actId } = call.body ?? {};
    const act = actId === undefined ? undefined : unwrapResult(parseActId(actId));
    return toVersionsReply(
      await runWrite(call, store, { type: 'redo', treeId, ...omitUndefined({ force, actId: act }) }),
    );
  },
});

const anywhere = writeResponseSchema(
  z.object({
    actId: z.string(),
    versions: listOfSchema(z.number()),
    activeNodeId: nodeIdSchema.nullable(),
    title: z.string().nullable(),
    deletedAt: z.number().nullable(),
  }),
).openapi('UndoAnywhereResult');

/** Defines undo or redo across all trees. The store finds the act, and the response names its tree. */
function anywhereRoute(type: 'undo' | 'redo', summary: string) {
  return defineRoute({
    method: 'post',
    path: `/api/${type}`,
    name: `${type}Anywhere`,
    summary,
    body: z.strictObject({ force: z.boolean().optional() }).optional(),
    answer: anywhere,
    async handle(call) {
      const { store } = call.ownerServices;
      const before = async ({ actId }: { readonly actId: ActId }) => {
        await call.ownerServices.engineOf(store).generator.abort({ actId });
      };
      const outcome = await undoOrRedoAnywhere(
        store,
        { type, force: call.body?.force === true, ...(type === 'undo' ? { before } : {}) },
        createRunContext(call),
      );
      const { act, activeNodeId } = outcome.result;
      const { attributes } = await store.read(outcome.treeId, () => readTree(outcome.treeId));
      const result = {
        actId: act.actId,
        versions: act.commits.map((commit) => commit.version),
        activeNodeId,
        title: attributes.title ?? attributes.autoTitle ?? null,
        deletedAt: attributes.trashedAt ?? null,
      };
      return toReply({ ...(await toWriteAnswer(store, outcome)), result }, { version: outcome.version });
    },
  });
}

const undoAnywhere = anywhereRoute(
  'undo',
  'Undoes your newest act in any tree, also the deletion or restoration of a tree. The response names the tree.',
);
const redoAnywhere = anywhereRoute(
  'redo',
  'Redoes the act that you undid last in any tree. Refused if you have changed something since.',
);

const trash = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/trash',
  name: 'getTrash',
  summary: 'Lists the deleted nodes of a tree that can be restored.',
  answer: z.object({
    items: listOfSchema(
      z
        .object({
          treeId: treeIdSchema,
          nodeId: nodeIdSchema,
          removedIn: z.number(),
          at: z.number(),
          count: z.number(),
          preview: z.string(),
        })
        .openapi('TrashItem'),
    ),
  }),
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    return toReply({ items: await store.trash(treeId) });
  },
});

const restoreNode = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/trash/{node}/restore',
  name: 'restoreNode',
  summary: 'Restores a deleted node together with the nodes that were deleted with it.',
  needs: { version: 'required' },
  query: plainWriteQuerySchema,
  answer: nodeAnswerSchema,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const outcome = await runWrite(call, store, { type: 'restore', treeId, nodeId: call.params.node });
    return toReply(outcome, { version: outcome.version });
  },
});

const purged = z.object({ nodes: z.number(), contents: z.number(), ...purgeRemainderSchema });

function toPurged(report: PurgeReport) {
  return { nodes: report.nodes, contents: report.contents, ...toPurgeRemainder(report) };
}

const purgeNode = defineRoute({
  method: 'delete',
  path: '/api/trees/{tree}/trash/{node}',
  name: 'purgeNode',
  summary: 'Permanently deletes a node in the trash together with the nodes that were deleted with it.',
  answer: purged,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    return toReply(toPurged(await store.purge(treeId, { nodeId: call.params.node })));
  },
});

const emptyTrash = defineRoute({
  method: 'delete',
  path: '/api/trees/{tree}/trash',
  name: 'emptyTrash',
  summary: 'Empties the trash permanently.',
  needs: { version: 'optional' },
  query: writeQuerySchema({}),
  answer: purged,
  async handle(call) {
    const { store, treeId } = await resolveTree(call, call.params.tree);
    const { version } = await store.read(treeId, () => readTree(treeId));
    return toReply(toPurged(await store.purge(treeId, { upTo: call.expectedVersion ?? version })));
  },
});

export const undoRoutes = [
  getReversible,
  undo,
  redo,
  undoAnywhere,
  redoAnywhere,
  trash,
  restoreNode,
  purgeNode,
  emptyTrash,
];
