/** What is known of MCP servers and their tools, and what can be done with them. */
import type { ErrorKind, JsonObject } from '@coppice/core';
import { AppError } from '@coppice/core';
import type { Config } from '../config/contract.ts';
import type { Environment } from '../config/load.ts';
import type { Clock } from '../providers/contract.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { PinStore } from './pins.ts';

/**
 * How a server is. `starting`: its first try; `ready`: connected, and answers; `restarting`: lost, and tried again soon;
 * `down`: lost too often, and tried again after a long while; `disabled`: switched off in the configuration.
 */
export type McpServerStatus = 'starting' | 'ready' | 'restarting' | 'down' | 'disabled' | 'closed';

/** What of a tool is not as it was when it was approved. */
export type McpToolChange = 'command' | 'description' | 'parameters' | 'annotations';

/** A tool as its server offers it now, where that is not what was approved. */
export interface McpToolOffer {
  readonly changed: readonly McpToolChange[];
  readonly description: string;
  readonly parameters: JsonObject;
  /** Stands for exactly this; an approval repeats it. */
  readonly hash: string;
}

/**
 * One tool. `ready`: can be called; `unavailable`: its server is not there; `changed`: not what was approved, and not run
 * until it is approved again; `refused`: cannot be used at all, and `problem` says why.
 */
export interface McpToolState {
  /** What models call it by; null where it could not be given a name. */
  readonly name: string | null;
  readonly server: string;
  /** What the server calls it. */
  readonly tool: string;
  readonly status: 'ready' | 'unavailable' | 'changed' | 'refused';
  /** As it was approved, with nothing hidden in it. */
  readonly description: string;
  /** Whether each call is approved first. */
  readonly asks: boolean;
  /** Milliseconds since 1970; when this form of it was first seen or approved. */
  readonly pinnedAt: number | null;
  readonly offer?: McpToolOffer;
  readonly problem?: string;
}

/** One server. */
export interface McpServerState {
  readonly name: string;
  readonly status: McpServerStatus;
  /** Milliseconds since 1970; since when it is so. */
  readonly since: number;
  /** What is run or connected to: the exact command, or the address, with what looks like a key taken out. */
  readonly target: readonly string[];
  /** What the server says that it is. */
  readonly server: { readonly name: string; readonly version: string } | null;
  /** What went wrong last, without secrets; stays until the server is ready again. */
  readonly lastError: string | null;
  /** When it is tried again by itself. */
  readonly nextTryAt: number | null;
  /** What is not as it should be and stops nothing. */
  readonly problems: readonly string[];
  readonly tools: readonly McpToolState[];
}

/** The bounds of all servers. Times in milliseconds, sizes in bytes. */
export interface McpLimits {
  /** One message of a server. */
  readonly messageBytes: number;
  /** Pages of a list of tools. */
  readonly pages: number;
  /** Tools of one server. */
  readonly tools: number;
  /** A whole list of tools, all pages. */
  readonly listBytes: number;
  /** What is said of one tool, in characters. */
  readonly description: number;
  /** The first pause before a restart; doubles with each. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** A server that was ready for so long begins again with the first pause. */
  readonly stableMs: number;
  /** Restarts within `stableMs`; past them the server is down. */
  readonly restarts: number;
  /** After which a server that is down is tried again. */
  readonly downMs: number;
  /** Between two looks at whether an idle server still answers. */
  readonly pingEveryMs: number;
  /** How long it may take to answer. */
  readonly pingMs: number;
  /** How long a child may take to go when asked to, before it is told and then made to. */
  readonly graceMs: number;
  /** A list that changes again and again is read once in this time. */
  readonly settleMs: number;
}

/** What holds unless said otherwise. */
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

/** What a client is made with. */
export interface McpClientOptions {
  /** The operator's; servers come from nowhere else. */
  readonly config: Pick<Config, 'mcpServers'>;
  /** Where it is remembered what tools were like. */
  readonly pins: PinStore;
  /** Tools are put here, beside others; into a registry of the client's own if not given. */
  readonly tools?: ToolRegistry | undefined;
  /** The process's own unless given; children see very little of it. */
  readonly env?: Environment | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  readonly clock?: Clock | undefined;
  /** Told whenever anything about a server or its tools is not as it was. */
  readonly onChange?: ((state: McpServerState) => void) | undefined;
}

/** Connections to all configured servers. */
export interface McpClient {
  /** The registry that holds the tools: what a generator is given. */
  readonly tools: ToolRegistry;
  servers(): readonly McpServerState[];
  /**
   * Lists the tools that are known, then connects to all servers at once; resolves when each is ready or has failed its
   * first try, which rejects nothing. Refuses `mcp/pins` where it cannot be told what was approved.
   */
  start(): Promise<void>;
  /** Ends a server's connection or process and begins anew, at once; resolves as `start` does. */
  restart(server: string): Promise<McpServerState>;
  /**
   * Takes a changed tool, by the name that models use, as it is now; or all changed tools of a server, by its name. With a
   * hash it refuses `mcp/changed-again` where the tool is not what was shown any more. Gives how many were approved.
   */
  approve(name: string, hash?: string): Promise<number>;
  /** Ends every connection and process; resolves when no child is left. */
  close(): Promise<void>;
}

/** Every code of the client's own, and its kind. */
export const mcpErrorKinds = {
  'mcp/unknown-server': 'not-found',
  'mcp/unknown-tool': 'not-found',
  'mcp/changed-again': 'conflict',
  'mcp/pins': 'refused',
  'mcp/closed': 'unavailable',
  'mcp/failed': 'unavailable',
} as const satisfies Record<string, ErrorKind>;

/** A failure with one of those codes. */
export function mcpError(
  code: keyof typeof mcpErrorKinds,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: mcpErrorKinds[code], message, data, cause });
}
