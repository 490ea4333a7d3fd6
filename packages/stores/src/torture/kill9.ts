/** Kills writers in mid-write, again and again, and holds what is left against what was acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Store, type TreeId, textOf, treeId } from '@coppice/core';
import { type Act, Branch, differences, type Known, type KnownNodes, sameNodes } from './branch.ts';
import { Worker } from './crew.ts';
import { Journal, type Report } from './journal.ts';
import { type Ground, openPlace, type Place } from './places.ts';
import type { Told, WriterTask } from './protocol.ts';
import { Random } from './random.ts';

/** How long and on what to kill. */
export interface Kill9Options {
  readonly ground: Ground;
  readonly writers: number;
  readonly rounds: number;
  readonly seed: string;
  /** Kills the server instead of the workers and starts it again. */
  readonly killServer?: () => Promise<void>;
  readonly say?: (line: string) => void;
}

// Places grow, and every round looks at all of a place.
const roundsPerPlace = 25;
const treesPerPlace = 2;
const longestLife = 300;
// What a writer may meet while others hold the store or a server is gone; it may try again.
const expectedFailures: ReadonlySet<string> = new Set(['store/locked', 'store/unavailable']);

/** What a writer was told, round after round. */
interface Writer {
  readonly name: string;
  readonly tree: TreeId;
  branch: Branch;
  /** Said to be tried, and not yet answered. */
  open: Act | null;
  /** Open when the last round ended, and since found to have happened or not. */
  again: Act | null;
}

/** The writers of a place and how many commits each tree must have. */
class Ledger {
  readonly writers: readonly Writer[];
  readonly #commits = new Map<TreeId, number>();
  readonly #homes = new Map<string, string>();
  readonly journal: Journal;
  acknowledged = 0;
  unknown = 0;
  happened = 0;
  /** The first word of a worker that should not have come. */
  wrong: Error | null = null;

  constructor(journal: Journal, count: number, random: Random) {
    this.journal = journal;
    const trees = Array.from({ length: treesPerPlace }, () => treeId(random.uuid()));
    this.writers = Array.from({ length: count }, (_, at) => ({
      name: `w${at}`,
      tree: trees[at % trees.length] ?? treeId(''),
      branch: new Branch(),
      open: null,
      again: null,
    }));
  }

  /** Writes down what a worker told; this is the only place where an acknowledgement counts. */
  hear(told: Told): void {
    if (told.told !== 'tries' && told.told !== 'done' && told.told !== 'failed') return;
    this.journal.note(told);
    const writer = this.writers.find((one) => one.name === told.writer);
    if (writer === undefined) {
      this.wrong ??= new Error(`Nobody is called ${told.writer}.`);
      return;
    }
    if (told.told === 'tries') {
      writer.open = told.act;
      for (const id of idsOf(told.act)) this.#homes.set(id, writer.name);
      return;
    }
    if (told.told === 'failed') {
      if (!expectedFailures.has(told.code))
        this.wrong ??= this.journal.failure(`${told.writer} was refused: ${told.code}, ${told.message}`);
      if (!told.unknown) writer.open = null;
      return;
    }
    if (writer.open === null) {
      this.wrong ??= new Error(`${told.writer} was told of the end of nothing.`);
      return;
    }
    this.acknowledged++;
    this.#settle(writer, writer.open);
    writer.open = null;
  }

  #settle(writer: Writer, act: Act): void {
    // What was tried again and had happened already changed nothing.
    if (writer.again === act || JSON.stringify(writer.again) === JSON.stringify(act)) {
      writer.again = null;
      return;
    }
    writer.branch = writer.branch.after(act);
    this.#commits.set(writer.tree, (this.#commits.get(writer.tree) ?? 0) + 1);
  }

  /** Holds the store against what was acknowledged, and finds out what became of what was not. */
  async compare(store: Store): Promise<void> {
    if (this.wrong !== null) throw this.wrong;
    const trees = new Set(this.writers.map((writer) => writer.tree));
    for (const tree of trees) {
      const rows = await store.read(tree, () => ask('rows', {}));
      const found = new Map<string, Map<string, Known>>(this.writers.map((writer) => [writer.name, new Map()]));
      for (const node of rows?.nodes ?? []) {
        if (node.removedIn !== null || node.parentId === null || node.message === null) continue;
        const home = found.get(this.#homes.get(node.id) ?? '');
        if (home === undefined) throw this.journal.failure(`The node ${node.id} is nobody's.`);
        const parent = node.parentId === rows?.row.rootId ? null : node.parentId;
        home.set(node.id, { parent, text: textOf(node.message) });
      }
      for (const writer of this.writers)
        if (writer.tree === tree) this.#compareWriter(writer, found.get(writer.name) ?? new Map());
      const version = rows?.row.version ?? 0;
      const expected = this.#commits.get(tree) ?? 0;
      if (version !== (rows === null ? 0 : 1) + expected)
        throw this.journal.failure(`The tree ${tree} is at version ${version} after ${expected} commits.`);
    }
    const { findings } = await store.fsck();
    const errors = findings.filter((finding) => finding.severity === 'error');
    if (errors.length > 0) throw this.journal.failure(`fsck: ${errors.map((one) => one.message).join(' ')}`);
  }

  #compareWriter(writer: Writer, actual: KnownNodes): void {
    const { open } = writer;
    writer.open = null;
    writer.again = null;
    if (open !== null) this.unknown++;
    if (sameNodes(writer.branch.nodes, actual)) return;
    const after = open === null ? null : writer.branch.after(open);
    if (open !== null && after !== null && sameNodes(after.nodes, actual)) {
      this.happened++;
      this.#settle(writer, open);
      // Only an append is the same thing when it is done twice.
      if (open.act === 'append') writer.again = open;
      return;
    }
    const missing = differences(writer.branch.nodes, actual).slice(0, 5);
    throw this.journal.failure(
      `What ${writer.name} was told is not what is there: ${missing.join('; ')}. On its way was ${JSON.stringify(open)}.`,
    );
  }

  tasks(seed: string): WriterTask[] {
    return this.writers.map((writer) => ({
      name: writer.name,
      treeId: writer.tree,
      seed: `${seed} ${writer.name}`,
      branch: JSON.parse(JSON.stringify(writer.branch)),
      ...(writer.again === null ? {} : { again: writer.again }),
    }));
  }
}

