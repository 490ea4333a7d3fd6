/**
 * Runs several servers on a directory with buckets on two PostgreSQL servers, with writers of several users and list
 * feeds, while servers are killed, databases are restarted, users and a whole bucket are moved and a standby is
 * promoted.
 */
import { ask, type Store, type TreeListEvent, treeId } from '@coppice/core';
import { newId } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { type BucketAdmin, openBuckets } from '@coppice/stores/buckets';
import type { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { hashToken } from '../middleware/auth.ts';
import { bundleServer, ServerFleet } from './fleet.ts';
import { checkSharedTrees, createSeededRandom, createSharedTrees, killServersInTurn, sleep } from './pgwriters.ts';
import { type SharedTree, TortureWriter, TortureWriterRecord } from './writer.ts';

/** The databases, and the number of servers, writers and interruptions of a run. */
export interface ServerTortureOptions {
  /** The server with the directory and two buckets. */
  readonly first: PostgresServer;
  /** The server with two more buckets. */
  readonly second: PostgresServer;
  readonly servers: number;
  readonly users: number;
  readonly writers: number;
  readonly seconds: number;
  /** The number of acknowledged writes after which the run may end. */
  readonly atLeast: number;
  /** Seconds between two kills of a server. */
  readonly killEvery: number;
  /** The number of restarts of a database. */
  readonly restarts: number;
  /** The smallest number of users to move. */
  readonly moves: number;
  readonly seed: number;
  /** Returns the URL of a pooler for a database of the first server. Every second server uses it. */
  readonly pooled?: ((url: string) => string) | undefined;
  say?(line: string): void;
}

/** What a run wrote, interrupted and moved. */
export interface ServerTortureReport {
  readonly acknowledged: number;
  readonly kills: number;
  readonly restarts: number;
  readonly moves: number;
  readonly bucketMoves: number;
  readonly promotions: number;
  readonly figures: Readonly<{ [name: string]: number }>;
}

/** A user with a token, conversations and all events of the user's list feed. */
interface TestUser {
  readonly name: string;
  readonly token: string;
  conversations: readonly SharedTree[];
  readonly events: TreeListEvent[];
}

/** The buckets, two on each server. The first one is in the database of the directory. */
const bucketNames = ['main', 'beside', 'far', 'farther'] as const;

/** The URLs of the directory and of its buckets. */
interface Databases {
  /** The URL of the directory. */
  readonly url: string;
  readonly standby: PostgresServer;
}

/** Divides a new database into four buckets on two servers. The second server has a synchronous standby. */
async function makeBuckets({ first, second }: ServerTortureOptions): Promise<Databases> {
  const url = await first.createDatabase();
  const far = new URL(await second.createDatabase());
  const standby = await second.copy({ standby: true });
  // A commit is acknowledged only when the standby has it too, so a promotion loses nothing.
  await second.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await second.query('SELECT pg_reload_conf()');
  const hosts = `127.0.0.1:${second.port},127.0.0.1:${standby.port}`;
  const farUrl = `postgres://${far.username}:${far.password}@${hosts}${far.pathname}?target_session_attrs=read-write`;
  await (await openStore(url)).close();
  const buckets = await openBuckets(url);
  try {
    const [, beside, ...others] = bucketNames;
    await buckets.add(beside);
    for (const name of others) await buckets.add(name, { url: farUrl });
  } finally {
    await buckets.close();
  }
  return { url, standby };
}

async function makeUsers(store: Store, count: number): Promise<readonly TestUser[]> {
  const users: TestUser[] = [];
  for (let index = 0; index < count; index++) {
    const name = `user${index}`;
    const token = newId();
    await store.accounts.putUser({ id: name, name, role: 'member', createdAt: 1, disabledAt: null });
    const times = { createdAt: 1, expiresAt: null, revokedAt: null, usedAt: null };
    await store.accounts.putToken({ id: newId(), userId: name, name, hash: hashToken(token), ...times });
    users.push({ name, token, conversations: [], events: [] });
  }
  return users;
}

/** Follows the list of a user's trees until it is stopped. After a failure it continues at the last cursor. */
async function followList(store: Store, user: TestUser, signal: AbortSignal): Promise<void> {
  const own = store.forOwner(user.name);
  for (let cursor: string | null = null; !signal.aborted; )
    try {
      for await (const event of own.feedAll(cursor, signal)) {
        user.events.push(event);
        cursor = event.cursor;
      }
    } catch {
      await sleep(100);
    }
}

/** Runs the test; throws on the first lost, duplicated or corrupted write or event. */
export async function runServerTorture(options: ServerTortureOptions): Promise<ServerTortureReport> {
  const { say = () => undefined } = options;
  const databases = await makeBuckets(options);
  const store = await openStore(databases.url);
  const urls = [databases.url, ...(options.pooled === undefined ? [] : [options.pooled(databases.url)])];
  const fleet = new ServerFleet(await bundleServer(), urls, '', options.servers);
  const record = new TortureWriterRecord();
  const stop = new AbortController();
  const done = { moves: 0, bucketMoves: 0, restarts: 0, promotions: 0 };
  try {
    const users = await makeUsers(store, options.users);
    await fleet.start();
    for (const user of users) user.conversations = await createSharedTrees(fleet, user.token, 2);
    const following = users.map((user) => followList(store, user, stop.signal));
    const end = performance.now() + options.seconds * 1000;
    const isThin = () =>
      record.acks.length < options.atLeast ||
      fleet.kills === 0 ||
      done.moves < options.moves ||
      done.bucketMoves === 0 ||
      done.restarts < options.restarts ||
      done.promotions === 0;
    const over = () => record.wrong !== null || (performance.now() >= end && !isThin());
    const writing = Array.from({ length: options.writers }, (_, index) => {
      const user = users[index % users.length];
      if (user === undefined) throw new Error('There are no users.');
      const { token, conversations } = user;
      const random = createSeededRandom(options.seed + index);
      return new TortureWriter({ fleet, token, conversations, record, random, name: `writer ${index}`, over }).run();
    });
    await Promise.all([
      ...writing,
      killServersInTurn(fleet, options.killEvery, over),
      restartAndPromote(options, databases, done, over),
      moveUsers(options, databases.url, users, done, over),
      moveOneBucket(options, databases.url, done, over),
    ]);
    if (record.wrong !== null) throw new Error(`${record.wrong}\n${fleet.readStderr()}`);
    say(`${record.acks.length} acknowledged, ${fleet.kills} kills, ${done.moves} moves; checking`);
    await fleet.close();
    const figures = await checkUsers(databases.url, users, record);
    await checkFeeds(store, users);
    stop.abort();
    await Promise.all(following);
    return {
      acknowledged: record.acks.length,
      kills: fleet.kills,
      ...done,
      figures: {
        ...Object.fromEntries(record.byKind),
        conflicts: record.conflicts,
        unavailable: record.unavailable,
        'lost connections': record.lostConnections,
        events: users.reduce((sum, { events }) => sum + events.length, 0),
        ...figures,
      },
    };
  } finally {
    stop.abort();
    await fleet.close();
    await store.close();
    await databases.standby.close();
  }
}

/** Restarts the databases one after the other, then ends the second one and promotes its standby. */
async function restartAndPromote(
  { first, second, restarts, seconds }: ServerTortureOptions,
  { standby }: Databases,
  done: { restarts: number; promotions: number },
  over: () => boolean,
): Promise<void> {
  const wait = async () => {
    const until = performance.now() + (seconds * 1000) / (restarts + 2);
    while (performance.now() < until && !over()) await sleep(50);
    return !over();
  };
  for (; done.restarts < restarts; done.restarts++) {
    if (!(await wait())) return;
    await (done.restarts % 2 === 0 ? second : first).restart('SIGQUIT');
  }
  if (!(await wait())) return;
  await waitForStandby(second);
  await second.kill();
  await standby.promote();
  done.promotions++;
}

/**
 * Waits until the standby has everything that the server shows. A restarted server shows commits that were waiting for
 * the standby, and the standby connects again only seconds later. A promotion before that loses commits that nobody got
 * acknowledged, and the feeds report their versions again.
 */
async function waitForStandby(server: PostgresServer): Promise<void> {
  const [now] = await server.query('SELECT CAST(pg_current_wal_flush_lsn() AS TEXT) AS lsn');
  const has = `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND flush_lsn >= '${String(now?.['lsn'])}'`;
  while ((await server.query(has)).length === 0) await sleep(50);
}

/** Moves random users to random buckets, one at a time, until the test is over. */
async function moveUsers(
  { seed }: ServerTortureOptions,
  url: string,
  users: readonly TestUser[],
  done: { moves: number },
  over: () => boolean,
): Promise<void> {
  const random = createSeededRandom(seed + 1_000);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  while (!over()) {
    const name = pick(users)?.name ?? '';
    const to = pick(bucketNames) ?? '';
    await repeatMove(url, (buckets) => buckets.moveOwner(name, to));
    done.moves++;
    for (let waited = 0; waited < 1_000 && !over(); waited += 50) await sleep(50);
  }
}

/** Moves the second bucket to another database, while users are moved, servers killed and databases restarted. */
async function moveOneBucket(
  { first, seconds }: ServerTortureOptions,
  url: string,
  done: { bucketMoves: number },
  over: () => boolean,
): Promise<void> {
  const until = performance.now() + (seconds * 1000) / 3;
  while (performance.now() < until && !over()) await sleep(50);
  const [, beside] = bucketNames;
  const newUrl = await first.createDatabase();
  await repeatMove(url, (buckets) => buckets.moveBucket(beside, newUrl));
  done.bucketMoves++;
}

/** Repeats a move that was refused or interrupted, as `coppice buckets check` recommends. */
async function repeatMove(url: string, move: (buckets: BucketAdmin) => Promise<unknown>): Promise<void> {
  for (;;) {
    const buckets = await openBuckets(url).catch(() => null);
    try {
      if (buckets !== null) {
        await move(buckets);
        return;
      }
    } catch {
      // A database is unavailable, or another move is in progress.
    } finally {
      await buckets?.close().catch(() => undefined);
    }
    await sleep(200);
  }
}

/** Compares the buckets with the acknowledged writes. */
async function checkUsers(url: string, users: readonly TestUser[], record: TortureWriterRecord) {
  const store = await openStore(url);
  const buckets = await openBuckets(url);
  let [commits, nodes] = [0, 0];
  try {
    for (const { name, conversations } of users) {
      const found = await checkSharedTrees(store.forOwner(name), conversations, record);
      commits += found.commits;
      nodes += found.nodes;
    }
    const findings = (await store.fsck()).findings.filter(({ severity }) => severity === 'error');
    if (findings.length > 0) throw new Error(`fsck finds ${JSON.stringify(findings.slice(0, 5))}`);
    const wrong = await buckets.check();
    if (wrong.length > 0) throw new Error(`The check of the buckets finds ${wrong.join(' ')}`);
  } finally {
    await store.close();
    await buckets.close();
  }
  return { commits, nodes };
}

/**
 * Waits until each list feed has reported the last version of each tree. Throws if a version is missing or duplicated.
 */
async function checkFeeds(store: Store, users: readonly TestUser[]): Promise<void> {
  for (const { name, conversations, events } of users)
    for (const { id } of conversations) {
      const row = await store.forOwner(name).read(treeId(id), () => ask('tree', {}));
      const last = row?.version ?? 0;
      const eventsOfTree = () => events.filter((event) => event.treeId === id);
      const reported = () => eventsOfTree().map(({ version }) => version);
      const until = performance.now() + 60_000;
      while (!reported().includes(last) && performance.now() < until) await sleep(50);
      const versions = reported();
      for (const [at, version] of versions.entries())
        if (version !== (versions[0] ?? 0) + at)
          throw new Error(
            `The list of ${name} has a gap or a repeat in ${id}: ${JSON.stringify(eventsOfTree().slice(Math.max(0, at - 3), at + 3))}`,
          );
      if (versions.at(-1) !== last)
        throw new Error(`The list of ${name} ended at ${versions.at(-1)} of ${id}, which is at ${last}.`);
    }
}
