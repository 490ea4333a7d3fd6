/** The sections of the configuration that stand on their own, each from its table. */
import type { ModelOverride } from '../catalogue/index.ts';
import type { HttpLimits } from '../http/contract.ts';
import type {
  BudgetsConfig,
  CompactionConfig,
  Config,
  GenerateConfig,
  McpServerConfig,
  ProxyConfig,
  ServerConfig,
  SummariesConfig,
  ToolsConfig,
} from './contract.ts';
import { Hidden, Secret } from './secret.ts';
import type { TomlTable } from './toml.ts';

type SectionEnvironment = Readonly<Record<string, string | undefined>>;

/** Drops fields that are not there, so that defaults are not overwritten by nothing. */
function omitMissing<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (isThere(value)) kept[key] = value;
  }
  return kept;
}

function isThere<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}

/** `[tools]`, with the bounds that hold unless said otherwise. */
export function readTools(table: TomlTable): ToolsConfig {
  const seconds = table.number('timeout_seconds', 0.1, 3600);
  const turn = table.number('turn_minutes', 0.1, 24 * 60);
  const tools: ToolsConfig = {
    approval: table.word('approval', ['ask', 'never', 'always']) ?? 'ask',
    allow: table.texts('allow') ?? [],
    deny: table.texts('deny') ?? [],
    rounds: table.whole('rounds', 1, 1000) ?? 25,
    calls: table.whole('calls', 1, 10_000) ?? 50,
    timeoutMs: (seconds ?? 60) * 1000,
    turnMs: (turn ?? 15) * 60_000,
    outputBytes: table.whole('output_bytes', 256, 64 * 1024 * 1024) ?? 256 * 1024,
  };
  table.finish();
  return tools;
}

/** `[budgets]`; what is not said has no limit. */
export function readBudgets(table: TomlTable): BudgetsConfig {
  const budgets: BudgetsConfig = {
    turnUsd: table.number('turn_usd', 0) ?? null,
    dayUsd: table.number('day_usd', 0) ?? null,
    turnTokens: table.whole('turn_tokens', 1) ?? null,
  };
  table.finish();
  return budgets;
}

/** `[generate]`. */
export function readGenerate(table: TomlTable): GenerateConfig {
  const generate: GenerateConfig = {
    temperature: table.number('temperature', 0, 2),
    maxTokens: table.whole('max_tokens', 1),
    thinking: table.word('thinking', ['low', 'medium', 'high']),
    fallbackModel: table.text('fallback_model'),
  };
  table.finish();
  return omitMissing(generate);
}

/** `[compaction]`. */
export function readCompaction(table: TomlTable): CompactionConfig {
  const compaction: CompactionConfig = {
    automatic: table.flag('automatic') ?? true,
    readTools: table.texts('read_tools') ?? [],
    changeTools: table.texts('change_tools') ?? [],
  };
  table.finish();
  return compaction;
}

/** `[summaries]`. */
export function readSummaries(table: TomlTable): SummariesConfig {
  const summaries: SummariesConfig = { model: table.text('model') };
  table.finish();
  return omitMissing(summaries);
}

/** `[proxy]`. */
export function readProxy(table: TomlTable): ProxyConfig {
  const address = (name: string): string | undefined => {
    const said = table.text(name)?.replace(/\/+$/, '');
    if (said !== undefined && !isWebAddress(said))
      table.refuse(name, 'must be an http or https address without a name and password');
    return said;
  };
  const proxy: ProxyConfig = {
    openai: address('openai'),
    anthropic: address('anthropic'),
    recording: table.flag('recording') ?? true,
  };
  table.finish();
  return proxy;
}

/** `[server]`. */
export function readServer(table: TomlTable): ServerConfig {
  const server: ServerConfig = { importBytes: table.whole('import_bytes', 1024) };
  table.finish();
  return omitMissing(server);
}

/** `[limits]`: times in seconds, sizes in bytes. */
export function readLimits(table: TomlTable): Partial<HttpLimits> {
  const ms = (key: string) => {
    const seconds = table.number(key, 0.001, 24 * 3600);
    return seconds === undefined ? undefined : Math.round(seconds * 1000);
  };
  const limits = omitMissing({
    firstByteMs: ms('first_byte_seconds'),
    idleMs: ms('idle_seconds'),
    turnMs: ms('turn_seconds'),
    longestWaitMs: ms('longest_wait_seconds'),
    bodyBytes: table.whole('body_bytes', 1024),
    eventBytes: table.whole('event_bytes', 1024),
    retries: table.whole('retries', 0, 5),
  });
  table.finish();
  return limits;
}

