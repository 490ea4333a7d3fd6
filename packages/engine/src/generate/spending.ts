/** Daily spending and use of models, across turns and processes. */
import { appendFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/** What one person used: calls of models, their tokens, and what they cost. */
export interface ModelUse {
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** Whose call it was, and its tokens of input and output together. */
interface SpendingNote {
  readonly owner: string;
  readonly tokens: number;
}

export interface Spending {
  /** US dollars of a day, for example `2026-11-15`. Rejects if it cannot be read. */
  on(day: string): Promise<number>;
  /** Adds an amount, with a note of whose call it was. Never rejects. */
  add(day: string, usd: number, note?: SpendingNote): Promise<void>;
  /** What each person used on a day; calls without a note are left out. Rejects if it cannot be read. */
  byOwner(day: string): Promise<ReadonlyMap<string, ModelUse>>;
}

/** The largest amounts that the running calls of this process may still spend, by day. */
export class Reservations {
  /** The number of calls that have ended: an amount spent that was read meanwhile may lack theirs. */
  ended = 0;
  readonly #days = new Map<string, number>();

  on(day: string): number {
    return this.#days.get(day) ?? 0;
  }

  /** Reserves an amount; returns a function that releases it, called after what was spent is added. */
  hold(day: string, usd: number): () => void {
    this.#days.set(day, this.on(day) + usd);
    return () => {
      this.ended++;
      const left = this.on(day) - usd;
      // Rounding may leave a rest.
      if (left > 1e-9) this.#days.set(day, left);
      else this.#days.delete(day);
    };
  }
}

const reservations = new WeakMap<Spending, Reservations>();

/** The reservations of a budget: turns, summaries and titles of all stores of an engine share it. */
export function reservationsOf(spending: Spending): Reservations {
  const found = reservations.get(spending) ?? new Reservations();
  reservations.set(spending, found);
  return found;
}

/** What was spent on a day and what running calls have reserved, both at the same moment. */
export async function spentAndReserved(
  spending: Spending,
  day: string,
): Promise<{ readonly spent: number; readonly reserved: number }> {
  const held = reservationsOf(spending);
  for (;;) {
    const { ended } = held;
    const spent = await spending.on(day);
    if (ended === held.ended) return { spent, reserved: held.on(day) };
  }
}

/** The UTC day of a time: the same for all processes. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Adds one use to another. */
export function addUse(one: ModelUse | undefined, other: ModelUse): ModelUse {
  return {
    calls: (one?.calls ?? 0) + other.calls,
    tokens: (one?.tokens ?? 0) + other.tokens,
    usd: (one?.usd ?? 0) + other.usd,
  };
}

/** The sums of one day. */
class DaySums {
  usd = 0;
  readonly people = new Map<string, ModelUse>();

  add(usd: number, note: SpendingNote | undefined): void {
    this.usd += usd;
    if (note !== undefined)
      this.people.set(note.owner, addUse(this.people.get(note.owner), { calls: 1, tokens: note.tokens, usd }));
  }
}

/** Keeps spending in memory, until the process exits. */
export function memorySpending(): Spending {
  const days = new Map<string, DaySums>();
  return {
    on: async (day) => days.get(day)?.usd ?? 0,
    async add(day, usd, note) {
      const sums = days.get(day) ?? new DaySums();
      days.set(day, sums);
      sums.add(usd, note);
    },
    byOwner: async (day) => new Map(days.get(day)?.people),
  };
}

/** How far a day's file was read, and the sums so far. */
interface SpendingPage {
  readonly day: string;
  offset: number;
  readonly sums: DaySums;
}

/**
 * Keeps spending in a folder: one file per day, one line per call. Lines are short and only appended, so that several
 * processes can share a file and see each other's spending. What cannot be written is counted in this process only.
 */
export function fileSpending(folder: string): Spending {
  const unwritten = memorySpending();
  let page: SpendingPage | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const readDay = async (day: string): Promise<DaySums> => {
    const at = page?.day === day ? page : { day, offset: 0, sums: new DaySums() };
    // Only the newest day is read again and again.
    if (page === null || day >= page.day) page = at;
    await readOn(join(folder, `${day}.jsonl`), at);
    return at.sums;
  };
  /** Sequentially: two concurrent readers would count the same lines twice. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  return {
    on: (day) => inTurn(async () => (await readDay(day)).usd + (await unwritten.on(day))),
    byOwner: (day) =>
      inTurn(async () => {
        const people = new Map((await readDay(day)).people);
        for (const [owner, use] of await unwritten.byOwner(day)) people.set(owner, addUse(people.get(owner), use));
        return people;
      }),
    async add(day, usd, note) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await appendFile(join(folder, `${day}.jsonl`), `${JSON.stringify({ usd, ...note })}\n`, { mode: 0o600 });
      } catch {
        await unwritten.add(day, usd, note);
      }
    },
  };
}

/** Adds the lines since the last read; an incomplete last line is left for the next read. */
async function readOn(path: string, page: SpendingPage): Promise<void> {
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
    const text = bytes.subarray(0, bytes.subarray(0, bytesRead).lastIndexOf(10) + 1);
    page.offset += text.length;
    for (const line of text.toString('utf8').split('\n')) addLine(line, page.sums);
  } finally {
    await file.close();
  }
}

function addLine(line: string, sums: DaySums): void {
  try {
    const { usd, owner, tokens } = JSON.parse(line);
    if (typeof usd !== 'number' || !(usd >= 0)) return;
    const isNoted = typeof owner === 'string' && typeof tokens === 'number' && tokens >= 0;
    sums.add(usd, isNoted ? { owner, tokens } : undefined);
  } catch {
    // A line that is incomplete after a power failure has no readable price.
  }
}
