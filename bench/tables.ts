/** Writes the tables of docs/benchmarks.md from the runs in docs/benchmarks, so that both agree. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../scripts/tools.ts';
import type { Measurement } from './measure.ts';

/** The measurements of one run of a benchmark, and the machine's state. */
export interface BenchmarkRun {
  readonly code: string;
  /** The load of the machine when the run ended, as the average of five minutes, with the benchmark's own load. */
  readonly load: number;
  readonly node: string;
  readonly measures: readonly Measurement[];
}

/** The newest run of a benchmark. Earlier runs are in the history of the repository. */
export interface RecordedBenchmark {
  readonly date: string;
  readonly machine: string;
  readonly runs: readonly BenchmarkRun[];
}

/** The benchmark of each section of the page, by the heading of the section. */
const sections: ReadonlyMap<string, string> = new Map([
  ['Core', 'core'],
  ['Stores', 'stores'],
  ['Growth on SQLite', 'growth'],
  ['Growth on PostgreSQL', 'scale'],
  ['Limits', 'limits'],
  ['Engine', 'engine'],
  ['Server', 'server'],
  ['Proxy', 'proxy'],
  ['Session files', 'sessions'],
  ['Formats', 'formats'],
  ['Page', 'web'],
  ['Client', 'client'],
  ['First use', 'install'],
  ['Starting the command', 'cli'],
]);

/** The path of docs/benchmarks.md. */
export const benchmarksPagePath = join(repositoryRoot, 'docs', 'benchmarks.md');

/** Returns the path of the newest run of a benchmark. */
export function pathOfRecordedBenchmark(part: string): string {
  return join(repositoryRoot, 'docs', 'benchmarks', `${part}.json`);
}

function readRecorded(part: string): RecordedBenchmark | null {
  const path = pathOfRecordedBenchmark(part);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

function shortNumber(value: number): string {
  if (value < 0) return `−${shortNumber(-value)}`;
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function formatValue(value: number, unit: Measurement['unit']): string {
  if (unit === 'µs' && value >= 1_000_000) return `${shortNumber(value / 1_000_000)} s`;
  if (unit === 'µs' && value >= 10_000) return `${shortNumber(value / 1_000)} ms`;
  if (unit === 'bytes' && Math.abs(value) >= 10_000_000) return `${shortNumber(value / 1_000_000)} MB`;
  if (unit === 'bytes' && Math.abs(value) >= 10_000) return `${shortNumber(value / 1_000)} kB`;
  return `${shortNumber(value)} ${unit}`;
}

function formatRatio(ratio: number | undefined): string {
  return ratio === undefined ? '' : `${shortNumber(ratio)}×`;
}

function formatBudget({ budget, kept }: Measurement): string {
  return budget === undefined ? '' : `${budget}: ${kept === true ? 'kept' : '**missed**'}`;
}

function toTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rest.map(line)].join('\n');
}

function tableOfRun({ measures }: BenchmarkRun): string {
  // The rows of one work are listed together, because other programs are measured after all works.
  const works = [...new Set(measures.map(({ work }) => work))];
  const rows = works.flatMap((work) =>
    measures
      .filter((row) => row.work === work)
      .map((row, at) => [
        at === 0 ? work : '',
        row.by,
        formatValue(row.value, row.unit),
        formatRatio(row.ratio),
        formatBudget(row),
      ]),
  );
  return toTable([['Work', 'By', 'Value', 'Ratio', 'Budget'], ...rows]);
}

function describeRun(part: string, { date, machine }: RecordedBenchmark, { code, load, node }: BenchmarkRun): string {
  const day = new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  return `Run of ${day}: ${machine}, load ${load}, Node ${node.replace('v', '')}, commit ${code} ([JSON](benchmarks/${part}.json)).`;
}

const firstTable = /^\|.*\n\|[-| :]+\|\n(?:\|.*\n)*/m;

/** Replaces the line about the run and the first table of a section. */
function rewriteSection(text: string, part: string, recorded: RecordedBenchmark): string {
  const run = recorded.runs.at(-1);
  if (run === undefined) return text;
  return text
    .replace(/^Run of.*$/m, () => describeRun(part, recorded, run))
    .replace(firstTable, () => `${tableOfRun(run)}\n`);
}

function missedTable(): string {
  const rows = [...sections.values()].flatMap((part) => {
    const run = readRecorded(part)?.runs.at(-1);
    return (run?.measures ?? [])
      .filter(({ kept }) => kept === false)
      .map(({ work, value, unit, ratio, budget = '' }) => [
        part,
        work,
        formatValue(value, unit),
        formatRatio(ratio),
        budget,
      ]);
  });
  return toTable([['Part', 'Work', 'Value', 'Ratio', 'Budget'], ...rows]);
}

/** Returns the page with the tables of the recorded runs. */
export function rewriteBenchmarkTables(page: string): string {
  const parts = page.split(/^(?=## )/m);
  const written = parts.map((text) => {
    const title = /^## (.*)$/m.exec(text)?.[1] ?? '';
    if (title === 'Missed budgets') return text.replace(firstTable, () => `${missedTable()}\n`);
    const part = sections.get(title);
    const recorded = part === undefined ? null : readRecorded(part);
    return part === undefined || recorded === null ? text : rewriteSection(text, part, recorded);
  });
  return written.join('');
}
