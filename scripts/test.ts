// npm test: runs vitest over the workspace and closes with the count of the run, alone on the last line.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportVariable } from './summary-reporter.ts';
import { exitOf, repository, startTool } from './tools.ts';

const given = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'coppice-test-'));
const report = join(folder, 'report.txt');
const reporters = given.some((each) => each.startsWith('--reporter')) ? [] : ['--reporter=default'];

const runner = startTool(
  'vitest',
  ['run', ...reporters, `--reporter=${join(repository, 'scripts/summary-reporter.ts')}`, ...given],
  { stdio: 'inherit', env: { ...process.env, [reportVariable]: report } },
);
// A stop meant for this process reaches the runner, so that none is left behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => runner.kill(signal));

const code = await exitOf(runner);
let line: string | null = null;
try {
  line = readFileSync(report, 'utf8').trim();
} catch {
  console.error('The test runner ended without a report: nothing can be said about the tests.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (line !== null) console.log(line);
process.exitCode = line === null ? 1 : code;
