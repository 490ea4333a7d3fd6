/** The parsed and validated configuration. Secrets are held in objects that do not print them. */
import type { ModelOverride } from '../catalogue/index.ts';
import type { HttpLimits } from '../http/contract.ts';
import type { Secret, SecretText } from './secret.ts';

/**
 * Where a key was configured: in an environment variable, in the configuration file, or on the page or with `coppice
 * keys`.
 */
export type KeySource =
  | { readonly from: 'environment'; readonly variable: string }
  | { readonly from: 'file' }
  | { readonly from: 'page'; readonly addedAt: number };

/** A section `[providers.<name>]`, or a connection that a user added on the page or with `coppice keys`. */
export interface ProviderConfig {
  readonly name: string;
  /** The provider kind in the registry; by default the section's name. */
  readonly kind: string;
  readonly label?: string | undefined;
  readonly baseUrl?: string | undefined;
  /**
   * The key from the file, or from the environment variable that the file names. It is sent only to the host of
   * `baseUrl`.
   */
  readonly key?: Secret | undefined;
  /** Undefined if no key is configured. */
  readonly keySource?: KeySource | undefined;
  /** True if a user added the connection on the page or with `coppice keys`. */
  readonly fromPage?: boolean | undefined;
  /** True if a user of a shared server entered the URL: private and loopback addresses are not contacted. */
  readonly publicOnly?: boolean | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets among the headers, held here so that they stay masked. */
  readonly secrets?: readonly SecretText[] | undefined;
  readonly defaultModel?: string | undefined;
  /** Models to offer in addition to those of the catalogue. */
  readonly models: readonly string[];
  readonly enabled: boolean;
}

/** A section `[mcp.servers.<name>]`, or a server that a user added on the page. Models and tools cannot add one. */
export type McpServerConfig = {
  readonly name: string;
  /** True if the server was added on the page, where it can be removed. */
  readonly fromPage?: boolean | undefined;
  readonly enabled: boolean;
  readonly timeoutMs: number;
  /** Tools that run without approval; a changed description still disables them. */
  readonly autoApprove: readonly string[];
  /** The secrets among headers, arguments, the URL and passed variables, held here so that they stay masked. */
  readonly secrets?: readonly SecretText[] | undefined;
} & (
  | {
      readonly transport: 'stdio';
      /** The program and its arguments; never a shell line. */
      readonly command: readonly string[];
      readonly cwd?: string | undefined;
      /** Environment variables for the child process only. */
      readonly env: ReadonlyMap<string, SecretText>;
      /** Variables of this process's environment that the child process receives. */
      readonly passEnv: readonly string[];
    }
  | {
      readonly transport: 'http';
      readonly url: string;
      readonly key?: Secret | undefined;
      readonly headers: Readonly<Record<string, string>>;
      /** True if a user of a shared server entered the URL; see {@link ProviderConfig}. */
      readonly publicOnly?: boolean | undefined;
    }
);

/** A section `[tools]`: which calls need approval, and the limits of calls and results. */
export interface ToolsConfig {
  /**
   * Whether the user is asked about a call of a tool with side effects that neither list names, or it never or always
   * runs.
   */
  readonly approval: 'ask' | 'never' | 'always';
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** The most rounds of tool calls in one turn. */
  readonly rounds: number;
  /** The most tool calls in one turn. */
  readonly calls: number;
  readonly timeoutMs: number;
  /** The time limit of the whole turn, including all tools and model calls, in milliseconds. */
  readonly turnMs: number;
  readonly outputBytes: number;
}

/** A section `[history]`: when old changes are deleted. */
export interface HistoryConfig {
  /** How many milliseconds changes are kept; null means forever. */
  readonly keepMs: number | null;
}

/** A section `[budgets]`: limits in US dollars, and in tokens of input and output together. Null means no limit. */
export interface BudgetsConfig {
  readonly turnUsd: number | null;
  readonly dayUsd: number | null;
  readonly turnTokens: number | null;
  /** The daily limits of single users in US dollars, by user id; an admin sets them on the page. */
  readonly personDayUsd?: ReadonlyMap<string, number>;
}

