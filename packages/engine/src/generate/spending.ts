/** Records the daily spending and the use of models, across turns and processes. */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** The model use of one user: calls, tokens, and cost. */
export interface ModelUse {
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** The owner of a call, and its input and output tokens together. */
interface SpendingNote {
  readonly owner: string;
  readonly tokens: number;
}

/** How much of a daily budget is used: spent by finished calls, and reserved for running ones. */
export interface DayUse {
  readonly spent: number;
  readonly reserved: number;
}

export interface Spending {
  /** Returns the US dollars spent on a day, for example `2026-11-15`. Rejects if the day's file cannot be read. */
  on(day: string): Promise<number>;
  /** Adds an amount, optionally with the owner of the call. Never rejects. */
  add(day: string, usd: number, note?: SpendingNote): Promise<void>;
  /**
   * Reserves the highest possible cost of a call. `amountOf` gets the used amounts and returns the amount to reserve,
   * or null to reserve nothing. It may throw, and is called again if another process reserves at the same time.
   * Resolves with a function that releases the reservation, to be called after the actual cost was added, or with null
   * if nothing was reserved. Rejects if the day's file cannot be read.
   */
  reserve(day: string, amountOf: (used: DayUse) => number | null): Promise<(() => void) | null>;
  /**
   * Returns the use of each user on a day; calls without an owner are left out. Rejects if the day's file cannot be
   * read.
   */
  byOwner(day: string): Promise<ReadonlyMap<string, ModelUse>>;
}

/** The amounts that running calls of this process may still spend, by day. */
class Reservations {
  readonly #days = new Map<string, number>();

  on(day: string): number {
    return this.#days.get(day) ?? 0;
  }

  /** Reserves an amount; returns a function that releases it. */
  hold(day: string, usd: number): () => void {
    this.#days.set(day, this.on(day) + usd);
    return () => {
      const left = this.on(day) - usd;
      // Rounding errors may leave a tiny rest, which is dropped.
      if (left > 1e-9) this.#days.set(day, left);
      else this.#days.delete(day);
    };
  }
}

/** Returns the UTC day of a time, so that processes in different time zones share a day. */
export function utcDayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Returns the sum of two records of use. */
export function addUse(one: ModelUse | undefined, other: ModelUse): ModelUse {
  return {
    calls: (one?.calls ?? 0) + other.calls,
    tokens: (one?.tokens ?? 0) + other.tokens,
    usd: (one?.usd ?? 0) + other.usd,
  };
}

/** A reservation of a process, as its line in the day's file says. */
interface HeldAmount {
  readonly usd: number;
  readonly pid: number;
  readonly host: string;
  /** When the reservation expires if its process cannot be checked, in milliseconds since 1970. */
  readonly until: number;
}

/** The sums of one day's file: dollars, use per user, and open reservations. */
class DaySums {
  usd = 0;
  readonly people = new Map<string, ModelUse>();
  readonly held = new Map<string, HeldAmount>();

