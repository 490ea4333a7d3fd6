/**
 * Runs several servers on one PostgreSQL database with many writers, while servers are killed and the database is
 * restarted.
 */
import { ask, type Commit, type Node, type Store, treeId } from '@coppice/core';
import { newId } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { bundleServer, ServerFleet } from './fleet.ts';
import { type SharedTree, TortureWriter, TortureWriterRecord } from './writer.ts';

/** The PostgreSQL database that all servers share. */
interface Database {
  readonly url: string;
  /** Stops the database immediately, like a power failure, and starts it again. */
  restart(): Promise<void>;
}

/** The number of servers, writers and interruptions of a run. */
export interface PgWritersOptions {
  readonly database: Database;
  readonly servers: number;
  readonly writers: number;
  readonly conversations: number;
  readonly seconds: number;
  /** The number of acknowledged writes after which the run may end. */
  readonly atLeast?: number;
  /** Seconds between two kills of a server. */
  readonly killEvery: number;
  /** The number of restarts of the database. */
  readonly restarts: number;
  readonly seed: number;
  say?(line: string): void;
}

/** What a run wrote and interrupted. */
export interface PgWritersReport {
  readonly acknowledged: number;
  readonly kills: number;
  readonly restarts: number;
  readonly figures: Readonly<{ [name: string]: number }>;
}

/** Returns a seeded random number generator. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Runs the test; throws on the first lost or corrupted write. */
export async function runPgWriters(options: PgWritersOptions): Promise<PgWritersReport> {
  const { database, seconds, say = () => undefined } = options;
  const token = newId();
  const fleet = new ServerFleet(await bundleServer(), [database.url], token, options.servers);
  const record = new TortureWriterRecord();
  try {
    await fleet.start();
    const conversations = await createSharedTrees(fleet, token, options.conversations);
    const end = performance.now() + seconds * 1000;
    // Whether too few writes were made. On a busy machine the run takes longer then.
    const isThin = () =>
      record.acks.length < (options.atLeast ?? 0) || (fleet.kills === 0 && options.killEvery < seconds);
    const over = () => record.wrong !== null || (performance.now() >= end && !isThin());
    const writers = Array.from({ length: options.writers }, (_, index) =>
      new TortureWriter({
        fleet,
        token,
        conversations,
        record,
        random: createSeededRandom(options.seed + index),
        name: `writer ${index}`,
        over,
      }).run(),
    );
    const killing = killServersInTurn(fleet, options.killEvery, over);
    const restarting = restartDatabase(options, over);
    await Promise.all([...writers, killing, restarting]);
    if (record.wrong !== null) throw new Error(`${record.wrong}\n${fleet.readStderr()}`);
    say(`${record.acks.length} acknowledged, ${fleet.kills} kills; checking`);
    await fleet.close();
    const figures = await check(database.url, conversations, record);
    return {
      acknowledged: record.acks.length,
      kills: fleet.kills,
      restarts: options.restarts,
      figures: {
        ...Object.fromEntries(record.byKind),
        conflicts: record.conflicts,
        refused: record.refused,
        unavailable: record.unavailable,
        'lost connections': record.lostConnections,
        ...figures,
      },
    };
  } finally {
    await fleet.close();
  }
}

/** Creates trees for the owner of a token, through any of the servers. */
export async function createSharedTrees(
  fleet: ServerFleet,
  token: string,
  count: number,
): Promise<readonly SharedTree[]> {
  const conversations: SharedTree[] = [];
  const [address = ''] = fleet.addresses();
  for (let index = 0; index < count; index++) {
    const response = await fetch(`${address}/api/trees`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: `conversation ${index}` }),
    });
    const body: { readonly treeId: string; readonly result: { readonly tree: { readonly rootId: string } } } =
      JSON.parse(await response.text());
    conversations.push({ id: body.treeId, rootId: body.result.tree.rootId, version: 1, nodes: [] });
  }
  return conversations;
}

