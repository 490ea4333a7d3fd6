/**
 * Runs the commands of several sessions in every order and concurrently, and compares the results with recorded ones.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ask, type CreateResult, isAppError, type Store } from '@coppice/core';
import type { StoreOptions } from '../options.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import { type Race, RaceRun, races } from './races.ts';
import { openStoreAt, type StoreLocation, type StoreLocations } from './store-locations.ts';
import { WorkerProcess } from './worker-process.ts';

/** Options of the permutation test. */
export interface PermuteOptions {
  readonly site: StoreLocations;
  readonly seed: string;
  /** How many times the sessions of each race run concurrently, in one process and in several. */
  readonly times: number;
  /** Whether to skip the interleavings of reads and writes of three sessions, of which each race has 90. */
  readonly quick?: boolean;
  /** Whether to record the results instead of comparing them. */
  readonly update?: boolean;
  /** Further options for every store, such as another isolation level. */
  readonly options?: StoreOptions;
  readonly say?: (line: string) => void;
}

/** The result of a race: the answer of each session, and the final tree. */
interface Finish {
  readonly answers: readonly string[];
  readonly drawing: readonly string[];
}

const fixture = new URL('./fixtures/permutations.json', import.meta.url);

/** Returns every interleaving of the sessions' steps. The steps of one session keep their order. */
export function listInterleavings(sessions: number, steps: number): number[][] {
  const found: number[][] = [];
  const open: { readonly order: number[]; readonly left: readonly number[] }[] = [
    { order: [], left: Array.from({ length: sessions }, () => steps) },
  ];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { order, left } = at;
    if (left.every((count) => count === 0)) found.push(order);
    for (const [session, count] of left.entries())
      if (count > 0)
        open.push({ order: [...order, session], left: left.map((one, index) => (index === session ? one - 1 : one)) });
  }
  return found.sort((one, two) => (one.join() < two.join() ? -1 : 1));
}

/** Returns the outcome of a session's command as one word. */
async function answerOf(work: Promise<{ readonly result: unknown; readonly commit: unknown }>): Promise<string> {
  try {
    const { result, commit } = await work;
    if (isCreated(result)) return result.created ? 'made' : 'found';
    return commit === null ? 'nothing to do' : 'done';
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code;
  }
}

function isCreated(result: unknown): result is CreateResult {
  return typeof result === 'object' && result !== null && 'created' in result;
}

class Course {
  readonly #journal: TortureJournal;
  readonly #handles: readonly Store[];
  #tracks = 0;

  constructor(journal: TortureJournal, handles: readonly Store[]) {
    this.#journal = journal;
    this.#handles = handles;
  }

  handle(at: number): Store {
    const store = this.#handles[at % this.#handles.length];
    if (store === undefined) throw new Error('There is no store.');
    return store;
  }

  async track(race: Race): Promise<RaceRun> {
    const track = new RaceRun(`${this.#journal.seed} ${++this.#tracks}`);
    await race.set(track, this.handle(0));
    // Creates each command once, because that assigns the names of its ids, which the drawing of the tree needs.
    for (const session of race.sessions) session.command(track);
    return track;
  }

  async finish(track: RaceRun, answers: readonly string[]): Promise<Finish> {
    return { answers, drawing: await track.drawing(this.handle(0)) };
  }

  /** Runs the commands of the sessions one after another, in the given order. */
  async plain(race: Race, order: readonly number[]): Promise<Finish> {
    this.#journal.note({ race: race.name, plain: order });
    const track = await this.track(race);
    const answers = race.sessions.map(() => '');
    for (const at of order) {
      const session = race.sessions[at];
      if (session !== undefined)
        answers[at] = await answerOf(track.run(this.handle(at), session.actor, session.command(track)));
    }
    return this.finish(track, answers);
  }

  /** Runs a race in which each session first reads the version, and later writes and expects that version. */
  async checked(race: Race, order: readonly number[]): Promise<Finish> {
    this.#journal.note({ race: race.name, checked: order });
    const track = await this.track(race);
    const answers = race.sessions.map(() => '');
    const seen = new Map<number, number>();
    for (const at of order) {
      const session = race.sessions[at];
      if (session === undefined) continue;
      const version = seen.get(at);
      if (version === undefined)
        seen.set(at, (await this.handle(at).read(track.treeId, () => ask('tree', {})))?.version ?? 0);
      else
        answers[at] = await answerOf(
          track.run(this.handle(at), session.actor, session.command(track), version === 0 ? undefined : version),
        );
    }
    return this.finish(track, answers);
  }

