// npm run test:sum: checks that both tiers together ran every test exactly once, and prints the sum of their counts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from '../test/checks/workspace.ts';
import {
  addSummaries,
  checkTiers,
  failureLines,
  formatSummary,
  hasPassed,
  type RunReport,
  summaryOf,
} from './summary.ts';
import { isOutside, isTest } from './tiers.ts';
import { repository } from './tools.ts';

function readReport(tier: string): RunReport {
  return JSON.parse(readFileSync(join(repository, '.tmp', 'tests', `${tier}.json`), 'utf8'));
}

const reports = [readReport('daily'), readReport('full')] as const;
const files = openRepository().paths.filter((path) => isTest(path) && !isOutside(path));
const found = checkTiers(...reports, files);
for (const sentence of found) console.log(sentence);
for (const line of failureLines(reports)) console.log(line);
const sum = addSummaries(reports.map(summaryOf));
console.log(formatSummary({ ...sum, failed: sum.failed + found.length }));
process.exitCode = hasPassed(reports) && found.length === 0 ? 0 : 1;
