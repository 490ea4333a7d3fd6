import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { formatSummary, noTests, type Summary } from './summary.ts';

/** Where the reporter leaves its report; the runner's caller sets it. */
export const reportVariable = 'COPPICE_TEST_REPORT';

/**
 * Counts a run. Everything that makes the run fail is counted as failed, so that a file that cannot be loaded or an error
 * that no test caught never stands behind a line that says 0 failed.
 */
export function summarise(modules: readonly TestModule[], uncaught: number): Summary {
  const counts = { ...noTests };
  for (const module of modules) {
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'failed') failedHere += 1;
      // A test that never came to a result was cut off; only one that was marked so is skipped.
      else if (state === 'skipped') counts.skipped += 1;
      else failedHere += 1;
    }
    if (failedHere === 0 && !module.ok()) failedHere = 1;
    counts.failed += failedHere;
  }
  counts.failed += uncaught;
  return counts;
}

/** Writes the counts of a run as one line of text into the file named by {@link reportVariable}. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly unknown[]): void {
    const path = process.env[reportVariable];
    if (path !== undefined) writeFileSync(path, `${formatSummary(summarise(modules, uncaught.length))}\n`);
  }
}
