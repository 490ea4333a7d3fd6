/**
 * Records runs in docs/benchmarks and rewrites the tables of docs/benchmarks.md:
 * `npm run --silent bench -- limits --json > run.json; npx tsx bench/record.ts run.json --machine '2 cores, idle'`.
 * Without files it only rewrites the tables.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../scripts/tools.ts';
import {
  type BenchmarkRun,
  benchmarksPagePath,
  pathOfRecordedBenchmark,
  type RecordedBenchmark,
  rewriteBenchmarkTables,
} from './tables.ts';

function recordRun(path: string, machine: string): void {
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (!line.startsWith('{"bench"')) continue;
    const { bench, load, node, measures }: { readonly bench: string } & Omit<BenchmarkRun, 'code'> = JSON.parse(line);
    const code = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: repositoryRoot }).toString().trim();
    const date = new Date().toISOString().slice(0, 10);
    const recorded: RecordedBenchmark = { date, machine, runs: [{ code, load, node, measures }] };
    writeFileSync(pathOfRecordedBenchmark(bench), `${JSON.stringify(recorded, null, 2)}\n`);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { machine: { type: 'string', default: '2 cores' } },
});
for (const path of positionals) recordRun(path, values.machine);
writeFileSync(benchmarksPagePath, rewriteBenchmarkTables(readFileSync(benchmarksPagePath, 'utf8')));
