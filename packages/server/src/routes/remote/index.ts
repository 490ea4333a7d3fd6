/**
 * The routes with which a program uses the trees of this server like a local store, such as `coppice --server`. Apps
 * use the other routes.
 */
import {
  ask,
  type Command,
  type CommandInput,
  parseCommandInput,
  type ReadName,
  readTree,
  run,
  undoOrRedoAnywhere,
} from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import { assertTreeExists, resolveTree } from '../../resolve-tree.ts';
import { createRunContext } from '../../tree-view.ts';
import { describeIssue } from '../../wire/describe-issue.ts';
import {
  anyObjectSchema,
  jsonObjectSchema,
  listOfSchema,
  nodeIdSchema,
  treeIdSchema,
  writeBodySchema,
} from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const id = z.string().max(64);
const ids = listOfSchema(id);
const treeId = id.optional();
const whole = z.number().int().min(0);
const limit = whole.optional();
const position = z.string().max(1_000);

/**
 * The schemas of the reads that a client may request. Reads across owners and reads that only planners need are
 * missing.
 */
const readArguments = {
  tree: z.strictObject({ treeId }),
  node: z.strictObject({ id, treeId }),
  nodes: z.strictObject({ ids, treeId }),
  head: z.strictObject({ id, treeId }),
  anyNode: z.strictObject({ id }),
  path: z.strictObject({ to: id, limit, until: id.optional(), treeId }),
  pathMeta: z.strictObject({ to: id, limit, until: id.optional(), treeId }),
  ancestors: z.strictObject({ of: id, limit: whole }),
  isAncestorOrSelf: z.strictObject({ id, below: id }),
  withoutDescendants: z.strictObject({ ids }),
  children: z.strictObject({ of: id, treeId }),
  childIds: z.strictObject({ of: ids, treeId }),
  subtree: z.strictObject({ of: id, depth: limit, treeId }),
  topology: z.strictObject({ of: id, depth: limit, treeId }),
  links: z.strictObject({ treeId }),
  leaves: z.strictObject({ limit: whole, treeId }),
  count: z.strictObject({ of: id }),
  subtreeInfo: z.strictObject({ of: id }),
  newestLeaf: z.strictObject({ below: id, without: ids }),
  lastVisited: z.strictObject({ from: id, treeId }),
  lastPosition: z.strictObject({ of: id }),
  groupMax: z.strictObject({ of: id }),
  neighbourPositions: z.strictObject({ of: id, position }),
  childAt: z.strictObject({ of: id, position }),
  bookmark: z.strictObject({ on: id }),
  bookmarks: z.strictObject({ on: ids.optional() }),
  undoable: z.strictObject({ actor: z.string(), actId: id.optional() }),
  redoable: z.strictObject({ actor: z.string(), actId: id.optional() }),
  rows: z.strictObject({ treeId }),
  log: z.strictObject({ since: whole }),
  home: z.strictObject({ id }),
} as const satisfies Partial<Record<ReadName, z.ZodType>>;

type OfferedRead = keyof typeof readArguments;

function isOffered(name: string): name is OfferedRead {
  return Object.hasOwn(readArguments, name);
}

const read = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/reads',
  name: 'readFromTree',
  summary: 'Runs one read of core in a tree, and returns its result with the version of the tree.',
  needs: { access: 'read' },
  body: z.strictObject({ name: z.string().max(40), with: jsonObjectSchema }),
  answer: z.object({ version: z.number(), answer: z.unknown() }),
  async handle(call) {
    const { name, with: given } = call.body;
    if (!isOffered(name)) return throwHttpError('http/invalid', `body.name: there is no read ${name} here.`);
    const parsed = readArguments[name].safeParse(given);
    if (!parsed.success) {
      const { at, message } = describeIssue('body.with', given, parsed.error.issues[0]);
      return throwHttpError('http/invalid', message, { at });
    }
    const { store, treeId: tree } = await resolveTree(call, call.params.tree);
    // Some reads find acts by actor. A caller may only find their own acts.
    const wanted = 'actor' in parsed.data ? { ...parsed.data, actor: call.caller.actor } : parsed.data;
    const found = await store.read(tree, function* () {
      const { version } = yield* readTree(tree);
      // The schema has checked the arguments of this read. TypeScript cannot derive that from a lookup by name.
      const answer: unknown = yield* ask(name as ReadName, wanted as Parameters<typeof ask>[1]);
      return { version, answer };
    });
    return toReply(found);
  },
});