/** A section `[generate]`: defaults for requests to models. */
export interface GenerateConfig {
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly thinking?: 'low' | 'medium' | 'high' | undefined;
  readonly fallbackModel?: string | undefined;
}

/** A section `[compaction]`: whether chats are compacted automatically, and which tools handle files. */
export interface CompactionConfig {
  readonly automatic: boolean;
  /** Names of tools that read and change files, in addition to the common ones. */
  readonly readTools: readonly string[];
  readonly changeTools: readonly string[];
}

/** A section `[summaries]`: which model writes summaries. */
export interface SummariesConfig {
  /** The model for titles and summaries, as `provider/model`; `cheap_model` is a short form of this setting. */
  readonly model?: string | undefined;
}

/** A section `[proxy]`: the APIs that recorded calls are forwarded to, and how calls become trees. */
export interface ProxyConfig {
  /**
   * The base URL of an OpenAI-compatible API, for example `https://api.openai.com/v1`; if unset, the configured
   * models answer.
   */
  readonly openai?: string | undefined;
  /** The base URL of an Anthropic-compatible API, for example `https://api.anthropic.com`. */
  readonly anthropic?: string | undefined;
  /** The base URL of Google's Gemini API, for example `https://generativelanguage.googleapis.com`. */
  readonly google?: string | undefined;
  /** False forwards calls without recording them. */
  readonly recording: boolean;
  /**
   * How calls become trees: one tree per session of a program, or one per system prompt. If unset, projects that
   * already have trees per prompt continue with them, and all others are grouped by session.
   */
  readonly grouping?: 'session' | 'prompt' | undefined;
  /** The grouping of single projects, `[proxy.projects]`. */
  readonly projects?: ReadonlyMap<string, 'session' | 'prompt'> | undefined;
}

/** A section `[server]`: limits of the server, and who may call it. */
export interface ServerConfig {
  /** The largest upload for an import, in bytes; unset means the server's default. */
  readonly importBytes?: number | undefined;
  /** Other origins whose pages may call with a token, for example `https://notes.example.org`. */
  readonly origins?: readonly string[] | undefined;
}

/** A finding that does not stop the program but that the operator should know. */
export interface ConfigWarning {
  /** File and line, for example `/home/me/.coppice/config.toml:12`; only the file if there is no line. */
  readonly where: string;
  readonly message: string;
}

/**
 * A finding about the configuration file. An error stops the program; a warning means that one setting has no effect.
 */
export interface ConfigProblem extends ConfigWarning {
  readonly severity: 'error' | 'warning';
}

/** The whole configuration. Printing or serialising it shows no secret. */
export interface Config {
  /** The file that was read; null if the configuration comes only from the environment. */
  readonly file: string | null;
  /** The default model, as `provider/model`. */
  readonly model?: string | undefined;
  /** The model for titles and summaries. */
  readonly cheapModel?: string | undefined;
  /** The store's URL. */
  readonly store?: string | undefined;
  /** Every provider with a section or a key in the environment, by name; those of the file come first. */
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  /** Settings of single models, by `provider/model`. */
  readonly models: ReadonlyMap<string, ModelOverride>;
  /** A catalogue file that extends the built-in catalogue. */
  readonly catalogueFile?: string | undefined;
  readonly generate: GenerateConfig;
  readonly compaction: CompactionConfig;
  readonly summaries: SummariesConfig;
  readonly tools: ToolsConfig;
  readonly history: HistoryConfig;
  readonly budgets: BudgetsConfig;
  readonly mcpServers: ReadonlyMap<string, McpServerConfig>;
  /** Whether agents that use Coppice as an MCP server over HTTP may write. */
  readonly mcpWrites: boolean;
  /** Whether admins of a shared server may add servers that are started by a command. */
  readonly mcpPageCommands: boolean;
  readonly proxy: ProxyConfig;
  readonly server: ServerConfig;
  readonly limits: Partial<HttpLimits>;
  readonly offline: { readonly delayMs: number };
  /** Whether to look for Ollama on this computer at startup. */
  readonly detectOllama: boolean;
  readonly warnings: readonly ConfigWarning[];
}