/** `[models."provider/model"]`. */
export function readModels(table: TomlTable): ReadonlyMap<string, ModelOverride> {
  const models = new Map<string, ModelOverride>();
  for (const id of table.names) {
    if (!/^[^/]+\/.+$/.test(id)) table.refuse(id, 'must be named provider/model, in quotes');
    const fields = table.table(id);
    const price = fields.table('price');
    const prices = omitMissing({
      input: price.number('input', 0),
      output: price.number('output', 0),
      cacheRead: price.number('cache_read', 0),
      cacheWrite: price.number('cache_write', 0),
    });
    price.finish();
    models.set(
      id,
      omitMissing({
        name: fields.text('name'),
        window: fields.whole('window', 1),
        maxOut: fields.whole('max_output', 1),
        price: Object.keys(prices).length === 0 ? undefined : prices,
        tools: fields.flag('tools'),
        thinking: fields.flag('thinking'),
        images: fields.flag('images'),
      }),
    );
    fields.finish();
  }
  return models;
}

/** `[mcp]`: whether agents that come over HTTP may write, and the servers whose tools are called. */
export function readMcp(table: TomlTable, env: SectionEnvironment): Pick<Config, 'mcpWrites' | 'mcpServers'> {
  const mcpWrites = table.flag('writes') ?? false;
  const mcpServers = readMcpServers(table.table('servers'), env);
  table.finish();
  return { mcpWrites, mcpServers };
}

/** `[mcp.servers.<name>]`: a command as a list, or an http(s) address. */
function readMcpServers(list: TomlTable, env: SectionEnvironment): ReadonlyMap<string, McpServerConfig> {
  const servers = new Map<string, McpServerConfig>();
  for (const name of list.names) {
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(name)) list.refuse(name, 'must be a name of up to 32 letters, digits, - and _');
    // Tools are named server__tool: what stands before the first __ must be one server's name and no other's.
    if (/__|_$/.test(name)) list.refuse(name, 'must not have __ in its name, nor _ at its end');
    const fields = list.table(name);
    const server = readMcpServer(name, fields, env);
    if (server === null) return list.refuse(name, 'needs either command, a list of texts, or url');
    fields.finish();
    servers.set(name, server);
  }
  return servers;
}

function readMcpServer(name: string, fields: TomlTable, env: SectionEnvironment): McpServerConfig | null {
  const [command, url] = [fields.texts('command'), fields.text('url')];
  const common = {
    name,
    enabled: fields.flag('enabled') ?? true,
    timeoutMs: (fields.number('timeout_seconds', 0.1, 3600) ?? 60) * 1000,
    autoApprove: fields.texts('auto_approve') ?? [],
  };
  if ((command === undefined) === (url === undefined)) return null;
  if (command !== undefined) {
    if (command.length === 0 || command[0] === '') fields.refuse('command', 'must begin with a program');
    const cwd = fields.text('cwd');
    if (cwd !== undefined && !/^(?:\/|[A-Za-z]:[\\/])/.test(cwd)) fields.refuse('cwd', 'must be an absolute path');
    const values = Object.entries(fields.named('env')).map(([key, value]) => [key, new Hidden(value)] as const);
    const passEnv = fields.texts('pass_env') ?? [];
    return { ...common, transport: 'stdio', command, cwd, env: new Map(values), passEnv };
  }
  if (url === undefined) return null;
  if (!isWebAddress(url)) fields.refuse('url', 'must be an http or https address without a name and password');
  const key = readKey(fields, env, url);
  return { ...common, transport: 'http', url, headers: readHeaders(fields), ...(key === undefined ? {} : { key }) };
}

/** Whether a text is an http(s) address without a name or password in it. */
export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** `headers`, which may say anything but who one is: keys have a place of their own, where they are not shown. */
export function readHeaders(fields: TomlTable): Readonly<Record<string, string>> {
  const headers = fields.named('headers');
  for (const [name, value] of Object.entries(headers)) {
    if (/^(?:authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|cookie)$/i.test(name))
      fields.refuse('headers', `must not hold ${name}; use api_key or api_key_env`);
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || /[\r\n\0]/.test(value))
      fields.refuse('headers', `has ${JSON.stringify(name)}, which is no header`);
  }
  return headers;
}

/** `api_key`, or the variable that `api_key_env` names, bound to the host of an address. */
export function readKey(fields: TomlTable, env: SectionEnvironment, address: string): Secret | undefined {
  const [written, variable] = [fields.hidden('api_key'), fields.text('api_key_env')];
  if (written !== undefined && variable !== undefined)
    fields.refuse('api_key_env', 'stands beside api_key; one of them is needed');
  if (written !== undefined) return new Secret(written.reveal(), address);
  if (variable === undefined) return undefined;
  const value = env[variable]?.trim();
  if (value !== undefined && value !== '') return new Secret(value, address);
  fields.warn('api_key_env', 'names a variable that is not set');
  return undefined;
}
