/** The routes that list models and tools, and return the operator's settings. */
import { z } from '@hono/zod-openapi';
import { sha256 } from '#platform/crypto';
import { matchesEntityTag } from '../../entity-tags.ts';
import { anyObjectSchema, listOfSchema, queryFlagSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const price = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

const choice = z
  .object({
    id: z.string(),
    provider: z.string(),
    providerLabel: z.string(),
    label: z.string(),
    window: z.number(),
    windowKnown: z.boolean(),
    maxOut: z.number(),
    price: price.nullable(),
    capabilities: z.object({ tools: z.boolean(), thinking: z.boolean(), images: z.boolean() }),
    ready: z.boolean(),
    missing: z.string().nullable(),
  })
  .openapi('ModelChoice');

const choices = z.object({ items: listOfSchema(choice), default: z.string() });

const listModels = defineRoute({
  method: 'get',
  path: '/api/models',
  name: 'listModels',
  summary:
    'Lists the models that can be used now, and the default model. With `all` it also lists models that still need a key.',
  query: z.strictObject({ all: queryFlagSchema.optional() }),
  answer: choices,
  also: [304],
  async handle({ services, query, header }) {
    await services.findLocalModels();
    const list = services.providers.list();
    const items = query.all === true ? list : list.filter((model) => model.ready);
    const text = JSON.stringify({ items, default: await services.defaultModel() });
    // The list is long and rarely changes, so browsers revalidate their copy by this tag.
    const etag = `"${sha256(text, 'base64url').slice(0, 22)}"`;
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
    if (matchesEntityTag(header('if-none-match'), etag)) return { raw: null, status: 304, headers };
    return { text, headers };
  },
});

const refresh = defineRoute({
  method: 'post',
  path: '/api/models/refresh',
  name: 'refreshModels',
  summary: 'Reads the lists of models of all configured providers again.',
  answer: choices,
  async handle({ services, signal }) {
    await services.providers.refresh(signal);
    return toReply({ items: services.providers.list(), default: await services.defaultModel() });
  },
});

const listTools = defineRoute({
  method: 'get',
  path: '/api/tools',
  name: 'listTools',
  summary: 'Lists the tools that models may call.',
  answer: z.object({
    items: listOfSchema(
      z
        .object({ name: z.string(), description: z.string(), parameters: anyObjectSchema, sideEffects: z.boolean() })
        .openapi('Tool'),
    ),
  }),
  handle: ({ services }) =>
    toReply({
      items: services.tools
        .list()
        .map(({ name, description, parameters, sideEffects }) => ({ name, description, parameters, sideEffects })),
    }),
});

const settings = defineRoute({
  method: 'get',
  path: '/api/settings',
  name: 'getSettings',
  summary: 'Returns the operator’s settings, without keys and file paths.',
  answer: z.object({
    defaultModel: z.string(),
    providers: listOfSchema(
      z.object({ name: z.string(), label: z.string(), kind: z.string(), key: z.boolean(), enabled: z.boolean() }),
    ),
    tools: z.object({ approval: z.enum(['ask', 'never', 'always']), rounds: z.number(), calls: z.number() }),
    budgets: z.object({
      turnUsd: z.number().nullable(),
      dayUsd: z.number().nullable(),
      turnTokens: z.number().nullable(),
    }),
    limits: z.object({ bodyBytes: z.number(), attachmentBytes: z.number() }),
    quotas: z.object({ streams: z.number(), generations: z.number(), temporaryTrees: z.number() }),
    store: z.object({ kind: z.string(), readOnly: z.boolean(), notes: listOfSchema(z.string()), search: z.boolean() }),
    warnings: listOfSchema(z.string()),
  }),
  async handle({ services, caller }) {
    const { config, limits, quotas } = services;
    const info = await services.store.info();
    return toReply({
      defaultModel: await services.defaultModel(),
      providers: services.providers.all.map(({ name, label, kind }) => ({
        name,
        label,
        kind,
        key: config.providers.get(name)?.key !== undefined,
        enabled: config.providers.get(name)?.enabled !== false,
      })),
      tools: { approval: config.tools.approval, rounds: config.tools.rounds, calls: config.tools.calls },
      budgets: {
        turnUsd: config.budgets.turnUsd,
        dayUsd: config.budgets.dayUsd,
        turnTokens: config.budgets.turnTokens,
      },
      limits: { bodyBytes: limits.bodyBytes, attachmentBytes: limits.attachmentBytes },
      quotas: { streams: quotas.streams, generations: quotas.generations, temporaryTrees: quotas.temporaryTrees },
      store: { kind: info.kind, readOnly: info.readOnly, notes: info.notes, search: services.store.supports.search },
      // Warnings contain file paths of the server, so only admins see them.
      warnings: caller.role === 'admin' ? config.warnings.map((warning) => warning.message) : [],
    });
  },
});

export const modelRoutes = [listModels, refresh, listTools, settings];
