/** What a server is made of, and the bounds it keeps. */
import type { MessageKit, Store } from '@coppice/core';
import type { Config, Events, GenerateLimits, McpClient, ModelProviders, ToolRegistry } from '@coppice/engine';
import type { Logger } from 'pino';

/**
 * Who may come in. `token`: one person who shows one secret. `users`: the users of the store's accounts, each with
 * tokens, and, where a proxy is listed, whoever that proxy says has signed in.
 */
export type AuthOptions =
  | {
      readonly mode: 'token';
      readonly token: string;
      /** Whether the operator chose the token; one made at launch does not open a public address. */
      readonly chosen?: boolean;
    }
  | { readonly mode: 'users'; readonly proxy?: ProxyOptions | undefined };

/** A proxy that signs people in and says who they are. Its header counts from these addresses alone. */
export interface ProxyOptions {
  readonly addresses: readonly string[];
  /** The header with the user's id, such as `x-forwarded-user`. */
  readonly userHeader: string;
  /** Whether a user whom the proxy names and nobody knows yet becomes a member. */
  readonly admit?: boolean | undefined;
}

/** How much is taken at once. All of it holds for every route. */
export interface ServerLimits {
  /** Bytes of a JSON body. */
  readonly bodyBytes: number;
  /** Bytes of a call that is passed on to a service, whose own bound is what counts. */
  readonly proxyBytes: number;
  /** Bytes of an attachment. */
  readonly attachmentBytes: number;
  /** Bytes of an upload that is imported. It waits on the disk, never in memory. */
  readonly importBytes: number;
  /** Milliseconds in which a JSON body has to be there in all. */
  readonly bodyMs: number;
  /** Milliseconds in which an upload, or a call that is passed on, has to be there in all. */
  readonly uploadMs: number;
  /** In so many milliseconds at least `uploadWindowBytes` of an upload have to come. */
  readonly uploadWindowMs: number;
  readonly uploadWindowBytes: number;
  /** Nesting of a JSON body. */
  readonly jsonDepth: number;
  /** Bytes that a reader of a stream may lag behind before it is dropped. */
  readonly backlogBytes: number;
  /** Milliseconds between two signs of life on a quiet stream. */
  readonly pingMs: number;
  /** Milliseconds over which deltas of a reply are gathered into one event. */
  readonly deltaMs: number;
  /** Milliseconds that a turn can still be read after it is through. */
  readonly keepTurnMs: number;
  /** Milliseconds that the report of an import can still be read after it is through. */
  readonly keepImportMs: number;
  /** Milliseconds in which a stop is through, whatever hangs. */
  readonly stopMs: number;
}

/** What one user may have at a time. */
export interface Quotas {
  /** Open streams. */
  readonly streams: number;
  /** Turns that are being written. */
  readonly generations: number;
  /** Imports that are uploaded or under way. */
  readonly imports: number;
  /** Requests in a minute; null is no bound. */
  readonly requestsPerMinute: number | null;
  /** Bytes of attachments and imports in a day; null is no bound. */
  readonly uploadBytesPerDay: number | null;
  /** Temporary trees, which live in memory. */
  readonly temporaryTrees: number;
}

/** What holds unless an operator says otherwise. */
export const defaultServerLimits: ServerLimits = {
  bodyBytes: 20 * 1024 * 1024,
  proxyBytes: 64 * 1024 * 1024,
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

/** What holds for a user unless an operator says otherwise. */
export const defaultQuotas: Quotas = {
  streams: 100,
  generations: 32,
  imports: 2,
  requestsPerMinute: null,
  uploadBytesPerDay: null,
  temporaryTrees: 100,
};

/** What a server is made with. */
export interface ServerOptions {
  /** Stays open when the server stops: it belongs to whoever opened it. */
  readonly store: Store;
  /**
   * The URL that the store was opened by, where it was opened to be written and with nothing but its owner. Threads that
   * import or record open it again, if it is a file of SQLite; without it all of that is done on the thread of the server.
   */
  readonly storeUrl?: string | undefined;
  readonly auth: AuthOptions;
  readonly config: Config;
  /** Made from the configuration if not given. */
  readonly providers?: ModelProviders | undefined;
  /** The built-in tools if not given. */
  readonly tools?: ToolRegistry | undefined;
  /** Tools of other processes; whoever made it starts and closes it, and gives its registry as `tools`. */
  readonly mcp?: McpClient | undefined;
  /** Whether agents that come over `/mcp` may write; what the configuration says if not given. */
  readonly mcpWrites?: boolean | undefined;
  /** Hooks before and after what is done; one bus for all owners. */
  readonly events?: Events | undefined;
  /** Whether trees and replies get titles by themselves; true if not given. */
  readonly titles?: boolean | undefined;
  readonly generateLimits?: Partial<GenerateLimits> | undefined;
  /** The folder of the built page; without it there is an API and no page. */
  readonly web?: string | undefined;
  /** The folder where uploads wait for their import; the system's for temporary files if not given. */
  readonly spool?: string | undefined;
  /**
   * The folder where calls wait that are to be recorded, and where those are kept that could not be. Beside the configuration
   * file where there is one; where there is neither, nothing of them outlives the process.
   */
  readonly spillFolder?: string | undefined;
  /** Names under which the server is reached beside those of this machine, such as `trees.example.org`. */
  readonly hosts?: readonly string[] | undefined;
  /** Other origins whose pages may call, written out, such as `https://notes.example.org`. */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly quotas?: Partial<Quotas> | undefined;
  readonly log?: Logger | undefined;
  readonly kit?: MessageKit | undefined;
  readonly now?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
}
