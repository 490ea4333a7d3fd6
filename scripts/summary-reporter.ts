import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { noTests, type RunReport, testName } from './summary.ts';
import { currentTier, type Tier } from './tiers.ts';
import { repository } from './tools.ts';

/** The environment variable with the path of the report, set by the caller. */
export const reportVariable = 'COPPICE_TEST_REPORT';

/** Whether a test belongs to the other tier. */
function isOfOtherTier(test: TestCase, tier: Tier | null): boolean {
  const isFull = test.tags.includes('full');
  return (tier === 'daily' && isFull) || (tier === 'full' && !isFull);
}

/**
 * Counts a run. Everything that fails the run counts as failed: a file that cannot be loaded, or an uncaught error,
 * must not result in "0 failed". Tests of the other tier are not counted.
 */
export function summarise(modules: readonly TestModule[], uncaught: number, tier: Tier | null): RunReport {
  const counts = { ...noTests };
  const ran: string[] = [];
  const left: string[] = [];
  const retried: string[] = [];
  for (const module of modules) {
    const file = relative(repository, module.moduleId);
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      const name = testName(file, test.fullName);
      if (state === 'skipped' && isOfOtherTier(test, tier)) {
        left.push(name);
        continue;
      }
      ran.push(name);
      if (state === 'passed') counts.passed += 1;
      else if (state === 'failed') failedHere += 1;
      // A test without a result was cut off; only one that was marked is skipped.
      else if (state === 'skipped') counts.skipped += 1;
      else failedHere += 1;
      if (state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0) retried.push(name);
    }
    if (failedHere === 0 && !module.ok()) failedHere = 1;
    counts.failed += failedHere;
  }
  counts.failed += uncaught;
  return { ...counts, ran, left, retried };
}

/** Writes the report of a run as JSON to the file named by {@link reportVariable}. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly unknown[]): void {
    const path = process.env[reportVariable];
    if (path !== undefined) writeFileSync(path, JSON.stringify(summarise(modules, uncaught.length, currentTier())));
  }
}
