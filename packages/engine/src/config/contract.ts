/** What the configuration says, after reading: typed, checked, with every secret in a holder that does not show it. */
import type { ModelOverride } from '../catalogue/index.ts';
import type { HttpLimits } from '../http/contract.ts';
import type { Hidden, Secret } from './secret.ts';

/** A section `[providers.<name>]`. */
export interface ProviderConfig {
  readonly name: string;
  /** The member of the registry that it is; its own name unless `kind` says otherwise. */
  readonly kind: string;
  readonly label?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** From the file, or from the variable that the file names. Bound to the host of `baseUrl`. */
  readonly key?: Secret | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly defaultModel?: string | undefined;
  /** Models to offer beside those of the catalogue. */
  readonly models: readonly string[];
  readonly enabled: boolean;
}

/** A section `[mcp.servers.<name>]`; only the operator's file has such sections, nothing else can add one. */
export type McpServerConfig = {
  readonly name: string;
  readonly enabled: boolean;
  readonly timeoutMs: number;
  /** Tools that run without being asked for; a changed description still disables them. */
  readonly autoApprove: readonly string[];
} & (
  | {
      readonly transport: 'stdio';
      /** The program and its arguments; never a shell line. */
      readonly command: readonly string[];
      readonly cwd?: string | undefined;
      /** Given to the child and to nobody else. */
      readonly env: ReadonlyMap<string, Hidden>;
      /** Variables of our own environment that the child may see besides. */
      readonly passEnv: readonly string[];
    }
  | {
      readonly transport: 'http';
      readonly url: string;
      readonly key?: Secret | undefined;
      readonly headers: Readonly<Record<string, string>>;
    }
);

/** A section `[tools]`. */
export interface ToolsConfig {
  /** What happens when a tool with side effects is to run and neither list names it. */
  readonly approval: 'ask' | 'never' | 'always';
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Rounds of calls in one turn. */
  readonly rounds: number;
  /** Calls in one turn. */
  readonly calls: number;
  readonly timeoutMs: number;
  /** The whole turn, tools and models together. */
  readonly turnMs: number;
  readonly outputBytes: number;
}

/** A section `[budgets]`; null means no limit. US dollars, and tokens of input and output together. */
export interface BudgetsConfig {
  readonly turnUsd: number | null;
  readonly dayUsd: number | null;
  readonly turnTokens: number | null;
}

/** A section `[generate]`: what a request has unless it says otherwise. */
export interface GenerateConfig {
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly thinking?: 'low' | 'medium' | 'high' | undefined;
  readonly fallbackModel?: string | undefined;
}

/** A section `[compaction]`. */
export interface CompactionConfig {
  readonly automatic: boolean;
  /** Names of tools that read and change files, beside the common ones. */
  readonly readTools: readonly string[];
  readonly changeTools: readonly string[];
}

/** A section `[summaries]`. */
export interface SummariesConfig {
  /** Who writes titles and summaries, as `provider/model`; `cheap_model` says the same in short. */
  readonly model?: string | undefined;
}

/** A section `[proxy]`: where calls of other programs are passed on to. */
export interface ProxyConfig {
  /** The base address of OpenAI's wire, such as `https://api.openai.com/v1`; none, and our own models answer. */
  readonly openai?: string | undefined;
  /** The base address of Anthropic's wire, such as `https://api.anthropic.com`. */
  readonly anthropic?: string | undefined;
  /** False passes calls on and keeps nothing. */
  readonly recording: boolean;
}

/** A section `[server]`: bounds of a server that operators differ in. */
export interface ServerConfig {
  /** Bytes of an upload that is imported; the server's own bound if not said. */
  readonly importBytes?: number | undefined;
}

/** Something that was read and does not stop anything, but that a person wants to know. */
export interface ConfigWarning {
  /** The file and line, such as `/home/me/.coppice/config.toml:12`; the file alone where there is no line. */
  readonly where: string;
  readonly message: string;
}

/** The whole configuration. Printing or serialising it shows no secret. */
export interface Config {
  /** The file that was read; null when there is none. */
  readonly file: string | null;
  /** The model that the operator chose, as `provider/model`. */
  readonly model?: string | undefined;
  /** For titles and summaries. */
  readonly cheapModel?: string | undefined;
  /** Where trees are kept, as a store's URL. */
  readonly store?: string | undefined;
  /** Every provider with a section or a key in the environment, by name, those of the file first. */
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  /** What is said of single models, by `provider/model`. */
  readonly models: ReadonlyMap<string, ModelOverride>;
  /** A file of models to lay over the built-in catalogue. */
  readonly catalogueFile?: string | undefined;
  readonly generate: GenerateConfig;
  readonly compaction: CompactionConfig;
  readonly summaries: SummariesConfig;
  readonly tools: ToolsConfig;
  readonly budgets: BudgetsConfig;
  readonly mcpServers: ReadonlyMap<string, McpServerConfig>;
  /** Whether agents that use this Coppice as an MCP server over HTTP may write. */
  readonly mcpWrites: boolean;
  readonly proxy: ProxyConfig;
  readonly server: ServerConfig;
  readonly limits: Partial<HttpLimits>;
  readonly offline: { readonly delayMs: number };
  /** Whether a local Ollama is looked for. */
  readonly detectOllama: boolean;
  readonly warnings: readonly ConfigWarning[];
}
