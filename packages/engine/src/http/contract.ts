/** The types for HTTP connections to providers, and their limits. */
import type { Secret } from '../config/secret.ts';

export interface HttpConnection {
  /** The base URL without a trailing slash; paths are appended. Empty for a provider without a network. */
  readonly baseUrl: string;
  /** `key.for(url)` throws for any origin but the one that the key was configured for. */
  readonly key?: Secret | undefined;
  /** True if a user of a shared server entered the URL: private and loopback addresses are then refused. */
  readonly publicOnly?: boolean | undefined;
  /** Headers of every request; they never contain a key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The limits of one call. All times in milliseconds, all sizes in bytes. */
export interface HttpLimits {
  /** The time limit until the status line of a streamed response. */
  readonly firstByteMs: number;
  /** The time limit until the status line of a non-streamed response, for which the model has to finish first. */
  readonly wholeFirstByteMs: number;
  /** The time limit between two events with content; pings and comments do not count. */
  readonly idleMs: number;
  /** The time limit of the whole call, including retries. */
  readonly turnMs: number;
  /** The largest response body, measured after decompression. */
  readonly bodyBytes: number;
  /** The largest event of a stream. */
  readonly eventBytes: number;
  /** How often a failed request is sent again. */
  readonly retries: number;
  /** The longest `Retry-After` that the engine waits for; a longer one fails the call. */
  readonly longestWaitMs: number;
  /** The delay before the first retry; it doubles with each further one. */
  readonly firstWaitMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  firstByteMs: 60_000,
  // Node's fetch aborts after 300 s without headers, with an error that does not name the reason. This limit is reached
  // first.
  wholeFirstByteMs: 290_000,
  idleMs: 120_000,
  turnMs: 30 * 60_000,
  bodyBytes: 64 * 1024 * 1024,
  eventBytes: 8 * 1024 * 1024,
  retries: 5,
  longestWaitMs: 60_000,
  firstWaitMs: 500,
};
