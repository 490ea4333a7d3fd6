/** What was spent on which day, over turns and processes. */
import { appendFile, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/** A book of what was spent. */
export interface Spending {
  /** US dollars of a day, such as `2026-11-15`. Rejects where it cannot be told. */
  on(day: string): Promise<number>;
  /** Counts what was spent. Never rejects. */
  add(day: string, usd: number): Promise<void>;
}

/** The day of a time, in UTC: the same for every process that shares a book. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** A book for as long as the process lives. */
export function memorySpending(): Spending {
  const days = new Map<string, number>();
  return {
    on: async (day) => days.get(day) ?? 0,
    async add(day, usd) {
      days.set(day, (days.get(day) ?? 0) + usd);
    },
  };
}

/** How far a day's file was read, and what stood in it. */
interface SpendingPage {
  readonly day: string;
  offset: number;
  usd: number;
}

/**
 * A book in a folder: a file a day, a line a call. Lines are short and only ever added, so that several processes write
 * one file and each sees what the others spent. What cannot be written is counted in this process alone.
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
      // One after the other: two readers at once would count the same lines twice.
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

/** Counts the lines that came since; one that is not complete yet is left for the next time. */
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
    // A line that a power cut tore is a call that nobody can price any more.
    return 0;
  }
}
