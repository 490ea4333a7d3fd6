/** The options of a server, and its limits. */
import type { MessageKit, Store } from '@coppice/core';
import type {
  Config,
  EventBus,
  GenerateLimits,
  LiveConfig,
  McpClient,
  ModelProviders,
  ToolRegistry,
} from '@coppice/engine';
import type { Logger } from 'pino';
import type { ComputerEnvironment } from './found/program-chat-folders.ts';

/**
 * How callers authenticate. `token`: one person with one secret. `users`: the accounts of the store, each with tokens.
 * If a proxy is listed, users that the proxy has signed in are admitted too.
 */
export type AuthOptions =
  | {
      readonly mode: 'token';
      /** May be a getter, because the server reads it at every request. */
      readonly token: string;
      /** Whether the operator chose the token. A generated token does not allow listening on a public address. */
      readonly chosen?: boolean;
      /** Creates a token that replaces the old one. Without this function users cannot replace the token. */
      readonly renew?: (() => Promise<string>) | undefined;
      /** Reads a token that another process created. Called at most once a second. */
      readonly sync?: (() => Promise<void>) | undefined;
    }
  | { readonly mode: 'users'; readonly proxy?: SignInProxyOptions | undefined };

/** A proxy that signs users in. Its header is trusted only from these addresses. */
export interface SignInProxyOptions {
  readonly addresses: readonly string[];
  /** The header with the user's id, for example `x-forwarded-user`. */
  readonly userHeader: string;
  /** Whether an unknown user whom the proxy names becomes a member. */
  readonly admit?: boolean | undefined;
}

/** The limits of every request, for all users and programs. */
export interface ServerLimits {
  /** The largest JSON body, in bytes. */
  readonly bodyBytes: number;
  /** The largest body of a call that is recorded, in bytes. The model provider may have a lower limit. */
  readonly proxyBytes: number;
  /** The largest body of a call that is only forwarded, such as a file, in bytes. It is never in memory as a whole. */
  readonly forwardedBytes: number;
  /** The largest attachment, in bytes. */
  readonly attachmentBytes: number;
  /** The largest upload for an import, in bytes. Uploads are stored on disk, never in memory. */
  readonly importBytes: number;
  /** Milliseconds in which a JSON body must arrive completely. */
  readonly bodyMs: number;
  /** Milliseconds in which an upload or a forwarded call must arrive completely. */
  readonly uploadMs: number;
  /** The time in milliseconds in which at least `uploadWindowBytes` of an upload must arrive. */
  readonly uploadWindowMs: number;
  /** Bytes of an upload that must arrive in `uploadWindowMs`. */
  readonly uploadWindowBytes: number;
  /** The deepest nesting of a JSON body. */
  readonly jsonDepth: number;
  /** How many unread bytes a reader of a stream may have before the server disconnects it. */
  readonly backlogBytes: number;
  /** Milliseconds between two keep-alive comments on a stream without events. */
  readonly pingMs: number;
  /** Milliseconds over which deltas of a reply are batched into one event. */
  readonly deltaMs: number;
  /** Milliseconds for which a finished turn can still be read. */
  readonly keepTurnMs: number;
  /** Milliseconds for which the report of a finished import can still be read. */
  readonly keepImportMs: number;
  /** The longest time that a shutdown may take, in milliseconds. */
  readonly stopMs: number;
}

/** The limits of one user. */
export interface Quotas {
  /** The number of open streams. */
  readonly streams: number;
  /** The number of running turns. */
  readonly generations: number;
  /** The number of imports that are uploading or running. */
  readonly imports: number;
  /** Requests per minute; null means no limit. */
  readonly requestsPerMinute: number | null;
  /** Bytes of attachments and imports per day; null means no limit. */
  readonly uploadBytesPerDay: number | null;
  /** The number of temporary trees, which are in memory, or in unlogged tables of a shared database. */
  readonly temporaryTrees: number;
}

/** The limits that apply where `ServerOptions.limits` sets none. */
export const defaultServerLimits: ServerLimits = {
  bodyBytes: 20 * 1024 * 1024,
  proxyBytes: 64 * 1024 * 1024,
  forwardedBytes: 4 * 1024 ** 3,
  attachmentBytes: 20 * 1024 * 1024,
  importBytes: 4 * 1024 ** 3,
  bodyMs: 60_000,
  uploadMs: 6 * 60 * 60_000,
  uploadWindowMs: 30_000,
  uploadWindowBytes: 64 * 1024,
  jsonDepth: 200,
  backlogBytes: 1024 * 1024,
  pingMs: 15_000,
  deltaMs: 40,
  keepTurnMs: 5 * 60_000,
  keepImportMs: 24 * 60 * 60_000,
  stopMs: 10_000,
};

/** The limits of each user that apply where `ServerOptions.quotas` sets none. */
export const defaultQuotas: Quotas = {
  streams: 100,
  generations: 32,
  imports: 2,
  requestsPerMinute: null,
  uploadBytesPerDay: null,
  temporaryTrees: 100,
};

/** The store, the configuration and the services that a server uses. */
export interface ServerOptions {
  /** The store. The server does not close it, because the caller opened it. */
  readonly store: Store;
  /**
   * The URL of the store, if the store was opened for writing and with no option except its owner. Worker threads for
   * imports and recording open the URL again if it is an SQLite file. Without it that work runs on the server's thread.
   */
  readonly storeUrl?: string | undefined;
  readonly auth: AuthOptions;
  readonly config: Config;
  /**
   * The configuration and the entered keys, which may change at runtime. Without it the server uses `config` unchanged.
   */
  readonly live?: LiveConfig | undefined;
  /** The model providers; by default created from the configuration. */
  readonly providers?: ModelProviders | undefined;
  /** The tools; by default the built-in ones. */
  readonly tools?: ToolRegistry | undefined;
  /** The MCP client; the caller starts and closes it, and passes its registry as `tools`. */
  readonly mcp?: McpClient | undefined;
  /** Whether agents may write over `/mcp`; by default the value of the configuration. */
  readonly mcpWrites?: boolean | undefined;
  /** Hooks before and after acts. All owners share one event bus. */
  readonly events?: EventBus | undefined;
  /** Whether trees and replies get automatic titles; by default true. */
  readonly titles?: boolean | undefined;
  readonly generateLimits?: Partial<GenerateLimits> | undefined;
  /** The folder of the built page. Without it the server has only the API. */
  readonly web?: string | undefined;
  /** The folder for uploads before their import; by default the system's temporary folder. */
  readonly spool?: string | undefined;
  /**
   * The folder for calls that wait to be recorded, and for calls that could not be recorded. By default next to the
   * configuration file; without either, such calls are lost when the process ends.
   */
  readonly spillFolder?: string | undefined;
  /**
   * The paths where other programs on this computer store their conversations, for their import. Used only by a
   * single-user server that listens on loopback; without it no conversations are searched for.
   */
  readonly computer?: ComputerEnvironment | undefined;
  /** Further host names of the server, for example `trees.example.org`. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Other origins whose pages may call the API with a token, for example `https://notes.example.org`; by default those
   * of the configuration.
   */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly quotas?: Partial<Quotas> | undefined;
  readonly log?: Logger | undefined;
  readonly kit?: MessageKit | undefined;
  readonly now?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
}
