/** How commits are noticed: those of this process at once, others' by LISTEN and NOTIFY, and all by looking now and then. */
import type { AbortSignalLike, TreeId } from '@coppice/core';
import type { Client } from 'pg';

/** The channel that commits are told on; channels are a database's own. */
const channel = 'coppice_commit';

/** What the news need to know. */
export interface NotificationOptions {
  readonly mode: 'notify' | 'poll';
  readonly pollInterval: number;
  /** A connection of its own to listen on. */
  readonly client: () => Client;
  /** Whether a connection leads to the server itself: through a pooler one would listen on somebody else's. */
  readonly isDirect: (client: Client) => Promise<boolean>;
}

// A commit may stay hidden behind an older transaction for a moment after it was told; lists look again in that time.
const unsettled = 300;
const lookAgain = 30;
// Enough for every tree that anybody has open; forgetting one costs a look at the next interval.
const mostRemembered = 10_000;
const slowestReconnect = 5_000;
// How often to look where nothing can be listened to.
const pooledInterval = 500;

/** Who waits for what, and the connection that brings the news. */
export class Notifications {
  readonly #options: NotificationOptions;
  readonly #waiting = new Map<TreeId | null, Set<() => void>>();
  readonly #newest = new Map<string, { readonly version: number; readonly at: number }>();
  #last = Number.NEGATIVE_INFINITY;
  #listening: Client | null = null;
  #connecting: Promise<void> | null = null;
  #untold: string[] = [];
  #telling = false;
  #closed = false;
  #mode: NotificationOptions['mode'];
  #pollInterval: number;
  #stopPause: () => void = () => undefined;

  constructor(options: NotificationOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#pollInterval = options.pollInterval;
  }

  /** Whether a connection is listening right now. */
  get listening(): boolean {
    return this.#listening !== null;
  }

  /** Listens, if that is how news come. A failure is no failure: looking goes on, and so does trying. */
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
      client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
      try {
        await client.connect();
        if (!(await this.#options.isDirect(client))) {
          await client.end().catch(() => undefined);
          this.#look();
          break;
        }
        await client.query(`LISTEN ${channel}`);
        this.#listening = client;
        break;
      } catch {
        await client.end().catch(() => undefined);
        await this.#pause(wait);
      }
    }
    this.#connecting = null;
    if (this.#closed) await this.#hangUp();
    // What was told while nobody listened is found by looking.
    this.#wakeAll();
    this.#tellUntold();
  }

  /** Gives up listening for good. */
  #look(): void {
    this.#mode = 'poll';
    this.#pollInterval = Math.min(this.#pollInterval, pooledInterval);
    this.#untold = [];
  }

  #lost(client: Client): void {
    if (this.#listening !== client) return;
    this.#listening = null;
    client.end().catch(() => undefined);
    if (!this.#closed) void this.start();
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
   * Tells of a commit. It is told after the commit and not with it: a transaction that carries a NOTIFY holds a lock of
   * the whole server while it is being made durable, which would line up the commits of all trees. What is lost when
   * this process ends in between, others find by looking.
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
      // Nobody to tell it through: others look by themselves.
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

  /** Tells others. That saves nothing, so that it need not wait for the disk, nor keep the next commit from it. */
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

  /** Resolves when a tree (any, if null) may have something after `seen`, at the latest when it is time to look. */
  changed(treeId: TreeId | null, seen: number, signal: AbortSignalLike | undefined): Promise<void> {
    if (this.#closed || signal?.aborted === true) return Promise.resolve();
    // What was told after the last look and before this wait is not told again.
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

  /** Waits before the next try, unless there is to be none. */
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
