/** Parses the sections of the configuration that do not depend on each other. */
import type { ModelOverride } from '../catalogue/index.ts';
import { defaultHttpLimits, type HttpLimits } from '../http/contract.ts';
import type {
  BudgetsConfig,
  CompactionConfig,
  Config,
  GenerateConfig,
  HistoryConfig,
  KeySource,
  McpServerConfig,
  ProxyConfig,
  ServerConfig,
  SummariesConfig,
  ToolsConfig,
} from './contract.ts';
import { findSecretArguments, findSecretSettings, Secret, wrapServerVariable } from './secret.ts';
import type { TomlTable } from './toml.ts';

type SectionEnvironment = Readonly<Record<string, string | undefined>>;

/** Removes undefined fields, so that spreading the result does not overwrite defaults. */
function omitMissing<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (isDefined(value)) kept[key] = value;
  }
  return kept;
}

function isDefined<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}

const toolTimeout = { min: 0.1, max: 3600 };

/** Reads `[tools]`; missing limits get their defaults. */
export function readToolsSection(table: TomlTable): ToolsConfig {
  const tools: ToolsConfig = {
    approval: table.word(
      'approval',
      'What happens when a tool with side effects is called that neither list names: you are asked, it never runs, or it always runs.',
      ['ask', 'never', 'always'],
      'ask',
    ),
    allow: table.texts('allow', 'Tools that run without approval.') ?? [],
    deny: table.texts('deny', 'Tools that never run.') ?? [],
    rounds: table.whole('rounds', 'Rounds of tool calls in one turn.', { min: 1, max: 1000 }, 25),
    calls: table.whole('calls', 'Tool calls in one turn.', { min: 1, max: 10_000 }, 50),
    timeoutMs: table.number('timeout_seconds', 'Time limit of one tool call.', toolTimeout, 60) * 1000,
    turnMs:
      table.number(
        'turn_minutes',
        'Time limit of a whole turn, tools and models together.',
        { min: 0.1, max: 24 * 60 },
        15,
      ) * 60_000,
    outputBytes: table.whole(
      'output_bytes',
      'Largest result of a tool; the rest is cut off.',
      { min: 256, max: 64 * 1024 * 1024 },
      256 * 1024,
    ),
  };
  table.finish();
  return tools;
}

/** Reads `[budgets]`; a missing entry means no limit. */
export function readBudgetsSection(table: TomlTable): BudgetsConfig {
  const budgets: BudgetsConfig = {
    turnUsd: table.number('turn_usd', 'US dollars that one turn may cost.', { min: 0 }) ?? null,
    dayUsd: table.number('day_usd', 'US dollars that all turns of a day may cost.', { min: 0 }) ?? null,
    turnTokens: table.whole('turn_tokens', 'Tokens of one turn, input and output together.', { min: 1 }) ?? null,
  };
  table.finish();
  return budgets;
}

/** Reads `[history]`; without `keep_days` all changes are kept. */
export function readHistorySection(table: TomlTable): HistoryConfig {
  const days = table.number(
    'keep_days',
    'Days for which `coppice serve` keeps changes, for undo and for earlier states. Older changes are deleted; chats stay as they are. If unset, all changes are kept.',
    { min: 1 },
  );
  table.finish();
  return { keepMs: days === undefined ? null : days * 86_400_000 };
}

/** Reads `[generate]`, the defaults for requests to models. */
export function readGenerateSection(table: TomlTable): GenerateConfig {
  const generate: GenerateConfig = {
    temperature: table.number('temperature', 'Sampling temperature.', { min: 0, max: 2 }),
    maxTokens: table.whole('max_tokens', 'Longest reply, in tokens.', { min: 1 }),
    thinking: table.word('thinking', 'How much the model thinks before it answers.', ['low', 'medium', 'high']),
    fallbackModel: table.text('fallback_model', 'Model that answers if the chosen one cannot, as `provider/model`.'),
  };
  table.finish();
  return omitMissing(generate);
}

