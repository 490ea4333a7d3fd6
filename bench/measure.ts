/** Timing and printing, shared by all benches. Ratios of one run are the result; times are only how they came about. */

import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-parallel-scavenge');
setFlagsFromString('--no-concurrent-marking');
setFlagsFromString('--no-concurrent-sweeping');

/** One measured thing. */
export interface Measure {
  /** What was done, such as `append to 100,000 nodes`. */
  readonly work: string;
  /** Who did it, such as `coppice` or `mutable Map`. */
  readonly by: string;
  /** Per operation, in the unit: the median of the runs; times are processor times. */
  readonly value: number;
  readonly unit: 'µs' | 'bytes';
  /** Against what the budget names: above one is that many times slower or larger. */
  readonly ratio?: number;
  /** The budget in words, on the row that it is about. */
  readonly budget?: string;
  readonly kept?: boolean;
}

/** The middle of a list of numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

// Results end here, so that no engine finds out that nobody looks at them.
const folder: unknown[] = [];

/** Keeps a result from being optimised away, until the next one. */
export function keep(value: unknown): void {
  folder[0] = value;
}

/** Collects garbage, so that one candidate does not pay for another's. */
export function collect(): void {
  globalThis.gc?.();
}

/** Something to time. */
export interface Candidate {
  /** How many operations one run is. */
  readonly operations: number;
  /** Done before each run and not timed. */
  readonly prepare?: () => void;
  readonly run: () => unknown;
}

/**
 * The microseconds of processor time per operation of several candidates, measured in turns: each run times all of
 * them one after the other. Processor time, and garbage collected on the same thread, because on a shared machine a
 * clock on the wall, and helper threads that wait for a core, measure the neighbours. The first run does not count.
 */
export function race<Name extends string>(
  candidates: { readonly [N in Name]: Candidate },
  runs = 5,
): { readonly [N in Name]: number } {
  const names = Object.keys(candidates).filter((name): name is Name => Object.hasOwn(candidates, name));
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let run = 0; run <= runs; run++)
    for (const name of names) {
      const { operations, prepare, run: work } = candidates[name];
      prepare?.();
      collect();
      const start = process.cpuUsage();
      keep(work());
      const { user, system } = process.cpuUsage(start);
      if (run > 0) times.get(name)?.push((user + system) / operations);
    }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as {
    readonly [N in Name]: number;
  };
}

/** Does something several times and gives the last result. */
export function repeated(count: number, work: () => unknown): unknown {
  let last: unknown;
  for (let i = 0; i < count; i++) last = work();
  return last;
}

/** The bytes that a value holds on to, by what the heap grows by while it is made. */
export function bytesOf(make: () => unknown, runs = 3): number {
  const sizes: number[] = [];
  for (let run = 0; run < runs; run++) sizes.push(growth(make));
  return median(sizes);
}

// A function of its own, so that no variable of the loop holds the value of the run before.
function growth(make: () => unknown): number {
  keep(null);
  collect();
  const before = process.memoryUsage().heapUsed;
  keep(make());
  collect();
  return process.memoryUsage().heapUsed - before;
}

function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** The measures as a table of text. */
export function table(measures: readonly Measure[]): string {
  const rows = [
    ['work', 'by', 'per operation', 'ratio', 'budget'],
    ...measures.map(({ work, by, value, unit, ratio, budget, kept: within }) => [
      work,
      by,
      `${shown(value)} ${unit}`,
      ratio === undefined ? '' : `${shown(ratio)}×`,
      budget === undefined ? '' : `${budget} ${within === true ? 'kept' : 'MISSED'}`,
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
