// npm run test:sum: checks that both tiers together ran every test exactly once, and prints the sum of their counts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from '../test/checks/workspace.ts';
import {
  addSummaries,
  checkTiers,
  failureLines,
  formatSummary,
  mostRetried,
  type RunReport,
  retryLines,
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
const retried = reports.flatMap((report) => report.retried);
for (const line of retryLines(retried)) console.log(line);
for (const line of reports.flatMap((report) => failureLines(report.failures))) console.log(line);
const sum = addSummaries(reports);
const failed = sum.failed + found.length;
console.log(formatSummary({ ...sum, failed }));
process.exitCode = failed > 0 || retried.length > mostRetried ? 1 : 0;
