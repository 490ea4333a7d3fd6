// npm run test:sum: checks that both tiers together ran every test exactly once, and prints the sum of their counts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from '../test/checks/workspace.ts';
import {
  addCounts,
  checkTiers,
  countTests,
  formatCounts,
  formatFailures,
  hasPassed,
  type RunReport,
} from './summary.ts';
import { isOutsideTest, isTestPath } from './tiers.ts';
import { repositoryRoot } from './tools.ts';

function readReport(tier: string): RunReport {
  return JSON.parse(readFileSync(join(repositoryRoot, '.tmp', 'tests', `${tier}.json`), 'utf8'));
}

const reports = [readReport('daily'), readReport('full')] as const;
const files = openRepository().paths.filter((path) => isTestPath(path) && !isOutsideTest(path));
const found = checkTiers(...reports, files);
for (const sentence of found) console.log(sentence);
for (const line of formatFailures(reports)) console.log(line);
const sum = addCounts(reports.map(countTests));
console.log(formatCounts({ ...sum, failed: sum.failed + found.length }));
process.exitCode = hasPassed(reports) && found.length === 0 ? 0 : 1;
