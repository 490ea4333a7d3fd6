/** Reads the configuration file and the environment. Never reads from the current directory. */
import { AppError, isAppError } from '@coppice/core';
import { homedir, isAbsolute, isWindows, join, readEnvironment, readFile, stat } from '#platform/system';
import { providerDefinitions } from '../providers/registry.ts';
import type { Config, ConfigProblem, ConfigWarning, ProviderConfig } from './contract.ts';
import { findSecretSettings, Secret } from './secret.ts';
import {
  isWebAddress,
  readApiKey,
  readBudgetsSection,
  readCompactionSection,
  readGenerateSection,
  readHeaders,
  readHistorySection,
  readLimitsSection,
  readMcpSection,
  readModelsSection,
  readProxySection,
  readServerSection,
  readSummariesSection,
  readToolsSection,
} from './sections.ts';
import { joinFieldPath, parseToml, type SettingListener, type TomlFile, type TomlTable } from './toml.ts';

/** Like `process.env`, but read-only. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface ConfigSource {
  /** By default the environment of this process. */
  readonly env?: EnvironmentVariables;
  /** The user's home directory. */
  readonly home?: string;
}

/** Returns the path in COPPICE_CONFIG, or the default path in the home directory. Throws on a relative path. */
export function configPath(source: ConfigSource = {}): { readonly path: string; readonly explicit: boolean } {
  const env = source.env ?? readEnvironment();
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

/** Reads the configuration. A missing file counts as empty, unless COPPICE_CONFIG names it. Never writes. */
export async function loadConfig(source: ConfigSource = {}): Promise<Config> {
  const { path, explicit } = configPath(source);
  const env = source.env ?? readEnvironment();
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    // Service accounts often have /dev/null as home directory; a path below it gives ENOTDIR.
    if ((code === 'ENOENT' || code === 'ENOTDIR') && !explicit) return parseConfig(null, env);
    throw new AppError({
      code: 'config/unreadable',
      kind: 'invalid',
      message:
        code === 'ENOENT'
          ? `COPPICE_CONFIG names ${path}, but this file does not exist. Create it, or remove the variable.`
          : `The configuration ${path} cannot be read (${String(code)}).`,
      cause,
    });
  }
  const config = parseConfig({ name: path, text }, env);
  const { mode } = await stat(path);
  const open = !isWindows() && (mode & 0o077) !== 0 && /^\s*api_key\s*=/m.test(text);
  if (!open) return config;
  const warning = { where: path, message: 'The file contains a key and other users can read it; run chmod 600 on it.' };
  return { ...config, warnings: [...config.warnings, warning] };
}

/**
 * Builds the configuration from a file's text and an environment. Pure. Throws `config/invalid` with file, line and
 * key. `onSetting` is called with every setting that is read.
 */
export function parseConfig(file: TomlFile | null, env: EnvironmentVariables, onSetting?: SettingListener): Config {
  return parseIgnoring(file, env, onSetting);
}

/** Returns all problems of a file, errors first. Empty if the file is valid. */
export function findConfigProblems(file: TomlFile, env: EnvironmentVariables): readonly ConfigProblem[] {
  const errors: ConfigProblem[] = [];
  const leftOut = new Set<string>();
  for (;;) {
    try {
      const { warnings } = parseIgnoring(file, env, undefined, leftOut);
      return [...errors, ...warnings.map((warning) => ({ ...warning, severity: 'warning' as const }))];
    } catch (error) {
      if (!isAppError(error) || error.code !== 'config/invalid') throw error;
      const { where, what, path } = error.data;
      // The next pass reads the file as if the invalid field were missing. If the error names no field, or the same
      // field again, the search ends.
      const field = Array.isArray(path) ? joinFieldPath(path.map(String)) : null;
      // If a table is refused only because its required field is ignored in this pass, that field was reported already.
      const isConsequence = field !== null && [...leftOut].some((each) => each.startsWith(field.replace(/]$/, ',')));
      if (!isConsequence)
        errors.push({ where: String(where), message: String(what ?? error.message), severity: 'error' });
      if (field === null || leftOut.has(field)) return errors;
      leftOut.add(field);
    }
  }
}

function parseIgnoring(
  file: TomlFile | null,
  env: EnvironmentVariables,
  onSetting?: SettingListener,
  leftOut?: ReadonlySet<string>,
): Config {
  const warnings: ConfigWarning[] = [];
  const top = parseToml(file ?? { name: 'no configuration file', text: '' }, warnings, onSetting, leftOut);
  const [model, cheapModel, store] = [
    top.text('model', 'The model that answers, as `provider/model`. If unset, the first one that is ready.'),
    top.text('cheap_model', 'The model that writes titles and summaries; short for `model` of `[summaries]`.'),
    top.text('store', 'The address of the store, such as `sqlite:/home/me/trees.db`.'),
  ];
  const offline = top.table('offline', 'The built-in models, which need no network.');
  const catalogue = top.table('catalogue', 'The list of known models.');
  const ollama = top.table('ollama', 'Models on this computer.');
  const config: Config = {
    file: file?.name ?? null,
    model: trimToUndefined(env.COPPICE_MODEL) ?? model,
    cheapModel,
    store: trimToUndefined(env.COPPICE_STORE) ?? store,
    providers: readProviders(top.table('providers', 'The providers of models.'), env, warnings),
    models: readModelsSection(top.table('models', 'Single models.')),
    catalogueFile: readCatalogueFile(catalogue),
    generate: readGenerateSection(top.table('generate', 'Replies, unless a chat says otherwise.')),
    compaction: readCompactionSection(
      top.table('compaction', 'What happens when a branch outgrows the context window.'),
    ),
    summaries: readSummariesSection(top.table('summaries', 'Titles and summaries.')),
    tools: readToolsSection(top.table('tools', 'Tool calls.')),
    history: readHistorySection(top.table('history', 'How long changes are kept.')),
    budgets: readBudgetsSection(top.table('budgets', 'Spending limits; a missing one means no limit.')),
    ...readMcpSection(top.table('mcp', 'MCP, as a server and as a client.'), env),
    proxy: readProxySection(
      top.table('proxy', 'Where calls of other programs are forwarded to, and how they are recorded.'),
    ),
    server: readServerSection(top.table('server', 'The server of `coppice serve`.')),
    limits: readLimitsSection(top.table('limits', 'Calls of providers.')),
    offline: {
      delayMs: offline.number('delay_ms', 'Milliseconds between two words.', { min: 0, max: 10_000 }, 25),
    },
    detectOllama: ollama.flag('detect', 'Whether Coppice looks for Ollama on this computer.', true),
    warnings,
  };
  for (const table of [offline, catalogue, ollama, top]) table.finish();
  return config;
}

