/**
 * Measures and prints for all benchmarks. The ratios within one run are the result; absolute times only explain them.
 */

import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-parallel-scavenge');
setFlagsFromString('--no-concurrent-marking');
setFlagsFromString('--no-concurrent-sweeping');

/** One row of a benchmark's result. */
export interface Measurement {
  /** The workload, for example `append to 100,000 nodes`. */
  readonly work: string;
  /** The candidate, for example `coppice` or `mutable Map`. */
  readonly by: string;
  /** The value per operation in the unit, usually the median of the runs. Times are CPU or wall times. */
  readonly value: number;
  readonly unit: 'µs' | 'bytes' | '/s' | '%';
  /** The ratio to the reference: 2 means twice as slow or as large. */
  readonly ratio?: number;
  /** The allowed ratio, as text. */
  readonly budget?: string;
  readonly kept?: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

// A result that is stored here cannot be optimised away.
const folder: unknown[] = [];

/** Stores a result until the next call, so that the compiler cannot remove its computation. */
export function preventOptimisation(value: unknown): void {
  folder[0] = value;
}

/** Collects garbage, so that garbage of one candidate does not slow down the next one. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

/** One of the programs that a benchmark compares. */
export interface BenchCandidate {
  /** The number of operations of one run. */
  readonly operations: number;
  /** Prepares a run. Its time is not measured. */
  readonly prepare?: () => void;
  readonly run: () => unknown;
}

/**
 * Measures the CPU time per operation of several candidates in microseconds; they run alternately, and the first run
 * does not count. The times are CPU times, and garbage is collected on the same thread, because on a shared machine
 * wall times and helper threads would include other processes.
 */
export function measureCpuTimes<Name extends string>(
  candidates: { readonly [N in Name]: BenchCandidate },
  runs = 5,
): { readonly [N in Name]: number } {
  const names = Object.keys(candidates).filter((name): name is Name => Object.hasOwn(candidates, name));
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let run = 0; run <= runs; run++)
    for (const name of names) {
      const { operations, prepare, run: work } = candidates[name];
      prepare?.();
      collectGarbage();
      const start = process.cpuUsage();
      preventOptimisation(work());
      const { user, system } = process.cpuUsage(start);
      if (run > 0) times.get(name)?.push((user + system) / operations);
    }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as {
    readonly [N in Name]: number;
  };
}

/** Returns the wall time of some work in microseconds. */
export async function measureWallTime(work: () => unknown): Promise<number> {
  const from = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - from) / 1000;
}

/** Returns the CPU time of some work in microseconds, of all threads. It does not include waiting for a disk. */
export async function measureCpuTime(work: () => unknown): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return user + system;
}

/**
 * Returns the median wall times of several functions in microseconds, or other times if `measure` is given. They run
 * alternately, so that noise affects all of them.
 */
export async function measureAlternating<Name extends string>(
  works: { readonly [N in Name]: (turn: number) => unknown },
  turns: number,
  warm = Math.ceil(turns / 10),
  measure: (work: () => unknown) => Promise<number> = measureWallTime,
): Promise<{ readonly [N in Name]: number }> {
  const names = Object.keys(works) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  collectGarbage();
  for (let turn = 0; turn < turns + warm; turn++)
    for (const name of names) {
      const time = await measure(() => works[name](turn));
      if (turn >= warm) times.get(name)?.push(time);
    }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as {
    readonly [N in Name]: number;
  };
}

/** Calls a function several times and returns the last result. */
export function repeatWork(count: number, work: () => unknown): unknown {
  let last: unknown;
  for (let i = 0; i < count; i++) last = work();
  return last;
}

/** Returns how many bytes a value retains, measured by the growth of the heap while it is created. */
export function measureRetainedBytes(make: () => unknown, runs = 3): number {
  const sizes: number[] = [];
  for (let run = 0; run < runs; run++) sizes.push(growth(make));
  return median(sizes);
}

// A separate function, so that no variable of the loop keeps the previous value alive.
function growth(make: () => unknown): number {
  preventOptimisation(null);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  preventOptimisation(make());
  collectGarbage();
  return process.memoryUsage().heapUsed - before;
}

function shown(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Formats measurements as a text table. */
export function formatMeasurements(measures: readonly Measurement[]): string {
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
