/** Validates the connections that users add, builds their records, and adds them to the configuration. */
import type { JsonObject } from '@coppice/core';
import { getNumberMember, getTextMember, getTexts } from '@coppice/core/decode';
import type { Config, ProviderConfig } from '../config/contract.ts';
import { Secret } from '../config/secret.ts';
import { isWebAddress } from '../config/sections.ts';
import type { Provider } from '../providers/contract.ts';
import { providerDefinitions } from '../providers/registry.ts';
import { makeKeysError } from './contract.ts';
import { isPrivateAddress } from './private-address.ts';

/** A program that serves local models on a well-known port and needs no key. */
export interface LocalModelServer {
  readonly name: string;
  readonly kind: string;
  readonly label: string;
  readonly address: string;
}

/** The local servers that Coppice looks for. */
export const localModelServers: readonly LocalModelServer[] = [
  { name: 'ollama', kind: 'ollama', label: 'Ollama', address: 'http://127.0.0.1:11434' },
  { name: 'lm-studio', kind: 'openai-compatible', label: 'LM Studio', address: 'http://127.0.0.1:1234/v1' },
];

/** The fields of the form in which a user adds or changes a connection. */
export interface ConnectionInput {
  /** The name of a known provider, or any other name for a server with its own URL. */
  readonly name: string;
  /** The provider kind; by default the provider with that name, else an OpenAI-compatible server. */
  readonly kind?: string | undefined;
  readonly label?: string | undefined;
  /** By default the provider's own URL. */
  readonly address?: string | undefined;
  /** By default the stored key, if the URL has the same origin. */
  readonly key?: string | undefined;
}

/** Limits the connections that users of this server may add. */
export interface ConnectionRules {
  /** Whether loopback and private addresses may be entered: only on a single-user server. */
  readonly privateAddresses: boolean;
}

/** A validated connection: the record to store, and the section for requests. */
export interface CheckedConnection {
  readonly provider: Provider;
  readonly record: JsonObject;
  readonly section: ProviderConfig;
}

/** Returns the id under which a connection is stored. */
export function connectionId(name: string): string {
  return `provider/${name}`;
}

// The name appears in file names, configuration sections and routes.
const nameForm = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const mostModels = 500;

/**
 * Validates the input against the configuration and the stored record. Throws if the provider's key is in the
 * configuration or environment, if the address is not allowed here, and if the stored key belongs to another origin and
 * no new key was entered.
 */
export function checkConnection(
  input: ConnectionInput,
  config: Config,
  kept: JsonObject | undefined,
  rules: ConnectionRules,
  now: number,
): CheckedConnection {
  const { name } = input;
  if (!nameForm.test(name))
    throw makeKeysError(
      'keys/invalid',
      'A name has small letters, digits, - and _, and begins with a letter or digit.',
    );
  const configured = config.providers.get(name);
  refuseConfigured(name, configured);
  const local = localModelServers.find((server) => server.name === name);
  const own = providerDefinitions.find((each) => each.name === name && each.name !== 'openai-compatible');
  const kind = own?.name ?? local?.kind ?? input.kind ?? getTextMember(kept, 'kind') ?? 'openai-compatible';
  const provider = providerDefinitions.find((each) => each.name === kind);
  if (provider === undefined || provider.closed)
    throw makeKeysError('keys/invalid', `There is no kind of provider called ${JSON.stringify(kind.slice(0, 80))}.`);
  const usual = configured?.baseUrl ?? own?.baseUrl ?? local?.address ?? null;
  const entered = omitBlank(input.address)?.replace(/\/+$/, '');
  const address = entered ?? getTextMember(kept, 'address') ?? usual;
  if (address === null)
    throw makeKeysError('keys/needed', `${name} needs an address, such as http://127.0.0.1:8000/v1.`);
  if (!isWebAddress(address))
    throw makeKeysError(
      'keys/invalid',
      'Enter an address that begins with http:// or https:// and contains no user name or password.',
    );
  if (!rules.privateAddresses && address !== usual && isPrivateAddress(new URL(address).hostname))
    throw makeKeysError(
      'keys/address',
      'Addresses of this machine and of private networks come from the configuration of the operator.',
    );
  const { origin } = new URL(address);
  const key = chooseKey(input, kept, origin);
  if (key === null && provider.keyRequired && address === usual)
    throw makeKeysError('keys/needed', `${provider.label} needs a key.`);
  const label = omitBlank(input.label) ?? getTextMember(kept, 'label') ?? local?.label;
  const record: JsonObject = {
    kind,
    ...(label === undefined ? {} : { label }),
    ...(address === own?.baseUrl ? {} : { address }),
    origin,
    ...(key === null ? {} : { key }),
    models: [],
    addedAt: key !== null && key === getTextMember(kept, 'key') ? (getNumberMember(kept, 'addedAt') ?? now) : now,
  };
  const section = toProviderConfig(name, record, configured, { ...rules, usual });
  if (section === null) throw makeKeysError('keys/invalid', 'The connection cannot be used as it was entered.');
  return { provider, record, section };
}