  /** Runs all sessions concurrently in one process. */
  async atOnce(race: Race): Promise<Finish> {
    this.#journal.note({ race: race.name, at: 'once' });
    const track = await this.track(race);
    const answers = await Promise.all(
      race.sessions.map((session, at) => answerOf(track.run(this.handle(at), session.actor, session.command(track)))),
    );
    return this.finish(track, answers);
  }

  /**
   * Runs all sessions concurrently, each in a separate process. Their answers do not tell whether a node was created or
   * found.
   */
  async inProcesses(race: Race, workers: readonly WorkerProcess[]): Promise<Finish> {
    this.#journal.note({ race: race.name, processes: workers.length });
    const track = await this.track(race);
    const answers = await Promise.all(
      race.sessions.map(async (session, at) => {
        const worker = workers[at];
        if (worker === undefined) throw new Error('There are too few processes.');
        const ran = worker.waitForReport((reported) => reported.reported === 'ran');
        worker.send({
          task: 'run',
          command: session.command(track),
          actor: session.actor,
          seed: `${track.name} ${session.actor}`,
        });
        const reported = await ran;
        if (reported?.reported !== 'ran') throw new Error('A process ended in the middle of a race.');
        return reported.code ?? 'done';
      }),
    );
    return this.finish(track, answers);
  }
}

function plainly(finish: Finish): string {
  const answers = finish.answers.map((answer) =>
    ['made', 'found', 'nothing to do'].includes(answer) ? 'done' : answer,
  );
  return JSON.stringify({ ...finish, answers });
}

async function startWorkers(place: StoreLocation, count: number): Promise<WorkerProcess[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const worker = await WorkerProcess.start();
      const open = worker.waitForReport((reported) => reported.reported === 'open');
      worker.send({ task: 'session', url: place.url });
      await open;
      return worker;
    }),
  );
}

/** Runs every race in every order and concurrently. Throws on a result that was not recorded. */
export async function runPermutations(options: PermuteOptions): Promise<TortureReport> {
  const { site, times } = options;
  const journal = new TortureJournal(`permute-${site.kind}`, options.seed, options.say);
  const place = await site.place();
  const handles: Store[] = [];
  for (let at = 0; at < (site.processes ? 3 : 1); at++) handles.push(await openStoreAt(place, options.options));
  const course = new Course(journal, handles);
  const known: Record<string, Finish> = options.update === true ? {} : JSON.parse(readFileSync(fixture, 'utf8'));
  const met = new Map<string, Finish>();
  const compare = (key: string, finish: Finish): void => {
    met.set(key, finish);
    if (options.update !== true && JSON.stringify(known[key]) !== JSON.stringify(finish))
      throw journal.failure(`${key}: expected ${JSON.stringify(known[key])}, got ${JSON.stringify(finish)}`, { key });
  };
  const workers = site.processes ? await startWorkers(place, 3) : [];
  let orders = 0;
  let raced = 0;
  try {
    for (const race of races) {
      const count = race.sessions.length;
      const serial = new Set<string>();
      for (const order of listInterleavings(count, 1)) {
        const finish = await course.plain(race, order);
        serial.add(plainly(finish));
        compare(`${race.name} | ${order.join(' ')}`, finish);
        orders++;
      }
      for (const order of options.quick === true && count > 2 ? [] : listInterleavings(count, 2)) {
        compare(`${race.name} | read, then write | ${order.join(' ')}`, await course.checked(race, order));
        orders++;
      }
      for (let time = 0; time < times; time++) {
        const finishes = [await course.atOnce(race)];
        if (workers.length > 0) finishes.push(await course.inProcesses(race, workers));
        for (const finish of finishes)
          if (!serial.has(plainly(finish)))
            throw journal.failure(`${race.name} at once came out as no order does: ${JSON.stringify(finish)}`);
        raced += finishes.length;
      }
    }
    await journal.checkStore(course.handle(0));
  } finally {
    for (const worker of workers) worker.kill();
    for (const store of handles) await store.close();
    await place.destroy();
  }
  if (options.update === true) writeFileSync(fixture, `${JSON.stringify(Object.fromEntries(met), null, 1)}\n`);
  return journal.done({ races: races.length, orders, raced });
}
