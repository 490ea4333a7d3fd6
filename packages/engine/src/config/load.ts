/** Reads the one configuration file and the environment. Nothing of the current directory is ever looked at. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { AppError } from '@coppice/core';
import { providerDefinitions } from '../providers/registry.ts';
import type { Config, ConfigWarning, ProviderConfig } from './contract.ts';
import { Secret } from './secret.ts';
import {
  isWebAddress,
  readBudgets,
  readCompaction,
  readGenerate,
  readHeaders,
  readKey,
  readLimits,
  readMcp,
  readModels,
  readProxy,
  readServer,
  readSummaries,
  readTools,
} from './sections.ts';
import { openToml, type TomlFile, type TomlTable } from './toml.ts';

/** The environment, as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration comes from. */
export interface ConfigSource {
  /** The process's own unless given. */
  readonly env?: Environment;
  /** The user's home directory. */
  readonly home?: string;
}

/** The file that the environment names, or the one in the home directory. Refuses a path that depends on where one stands. */
export function configPath(source: ConfigSource = {}): { readonly path: string; readonly explicit: boolean } {
  const env = source.env ?? process.env;
  const home = source.home ?? homedir();
  const named = env.COPPICE_CONFIG;
  if (named === undefined || named === '') return { path: join(home, '.coppice', 'config.toml'), explicit: false };
  const path = named.startsWith('~/') ? join(home, named.slice(2)) : named;
  if (isAbsolute(path)) return { path, explicit: true };
  throw new AppError({
    code: 'config/invalid',
    kind: 'invalid',
    message: `COPPICE_CONFIG must be an absolute path or begin with ~/; ${JSON.stringify(named)} would depend on the current directory.`,
  });
}

/** Reads the configuration. A missing file is an empty one, unless COPPICE_CONFIG names it. Never writes. */
export async function loadConfig(source: ConfigSource = {}): Promise<Config> {
  const { path, explicit } = configPath(source);
  const env = source.env ?? process.env;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    // Accounts of services have /dev/null for a home: below a file there is none.
    if ((code === 'ENOENT' || code === 'ENOTDIR') && !explicit) return parseConfig(null, env);
    throw new AppError({
      code: 'config/unreadable',
      kind: 'invalid',
      message: `The configuration ${path} cannot be read (${String(code)}).`,
      cause,
    });
  }
  const config = parseConfig({ name: path, text }, env);
  const { mode } = await stat(path);
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0 && /^\s*api_key\s*=/m.test(text);
  if (!open) return config;
  const warning = { where: path, message: 'The file holds a key and can be read by others; run chmod 600 on it.' };
  return { ...config, warnings: [...config.warnings, warning] };
}

/** The configuration of a file's text and an environment. Pure; refuses `config/invalid` with file, line and key. */
export function parseConfig(file: TomlFile | null, env: Environment): Config {
  const warnings: ConfigWarning[] = [];
  const top = openToml(file ?? { name: 'no configuration file', text: '' }, warnings);
  const offline = top.table('offline');
  const catalogue = top.table('catalogue');
  const ollama = top.table('ollama');
  const config: Config = {
    file: file?.name ?? null,
    model: withDefaultsFilled(env.COPPICE_MODEL) ?? top.text('model'),
    cheapModel: top.text('cheap_model'),
    store: withDefaultsFilled(env.COPPICE_STORE) ?? top.text('store'),
    providers: readProviders(top.table('providers'), env, warnings),
    models: readModels(top.table('models')),
    catalogueFile: readCatalogueFile(catalogue),
    generate: readGenerate(top.table('generate')),
    compaction: readCompaction(top.table('compaction')),
    summaries: readSummaries(top.table('summaries')),
    tools: readTools(top.table('tools')),
    budgets: readBudgets(top.table('budgets')),
    ...readMcp(top.table('mcp'), env),
    proxy: readProxy(top.table('proxy')),
    server: readServer(top.table('server')),
    limits: readLimits(top.table('limits')),
    offline: { delayMs: offline.number('delay_ms', 0, 10_000) ?? 25 },
    detectOllama: ollama.flag('detect') ?? true,
    warnings,
  };
  for (const table of [offline, catalogue, ollama, top]) table.finish();
  return config;
}

