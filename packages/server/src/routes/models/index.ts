/** What there is to talk with: models, tools, MCP servers, and what the operator has set. */
import { z } from '@hono/zod-openapi';
import { refuseHttp } from '../../http-errors.ts';
import { anyObject, listOfSchema } from '../../wire/schemas.ts';
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
  summary: 'Every model that can be asked, those that are ready first, and the one of choice.',
  answer: choices,
  async handle({ services }) {
    return toReply({ items: services.providers.list(), default: await services.defaultModel() });
  },
});

const refresh = defineRoute({
  method: 'post',
  path: '/api/models/refresh',
  name: 'refreshModels',
  summary: 'Asks every provider that is ready which models it has.',
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
  summary: 'The tools that models may call.',
  answer: z.object({
    items: listOfSchema(
      z
        .object({ name: z.string(), description: z.string(), parameters: anyObject, sideEffects: z.boolean() })
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

const listServers = defineRoute({
  method: 'get',
  path: '/api/mcp',
  name: 'listMcpServers',
  summary: 'The MCP servers of the operator’s configuration, how each is, and what its tools are like.',
  answer: z.object({
    servers: listOfSchema(
      z.object({
        name: z.string(),
        status: z.string(),
        since: z.number(),
        target: listOfSchema(z.string()),
        server: z.object({ name: z.string(), version: z.string() }).nullable(),
        lastError: z.string().nullable(),
        nextTryAt: z.number().nullable(),
        problems: listOfSchema(z.string()),
        tools: listOfSchema(anyObject),
      }),
    ),
  }),
  handle: ({ services }) => toReply({ servers: services.mcp?.servers() ?? [] }),
});

const approveTool = defineRoute({
  method: 'post',
  path: '/api/mcp/approvals',
  name: 'approveMcpTool',
  summary: 'Takes a changed tool, or all changed tools of a server, as it is now. The hash is that of what was shown.',
  needs: { access: 'admin' },
  body: z.strictObject({ tool: z.string(), hash: z.string().optional() }),
  answer: z.object({ approved: z.number() }),
  async handle({ services, body }) {
    if (services.mcp === null) return refuseHttp('http/not-found', 'There are no MCP servers here.');
    return toReply({ approved: await services.mcp.approve(body.tool, body.hash) });
  },
});

const settings = defineRoute({
  method: 'get',
  path: '/api/settings',
  name: 'getSettings',
  summary: 'What the operator has set, as far as it may be seen: no key, and no path on the machine.',
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
      budgets: config.budgets,
      limits: { bodyBytes: limits.bodyBytes, attachmentBytes: limits.attachmentBytes },
      quotas: { streams: quotas.streams, generations: quotas.generations, temporaryTrees: quotas.temporaryTrees },
      store: { kind: info.kind, readOnly: info.readOnly, notes: info.notes, search: services.store.supports.search },
      // A warning names a file of the machine: that is for whoever runs it.
      warnings: caller.role === 'admin' ? config.warnings.map((warning) => warning.message) : [],
    });
  },
});

/** The routes. */
export const models = [listModels, refresh, listTools, listServers, approveTool, settings];
