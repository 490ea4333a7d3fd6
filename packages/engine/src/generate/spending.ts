/** Daily spending, across turns and processes. */
import { appendFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

export interface Spending {
  /** US dollars of a day, for example `2026-11-15`. Rejects if it cannot be read. */
  on(day: string): Promise<number>;
  /** Adds an amount. Never rejects. */
  add(day: string, usd: number): Promise<void>;
}

/** The UTC day of a time: the same for all processes. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Keeps spending in memory, until the process exits. */
export function memorySpending(): Spending {
  const days = new Map<string, number>();
  return {
    on: async (day) => days.get(day) ?? 0,
    async add(day, usd) {
      days.set(day, (days.get(day) ?? 0) + usd);
    },
  };
}

/** How far a day's file was read, and the sum so far. */
interface SpendingPage {
  readonly day: string;
  offset: number;
  usd: number;
}

/**
 * Keeps spending in a folder: one file per day, one line per call. Lines are short and only appended, so that several
 * processes can share a file and see each other's spending. What cannot be written is counted in this process only.
 */
export function fileSpending(folder: string): Spending {
  const unwritten = memorySpending();
  let page: SpendingPage | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const read = async (day: string): Promise<number> => {
    if (page?.day !== day) page = { day, offset: 0, usd: 0 };
    await readOn(join(folder, `${day}.jsonl`), page);
    return page.usd + (await unwritten.on(day));
  };
  return {
    on(day) {
      // Sequentially: two concurrent readers would count the same lines twice.
      const next = last.then(() => read(day));
      last = next.catch(() => undefined);
      return next;
    },
    async add(day, usd) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await appendFile(join(folder, `${day}.jsonl`), `${JSON.stringify({ usd })}\n`, { mode: 0o600 });
      } catch {
        await unwritten.add(day, usd);
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
    for (const line of text.toString('utf8').split('\n')) page.usd += usdOf(line);
  } finally {
    await file.close();
  }
}

function usdOf(line: string): number {
  try {
    const { usd } = JSON.parse(line);
    return typeof usd === 'number' && usd > 0 ? usd : 0;
  } catch {
    // A line that is incomplete after a power failure has no readable price.
    return 0;
  }
}
