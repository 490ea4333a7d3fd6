/** The routes that list, run and complete slash commands. */
import { nodeId } from '@coppice/core';
import type { CommandContext } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import { assertTreeExists, resolveTree } from '../../resolve-tree.ts';
import { anyObjectSchema, jsonObjectSchema, listOfSchema, nodeIdSchema, treeIdSchema } from '../../wire/schemas.ts';
import { defineRoute, type RouteCall, toReply } from '../define.ts';

const view = {
  /** The position of the view. Defaults to the active node; null means before the first message. */
  activeNodeId: z.string().nullable().optional(),
  /** The nodes of the last list that a command printed. A command can refer to them by number. */
  list: listOfSchema(z.string()).optional(),
};

const listCommands = defineRoute({
  method: 'get',
  path: '/api/commands',
  name: 'listCommands',
  summary: 'Lists all slash commands with their usage, arguments (as JSON Schema) and examples.',
  answer: z.object({
    items: listOfSchema(
      z
        .object({
          name: z.string(),
          summary: z.string(),
          usage: z.string(),
          schema: anyObjectSchema,
          examples: listOfSchema(z.object({ line: z.string(), about: z.string() })),
        })
        .openapi('Command'),
    ),
  }),
  handle: ({ services }) =>
    toReply({
      items: services.engine.commands.list.map(({ name, summary, usage, schema, examples }) => ({
        name,
        summary,
        usage,
        schema,
        examples,
      })),
    }),
});

interface PlacedCommand {
  readonly activeNodeId?: string | null | undefined;
  readonly list?: readonly string[] | undefined;
}

async function contextFor(
  call: RouteCall<{ readonly tree: Parameters<typeof resolveTree>[1] }, unknown, PlacedCommand>,
): Promise<CommandContext> {
  const resolved = await resolveTree(call, call.params.tree);
  await assertTreeExists(resolved);
  const { store, treeId } = resolved;
  const { activeNodeId, list: shown } = call.body;
  return {
    store,
    treeId,
    actor: call.caller.actor,
    signal: call.signal,
    activeNodeId: typeof activeNodeId === 'string' ? nodeId(activeNodeId) : activeNodeId,
    list: shown?.map(nodeId),
  };
}

const phraseSchema = z.object({ code: z.string(), data: z.record(z.string(), z.unknown()) }).openapi('CommandPhrase', {
  description: 'A sentence or a part of a sentence, as a code with data, so that a client can show it in any language.',
});

const runCommand = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/commands',
  name: 'runCommand',
  summary: 'Runs a slash command, given as a line or by name and arguments. Needs no expected version.',
  body: z.strictObject({
    line: z.string().max(100_000).optional(),
    name: z.string().optional(),
    args: jsonObjectSchema.optional(),
    ...view,
  }),
  answer: z.object({
    said: z.string(),
    did: listOfSchema(phraseSchema).optional().describe('The sentences of `said`, as codes with data.'),
    undo: z.string().optional(),
    data: z.unknown(),
    place: z.object({ treeId: treeIdSchema, activeNodeId: nodeIdSchema.nullable() }).optional(),
    selectedText: z.string().optional(),
    text: z.string().optional(),
    lines: listOfSchema(listOfSchema(z.union([z.string(), phraseSchema])))
      .optional()
      .describe('The lines of `text`, with codes instead of sentences.'),
    list: listOfSchema(nodeIdSchema).optional(),
  }),
  async handle(call) {
    const { line, name, args } = call.body;
    const what = line ?? (name === undefined ? undefined : { name, args });
    if (what === undefined) return throwHttpError('http/invalid', 'body: give a line, or a name with arguments.');
    const context = await contextFor(call);
    return toReply(await call.ownerServices.engineOf(context.store).commands.run(what, context));
  },
});

const complete = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/commands/complete',
  name: 'completeCommand',
  summary: 'Returns the possible completions of a slash command line.',
  needs: { access: 'read' },
  body: z.strictObject({ line: z.string().max(10_000), ...view }),
  answer: z.object({
    from: z.number(),
    items: listOfSchema(
      z.object({ value: z.string(), label: z.string(), about: z.string(), phrase: phraseSchema.optional() }),
    ),
  }),
  async handle(call) {
    const context = await contextFor(call);
    return toReply(await call.ownerServices.engineOf(context.store).commands.complete(call.body.line, context));
  },
});

export const commandRoutes = [listCommands, runCommand, complete];