/** Reads `[compaction]`; compaction is automatic unless the section disables it. */
export function readCompactionSection(table: TomlTable): CompactionConfig {
  const compaction: CompactionConfig = {
    automatic: table.flag('automatic', 'Whether a branch that outgrows the context window is summarized.', true),
    readTools: table.texts('read_tools', 'Further tools that read files.') ?? [],
    changeTools: table.texts('change_tools', 'Further tools that change files.') ?? [],
  };
  table.finish();
  return compaction;
}

/** Reads `[summaries]`, the model for titles and summaries. */
export function readSummariesSection(table: TomlTable): SummariesConfig {
  const summaries: SummariesConfig = {
    model: table.text('model', 'Model that writes titles and summaries, as `provider/model`.'),
  };
  table.finish();
  return omitMissing(summaries);
}

/** Reads `[proxy]`, the upstream APIs and the grouping of recorded calls. */
export function readProxySection(table: TomlTable): ProxyConfig {
  const address = (name: string, about: string): string | undefined => {
    const said = table.text(name, about)?.replace(/\/+$/, '');
    if (said !== undefined && !isWebAddress(said))
      table.refuse(name, 'must be an http or https URL without user name and password');
    return said;
  };
  const proxy: ProxyConfig = {
    openai: address('openai', 'Base URL of an OpenAI-compatible API. If unset, the configured models answer.'),
    anthropic: address('anthropic', 'Base URL of an Anthropic-compatible API. If unset, the configured models answer.'),
    google: address('google', 'Base URL of a Gemini API. If unset, the configured models answer.'),
    recording: table.flag('recording', 'Whether forwarded calls are recorded.', true),
    grouping: table.word(
      'grouping',
      'One tree for each session of a program, or one for each system prompt. If unset, projects that have trees by prompt keep them so; all others are grouped by session.',
      groupings,
    ),
    projects: readGroupings(table.table('projects', 'The grouping of single projects.')),
  };
  table.finish();
  return proxy;
}

const groupings = ['session', 'prompt'] as const;

/** Reads `[proxy.projects]`, the grouping of single projects by name. */
function readGroupings(table: TomlTable): ReadonlyMap<string, 'session' | 'prompt'> {
  const found = new Map<string, 'session' | 'prompt'>();
  for (const name of table.chosenNames('<project>')) {
    const grouping = table.word(name, 'The grouping of this project.', groupings);
    if (grouping !== undefined) found.set(name, grouping);
  }
  table.finish();
  return found;
}

/** Returns whether a text is an origin as browsers send it: scheme, host and port, without a path or a wildcard. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:\/\/[^*]+$/.test(text);
}

/** Reads `[server]`, the upload limit and the allowed origins. */
export function readServerSection(table: TomlTable): ServerConfig {
  const origins = table.texts(
    'origins',
    'Exact origins of other pages that may call with a token, such as `https://notes.example.org`.',
  );
  for (const origin of origins ?? [])
    if (!isOrigin(origin))
      table.refuse(
        'origins',
        `must list origins such as "https://notes.example.org"; ${JSON.stringify(origin)} is none`,
      );
  const server: ServerConfig = {
    importBytes: table.whole('import_bytes', 'Largest upload that is imported; replaces `importBytes` below.', {
      min: 1024,
    }),
    origins,
  };
  table.finish();
  return omitMissing(server);
}

