/** The routes of connections to model providers: keys and URLs that users enter. No response contains a key. */
import { AppError, isAppError } from '@coppice/core';
import {
  type ConnectionInput,
  type ListedModel,
  type LiveConfig,
  localModelServers,
  type ProviderConfig,
  providerDefinitions,
  redactKeys,
} from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import type { SharedServices } from '../../services.ts';
import { listOfSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const keyInfo = z.object({
  from: z.enum(['environment', 'file', 'page']),
  /** The environment variable that contains the key; null if the key has another source. */
  variable: z.string().nullable(),
  /** The last four characters of the key; null for a key that is too short to show a part of it. */
  lastFour: z.string().nullable(),
  addedAt: z.number().nullable(),
});

const connection = z
  .object({
    name: z.string(),
    label: z.string(),
    kind: z.string(),
    address: z.string().nullable(),
    /** Whether the provider is a local server, which Coppice searches for. */
    local: z.boolean(),
    keyRequired: z.boolean(),
    /** The page where users get a key. */
    keyUrl: z.string().nullable(),
    key: keyInfo.nullable(),
    /** Whether users can change and remove the connection through this API. */
    editable: z.boolean(),
    /** Whether users added the connection through this API. */
    kept: z.boolean(),
    ready: z.boolean(),
    models: z.number(),
  })
  .openapi('Connection');

const choices = z.object({ defaultModel: z.string().nullable(), titleModel: z.string().nullable() });

const listAnswer = z.object({
  items: listOfSchema(connection),
  /** Where keys are stored; null if they can only be set in the configuration. */
  keptIn: z.enum(['file', 'encrypted', 'memory']).nullable(),
  /** Whether loopback and private addresses may be entered. */
  privateAddresses: z.boolean(),
  models: choices,
  /** Why a changed configuration or changed keys could not be read. */
  problem: z.string().nullable(),
});

type ConnectionView = z.infer<typeof connection>;

/** Returns a provider for display, with at most the last four characters of its key. */
function viewConnection(
  services: SharedServices,
  shown: Pick<ConnectionView, 'name' | 'label' | 'kind'>,
): ConnectionView {
  const { live, config, providers } = services;
  const { name, label, kind } = shown;
  const section = config.providers.get(name);
  const definition = providerDefinitions.find((each) => each.name === kind);
  const local = localModelServers.find((server) => server.name === name);
  const source = section?.keySource;
  const own = providers.list().filter((choice) => choice.provider === name && choice.ready);
  return {
    name,
    label: section?.label ?? label,
    kind,
    address: section?.baseUrl ?? definition?.baseUrl ?? local?.address ?? null,
    local: local !== undefined,
    keyRequired: definition?.keyRequired ?? false,
    keyUrl: definition?.keyUrl ?? null,
    key:
      source === undefined
        ? null
        : {
            from: source.from,
            variable: source.from === 'environment' ? source.variable : null,
            lastFour: section?.key?.lastFour ?? null,
            addedAt: source.from === 'page' ? source.addedAt : null,
          },
    editable: live !== null && (source === undefined || source.from === 'page'),
    kept: section?.fromPage === true,
    ready: own.length > 0,
    models: own.length,
  };
}

// The best-known providers are listed first, in this order.
const bestKnown = ['openai', 'anthropic', 'google', 'openrouter', 'ollama', 'lm-studio'];

/** Lists all providers that can be connected, the best-known first. */
function listConnections(services: SharedServices): readonly ConnectionView[] {
  const known = new Map<string, Pick<ConnectionView, 'name' | 'label' | 'kind'>>();
  for (const { name, label, closed } of providerDefinitions)
    if (!closed && name !== 'openai-compatible') known.set(name, { name, label, kind: name });
  if (services.live?.rules.privateAddresses === true)
    for (const { name, label, kind } of localModelServers) if (!known.has(name)) known.set(name, { name, label, kind });
  for (const { name, label, kind, enabled } of services.config.providers.values())
    if (enabled && !known.has(name)) known.set(name, { name, label: label ?? name, kind });
  const rank = ({ name }: { readonly name: string }) =>
    bestKnown.includes(name) ? bestKnown.indexOf(name) : bestKnown.length;
  return [...known.values()].sort((a, b) => rank(a) - rank(b)).map((shown) => viewConnection(services, shown));
}

function requireLive({ live }: SharedServices): LiveConfig {
  return live ?? throwHttpError('http/forbidden', 'Keys are set in the configuration of this server.');
}

const list = defineRoute({
  method: 'get',
  path: '/api/connections',
  name: 'listConnections',
  summary:
    'Lists the model providers that can be connected, and whether each is connected. Of a key it returns only the last four characters.',
  needs: { access: 'admin' },
  answer: listAnswer,
  handle: ({ services }) => toReply(listReply(services)),
});

function listReply(services: SharedServices): z.infer<typeof listAnswer> {
  const { live } = services;
  return {
    items: [...listConnections(services)],
    keptIn: live?.records.place ?? null,
    privateAddresses: live?.rules.privateAddresses ?? false,
    models: live?.modelChoices ?? { defaultModel: null, titleModel: null },
    problem: live?.problem ?? null,
  };
}

const entered = {
  kind: z.string().max(64).optional(),
  label: z.string().max(200).optional(),
  address: z.string().max(2048).optional(),
  key: z.string().max(4096).optional(),
};

const problem = z.object({ code: z.string(), message: z.string() }).nullable();
const tested = z.object({ models: listOfSchema(z.string()), problem });

/** Reads the list of models of a server. An error becomes a field of the response. */
async function readModels(
  { providers }: SharedServices,
  section: ProviderConfig,
  signal: AbortSignal,
): Promise<{ readonly listed: readonly ListedModel[]; readonly problem: z.infer<typeof problem> }> {
  try {
    return { listed: await providers.tryConnection(section, { signal }), problem: null };
  } catch (thrown) {
    return { listed: [], problem: toProblem(thrown) };
  }
}

function toProblem(thrown: unknown): { readonly code: string; readonly message: string } {
  if (isAppError(thrown)) return { code: thrown.code, message: redactKeys(thrown.message) };
  const event = thrown instanceof Error && 'event' in thrown ? thrown.event : null;
  if (typeof event === 'object' && event !== null && 'code' in event && 'message' in event)
    return { code: String(event.code), message: redactKeys(String(event.message)) };
  return { code: 'provider/failed', message: 'The server could not be reached.' };
}

const test = defineRoute({
  method: 'post',
  path: '/api/connections/test',
  name: 'testConnection',
  summary: 'Tests a URL and a key by requesting the list of models. Stores nothing.',
  needs: { access: 'admin' },
  body: z.strictObject({ name: z.string().max(64), ...entered }),
  answer: tested,
  async handle({ services, body, signal }) {
    const { section } = await connectionToTest(services, body);
    const { listed, problem: wrong } = await readModels(services, section, signal);
    return toReply({ models: listed.map((model) => model.id), problem: wrong });
  },
});

/**
 * Returns the configuration to test: the configured provider if the request has no values, otherwise the provider with
 * the entered values.
 */
async function connectionToTest(services: SharedServices, input: ConnectionInput) {
  const live = requireLive(services);
  const section = services.config.providers.get(input.name);
  const isConfigured = section?.keySource !== undefined && section.keySource.from !== 'page';
  if (isConfigured && input.key === undefined && input.address === undefined) return { section, live, checked: null };
  const checked = await live.checkConnection(input);
  return { section: checked.section, live, checked };
}

const put = defineRoute({
  method: 'put',
  path: '/api/connections/{name}',
  name: 'putConnection',
  summary:
    'Connects a model provider or a URL: stores its key, which is used immediately, and reads its list of models.',
  needs: { access: 'admin' },
  body: z.strictObject(entered),
  answer: tested.extend({ connection }),
  async handle({ services, params, body, signal }) {
    const live = requireLive(services);
    const checked = await live.checkConnection({ name: params.name, ...body });
    const { listed, problem: wrong } = await readModels(services, checked.section, signal);
    const ids = listed.map((model) => model.id);
    // Only the lists of these providers are stored. Lists of other providers contain many models that cannot chat;
    // their models come from the catalogue.
    const isOpen = checked.provider.name === 'openai-compatible' || checked.provider.name === 'ollama';
    await live.keepConnection(params.name, checked, isOpen ? ids : []);
    if (listed.length > 0) services.providers.catalogue.learn(params.name, listed);
    const { name, kind, label } = checked.section;
    const view = viewConnection(services, { name, kind, label: label ?? checked.provider.label });
    return toReply({ connection: view, models: ids, problem: wrong });
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/api/connections/{name}',
  name: 'removeConnection',
  summary: 'Removes a connection that was added through this API, and deletes its key.',
  needs: { access: 'admin' },
  answer: listAnswer,
  async handle({ services, params }) {
    if (!(await requireLive(services).removeConnection(params.name)))
      throw new AppError({
        code: 'keys/unknown',
        kind: 'not-found',
        message: `No connection ${params.name} was added through this API.`,
      });
    return toReply(listReply(services));
  },
});

const choose = defineRoute({
  method: 'put',
  path: '/api/settings/models',
  name: 'chooseModels',
  summary:
    'Sets the default model of new chats and the model that writes titles. Null restores the value of the configuration.',
  needs: { access: 'admin' },
  body: z.strictObject({
    defaultModel: z.string().max(512).nullable().optional(),
    titleModel: z.string().max(512).nullable().optional(),
  }),
  answer: choices,
  async handle({ services, body }) {
    const live = requireLive(services);
    for (const id of [body.defaultModel, body.titleModel]) if (typeof id === 'string') services.providers.model(id);
    await live.chooseModels({
      ...(body.defaultModel === undefined ? {} : { defaultModel: body.defaultModel }),
      ...(body.titleModel === undefined ? {} : { titleModel: body.titleModel }),
    });
    return toReply(live.modelChoices);
  },
});

export const connectionRoutes = [list, test, put, remove, choose];
