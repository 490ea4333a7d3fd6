// npm test, npm run test:full, npm run test:outside: runs Vitest on one tier (the first argument), and prints the
// counts on the last line. With CI=true a few browser or terminal tests that failed are tried a second time.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  applySecondTry,
  countTests,
  formatTestCounts,
  formatTestFailures,
  haveTestsPassed,
  listFilesToRetry,
  type TestRunReport,
} from './summary.ts';
import { testReportVariable } from './summary-reporter.ts';
import { findMissingPrograms, tagFilterOf, testTiers, testTierVariable } from './tiers.ts';
import { repositoryRoot, startWorkspaceTool, waitForExit } from './tools.ts';

const [first, ...rest] = process.argv.slice(2);
const tier = testTiers.find((one) => one === first) ?? 'daily';
const given = tier === first ? rest : process.argv.slice(2);
const folder = join(repositoryRoot, '.tmp', 'tests');
mkdirSync(folder, { recursive: true });
// A run of some files does not replace the report of the whole tier.
const isWhole = given.length === 0;
const reportPath = join(folder, isWhole ? `${tier}.json` : `part-${process.pid}.json`);
const reporters = given.some((each) => each.startsWith('--reporter')) ? [] : ['--reporter=default'];

if (tier === 'outside') for (const sentence of findMissingPrograms(process.env)) console.log(sentence);

/** Runs Vitest once. The report is null if Vitest ended before it wrote one. */
async function runOnce(
  words: readonly string[],
): Promise<{ readonly code: number; readonly report: TestRunReport | null }> {
  rmSync(reportPath, { force: true });
  const runner = startWorkspaceTool(
    'vitest',
    [
      'run',
      ...reporters,
      `--reporter=${join(repositoryRoot, 'scripts/summary-reporter.ts')}`,
      ...(tier === 'outside' ? ['--passWithNoTests'] : []),
      ...tagFilterOf(tier).map((filter) => `--tags-filter=${filter}`),
      ...words,
    ],
    { stdio: 'inherit', env: { ...process.env, [testReportVariable]: reportPath, [testTierVariable]: tier } },
  );
  // Signals are passed on to Vitest, so that it does not outlive this process.
  const stops = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(
    (signal) => [signal, () => runner.kill(signal)] as const,
  );
  for (const [signal, stop] of stops) process.on(signal, stop);
  const code = await waitForExit(runner);
  for (const [signal, stop] of stops) process.off(signal, stop);
  try {
    return { code, report: JSON.parse(readFileSync(reportPath, 'utf8')) };
  } catch {
    return { code, report: null };
  }
}

let { code, report } = await runOnce(given);
const again = report !== null && process.env['CI'] === 'true' ? listFilesToRetry(report) : [];
if (report !== null && again.length > 0) {
  console.log(`\nA second try, with nothing beside it: ${again.join(', ')}`);
  const second = await runOnce([...given, ...again.map((file) => join(repositoryRoot, file)), '--maxWorkers=1']);
  if (second.report !== null) {
    report = applySecondTry(report, second.report);
    code = second.code;
  }
}

if (report === null) console.error('The test runner ended without a report: nothing can be said about the tests.');
else {
  writeFileSync(reportPath, JSON.stringify(report));
  for (const line of formatTestFailures([report])) console.log(line);
  console.log(formatTestCounts(countTests(report)));
}
if (!isWhole) rmSync(reportPath, { force: true });
process.exitCode = report === null || !haveTestsPassed([report]) ? code || 1 : code;
