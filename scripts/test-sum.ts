// npm run test:sum: checks that both tiers together ran every test exactly once, and prints the sum of their counts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from '../test/checks/workspace.ts';
import {
  addTestCounts,
  checkTiers,
  countTests,
  formatTestCounts,
  formatTestFailures,
  haveTestsPassed,
  type TestRunReport,
} from './summary.ts';
import { isOutsideTest, isTestPath } from './tiers.ts';
import { repositoryRoot } from './tools.ts';

function readReport(tier: string): TestRunReport {
  return JSON.parse(readFileSync(join(repositoryRoot, '.tmp', 'tests', `${tier}.json`), 'utf8'));
}

const reports = [readReport('daily'), readReport('full')] as const;
const files = openRepository().paths.filter((path) => isTestPath(path) && !isOutsideTest(path));
const found = checkTiers(...reports, files);
for (const sentence of found) console.log(sentence);
for (const line of formatTestFailures(reports)) console.log(line);
const sum = addTestCounts(reports.map(countTests));
console.log(formatTestCounts({ ...sum, failed: sum.failed + found.length }));
process.exitCode = haveTestsPassed(reports) && found.length === 0 ? 0 : 1;
