/** The types of MCP servers, their tools and their state. */
import type { ErrorKind, JsonObject } from '@coppice/core';
import { AppError } from '@coppice/core';
import type { Config, McpServerConfig } from '../config/contract.ts';
import type { EnvironmentVariables } from '../config/load.ts';
import type { Clock } from '../providers/contract.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ToolPinStore } from './pins.ts';

/**
 * The state of a server. `starting`: first attempt; `ready`: connected; `restarting`: connection lost, next attempt
 * after a short delay; `down`: lost too often, next attempt after a long delay; `disabled`: turned off in the
 * configuration; `closed`: not started yet, or stopped.
 */
export type McpServerStatus = 'starting' | 'ready' | 'restarting' | 'down' | 'disabled' | 'closed';

/** A part of a tool's definition that differs from the approved one. */
export type McpToolChange = 'command' | 'description' | 'parameters' | 'annotations';

/** The current definition of a tool that differs from the approved one. */
export interface McpChangedTool {
  readonly changed: readonly McpToolChange[];
  readonly description: string;
  readonly parameters: JsonObject;
  /** The hash of this definition. `approve` takes it, so that exactly the shown definition is approved. */
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
  /** The tool's name at its server. */
  readonly tool: string;
  readonly status: 'ready' | 'unavailable' | 'changed' | 'refused';
  /** The approved description, with invisible characters escaped. */
  readonly description: string;
  /** Whether each call needs the user's approval. */
  readonly asks: boolean;
  /** When this definition was first seen or approved, in milliseconds since 1970. */
  readonly pinnedAt: number | null;
  readonly offer?: McpChangedTool;
  readonly problem?: string;
}

export interface McpServerState {
  readonly name: string;
  readonly status: McpServerStatus;
  /** When the status last changed, in milliseconds since 1970. */
  readonly since: number;
  /** The exact command or the URL, with keys removed. */
  readonly target: readonly string[];
  readonly server: { readonly name: string; readonly version: string } | null;
  /** The last error, without secrets; kept until the server is ready again. */
  readonly lastError: string | null;
  /** When the next automatic attempt to connect starts; null if none is planned. */
  readonly nextTryAt: number | null;
  /** Problems that do not stop the server. */
  readonly problems: readonly string[];
  readonly tools: readonly McpToolState[];
}

/** The limits that apply to each server. Times in milliseconds, sizes in bytes. */
export interface McpLimits {
  /** The largest message from a server. */
  readonly messageBytes: number;
  /** The most pages of a tool list that are read. */
  readonly pages: number;
  /** The most tools of one server. */
  readonly tools: number;
  /** The total size of all pages of a tool list. */
  readonly listBytes: number;
  /** The longest description of one tool, in characters. */
  readonly description: number;
  /** The first delay before a restart; it doubles with each restart. */
  readonly firstWaitMs: number;
  /** The longest delay before a restart. */
  readonly longestWaitMs: number;
  /** How long a server must be connected before its restart counter is reset. */
  readonly stableMs: number;
  /** How often a server is restarted before it counts as down. */
  readonly restarts: number;
  /** The delay before the next attempt to start a server that is down. */
  readonly downMs: number;
  /** How often an idle server is pinged. */
  readonly pingEveryMs: number;
  /** How long the answer to a ping may take. */
  readonly pingMs: number;
  /** The time limit for each step of ending a child: closing its input, SIGTERM, SIGKILL. */
  readonly graceMs: number;
  /** The delay before a changed tool list is read, so that several changes in a row cause one read. */
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

/** The configuration of an MCP client, and where approvals are stored. */
export interface McpClientOptions {
  /** The servers at the start; `reconfigure` changes them. Models and tools cannot add one. */
  readonly config: Pick<Config, 'mcpServers'>;
  /** Where approved tool definitions are stored. */
  readonly pins: ToolPinStore;
  /** The registry that the tools are added to; by default a new one. */
  readonly tools?: ToolRegistry | undefined;
  /** By default the environment of this process. Children get only a few of its variables. */
  readonly env?: EnvironmentVariables | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** Called when the state of a server or its tools changed. */
  readonly onChange?: ((state: McpServerState) => void) | undefined;
}

/** The connections to all configured servers. */
export interface McpClient {
  /** The registry with the tools, for the generator. */
  readonly tools: ToolRegistry;
  servers(): readonly McpServerState[];
  /**
   * Adds the approved tools to the registry, then connects to all servers concurrently. Resolves when each server is
   * ready or has failed once. Rejects with `mcp/pins` if the approved definitions cannot be read.
   */
  start(): Promise<void>;
  /**
   * Starts, stops and replaces servers so that exactly these run. Resolves when each new one is ready or has failed
   * once. Unchanged servers keep running.
   */
  reconfigure(servers: ReadonlyMap<string, McpServerConfig>): Promise<void>;
  /** Stops a server and starts it again immediately; resolves like `start`. */
  restart(server: string): Promise<McpServerState>;
  /**
   * Approves one changed tool by the name that models use, or all changed tools of a server by the server's name.
   * Throws `mcp/changed-again` if `hash` is given and the tool changed since it was shown. Returns the number of
   * approved tools.
   */
  approve(name: string, hash?: string): Promise<number>;
  /** Closes all connections; resolves when no child process is left. */
  close(): Promise<void>;
}

/** The error codes of the MCP client. The kind decides HTTP status and exit code. */
export const mcpErrorKinds = {
  'mcp/unknown-server': 'not-found',
  'mcp/unknown-tool': 'not-found',
  'mcp/changed-again': 'conflict',
  'mcp/pins': 'refused',
  'mcp/closed': 'unavailable',
  'mcp/failed': 'unavailable',
} as const satisfies Record<string, ErrorKind>;

/** Builds an AppError of the MCP client; its kind follows from the code. */
export function makeMcpError(
  code: keyof typeof mcpErrorKinds,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: mcpErrorKinds[code], message, data, cause });
}