const externalIdList = z.object({
  items: listOfSchema(
    z.object({
      treeId: treeIdSchema,
      nodeId: nodeIdSchema.nullable(),
      format: z.string(),
      scope: z.string(),
      id: z.string(),
    }),
  ),
});

const foundExternalIds = defineRoute({
  method: 'post',
  path: '/api/external-ids/find',
  name: 'findExternalIds',
  summary: 'Finds the trees and nodes of the caller that have these ids in another system.',
  needs: { access: 'read' },
  body: z.strictObject({
    format: z.string().max(100),
    scope: z.string().max(1_000),
    ids: z.array(z.string().max(512)).max(1_000).readonly(),
  }),
  answer: externalIdList,
  async handle(call) {
    const { format, scope, ids: wanted } = call.body;
    return toReply({ items: await call.ownerServices.store.findExternalIds(format, scope, wanted) });
  },
});

const externalIds = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/external-ids',
  name: 'listExternalIds',
  summary: 'Lists the ids that a tree and its nodes have in other systems. An export writes them again.',
  answer: externalIdList,
  async handle(call) {
    const resolved = await resolveTree(call, call.params.tree);
    await assertTreeExists(resolved);
    return toReply({ items: await resolved.store.externalIdsOf(resolved.treeId) });
  },
});

/**
 * The commands that a client may run. Commands that record replies, their usage or foreign files are missing, because
 * budgets depend on them.
 */
const personal: ReadonlySet<Command['type']> = new Set([
  'create',
  'append',
  'edit',
  'split',
  'join',
  'select',
  'navigate',
  'branch',
  'delete',
  'delete-group',
  'clear',
  'move',
  'graft',
  'cherry-pick',
  'duplicate',
  'bookmark',
  'tag',
  'title',
  'group',
  'attributes',
  'delete-tree',
  'restore-tree',
  'restore',
  'restore-version',
  'undo',
  'redo',
]);

function personalCommand(given: object): Command {
  // Core validates the command. Its error names the invalid field.
  const command = parseCommandInput(given as CommandInput);
  if (!personal.has(command.type))
    return throwHttpError('http/invalid', `body.command: ${command.type} cannot be run over HTTP.`);
  if ('messages' in command && command.messages?.some(({ meta }) => meta !== undefined))
    return throwHttpError('http/invalid', 'body.command.messages: metadata is written by the server.');
  if ('details' in command && command.details !== undefined)
    return throwHttpError('http/invalid', 'body.command.details: metadata is written by the server.');
  return command;
}

const outcome = z.object({
  treeId: treeIdSchema,
  actId: z.string(),
  version: z.number(),
  result: z.unknown(),
  commit: anyObjectSchema.nullable(),
});

const runIt = defineRoute({
  method: 'post',
  path: '/api/run',
  name: 'runTreeCommand',
  summary:
    'Runs a command of core in the tree that it names. Undo and redo without a tree apply to your newest act in any tree.',
  body: writeBodySchema({ command: jsonObjectSchema, actId: z.string().max(64).optional() }),
  answer: outcome,
  async handle(call) {
    const { command: given, actId } = call.body;
    const { type, treeId: named, force } = given;
    if ((type === 'undo' || type === 'redo') && named === undefined) {
      const { store } = call.ownerServices;
      return toReply(await undoOrRedoAnywhere(store, { type, force: force === true }, createRunContext(call)));
    }
    const command = personalCommand(given);
    const { store } = await resolveTree(call, command.treeId);
    return toReply(await run(store, command, createRunContext(call, actId)));
  },
});

export const remoteRoutes = [read, externalIds, foundExternalIds, runIt];
