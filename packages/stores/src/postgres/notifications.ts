/**
 * Detects commits: those of this process at once, others' by LISTEN and NOTIFY, and all by polling from time to time.
 */
import { randomUUID } from 'node:crypto';
import type { AbortSignalLike, TreeId } from '@coppice/core';
import type { Client } from 'pg';

/** The notification channel for commits; channels are per database. */
const channel = 'coppice_commit';
/** The channel on which a listening connection is tested. */
const testChannel = 'coppice_test';

/** The inputs of the notifications. */
export interface NotificationOptions {
  readonly mode: 'notify' | 'poll';
  readonly pollInterval: number;
  /** Creates a separate connection to listen on. */
  readonly client: () => Client;
  /** Whether a connection is direct: through a pooler it would listen on a shared connection. */
  readonly isDirect: (client: Client) => Promise<boolean>;
  /** Sends a notification from another connection. */
  readonly notify: (channel: string, payload: string) => Promise<void>;
}

// A commit may stay invisible behind an older transaction for a moment after its notification; lists poll again in that
// time.
const unsettled = 300;
const lookAgain = 30;
// Enough for all open trees; forgetting one costs a delay until the next poll.
const mostRemembered = 10_000;
const slowestReconnect = 5_000;
// The polling interval where LISTEN does not work, or is not known to.
const pooledInterval = 500;
// How long a test notification may take before it is reported as missing; polling does not wait for that.
const mostDelay = 2_000;

/** The waiting feeds, and the connection for notifications. */
export class Notifications {
  readonly #options: NotificationOptions;
  readonly #waiting = new Map<TreeId | null, Set<() => void>>();
  readonly #newest = new Map<string, { readonly version: number; readonly at: number }>();
  #last = Number.NEGATIVE_INFINITY;
  #listening: Client | null = null;
  // What was sent to test the listening connection, when, and whether it arrived.
  #test: { readonly payload: string; sentAt: number; isReceived: boolean } | null = null;
  #connecting: Promise<void> | null = null;
  #untold: string[] = [];
  #telling = false;
  #closed = false;
  #mode: NotificationOptions['mode'];
  #stopPause: () => void = () => undefined;

  constructor(options: NotificationOptions) {
    this.#options = options;
    this.#mode = options.mode;
  }

  /** Whether notifications are known to arrive: the listening connection has received its test notification. */
  get trusted(): boolean {
    return this.#listening !== null && this.#test?.isReceived === true;
  }

  /** Whether the test notification of the listening connection is missing. */
  get deaf(): boolean {
    const test = this.#listening === null ? null : this.#test;
    return test !== null && !test.isReceived && performance.now() - test.sentAt > mostDelay;
  }

  /** Starts listening, unless in polling mode. Errors are ignored: polling continues and the connection is retried. */
  async start(): Promise<void> {
    if (this.#mode === 'poll' || this.#closed) return;
    this.#connecting ??= this.#connect();
    await this.#connecting;
  }

  async #connect(): Promise<void> {
    for (let wait = 50; !this.#closed; wait = Math.min(wait * 2, slowestReconnect)) {
      const client = this.#options.client();
      const lost = () => this.#lost(client);
      client.on('error', lost);
      client.on('end', lost);
      client.on('notification', (received) => {
        if (received.channel === channel) this.#hear(received.payload ?? '');
        else this.#hearTest(received.payload);
      });
      try {
        await client.connect();
        if (!(await this.#options.isDirect(client))) {
          await client.end().catch(() => undefined);
          this.#look();
          break;
        }
        await client.query(`LISTEN ${testChannel}; LISTEN ${channel}`);
        this.#listening = client;
        this.#sendTest();
        break;
      } catch {
        await client.end().catch(() => undefined);
        await this.#pause(wait);
      }
    }
    this.#connecting = null;
    if (this.#closed) await this.#hangUp();
    // Commits made before the connection listened are found by polling.
    this.#wakeAll();
    this.#tellUntold();
  }

  /**
   * Sends a notification to the listening connection. Until it arrives, polling goes on as without LISTEN: a proxy may
   * accept LISTEN and pass no notification on.
   */
  #sendTest(): void {
    const test = { payload: randomUUID(), sentAt: Number.POSITIVE_INFINITY, isReceived: false };
    this.#test = test;
    const sent = () => {
      test.sentAt = performance.now();
    };
    this.#options.notify(testChannel, test.payload).then(sent, sent);
  }

  /** Switches to polling for good. */
  #look(): void {
    this.#mode = 'poll';
    this.#untold = [];
  }

