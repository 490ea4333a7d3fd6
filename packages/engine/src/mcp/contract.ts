/** The types of MCP servers, their tools and their state. */
import type { ErrorKind, JsonObject } from '@coppice/core';
import { AppError } from '@coppice/core';
import type { Config, McpServerConfig } from '../config/contract.ts';
import type { EnvironmentVariables } from '../config/load.ts';
import type { Clock } from '../providers/contract.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { PinStore } from './pins.ts';

/**
 * The state of a server. `starting`: first attempt; `ready`: connected; `restarting`: lost, will be retried soon;
 * `down`: lost too often, will be retried after a long pause; `disabled`: turned off in the configuration.
 */
export type McpServerStatus = 'starting' | 'ready' | 'restarting' | 'down' | 'disabled' | 'closed';

/** Which part of a tool differs from what was approved. */
export type McpToolChange = 'command' | 'description' | 'parameters' | 'annotations';

/** The current definition of a tool that differs from the approved one. */
export interface McpToolOffer {
  readonly changed: readonly McpToolChange[];
  readonly description: string;
  readonly parameters: JsonObject;
  /** Identifies this definition; an approval repeats it. */
  readonly hash: string;
}

/**
 * One tool. `ready`: can be called; `unavailable`: its server is not connected; `changed`: differs from the approved
 * definition and does not run until it is approved again; `refused`: cannot be used, see `problem`.
 */
export interface McpToolState {
  /** The name that models use; null if none could be assigned. */
  readonly name: string | null;
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly status: 'ready' | 'unavailable' | 'changed' | 'refused';
  /** The approved description, with invisible characters escaped. */
  readonly description: string;
  /** Whether each call needs an approval. */
  readonly asks: boolean;
  /** Milliseconds since 1970; when this definition was first seen or approved. */
  readonly pinnedAt: number | null;
  readonly offer?: McpToolOffer;
  readonly problem?: string;
}

export interface McpServerState {
  readonly name: string;
  readonly status: McpServerStatus;
  /** Milliseconds since 1970; when the status last changed. */
  readonly since: number;
  /** The exact command or the URL, with keys removed. */
  readonly target: readonly string[];
  /** The name and version that the server reports. */
  readonly server: { readonly name: string; readonly version: string } | null;
  /** The last error, without secrets; kept until the server is ready again. */
  readonly lastError: string | null;
  /** When the server is retried automatically. */
  readonly nextTryAt: number | null;
  /** Problems that do not stop the server. */
  readonly problems: readonly string[];
  readonly tools: readonly McpToolState[];
}

/** The limits of all servers. Times in milliseconds, sizes in bytes. */
export interface McpLimits {
  /** The size of one message from a server. */
  readonly messageBytes: number;
  /** The number of pages of a tool list. */
  readonly pages: number;
  /** The number of tools of one server. */
  readonly tools: number;
  /** The size of all pages of a tool list. */
  readonly listBytes: number;
  /** The length of the description of one tool, in characters. */
  readonly description: number;
  /** The first delay before a restart; it doubles with each restart. */
  readonly firstWaitMs: number;
  /** The longest delay before a restart. */
  readonly longestWaitMs: number;
  /** A server that was ready for so long starts again with the first delay. */
  readonly stableMs: number;
  /** The number of restarts within `stableMs`; after that the server is down. */
  readonly restarts: number;
  /** The delay before a server that is down is retried. */
  readonly downMs: number;
  /** How often an idle server is pinged. */
  readonly pingEveryMs: number;
  /** The time limit of a ping. */
  readonly pingMs: number;
  /** The time limit for each step of ending a child: closing its input, SIGTERM, SIGKILL. */
  readonly graceMs: number;
  /** The delay before a changed list is read again: a list that changes repeatedly is read once in this time. */
  readonly settleMs: number;
}

export const defaultMcpLimits: McpLimits = {
  messageBytes: 16 * 1024 * 1024,
  pages: 64,
  tools: 512,
  listBytes: 4 * 1024 * 1024,
  description: 8_192,
  firstWaitMs: 500,
  longestWaitMs: 30_000,
  stableMs: 60_000,
  restarts: 3,
  downMs: 5 * 60_000,
  pingEveryMs: 30_000,
  pingMs: 10_000,
  graceMs: 1_000,
  settleMs: 100,
};

/** Options of the client. */
export interface McpClientOptions {
  /** The operator's configuration, the only source of servers. */
  readonly config: Pick<Config, 'mcpServers'>;
  /** Where approved tool definitions are stored. */
  readonly pins: PinStore;
  /** The registry to add the tools to; by default one of the client's own. */
  readonly tools?: ToolRegistry | undefined;
  /** By default the environment of this process, of which children see very little. */
  readonly env?: EnvironmentVariables | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** Called when the state of a server or its tools changed. */
  readonly onChange?: ((state: McpServerState) => void) | undefined;
}

/** Connections to all configured servers. */
export interface McpClient {
  /** The registry with the tools, for the generator. */
  readonly tools: ToolRegistry;
  servers(): readonly McpServerState[];
  /**
   * Lists the known tools, then connects to all servers concurrently; resolves when each is ready or has failed once,
   * and does not reject for that. Throws `mcp/pins` if the approved definitions cannot be read.
   */
  start(): Promise<void>;
  /**
   * Adds, ends and replaces servers so that exactly these remain; resolves when each new one is ready or has failed
   * once. Unchanged servers are not touched.
   */
  reconfigure(servers: ReadonlyMap<string, McpServerConfig>): Promise<void>;
  /** Ends a server's connection or process and starts it again immediately; resolves like `start`. */
  restart(server: string): Promise<McpServerState>;
  /**
   * Approves a changed tool by the name that models use, or all changed tools of a server by its name. With a hash it
   * throws `mcp/changed-again` if the tool changed since it was shown. Returns how many were approved.
   */
  approve(name: string, hash?: string): Promise<number>;
  /** Ends all connections and processes; resolves when no child is left. */
  close(): Promise<void>;
}

/** All error codes of the client, and their kinds. */
export const mcpErrorKinds = {
  'mcp/unknown-server': 'not-found',
  'mcp/unknown-tool': 'not-found',
  'mcp/changed-again': 'conflict',
  'mcp/pins': 'refused',
  'mcp/closed': 'unavailable',
  'mcp/failed': 'unavailable',
} as const satisfies Record<string, ErrorKind>;

/** Creates an error of the MCP client. */
export function makeMcpError(
  code: keyof typeof mcpErrorKinds,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: mcpErrorKinds[code], message, data, cause });
}