/** Reads `[limits]`. The file has seconds, the result milliseconds. */
export function readLimitsSection(table: TomlTable): Partial<HttpLimits> {
  const seconds = { min: 0.001, max: 24 * 3600 };
  const ms = (key: string, about: string, otherwiseMs: number) =>
    Math.round(table.number(key, about, seconds, otherwiseMs / 1000) * 1000);
  const { firstByteMs, idleMs, turnMs, longestWaitMs, bodyBytes, eventBytes, retries } = defaultHttpLimits;
  const limits: Partial<HttpLimits> = {
    firstByteMs: ms('first_byte_seconds', 'Until a provider begins to answer.', firstByteMs),
    idleMs: ms('idle_seconds', 'Between two pieces of a reply.', idleMs),
    turnMs: ms('turn_seconds', 'One call with all its attempts.', turnMs),
    longestWaitMs: ms('longest_wait_seconds', 'Longest wait that a provider may ask for.', longestWaitMs),
    bodyBytes: table.whole('body_bytes', 'Largest response, decompressed.', { min: 1024 }, bodyBytes),
    eventBytes: table.whole('event_bytes', 'Largest event of a stream.', { min: 1024 }, eventBytes),
    retries: table.whole('retries', 'Further attempts after the first.', { min: 0, max: 5 }, retries),
  };
  table.finish();
  return limits;
}

/** Reads `[models."provider/model"]`, the settings of single models. */
export function readModelsSection(table: TomlTable): ReadonlyMap<string, ModelOverride> {
  const models = new Map<string, ModelOverride>();
  for (const id of table.chosenNames('<provider/model>')) {
    if (!/^[^/]+\/.+$/.test(id)) table.refuse(id, 'must be named provider/model, in quotes');
    const fields = table.table(id, 'Facts about one model that replace those of the catalogue.');
    const price = fields.table('price', 'US dollars for a million tokens.');
    const prices = omitMissing({
      input: price.number('input', 'Input.', { min: 0 }),
      output: price.number('output', 'Output.', { min: 0 }),
      cacheRead: price.number('cache_read', 'Input that the provider had cached.', { min: 0 }),
      cacheWrite: price.number('cache_write', 'Input that the provider caches.', { min: 0 }),
    });
    price.finish();
    models.set(
      id,
      omitMissing({
        name: fields.text('name', 'The name that is shown.'),
        window: fields.whole('window', 'Context window, in tokens.', { min: 1 }),
        maxOut: fields.whole('max_output', 'Longest reply, in tokens.', { min: 1 }),
        price: Object.keys(prices).length === 0 ? undefined : prices,
        tools: fields.flag('tools', 'Whether it can call tools.'),
        thinking: fields.flag('thinking', 'Whether it can think before it answers.'),
        images: fields.flag('images', 'Whether it can read images.'),
      }),
    );
    fields.finish();
  }
  return models;
}

/** Reads `[mcp]`: whether agents may write over HTTP, and the MCP servers to connect to. */
export function readMcpSection(
  table: TomlTable,
  env: SectionEnvironment,
): Pick<Config, 'mcpWrites' | 'mcpPageCommands' | 'mcpServers'> {
  const mcpWrites = table.flag(
    'writes',
    'Whether agents that use Coppice as an MCP server over HTTP may write.',
    false,
  );
  const mcpPageCommands = table.flag(
    'page_commands',
    'Whether admins of a shared server may add servers that are started by a command.',
    false,
  );
  const mcpServers = readMcpServers(table.table('servers', 'The MCP servers to connect to.'), env);
  table.finish();
  return { mcpWrites, mcpPageCommands, mcpServers };
}

/** Reads `[mcp.servers.<name>]`. A server has either a command as a list or an http(s) URL. */
function readMcpServers(list: TomlTable, env: SectionEnvironment): ReadonlyMap<string, McpServerConfig> {
  const servers = new Map<string, McpServerConfig>();
  for (const name of list.chosenNames('<name>')) {
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(name)) list.refuse(name, 'must be a name of up to 32 letters, digits, - and _');
    // Tools are named server__tool: the part before the first __ must identify one server.
    if (/__|_$/.test(name)) list.refuse(name, 'must not contain __ or end with _');
    const fields = list.table(name, 'One MCP server, with either `command` or `url`.');
    const server = readMcpServer(name, fields, env);
    if (server === null) return list.refuse(name, 'needs either command, a list of texts, or url');
    fields.finish();
    servers.set(name, server);
  }
  return servers;
}