/**
 * Returns a record with the models that its server listed, so that the models are available before the first request.
 */
export function withReportedModels(record: JsonObject, models: readonly string[]): JsonObject {
  return { ...record, models: models.slice(0, mostModels) };
}

function refuseConfigured(name: string, configured: ProviderConfig | undefined): void {
  const source = configured?.keySource;
  if (source === undefined || source.from === 'page') return;
  throw makeKeysError(
    'keys/configured',
    source.from === 'environment'
      ? `The key of ${name} is in the variable ${source.variable}; change it where Coppice is started.`
      : `The key of ${name} is in the configuration file; change it there.`,
    { name },
  );
}

/** Returns the entered key, or the stored one. Throws if the stored key was entered for another origin. */
function chooseKey(input: ConnectionInput, kept: JsonObject | undefined, origin: string): string | null {
  const entered = input.key?.trim();
  if (entered !== undefined && entered !== '') {
    if (!/^[\x21-\x7e]{1,4096}$/.test(entered))
      throw makeKeysError('keys/invalid', 'The key may contain only visible ASCII characters and no spaces.');
    return entered;
  }
  const before = getTextMember(kept, 'key');
  if (before === undefined) return null;
  if (getTextMember(kept, 'origin') === origin) return before;
  throw makeKeysError(
    'keys/needed',
    `The key was entered for ${getTextMember(kept, 'origin') ?? 'another address'}; enter it again for ${origin}.`,
  );
}

/**
 * Returns the configuration with all stored connections; keys of the configuration file and the environment take
 * precedence.
 */
export function withConnections(
  config: Config,
  records: ReadonlyMap<string, JsonObject>,
  found: ReadonlyMap<string, JsonObject>,
  rules: ConnectionRules,
): Config {
  const providers = new Map(config.providers);
  for (const server of rules.privateAddresses ? localModelServers : []) {
    const models = getTexts(found.get(server.name) ?? {}, 'models');
    if (models.length === 0) continue;
    const section = providers.get(server.name);
    const { name, kind, label, address: baseUrl } = server;
    if (section === undefined) providers.set(name, { name, kind, label, baseUrl, headers: {}, models, enabled: true });
    else providers.set(name, { ...section, models: [...new Set([...section.models, ...models])] });
  }
  for (const [id, record] of records) {
    const [, name] = /^provider\/(.+)$/.exec(id) ?? [];
    if (name === undefined || !nameForm.test(name)) continue;
    const configured = config.providers.get(name);
    if (configured?.keySource !== undefined) continue;
    const usual = configured?.baseUrl ?? providerDefinitions.find((each) => each.name === name)?.baseUrl ?? null;
    const section = toProviderConfig(name, record, configured, { ...rules, usual });
    if (section !== null) providers.set(name, { ...section, models: mergeModels(providers.get(name), section) });
  }
  return { ...config, providers };
}

function mergeModels(before: ProviderConfig | undefined, { models }: ProviderConfig): readonly string[] {
  return [...new Set([...(before?.models ?? []), ...models])];
}

/** Converts a record to a provider section; null if the record is incomplete or its URL is invalid. */
function toProviderConfig(
  name: string,
  record: JsonObject,
  configured: ProviderConfig | undefined,
  rules: ConnectionRules & { readonly usual: string | null },
): ProviderConfig | null {
  const kind = getTextMember(record, 'kind');
  const origin = getTextMember(record, 'origin');
  const address = getTextMember(record, 'address') ?? rules.usual;
  if (kind === undefined || origin === undefined || address === null || !isWebAddress(address)) return null;
  const key = getTextMember(record, 'key');
  const label = getTextMember(record, 'label');
  return {
    headers: {},
    enabled: true,
    ...configured,
    name,
    kind,
    fromPage: true,
    ...(label === undefined ? {} : { label }),
    baseUrl: address,
    models: [...new Set([...(configured?.models ?? []), ...getTexts(record, 'models')])],
    // The key is sent only to the origin that it was entered for, even if the URL changed later.
    ...(key === undefined
      ? {}
      : {
          key: new Secret(key, origin),
          keySource: { from: 'page', addedAt: getNumberMember(record, 'addedAt') ?? 0 },
        }),
    ...(rules.privateAddresses || address === rules.usual ? {} : { publicOnly: true }),
  };
}

function omitBlank(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