function trimToUndefined(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

function readCatalogueFile(table: TomlTable): string | undefined {
  const file = table.text('file', 'A JSON file of models that extends the built-in list; an absolute path.');
  if (file !== undefined && !isAbsolute(file)) table.refuse('file', 'must be an absolute path');
  return file;
}

function readProviders(
  table: TomlTable,
  env: EnvironmentVariables,
  warnings: ConfigWarning[],
): ReadonlyMap<string, ProviderConfig> {
  const providers = new Map<string, ProviderConfig>();
  for (const name of table.chosenNames('<name>')) {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
      table.refuse(name, 'must be a name of lower-case letters, digits, - and _');
    providers.set(name, readProvider(name, table, env));
  }
  // A key in the environment is enough to use a provider; it is sent only to that provider's own address.
  for (const definition of providerDefinitions) {
    const { name } = definition;
    const section = providers.get(name);
    const [variable, key] = environmentKey(definition.keyNames, definition.baseUrl, env);
    if (section?.key !== undefined) continue;
    const held: Pick<ProviderConfig, 'key' | 'keySource'> =
      key === undefined || variable === undefined ? {} : { key, keySource: { from: 'environment', variable } };
    if (section?.baseUrl !== undefined) {
      if (variable !== undefined && new URL(section.baseUrl).origin !== key?.origin)
        warnings.push({
          where: table.where(name),
          message: `${variable} is not sent to ${new URL(section.baseUrl).host}; set api_key_env = "${variable}" if the key belongs to that host.`,
        });
      else if (key !== undefined) providers.set(name, { ...section, ...held });
      continue;
    }
    const base = { name, kind: name, headers: {}, models: [], enabled: true, ...section };
    const baseUrl = name === 'ollama' ? ollamaUrlOf(env) : undefined;
    if (key !== undefined || baseUrl !== undefined)
      providers.set(name, {
        ...base,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...held,
      });
  }
  return providers;
}

function environmentKey(
  names: readonly string[],
  address: string | null,
  env: EnvironmentVariables,
): [string, Secret] | [] {
  for (const name of names) {
    const value = trimToUndefined(env[name]);
    if (value !== undefined && address !== null) return [name, new Secret(value, address)];
  }
  return [];
}

// OLLAMA_HOST is the address that Ollama listens on: a host, a port, or both, with or without a scheme.
function ollamaUrlOf(env: EnvironmentVariables): string | undefined {
  const said = trimToUndefined(env.OLLAMA_HOST);
  if (said === undefined) return undefined;
  const text = /^https?:\/\//.test(said) ? said : `http://${said.replace(/^:/, '127.0.0.1:')}`;
  if (!isWebAddress(text)) return undefined;
  const url = new URL(text);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.port === '' && !/:\d+\/?$/.test(text)) url.port = '11434';
  return url.href.replace(/\/+$/, '');
}

function readProvider(name: string, table: TomlTable, env: EnvironmentVariables): ProviderConfig {
  const fields = table.table(name, 'One provider; a key in the environment is enough for those that Coppice knows.');
  const kinds = providerDefinitions.map((definition) => definition.name);
  const said = fields.word('kind', 'How it is called; by default the name of the section.', kinds);
  const kind = said ?? name;
  const definition = providerDefinitions.find((each) => each.name === kind);
  if (definition === undefined)
    return table.refuse(
      name,
      `is not a known provider; add kind = "openai-compatible", or another of ${kinds.join(', ')}`,
    );
  const baseUrl = fields.text('base_url', 'The address, if it is not the usual one.')?.replace(/\/+$/, '');
  if (baseUrl !== undefined && !isWebAddress(baseUrl))
    fields.refuse('base_url', 'must be an http or https URL without user name and password');
  const address = baseUrl ?? definition.baseUrl;
  if (address === null && definition.name === 'openai-compatible')
    table.refuse(name, 'needs base_url, such as "http://127.0.0.1:8000/v1"');
  const held = readApiKey(fields, env, address ?? 'http://127.0.0.1');
  const headers = readHeaders(fields);
  const section: ProviderConfig = {
    name,
    kind,
    label: fields.text('label', 'The name that is shown.'),
    headers,
    secrets: findSecretSettings(Object.entries(headers)),
    defaultModel: fields.text(
      'default_model',
      'The model that answers if `model` is unset and this provider is the first that is ready.',
    ),
    models: fields.texts('models', 'Models to offer in addition to those of the catalogue.') ?? [],
    enabled: fields.flag('enabled', 'Whether it is used.', true),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...held,
  };
  fields.finish();
  return section;
}
