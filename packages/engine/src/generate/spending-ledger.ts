/** Records the daily spending and the use of models, across turns and processes. */
import { fieldsOrEmpty, getNumber, getText } from '@coppice/core/decode';
import { randomUUID } from '#platform/crypto';
import { appendFile, hostname, isProcessRunning, join, mkdir, open, processId } from '#platform/system';

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
export interface DailyBudgetUse {
  readonly spent: number;
  readonly reserved: number;
}

/** Computes the amount to reserve for a call, from what all owners and what its owner have used; null for nothing. */
export type ComputeReservation = (used: DailyBudgetUse, own: DailyBudgetUse) => number | null;

/** The spending of each day, with the reservations of running calls. */
export interface SpendingLedger {
  /** Returns the US dollars spent on a day, for example `2026-11-15`. Rejects if the day's file cannot be read. */
  on(day: string): Promise<number>;
  /** Adds an amount, optionally with the owner of the call. Never rejects. */
  add(day: string, usd: number, note?: SpendingNote): Promise<void>;
  /**
   * Reserves the highest possible cost of a call of an owner. `amountOf` gets the amounts that all used and those of the
   * owner, and returns the amount to reserve, or null to reserve nothing. It may throw, and is called again if another
   * process reserves at the same time. Resolves with a function that releases the reservation, to be called after the
   * actual cost was added, or with null if nothing was reserved. Rejects if the day's file cannot be read.
   */
  reserve(day: string, owner: string, amountOf: ComputeReservation): Promise<(() => void) | null>;
  /**
   * Returns the use of each user on a day; calls without an owner are left out. Rejects if the day's file cannot be
   * read.
   */
  byOwner(day: string): Promise<ReadonlyMap<string, ModelUse>>;
}

/** The amounts that running calls of this process may still spend, by day and owner. */
class Reservations {
  readonly #held = new Map<string, { readonly day: string; readonly owner: string; readonly usd: number }>();

  /** Returns the sum of a day, of all owners or of one. */
  on(day: string, owner?: string): number {
    let sum = 0;
    for (const one of this.#held.values())
      if (one.day === day && (owner === undefined || one.owner === owner)) sum += one.usd;
    return sum;
  }

  /** Reserves an amount; returns a function that releases it. */
  hold(day: string, owner: string, usd: number): () => void {
    const id = randomUUID();
    this.#held.set(id, { day, owner, usd });
    return () => void this.#held.delete(id);
  }
}

/** Returns the UTC day of a time, so that processes in different time zones share a day. */
export function utcDayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Returns the sum of two records of use. */
export function sumModelUse(one: ModelUse | undefined, other: ModelUse): ModelUse {
  return {
    calls: (one?.calls ?? 0) + other.calls,
    tokens: (one?.tokens ?? 0) + other.tokens,
    usd: (one?.usd ?? 0) + other.usd,
  };
}

/** A reservation of a process, as stored in a line of the day's file. */
interface HeldAmount {
  readonly usd: number;
  /** Null in lines of earlier versions. */
  readonly owner: string | null;
  readonly pid: number;
  readonly host: string;
  /** When the reservation expires, even if its process seems to run, in milliseconds since 1970. */
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
      this.people.set(note.owner, sumModelUse(this.people.get(note.owner), { calls: 1, tokens: note.tokens, usd }));
  }
}