function withDefaultsFilled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

function readCatalogueFile(table: TomlTable): string | undefined {
  const file = table.text('file');
  if (file !== undefined && !isAbsolute(file)) table.refuse('file', 'must be an absolute path');
  return file;
}

function readProviders(
  table: TomlTable,
  env: Environment,
  warnings: ConfigWarning[],
): ReadonlyMap<string, ProviderConfig> {
  const providers = new Map<string, ProviderConfig>();
  for (const name of table.names) {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
      table.refuse(name, 'must be a name of small letters, digits, - and _');
    providers.set(name, readProvider(name, table, env));
  }
  // A key in the environment is enough to use a provider; it goes to that provider's own address and nowhere else.
  for (const definition of providerDefinitions) {
    const { name } = definition;
    const section = providers.get(name);
    const [variable, key] = environmentKey(definition.keyNames, definition.baseUrl, env);
    if (section?.key !== undefined) continue;
    if (section?.baseUrl !== undefined) {
      if (variable !== undefined && new URL(section.baseUrl).origin !== key?.origin)
        warnings.push({
          where: table.where(name),
          message: `${variable} is not sent to ${new URL(section.baseUrl).host}; say api_key_env = "${variable}" if it belongs there.`,
        });
      else if (key !== undefined) providers.set(name, { ...section, key });
      continue;
    }
    const base = { name, kind: name, headers: {}, models: [], enabled: true, ...section };
    const baseUrl = name === 'ollama' ? ollamaAddress(env) : undefined;
    if (key !== undefined || baseUrl !== undefined)
      providers.set(name, {
        ...base,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(key === undefined ? {} : { key }),
      });
  }
  return providers;
}

function environmentKey(names: readonly string[], address: string | null, env: Environment): [string, Secret] | [] {
  for (const name of names) {
    const value = withDefaultsFilled(env[name]);
    if (value !== undefined && address !== null) return [name, new Secret(value, address)];
  }
  return [];
}

// Ollama's own variable is where it listens: a host, a port, or both, with or without a scheme.
function ollamaAddress(env: Environment): string | undefined {
  const said = withDefaultsFilled(env.OLLAMA_HOST);
  if (said === undefined) return undefined;
  const text = /^https?:\/\//.test(said) ? said : `http://${said.replace(/^:/, '127.0.0.1:')}`;
  if (!isWebAddress(text)) return undefined;
  const url = new URL(text);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.port === '' && !/:\d+\/?$/.test(text)) url.port = '11434';
  return url.href.replace(/\/+$/, '');
}

function readProvider(name: string, table: TomlTable, env: Environment): ProviderConfig {
  const fields = table.table(name);
  const kinds = providerDefinitions.map((definition) => definition.name);
  const said = fields.word('kind', kinds);
  const kind = said ?? name;
  const definition = providerDefinitions.find((each) => each.name === kind);
  if (definition === undefined)
    return table.refuse(
      name,
      `is no provider of its own; add kind = "openai-compatible", or another of ${kinds.join(', ')}`,
    );
  const baseUrl = fields.text('base_url')?.replace(/\/+$/, '');
  if (baseUrl !== undefined && !isWebAddress(baseUrl))
    fields.refuse('base_url', 'must be an http or https address without a name and password');
  const address = baseUrl ?? definition.baseUrl;
  if (address === null && definition.name === 'openai-compatible')
    table.refuse(name, 'needs base_url, such as "http://127.0.0.1:8000/v1"');
  const key = readKey(fields, env, address ?? 'http://127.0.0.1');
  const section: ProviderConfig = {
    name,
    kind,
    label: fields.text('label'),
    headers: readHeaders(fields),
    defaultModel: fields.text('default_model'),
    models: fields.texts('models') ?? [],
    enabled: fields.flag('enabled') ?? true,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(key === undefined ? {} : { key }),
  };
  fields.finish();
  return section;
}
