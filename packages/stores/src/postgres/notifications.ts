/**
 * Detects new commits: those of this process immediately, those of other processes by LISTEN and NOTIFY, and by polling
 * in case a notification is lost.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { AbortSignalLike, TreeId } from '@coppice/core';
import type { Client } from 'pg';
import type { FeedTarget } from '../sql/engine.ts';
import type { NewestCommits } from './feed-positions.ts';

/** Returns the notification channel for the commits of a schema. A channel reaches all schemas, so each has its own. */
export function commitChannelOf(schema: string | null): string {
  if (schema === null) return 'coppice_commit';
  return `coppice_commit_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;
}

/** The payload that wakes every feed of a schema, because its bucket was moved. */
export const everyFeedPayload = '*';

/** The channel that tests whether notifications arrive on a connection. */
const testChannel = 'coppice_test';

/** What notifications need to know about a database. */
export interface CommitNotificationOptions {
  readonly mode: 'notify' | 'poll';
  /** The channel for commits, see {@link commitChannelOf}. */
  readonly channel: string;
  readonly pollInterval: number;
  /** Creates a separate connection for LISTEN. */
  readonly client: () => Client;
  /** Whether a connection is direct. Through a pooler, LISTEN would affect a connection that other clients use. */
  readonly isDirect: (client: Client) => Promise<boolean>;
  /** Sends a notification from another connection. */
  readonly notify: (channel: string, payload: string) => Promise<void>;
  /** Returns the newest commits of some trees and owners. */
  readonly newest: (trees: readonly string[], owners: readonly string[]) => Promise<NewestCommits>;
}

// More than all open trees and lists. A feed whose entry was dropped reads once more than necessary.
const mostRemembered = 10_000;
// The maximum number of trees and owners in one poll.
const polledAtOnce = 1_000;
const slowestReconnect = 5_000;
// The polling interval in milliseconds, until a test notification has arrived.
const pooledInterval = 500;
// If a test notification takes longer than this many milliseconds, it counts as lost. Polling continues meanwhile.
const mostDelay = 2_000;

/** A feed that waits for new commits. */
interface Waiting {
  readonly target: FeedTarget;
  readonly wake: () => void;
}

function keyOf(target: FeedTarget): string {
  return 'owner' in target ? `owner ${target.owner}` : `tree ${target.treeId}`;
}

/** The feeds that wait for commits, and the connection that listens for notifications. */
export class CommitNotifications {
  readonly #options: CommitNotificationOptions;
  readonly #waiting = new Map<string, Set<Waiting>>();
  /** A counter for each tree and owner, which increases with each reported commit. The oldest entries are dropped. */
  readonly #commitCounts = new Map<string, number>();
  #receivedCount = 0;
  #droppedCount = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #polling = false;
  #listening: Client | null = null;
  // The last test notification: its payload, when it was sent, and whether it arrived.
  #test: { readonly payload: string; sentAt: number; isReceived: boolean } | null = null;
  #connecting: Promise<void> | null = null;
  #pendingPayloads: string[] = [];
  #isSending = false;
  #closed = false;
  #mode: CommitNotificationOptions['mode'];
  #stopPause: () => void = () => undefined;

  constructor(options: CommitNotificationOptions) {
    this.#options = options;
    this.#mode = options.mode;
  }

  /** Whether the last test notification arrived, so that others are expected to arrive too. */
  get trusted(): boolean {
    return this.#listening !== null && this.#test?.isReceived === true;
  }

  /** Whether the last test notification did not arrive in time. */
  get isTestLost(): boolean {
    const test = this.#listening === null ? null : this.#test;
    return test !== null && !test.isReceived && performance.now() - test.sentAt > mostDelay;
  }

  /**
   * Starts to listen, unless the options ask for polling only. Errors are ignored: polling continues, and the
   * connection is retried.
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
        if (received.channel === this.#options.channel) this.#receive(received.payload ?? '');
        else this.#receiveTest(received.payload);
      });
      try {
        await client.connect();
        if (!(await this.#options.isDirect(client))) {
          await client.end().catch(() => undefined);
          this.#usePollingOnly();
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
    if (this.#closed) await this.#disconnect();
    // Commits from before LISTEN took effect sent no notification here, so they are polled once.
    void this.#poll();
    this.#sendPending();
  }

  /**
   * Sends a test notification to the listening connection. Until it arrives, polling continues at the short interval,
   * because a proxy may accept LISTEN and drop notifications.
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
   * connection may be half open without an error. If the test fails, a new connection is opened.
   */
  async #testAgain(client: Client): Promise<void> {
    await this.#sendTest();
    const test = this.#test;
    const timer = setTimeout(() => {
      if (test !== null && test === this.#test && !test.isReceived) this.#lost(client);
    }, mostDelay);
    timer.unref();
  }

  /** Stops listening and only polls from now on. */
  #usePollingOnly(): void {
    this.#mode = 'poll';
    this.#pendingPayloads = [];
  }

  #lost(client: Client): void {
    if (this.#listening !== client) return;
    this.#listening = null;
    client.end().catch(() => undefined);
    if (!this.#closed) void this.start();
  }

  /** Replaces the listening connection, because another server accepts the commits now. */
  reconnect(): void {
    if (this.#listening !== null) this.#lost(this.#listening);
  }

  #receiveTest(payload: string | undefined): void {
    if (this.#test !== null && this.#test.payload === payload) this.#test.isReceived = true;
  }

  #receive(payload: string): void {
    if (payload === everyFeedPayload) {
      // Every mark changes, so that a feed that is about to wait reads again too.
      this.#commitCounts.clear();
      this.#droppedCount++;
      return this.#wakeAll();
    }
    const [treeId = '', , ...owner] = payload.split(' ');
    this.#note(`tree ${treeId}`);
    this.#note(`owner ${owner.join(' ')}`);
  }

  #note(key: string): void {
    this.#commitCounts.delete(key);
    this.#commitCounts.set(key, ++this.#receivedCount);
    if (this.#commitCounts.size > mostRemembered) {
      const [oldest] = this.#commitCounts.keys();
      if (oldest !== undefined) this.#commitCounts.delete(oldest);
      this.#droppedCount++;
    }
    this.#wake(key);
  }

  /**
   * Announces a commit after it was made. NOTIFY in the same transaction would hold a server-wide lock until the commit
   * is on disk, and all commits would wait for each other. If this process ends in between, other processes find the
   * commit by polling.
   */
  announce(owner: string, treeId: TreeId, version: number): void {
    const payload = `${treeId} ${version} ${owner}`;
    this.#receive(payload);
    if (this.#mode === 'poll') return;
    this.#pendingPayloads.push(payload);
    this.#sendPending();
  }

  #sendPending(): void {
    const client = this.#listening;
    if (client === null) {
      // Without a connection, announcements are dropped when there are too many. Other processes find the commits by
      // polling.
      if (this.#pendingPayloads.length > mostRemembered) this.#pendingPayloads = [];
      return;
    }
    if (this.#isSending || this.#pendingPayloads.length === 0) return;
    const reported = this.#pendingPayloads;
    this.#pendingPayloads = [];
    this.#isSending = true;
    this.#notify(client, reported)
      .catch(() => undefined)
      .finally(() => {
        this.#isSending = false;
        this.#sendPending();
      });
  }

  /** Sends several notifications in one statement. It writes nothing to disk, so it delays no commit. */
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
    return String(this.#commitCounts.get(keyOf(target)) ?? -this.#droppedCount);
  }

  /** Resolves when a target may have a newer commit; immediately if one was reported after the caller got the mark. */
  changed(target: FeedTarget, signal: AbortSignalLike | undefined, mark: string): Promise<void> {
    // A commit between the caller's last read and this call was already reported, and would not be reported again.
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

  /** Schedules the next poll, which queries the targets of all waiting feeds. */
  #schedule(): void {
    if (this.#timer !== null || this.#polling || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#poll();
    }, this.#pollInterval);
  }

  /** Queries the newest commits for all waiting feeds, and wakes the feeds that are behind. */
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
      // The server is unreachable. The next read of a feed reports the error.
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

  /**
   * The time between two polls: the configured interval if notifications arrive or are switched off, else a short one.
   */
  get #pollInterval(): number {
    const { mode, pollInterval } = this.#options;
    return mode === 'poll' || this.trusted ? pollInterval : Math.min(pollInterval, pooledInterval);
  }

  /** Waits before the next attempt to connect. Ends early if the notifications are closed. */
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

  async #disconnect(): Promise<void> {
    const client = this.#listening;
    this.#listening = null;
    await client?.end().catch(() => undefined);
  }

  /** Ends all waits, and closes the listening connection. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopPause();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wakeAll();
    await this.#disconnect();
    await this.#connecting;
  }
}

/**
 * Whether the database has newer commits than a feed has read. A deleted tree counts as newer, because its feed must
 * end.
 */
function isBehind(target: FeedTarget, { trees, owners }: NewestCommits): boolean {
  if ('treeId' in target) return (trees.get(target.treeId) ?? Number.POSITIVE_INFINITY) > target.version;
  return (owners.get(target.owner) ?? []).some((position, lane) => position > (target.positions[lane] ?? 0));
}
