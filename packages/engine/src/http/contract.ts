/** Where requests go, what they may take, and with which key. */
import type { Secret } from '../config/secret.ts';

/** An address and what it needs to answer. */
export interface HttpConnection {
  /** Without a slash at the end; paths are added to it. Empty for a provider without a network. */
  readonly baseUrl: string;
  /** Bound to the host it was configured for; refuses any other. */
  readonly key?: Secret | undefined;
  /** Sent with every request; never holds a key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The bounds of one call. All times in milliseconds, all sizes in bytes. */
export interface HttpLimits {
  /** Until the status line of a streamed answer. */
  readonly firstByteMs: number;
  /** Until the status line of an answer in one piece, which a model completes first. */
  readonly wholeFirstByteMs: number;
  /** Between two events that say something; pings and comments do not count. */
  readonly idleMs: number;
  /** The whole call, retries included. */
  readonly turnMs: number;
  /** The body after decompression. */
  readonly bodyBytes: number;
  /** One event of a stream. */
  readonly eventBytes: number;
  /** Further attempts after the first. */
  readonly retries: number;
  /** The longest `Retry-After` that is waited for. */
  readonly longestWaitMs: number;
  /** The first backoff; doubles with each attempt. */
  readonly firstWaitMs: number;
}

/** What holds unless a caller says otherwise. */
export const defaultLimits: HttpLimits = {
  firstByteMs: 60_000,
  // Node's own fetch gives up on headers after 300 s with an error that names nothing; ours comes first.
  wholeFirstByteMs: 290_000,
  idleMs: 120_000,
  turnMs: 30 * 60_000,
  bodyBytes: 64 * 1024 * 1024,
  eventBytes: 8 * 1024 * 1024,
  retries: 5,
  longestWaitMs: 60_000,
  firstWaitMs: 500,
};