function readMcpServer(name: string, fields: TomlTable, env: SectionEnvironment): McpServerConfig | null {
  const [command, url] = [
    fields.texts('command', 'The program and its arguments; no shell is used.'),
    fields.text('url', 'The address of a server that runs elsewhere.'),
  ];
  const common = {
    name,
    enabled: fields.flag('enabled', 'Whether it is used.', true),
    timeoutMs: fields.number('timeout_seconds', 'Time limit of one call.', toolTimeout, 60) * 1000,
    autoApprove: fields.texts('auto_approve', 'Tools that run without approval.') ?? [],
  };
  if ((command === undefined) === (url === undefined)) return null;
  if (command !== undefined) {
    if (command.length === 0 || command[0] === '') fields.refuse('command', 'must begin with a program');
    const cwd = fields.text('cwd', 'Working directory of the command, an absolute path.');
    if (cwd !== undefined && !/^(?:\/|[A-Za-z]:[\\/])/.test(cwd)) fields.refuse('cwd', 'must be an absolute path');
    const values = Object.entries(fields.named('env', 'Variables that the command gets.')).map(
      ([key, value]) => [key, wrapServerVariable(key, value)] as const,
    );
    const passEnv = fields.texts('pass_env', 'Variables of your environment that the command may see.') ?? [];
    const secrets = findSecretSettings([...findSecretArguments(command), ...variablesOf(passEnv, env)]);
    return { ...common, transport: 'stdio', command, cwd, env: new Map(values), passEnv, secrets };
  }
  if (url === undefined) return null;
  if (!isWebAddress(url)) fields.refuse('url', 'must be an http or https URL without user name and password');
  const { key } = readApiKey(fields, env, url);
  const headers = readHeaders(fields);
  const secrets = findSecretSettings([...Object.entries(headers), ...new URL(url).searchParams]);
  return { ...common, transport: 'http', url, headers, secrets, ...(key === undefined ? {} : { key }) };
}

function variablesOf(names: readonly string[], env: SectionEnvironment): readonly (readonly [string, string])[] {
  return names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** Returns whether a text is an http(s) URL without user name or password. */
export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Reads `headers`. Refuses credentials, because `api_key` is the setting that is never printed. */
export function readHeaders(fields: TomlTable): Readonly<Record<string, string>> {
  const headers = fields.named('headers', 'Headers of every request; keys are not allowed here.');
  for (const [name, value] of Object.entries(headers)) {
    if (/^(?:authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|cookie)$/i.test(name))
      fields.refuse('headers', `must not contain ${name}; use api_key or api_key_env`);
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || /[\r\n\0]/.test(value))
      fields.refuse('headers', `has ${JSON.stringify(name)}, which is not a valid header name`);
  }
  return headers;
}

/** Reads `api_key`, or the variable that `api_key_env` names. The key is bound to the origin of `address`. */
export function readApiKey(
  fields: TomlTable,
  env: SectionEnvironment,
  address: string,
): { readonly key?: Secret; readonly keySource?: KeySource } {
  const written = fields.hidden('api_key', 'The key. Coppice never shows it.');
  const variable = fields.text('api_key_env', 'The environment variable that holds the key.');
  if (written !== undefined && variable !== undefined)
    fields.refuse('api_key_env', 'cannot be combined with api_key; use one of them');
  if (written !== undefined) return { key: new Secret(written.reveal(), address), keySource: { from: 'file' } };
  if (variable === undefined) return {};
  const value = env[variable]?.trim();
  if (value !== undefined && value !== '')
    return { key: new Secret(value, address), keySource: { from: 'environment', variable } };
  fields.warn('api_key_env', 'names a variable that is not set');
  return {};
}
