// npm test, npm run test:full, npm run test:outside: runs Vitest on one tier (the first argument), and prints the
// counts on the last line.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { failureLines, formatSummary, mostRetried, type RunReport, retryLines } from './summary.ts';
import { reportVariable } from './summary-reporter.ts';
import { missingPrograms, tagsFilterOf, tiers, tierVariable } from './tiers.ts';
import { exitOf, repository, startTool } from './tools.ts';

const [first, ...rest] = process.argv.slice(2);
const tier = tiers.find((one) => one === first) ?? 'daily';
const given = tier === first ? rest : process.argv.slice(2);
const folder = join(repository, '.tmp', 'tests');
mkdirSync(folder, { recursive: true });
// A partial run, or one of other test files, does not count as a run of the tier.
const isWhole = given.length === 0;
const report = join(folder, isWhole ? `${tier}.json` : `part-${process.pid}.json`);
rmSync(report, { force: true });
const reporters = given.some((each) => each.startsWith('--reporter')) ? [] : ['--reporter=default'];

if (tier === 'outside') for (const sentence of missingPrograms(process.env['PATH'] ?? '')) console.log(sentence);

const runner = startTool(
  'vitest',
  [
    'run',
    ...reporters,
    `--reporter=${join(repository, 'scripts/summary-reporter.ts')}`,
    ...(tier === 'outside' ? ['--passWithNoTests'] : []),
    ...tagsFilterOf(tier).map((filter) => `--tags-filter=${filter}`),
    ...given,
  ],
  { stdio: 'inherit', env: { ...process.env, [reportVariable]: report, [tierVariable]: tier } },
);
// Signals are passed on to the test runner, so that it does not outlive this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => runner.kill(signal));

const code = await exitOf(runner);
let summary: RunReport | null = null;
try {
  summary = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  console.error('The test runner ended without a report: nothing can be said about the tests.');
}
if (!isWhole) rmSync(report, { force: true });
if (summary !== null) {
  for (const line of retryLines(summary.retried)) console.log(line);
  for (const line of failureLines(summary.failures)) console.log(line);
  console.log(formatSummary(summary));
}
const tooManyRetries = (summary?.retried.length ?? 0) > mostRetried;
process.exitCode = summary === null || tooManyRetries ? code || 1 : code;