  add(usd: number, note: SpendingNote | undefined): void {
    this.usd += usd;
    if (note !== undefined)
      this.people.set(note.owner, addUse(this.people.get(note.owner), { calls: 1, tokens: note.tokens, usd }));
  }
}

/** Records spending in memory. It is lost when the process exits. */
export function createMemorySpending(): Spending {
  const days = new Map<string, DaySums>();
  const reservations = new Reservations();
  return {
    on: async (day) => days.get(day)?.usd ?? 0,
    async reserve(day, amountOf) {
      const amount = amountOf({ spent: days.get(day)?.usd ?? 0, reserved: reservations.on(day) });
      return amount === null ? null : reservations.hold(day, amount);
    },
    async add(day, usd, note) {
      const sums = days.get(day) ?? new DaySums();
      days.set(day, sums);
      sums.add(usd, note);
    },
    byOwner: async (day) => new Map(days.get(day)?.people),
  };
}

/** How far a day's file was read, and the sums up to there. */
interface ReadDay {
  readonly day: string;
  offset: number;
  readonly sums: DaySums;
}

// Longer than a turn may take. It applies to processes on other computers, and to process ids that are used again.
const reservationMs = 3_600_000;

/**
 * Records spending in a folder: one file per day, with one line per call, reservation and release. Lines are short and
 * only appended, so that several processes can share a file. If a line cannot be written, this process counts the
 * amount in memory.
 */
export function createFileSpending(folder: string, now: () => number = Date.now): Spending {
  const unwritten = createMemorySpending();
  // Reservations that this process released; the lines with the releases may not be written or read yet.
  const released = new Set<string>();
  let page: ReadDay | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const readDay = async (day: string, stopAt?: string): Promise<DaySums> => {
    const at = page?.day === day ? page : { day, offset: 0, sums: new DaySums() };
    // Only the newest day is cached, because only its file is read repeatedly.
    if (page === null || day >= page.day) page = at;
    await readNewLines(join(folder, `${day}.jsonl`), at, stopAt);
    return at.sums;
  };
  /** Runs reads one after the other, because two concurrent reads would count the same lines twice. */
  const runSequentially = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  const append = async (day: string, line: object): Promise<boolean> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await appendFile(join(folder, `${day}.jsonl`), `${JSON.stringify(line)}\n`, { mode: 0o600 });
      return true;
    } catch {
      return false;
    }
  };
  const release = (day: string, id: string) => () => {
    released.add(id);
    void append(day, { release: id });
  };
  const reserve: Spending['reserve'] = async (day, amountOf) => {
    const useOf = (sums: DaySums, besides: DayUse): DayUse => ({
      spent: sums.usd + besides.spent,
      reserved: sumReservations(sums, released, now()) + besides.reserved,
    });
    for (;;) {
      let besides: DayUse = { spent: 0, reserved: 0 };
      await unwritten.reserve(day, (used) => {
        besides = used;
        return null;
      });
      const amount = amountOf(useOf(await readDay(day), besides));
      if (amount === null) return null;
      const id = randomUUID();
      const line = { reserve: id, most: amount, pid: process.pid, host: hostname(), until: now() + reservationMs };
      if (!(await append(day, line))) return unwritten.reserve(day, () => amount);
      // The order of the lines decides between processes: if another reservation was written before this one, the
      // amount is computed again.
      let isUnchanged = false;
      try {
        isUnchanged = amountOf(useOf(await readDay(day, id), besides)) === amount;
      } finally {
        if (!isUnchanged) release(day, id)();
      }
      if (isUnchanged) return release(day, id);
    }
  };
  return {
    on: (day) => runSequentially(async () => (await readDay(day)).usd + (await unwritten.on(day))),
    reserve: (day, amountOf) => runSequentially(() => reserve(day, amountOf)),
    byOwner: (day) =>
      runSequentially(async () => {
        const people = new Map((await readDay(day)).people);
        for (const [owner, use] of await unwritten.byOwner(day)) people.set(owner, addUse(people.get(owner), use));
        return people;
      }),
    async add(day, usd, note) {
      if (!(await append(day, { usd, ...note }))) await unwritten.add(day, usd, note);
    },
  };
}

/** Sums the reservations of running calls. Those of processes that no longer exist do not count. */
function sumReservations({ held }: DaySums, released: ReadonlySet<string>, now: number): number {
  let sum = 0;
  for (const [id, { usd, pid, host, until }] of held) {
    if (released.has(id) || until < now || (host === hostname() && !isProcessRunning(pid))) held.delete(id);
    else sum += usd;
  }
  return sum;
}

function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Adds the lines since the last read to the sums, up to the reservation `stopAt` if given. An incomplete last line is
 * left for the next read.
 */
async function readNewLines(path: string, page: ReadDay, stopAt?: string): Promise<void> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return;
  try {
    const { size } = await file.stat();
    if (size <= page.offset) return;
    const bytes = Buffer.alloc(size - page.offset);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, page.offset);
    const whole = bytes.subarray(0, bytes.subarray(0, bytesRead).lastIndexOf(10) + 1);
    const end = stopAt === undefined ? -1 : whole.indexOf(`{"reserve":"${stopAt}"`);
    const text = end < 0 ? whole : whole.subarray(0, end);
    page.offset += text.length;
    for (const line of text.toString('utf8').split('\n')) addLine(line, page.sums);
  } finally {
    await file.close();
  }
}

function addLine(line: string, sums: DaySums): void {
  try {
    const { usd, owner, tokens, reserve, release, most, pid, host, until } = JSON.parse(line);
    if (typeof release === 'string') sums.held.delete(release);
    if (typeof reserve === 'string' && [most, pid, until].every(Number.isFinite) && most >= 0)
      sums.held.set(reserve, { usd: most, pid, host: String(host), until });
    if (typeof usd !== 'number' || !(usd >= 0)) return;
    const isNoted = typeof owner === 'string' && typeof tokens === 'number' && tokens >= 0;
    sums.add(usd, isNoted ? { owner, tokens } : undefined);
  } catch {
    // A line that is incomplete after a power failure is skipped.
  }
}