/** Records spending in memory. It is lost when the process exits. */
export function createMemorySpendingLedger(): SpendingLedger {
  const days = new Map<string, DaySums>();
  const reservations = new Reservations();
  return {
    on: async (day) => days.get(day)?.usd ?? 0,
    async reserve(day, owner, amountOf) {
      const sums = days.get(day);
      const amount = amountOf(
        { spent: sums?.usd ?? 0, reserved: reservations.on(day) },
        { spent: sums?.people.get(owner)?.usd ?? 0, reserved: reservations.on(day, owner) },
      );
      return amount === null ? null : reservations.hold(day, owner, amount);
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

// Longer than a turn may take. After this time a reservation ends even if its process is on another computer, where it
// cannot be checked, or if its process id is in use again.
const reservationMs = 3_600_000;

/**
 * Records spending in a folder: one file per day, with one line per call, reservation and release. Lines are short and
 * only appended, so that several processes can share a file. If a line cannot be written, this process counts the
 * amount in memory.
 */
export function createFileSpendingLedger(folder: string, now: () => number = Date.now): SpendingLedger {
  const unwritten = createMemorySpendingLedger();
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
  const reserve: SpendingLedger['reserve'] = async (day, owner, amountOf) => {
    const nothing: DailyBudgetUse = { spent: 0, reserved: 0 };
    for (;;) {
      let besides: readonly [DailyBudgetUse, DailyBudgetUse] = [nothing, nothing];
      await unwritten.reserve(day, owner, (used, own) => {
        besides = [used, own];
        return null;
      });
      const amountFor = (sums: DaySums): number | null => {
        const held = sumReservations(sums, released, now(), owner);
        const [used, own] = besides;
        return amountOf(
          { spent: sums.usd + used.spent, reserved: held.all + used.reserved },
          { spent: (sums.people.get(owner)?.usd ?? 0) + own.spent, reserved: held.own + own.reserved },
        );
      };
      const amount = amountFor(await readDay(day));
      if (amount === null) return null;
      const id = randomUUID();
      const place = { pid: processId, host: hostname(), until: now() + reservationMs };
      if (!(await append(day, { reserve: id, owner, most: amount, ...place })))
        return unwritten.reserve(day, owner, () => amount);
      // The order of the lines decides between processes: if another reservation was written before this one, the
      // amount is computed again.
      let isUnchanged = false;
      try {
        isUnchanged = amountFor(await readDay(day, id)) === amount;
      } finally {
        if (!isUnchanged) release(day, id)();
      }
      if (isUnchanged) return release(day, id);
    }
  };
  return {
    on: (day) => runSequentially(async () => (await readDay(day)).usd + (await unwritten.on(day))),
    reserve: (day, owner, amountOf) => runSequentially(() => reserve(day, owner, amountOf)),
    byOwner: (day) =>
      runSequentially(async () => {
        const people = new Map((await readDay(day)).people);
        for (const [owner, use] of await unwritten.byOwner(day)) people.set(owner, sumModelUse(people.get(owner), use));
        return people;
      }),
    async add(day, usd, note) {
      if (!(await append(day, { usd, ...note }))) await unwritten.add(day, usd, note);
    },
  };
}

/**
 * Sums the reservations of running calls, of all owners and of one. Those of processes that no longer exist do not
 * count.
 */
function sumReservations(
  { held }: DaySums,
  released: ReadonlySet<string>,
  now: number,
  wanted: string,
): { readonly all: number; readonly own: number } {
  let [all, own] = [0, 0];
  for (const [id, { usd, owner, pid, host, until }] of held) {
    if (released.has(id) || until < now || (host === hostname() && !isProcessRunning(pid))) held.delete(id);
    else {
      all += usd;
      if (owner === wanted) own += usd;
    }
  }
  return { all, own };
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
    const entry = fieldsOrEmpty(JSON.parse(line));
    const [release, reserve] = [getText(entry, 'release'), getText(entry, 'reserve')];
    const [owner, host] = [getText(entry, 'owner') ?? null, getText(entry, 'host') ?? ''];
    const [usd, tokens, most] = [getNumber(entry, 'usd'), getNumber(entry, 'tokens'), getNumber(entry, 'most')];
    const [pid, until] = [getNumber(entry, 'pid'), getNumber(entry, 'until')];
    if (release !== undefined) sums.held.delete(release);
    if (reserve !== undefined && pid !== undefined && until !== undefined && most !== undefined && most >= 0)
      sums.held.set(reserve, { usd: most, owner, pid, host, until });
    if (usd === undefined || usd < 0) return;
    const isNoted = owner !== null && tokens !== undefined && tokens >= 0;
    sums.add(usd, isNoted ? { owner, tokens } : undefined);
  } catch {
    // A line that is incomplete after a power failure is skipped.
  }
}