  #lost(client: Client): void {
    if (this.#listening !== client) return;
    this.#listening = null;
    client.end().catch(() => undefined);
    if (!this.#closed) void this.start();
  }

  #hearTest(payload: string | undefined): void {
    if (this.#test !== null && this.#test.payload === payload) this.#test.isReceived = true;
  }

  #hear(payload: string): void {
    const [treeId = '', version = ''] = payload.split(' ');
    this.#note(treeId, Number(version));
  }

  #note(treeId: string, version: number): void {
    const at = performance.now();
    this.#last = at;
    const known = this.#newest.get(treeId)?.version ?? 0;
    this.#newest.delete(treeId);
    this.#newest.set(treeId, { version: Math.max(known, version), at });
    if (this.#newest.size > mostRemembered) {
      const [oldest] = this.#newest.keys();
      if (oldest !== undefined) this.#newest.delete(oldest);
    }
    this.#wake(treeId as TreeId);
    this.#wake(null);
  }

  /**
   * Announces a commit, after it and not with it: a transaction with a NOTIFY holds a server-wide lock while it is made
   * durable, which would serialise the commits of all trees. If this process ends in between, others find the commit by
   * polling.
   */
  announce(treeId: TreeId, version: number): void {
    this.#note(treeId, version);
    if (this.#mode === 'poll') return;
    this.#untold.push(`${treeId} ${version}`);
    this.#tellUntold();
  }

  #tellUntold(): void {
    const client = this.#listening;
    if (client === null) {
      // No connection to announce it on; others poll.
      if (this.#untold.length > mostRemembered) this.#untold = [];
      return;
    }
    if (this.#telling || this.#untold.length === 0) return;
    const reported = this.#untold;
    this.#untold = [];
    this.#telling = true;
    this.#notify(client, reported)
      .catch(() => undefined)
      .finally(() => {
        this.#telling = false;
        this.#tellUntold();
      });
  }

  /**
   * Sends the notifications. They write nothing, so the transaction need not wait for the disk or delay the next
   * commit.
   */
  async #notify(client: Client, reported: readonly string[]): Promise<void> {
    const sent = [
      client.query('BEGIN; SET LOCAL synchronous_commit = off'),
      client.query('SELECT pg_notify($1, payload) FROM unnest(CAST($2 AS TEXT[])) AS payload', [channel, reported]),
      client.query('COMMIT'),
    ];
    await Promise.allSettled(sent);
  }

  #wake(treeId: TreeId | null): void {
    for (const wake of [...(this.#waiting.get(treeId) ?? [])]) wake();
  }

  #wakeAll(): void {
    for (const treeId of [...this.#waiting.keys()]) this.#wake(treeId);
  }

  /** Resolves when a tree (any, if null) may have a commit after `seen`, at the latest at the next poll. */
  changed(treeId: TreeId | null, seen: number, signal: AbortSignalLike | undefined): Promise<void> {
    if (this.#closed || signal?.aborted === true) return Promise.resolve();
    // A notification between the last read and this wait is not repeated.
    const reported = treeId === null ? { version: Number.POSITIVE_INFINITY, at: this.#last } : this.#newest.get(treeId);
    const soon = reported !== undefined && reported.version > seen && performance.now() - reported.at < unsettled;
    return new Promise((resolve) => {
      const list = this.#waiting.get(treeId) ?? new Set<() => void>();
      this.#waiting.set(treeId, list);
      const wake = () => {
        clearTimeout(timer);
        list.delete(wake);
        if (list.size === 0 && this.#waiting.get(treeId) === list) this.#waiting.delete(treeId);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, soon ? lookAgain : this.#pollInterval);
      list.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** The time between two polls: as set where LISTEN is known to work or not used, else short. */
  get #pollInterval(): number {
    const { mode, pollInterval } = this.#options;
    return mode === 'poll' || this.trusted ? pollInterval : Math.min(pollInterval, pooledInterval);
  }

  /** Waits before the next try, unless it is stopped. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#stopPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #hangUp(): Promise<void> {
    const client = this.#listening;
    this.#listening = null;
    await client?.end().catch(() => undefined);
  }

  /** Ends every wait and the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopPause();
    this.#wakeAll();
    await this.#hangUp();
    await this.#connecting;
  }
}
