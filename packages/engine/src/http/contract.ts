/** The address, limits and key of HTTP requests. */
import type { Secret } from '../config/secret.ts';

export interface HttpConnection {
  /** The base URL without a trailing slash; paths are appended. Empty for a provider without a network. */
  readonly baseUrl: string;
  /** The key; it throws for any host but the one it was configured for. */
  readonly key?: Secret | undefined;
  /** True if a user of a shared server chose the URL: then it must be public. */
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
  /** The largest body after decompression. */
  readonly bodyBytes: number;
  /** The largest event of a stream. */
  readonly eventBytes: number;
  /** The number of attempts after the first. */
  readonly retries: number;
  /** The longest `Retry-After` that is honoured. */
  readonly longestWaitMs: number;
  /** The first backoff; doubles with each attempt. */
  readonly firstWaitMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  firstByteMs: 60_000,
  // Node's fetch gives up on headers after 300 s with an unhelpful error; our limit is reached first.
  wholeFirstByteMs: 290_000,
  idleMs: 120_000,
  turnMs: 30 * 60_000,
  bodyBytes: 64 * 1024 * 1024,
  eventBytes: 8 * 1024 * 1024,
  retries: 5,
  longestWaitMs: 60_000,
  firstWaitMs: 500,
};
