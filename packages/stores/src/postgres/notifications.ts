/**
 * Detects new commits: those of this process immediately, those of
 * others by LISTEN and NOTIFY, and all of them by polling at intervals.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { AbortSignalLike, TreeId } from '@coppice/core';
import type { Client } from 'pg';
import type { FeedTarget } from '../sql/engine.ts';
import type { NewestCommits } from './owner-places.ts';

/** Returns the notification channel for the commits of a schema. Channels are per database. */
export function commitChannelOf(schema: string | null): string {
  if (schema === null) return 'coppice_commit';
  return `coppice_commit_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;
}

/** The channel for the test of a listening connection. */
const testChannel = 'coppice_test';

/** The settings and functions of a database that notifications need. */
export interface NotificationOptions {
  readonly mode: 'notify' | 'poll';
  /** The channel for commits, see {@link commitChannelOf}. */
  readonly channel: string;
  readonly pollInterval: number;
  /** Creates a separate connection for LISTEN. */
  readonly client: () => Client;
  /** Whether a connection is direct. Through a pooler, LISTEN would affect a shared connection. */
  readonly isDirect: (client: Client) => Promise<boolean>;
  /** Sends a notification from another connection. */
  readonly notify: (channel: string, payload: string) => Promise<void>;
  /** Returns the newest commits of some trees and owners. */
  readonly newest: (trees: readonly string[], owners: readonly string[]) => Promise<NewestCommits>;
}

// More than all open trees and lists. A feed whose entry was dropped reads once more than necessary.
const mostRemembered = 10_000;
// The most trees and owners in one poll.
const polledAtOnce = 1_000;
const slowestReconnect = 5_000;
// The polling interval in milliseconds, while LISTEN does not work or is not tested yet.
const pooledInterval = 500;
// How many milliseconds a test notification may take before it is reported as missing. Polling continues meanwhile.
const mostDelay = 2_000;

/** A feed that waits for commits. */
interface Waiting {
  readonly target: FeedTarget;
  readonly wake: () => void;
}

function keyOf(target: FeedTarget): string {
  return 'owner' in target ? `owner ${target.owner}` : `tree ${target.treeId}`;
}

/** The feeds that wait for commits, and the connection that listens for notifications. */
export class Notifications {
  readonly #options: NotificationOptions;
  readonly #waiting = new Map<string, Set<Waiting>>();
  /** For each tree and owner, a number that rises with each commit that is reported. The oldest entries are dropped. */
  readonly #lastNews = new Map<string, number>();
  #hearings = 0;
  #forgotten = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #polling = false;
  #listening: Client | null = null;
  // The payload of the test notification, when it was sent, and whether it arrived.
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

  /** Whether notifications are known to arrive, because the test notification did. */
  get trusted(): boolean {
    return this.#listening !== null && this.#test?.isReceived === true;
  }

  /** Whether the test notification has not arrived in time. */
  get deaf(): boolean {
    const test = this.#listening === null ? null : this.#test;
    return test !== null && !test.isReceived && performance.now() - test.sentAt > mostDelay;
  }

  /**
   * Starts to listen, unless the feed is set to polling. Errors
   * are ignored: polling continues and the connection is retried.
   */
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
        if (received.channel === this.#options.channel) this.#hear(received.payload ?? '');
        else this.#hearTest(received.payload);
      });
      try {
        await client.connect();
        if (!(await this.#options.isDirect(client))) {
          await client.end().catch(() => undefined);
          this.#look();
          break;
        }
        await client.query(`LISTEN ${testChannel}; LISTEN ${this.#options.channel}`);
        this.#listening = client;
        void this.#sendTest();
        break;
      } catch {
        await client.end().catch(() => undefined);
        await this.#pause(wait);
      }
    }
    this.#connecting = null;
    if (this.#closed) await this.#hangUp();
    // Polling finds the commits that were made before the connection listened.
    void this.#poll();
    this.#tellUntold();
  }

  /**
   * Sends a test notification to the listening connection. Until it arrives, polling continues as without LISTEN,
   * because a proxy may accept LISTEN and drop the notifications.
   */
  #sendTest(): Promise<void> {
    const test = { payload: randomUUID(), sentAt: Number.POSITIVE_INFINITY, isReceived: false };
    this.#test = test;
    const sent = () => {
      test.sentAt = performance.now();
    };
    return this.#options.notify(testChannel, test.payload).then(sent, sent);
  }

  /**
   * Tests the listening connection again, because a poll found a commit without a notification. After a failover a
   * connection may be half open without an error. If the test notification does not arrive, a new connection is opened.
   */
  async #testAgain(client: Client): Promise<void> {
    await this.#sendTest();
    const test = this.#test;
    const timer = setTimeout(() => {
      if (test !== null && test === this.#test && !test.isReceived) this.#lost(client);
    }, mostDelay);
    timer.unref();
  }

  /** Uses only polling from now on. */
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

  /** Listens on a new connection, because another server accepts the commits now. */
  reconnect(): void {
    if (this.#listening !== null) this.#lost(this.#listening);
  }

  #hearTest(payload: string | undefined): void {
    if (this.#test !== null && this.#test.payload === payload) this.#test.isReceived = true;
  }

  #hear(payload: string): void {
    const [treeId = '', , ...owner] = payload.split(' ');
    this.#note(`tree ${treeId}`);
    this.#note(`owner ${owner.join(' ')}`);
  }

  #note(key: string): void {
    this.#lastNews.delete(key);
    this.#lastNews.set(key, ++this.#hearings);
    if (this.#lastNews.size > mostRemembered) {
      const [oldest] = this.#lastNews.keys();
      if (oldest !== undefined) this.#lastNews.delete(oldest);
      this.#forgotten++;
    }
    this.#wake(key);
  }

  /**
   * Announces a commit after it is made. A NOTIFY in the same transaction would hold a
   * server-wide lock while the commit is written to disk, and all commits would wait
   * for each other. If this process ends in between, others find the commit by polling.
   */
  announce(owner: string, treeId: TreeId, version: number): void {
    const payload = `${treeId} ${version} ${owner}`;
    this.#hear(payload);
    if (this.#mode === 'poll') return;
    this.#untold.push(payload);
    this.#tellUntold();
  }

  #tellUntold(): void {
    const client = this.#listening;
    if (client === null) {
      // There is no connection to announce commits on. Other processes find them by polling.
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

  /** Sends the notifications in one statement. It writes nothing, so it waits for no disk and delays no commit. */
  async #notify(client: Client, reported: readonly string[]): Promise<void> {
    await client.query(
      `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
       FROM unnest(CAST($2 AS TEXT[])) AS payload`,
      [this.#options.channel, reported],
    );
  }

  #wake(key: string): void {
    for (const { wake } of [...(this.#waiting.get(key) ?? [])]) wake();
  }

  #wakeAll(): void {
    for (const key of [...this.#waiting.keys()]) this.#wake(key);
  }

  /** Returns a mark that changes with each reported commit of a target. */
  mark(target: FeedTarget): string {
    return String(this.#lastNews.get(keyOf(target)) ?? -this.#forgotten);
  }

  /**
   * Resolves when a target may have a newer commit. Resolves
   * immediately if a commit was reported since the mark was taken.
   */
  changed(target: FeedTarget, signal: AbortSignalLike | undefined, mark: string): Promise<void> {
    // A commit between the last read and this call was already reported, and will not be reported again.
    if (this.#closed || signal?.aborted === true || mark !== this.mark(target)) return Promise.resolve();
    const key = keyOf(target);
    return new Promise((resolve) => {
      const list = this.#waiting.get(key) ?? new Set<Waiting>();
      this.#waiting.set(key, list);
      const wake = () => {
        list.delete(waiting);
        if (list.size === 0 && this.#waiting.get(key) === list) this.#waiting.delete(key);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const waiting: Waiting = { target, wake };
      list.add(waiting);
      signal?.addEventListener('abort', wake, { once: true });
      this.#schedule();
    });
  }

  /** Schedules the next poll, which covers all waiting feeds. */
  #schedule(): void {
    if (this.#timer !== null || this.#polling || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#poll();
    }, this.#pollInterval);
  }

  /** Queries new commits for all waiting feeds, and wakes those that have some. */
  async #poll(): Promise<void> {
    if (this.#polling || this.#closed || this.#waiting.size === 0) return;
    this.#polling = true;
    const targets = [...this.#waiting.values()].map(([first]) => first?.target);
    const trees = targets.flatMap((target) => (target !== undefined && 'treeId' in target ? [target.treeId] : []));
    const owners = targets.flatMap((target) => (target !== undefined && 'owner' in target ? [target.owner] : []));
    try {
      for (let at = 0; at < Math.max(trees.length, owners.length); at += polledAtOnce) {
        const [some, others] = [trees.slice(at, at + polledAtOnce), owners.slice(at, at + polledAtOnce)];
        const newest = await this.#options.newest(some, others);
        for (const id of some) this.#compare(`tree ${id}`, newest);
        for (const owner of others) this.#compare(`owner ${owner}`, newest);
      }
    } catch {
      // The server is unreachable. A feed that reads meanwhile reports the error.
    } finally {
      this.#polling = false;
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  #compare(key: string, newest: NewestCommits): void {
    for (const { target } of this.#waiting.get(key) ?? [])
      if (isBehind(target, newest)) {
        this.#note(key);
        if (this.#listening !== null && this.trusted) void this.#testAgain(this.#listening);
        return;
      }
  }

  /** The time between two polls: as configured if LISTEN works or is not used, else a short time. */
  get #pollInterval(): number {
    const { mode, pollInterval } = this.#options;
    return mode === 'poll' || this.trusted ? pollInterval : Math.min(pollInterval, pooledInterval);
  }

  /** Waits before the next attempt, unless the notifications are closed. */
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

  /** Ends all waits, and closes the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopPause();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wakeAll();
    await this.#hangUp();
    await this.#connecting;
  }
}

/** Whether there are newer commits than a feed has. A deleted tree counts too, because its feed must end. */
function isBehind(target: FeedTarget, { trees, owners }: NewestCommits): boolean {
  if ('treeId' in target) return (trees.get(target.treeId) ?? Number.POSITIVE_INFINITY) > target.version;
  return (owners.get(target.owner) ?? []).some((place, lane) => place > (target.places[lane] ?? 0));
}