/** Kills the servers one after the other, at an interval in seconds, until the end. */
export async function killServersInTurn(fleet: ServerFleet, killEvery: number, over: () => boolean): Promise<void> {
  for (let which = 0; ; which++) {
    const until = performance.now() + killEvery * 1000;
    while (performance.now() < until && !over()) await sleep(50);
    if (over()) return;
    await fleet.killOne(which);
  }
}

async function restartDatabase({ database, restarts, seconds }: PgWritersOptions, over: () => boolean): Promise<void> {
  for (let done = 0; done < restarts; done++) {
    const until = performance.now() + (seconds * 1000) / (restarts + 1);
    while (performance.now() < until && !over()) await sleep(50);
    if (over()) return;
    await database.restart();
  }
}

/** Compares the store with the acknowledged writes. */
async function check(url: string, conversations: readonly SharedTree[], record: TortureWriterRecord) {
  const store = await openStore(url);
  try {
    const figures = await checkSharedTrees(store, conversations, record);
    // A server that was killed between storing a run and its reply leaves the run, which the next server ends. fsck
    // only warns about it.
    const findings = (await store.fsck()).findings.filter(({ severity }) => severity === 'error');
    if (findings.length > 0) throw new Error(`fsck finds ${JSON.stringify(findings.slice(0, 5))}`);
    return figures;
  } finally {
    await store.close();
  }
}

/** Compares the conversations of an owner with the acknowledged writes. */
export async function checkSharedTrees(
  store: Store,
  conversations: readonly SharedTree[],
  record: TortureWriterRecord,
) {
  let [commits, nodes] = [0, 0];
  for (const { id } of conversations) {
    const rows = await store.read(treeId(id), () => ask('rows', {}));
    if (rows === null) throw new Error(`The conversation ${id} is gone.`);
    const log = await store.read(treeId(id), () => ask('log', { since: 0 }));
    checkLog(id, rows.row.version, log, record);
    checkNodes(id, new Map(rows.nodes.map((node) => [node.id, node])), log, record);
    commits += log.length;
    nodes += rows.nodes.length;
  }
  return { commits, nodes };
}

/** Checks that versions increase by one, and that each acknowledged version is the acknowledged commit. */
function checkLog(id: string, version: number, log: readonly Commit[], record: TortureWriterRecord): void {
  for (const [index, commit] of log.entries())
    if (commit.version !== index + 1)
      throw new Error(`The log of ${id} has ${commit.version} where ${index + 1} is due.`);
  if (log.length !== version) throw new Error(`The conversation ${id} is at ${version} and has ${log.length} commits.`);
  const answered = new Set<number>();
  for (const ack of record.acks) {
    if (ack.treeId !== id) continue;
    if (ack.version > version)
      throw new Error(`Version ${ack.version} of ${id} was acknowledged; it is at ${version}.`);
    if (!ack.sure) continue;
    if (log[ack.version - 1]?.actId !== ack.actId)
      throw new Error(`Version ${ack.version} of ${id} was acknowledged as the act ${ack.actId}, which it is not.`);
    if (answered.has(ack.version)) throw new Error(`Version ${ack.version} of ${id} was acknowledged twice.`);
    answered.add(ack.version);
  }
}

/** Checks that every acknowledged node exists with its text, unless a logged delete removed it. */
function checkNodes(
  id: string,
  there: ReadonlyMap<string, Node>,
  log: readonly Commit[],
  record: TortureWriterRecord,
): void {
  const removals = new Set(
    log.filter((commit) => commit.steps.some((step) => step.type === 'remove')).map((commit) => commit.version),
  );
  for (const [nodeId, { treeId: home, text }] of record.said) {
    if (home !== id) continue;
    const node = there.get(nodeId);
    if (node === undefined) throw new Error(`The node ${nodeId} of ${id} was acknowledged and is not there.`);
    if (node.text !== text) throw new Error(`The node ${nodeId} says ${JSON.stringify(node.text)}, not ${text}.`);
    if (node.removedIn !== null && !removals.has(node.removedIn))
      throw new Error(`The node ${nodeId} is gone since ${node.removedIn}, which deleted nothing.`);
  }
}