function idsOf(act: Act): readonly string[] {
  if (act.act === 'append') return act.ids;
  return act.act === 'vary' || act.act === 'split' ? [act.newId] : [];
}

/** Starts the processes of a round; they wait until they are told to write. */
async function hire(count: number, ledger: () => Ledger): Promise<Worker[]> {
  return Promise.all(Array.from({ length: count }, () => Worker.start((told) => ledger().hear(told))));
}

/** Runs rounds of writing and killing. Throws at the first acknowledged node that is lost or altered. */
export async function kill9(options: Kill9Options): Promise<Report> {
  const { ground, rounds, seed } = options;
  const journal = new Journal(
    `kill9-${ground.kind}${options.killServer === undefined ? '' : '-server'}`,
    seed,
    options.say,
  );
  const random = new Random('kill9', seed);
  const processes = ground.processes ? options.writers : 1;
  const total = { acknowledged: 0, unknown: 0, happened: 0, kills: 0 };
  let place: Place | undefined;
  let ledger: Ledger | undefined;
  const current = (): Ledger => {
    if (ledger === undefined) throw new Error('There is no ledger yet.');
    return ledger;
  };
  let next = hire(processes, current);
  for (let round = 0; round < rounds; round++) {
    if (round % roundsPerPlace === 0) {
      await place?.destroy();
      place = await ground.place();
      ledger = new Ledger(journal, options.writers, random);
    }
    const crew = await next;
    if (place === undefined || ledger === undefined) throw new Error('There is no place.');
    const tasks = ledger.tasks(`${seed} ${round}`);
    const lives = crew.map(() => random.below(longestLife));
    journal.note({ round, url: place.kind, lives });
    for (const [at, worker] of crew.entries())
      worker.tell({
        task: 'write',
        url: place.url,
        writers: tasks.filter((_, writer) => writer % crew.length === at),
      });
    if (options.killServer === undefined)
      await Promise.all(
        crew.map(async (worker, at) => {
          await sleep(lives[at] ?? 0);
          worker.kill();
        }),
      );
    else {
      // Long enough to connect: what counts is what was on its way when the server went.
      await sleep(150 + random.below(longestLife));
      await options.killServer();
      for (const worker of crew) worker.tell({ task: 'stop' });
    }
    total.kills += options.killServer === undefined ? crew.length : 1;
    await Promise.all(crew.map((worker) => worker.end()));
    next = round + 1 < rounds ? hire(processes, current) : Promise.resolve([]);
    // A crew that is never told to write must not be the reason for a failure that nobody handles.
    next.catch(() => undefined);
    const before = ledger.acknowledged;
    const store = await openPlace(place);
    try {
      await ledger.compare(store);
    } catch (error) {
      for (const worker of await next) worker.kill();
      throw error;
    } finally {
      await store.close();
    }
    if ((round + 1) % roundsPerPlace === 0 || round + 1 === rounds) {
      total.acknowledged += ledger.acknowledged;
      total.unknown += ledger.unknown;
      total.happened += ledger.happened;
    }
    if ((round + 1) % 50 === 0) journal.say(`${round + 1} rounds, ${total.acknowledged} acknowledged`);
    if (before === 0 && ledger.acknowledged === 0 && round % roundsPerPlace === roundsPerPlace - 1)
      throw journal.failure('Nothing was acknowledged in a whole place: nothing was tested.');
  }
  await place?.destroy();
  if (total.acknowledged === 0) throw journal.failure('Nothing was acknowledged: nothing was tested.');
  return journal.done({ rounds, writers: options.writers, ...total });
}
