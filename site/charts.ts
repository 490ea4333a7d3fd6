/** Draws benchmarks as bars, from the JSON files of `docs/benchmarks`. */
import { escapeHtml } from './html.ts';

interface Measure {
  readonly work: string;
  readonly by: string;
  readonly value: number;
  readonly unit: string;
  readonly ratio?: number;
  readonly budget?: string;
  readonly kept?: boolean;
}

/** A file of `docs/benchmarks`. */
export interface BenchmarkFile {
  readonly date: string;
  readonly machine: string;
  readonly runs: readonly { readonly code: string; readonly node: string; readonly measures: readonly Measure[] }[];
}

/** Writes a number with three significant digits, or all digits before the point. */
function amount(value: number): string {
  if (value >= 1_000) return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

const times = [
  ['s', 1_000_000],
  ['ms', 1_000],
  ['µs', 1],
] as const;

/** Writes a measured value. A time is written in the largest unit in which it is at least 1. */
export function formatMeasure(value: number, unit: string): string {
  const given = times.find(([name]) => name === unit);
  if (given === undefined) return `${amount(value)} ${unit}`;
  const micros = value * given[1];
  const [name, size] = times.find(([, each]) => micros >= each) ?? given;
  return `${amount(micros / size)} ${name}`;
}

function drawGroup(work: string, measures: readonly Measure[]): string {
  const largest = Math.max(...measures.map(({ value }) => value));
  const rows = measures.map(({ by, value, unit, ratio, budget, kept }) => {
    const width = largest === 0 ? 0 : Math.max(0.5, (value / largest) * 100);
    const said = `${formatMeasure(value, unit)}${ratio === undefined ? '' : `, ${amount(ratio)}×`}`;
    const limit =
      budget === undefined
        ? ''
        : ` <span class="${kept === false ? 'missed' : 'kept'}">${escapeHtml(budget)}: ${kept === false ? 'missed' : 'kept'}</span>`;
    return `<div class="bar-row"><span class="bar-name">${escapeHtml(by)}</span><svg class="bar${by === 'coppice' ? ' ours' : ''}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${width.toFixed(2)}" height="8" rx="0.5"/></svg><span class="bar-value">${escapeHtml(said)}${limit}</span></div>`;
  });
  return `<figure class="chart"><figcaption>${escapeHtml(work)}</figcaption>${rows.join('')}</figure>`;
}

/**
 * Returns the measurements of one workload in the run with the median ratio, because single runs differ on a busy
 * machine.
 */
function middleRun(work: string, { runs }: BenchmarkFile): readonly Measure[] {
  const measured = runs
    .map(({ measures }) => measures.filter((measure) => measure.work === work))
    .filter((measures) => measures.length > 0);
  const ratioOf = (measures: readonly Measure[]) => measures.find(({ ratio }) => ratio !== undefined)?.ratio ?? 0;
  const sorted = measured.sort((a, b) => ratioOf(a) - ratioOf(b));
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? [];
}

/** Draws the results of one file as charts, one for each workload. */
export function drawBenchmarks(name: string, file: BenchmarkFile): string {
  const run = file.runs.at(-1);
  if (run === undefined) return '';
  const works = new Set(file.runs.flatMap(({ measures }) => measures.map(({ work }) => work)));
  const charts = [...works].map((work) => drawGroup(work, middleRun(work, file)));
  return `<h2 id="chart-${escapeHtml(name)}">Charts: ${escapeHtml(name)}</h2><p>${escapeHtml(file.date)}, ${escapeHtml(file.machine)}, Node ${escapeHtml(run.node.replace(/^v/, ''))}, ${file.runs.length === 1 ? 'one run' : `the middle one of ${file.runs.length} runs`}. A shorter bar is better.</p><div class="charts">${charts.join('')}</div>`;
}
