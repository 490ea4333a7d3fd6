import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { formatTestName, type TestFailure, type TestFileReport, type TestRunReport } from './summary.ts';
import { readTestTier, type TestTier } from './tiers.ts';
import { repositoryRoot } from './tools.ts';

/** The environment variable with the path of the report, set by the caller. */
export const testReportVariable = 'COPPICE_TEST_REPORT';

/** How many lines of an error a report contains at most. */
const mostErrorLines = 12;

interface ReportedError {
  readonly message?: string;
  readonly stack?: string;
}

/** Returns the first lines of a test's errors with their source location, without terminal colours. */
function describeErrors(errors: readonly ReportedError[] | undefined): string {
  const text = (errors ?? []).map((error) => error.stack ?? error.message ?? String(error)).join('\n');
  return stripVTControlCharacters(text).split('\n').slice(0, mostErrorLines).join('\n');
}

/** Returns whether a test belongs to the other tier. */
function isOfOtherTier(test: TestCase, tier: TestTier | null): boolean {
  const isFull = test.tags.includes('full');
  return (tier === 'daily' && isFull) || (tier === 'full' && !isFull);
}

/** Returns whether a test drives a browser or a pseudo-terminal. */
function drawsOnScreen(test: TestCase): boolean {
  return test.tags.includes('browser') || test.tags.includes('terminal');
}

/** Counts the tests of a file. A file that cannot be loaded counts as failed. Tests of the other tier are not counted. */
function reportFile(module: TestModule, tier: TestTier | null): TestFileReport {
  const file = relative(repositoryRoot, module.moduleId);
  const counts = { passed: 0, skipped: 0 };
  const ran: string[] = [];
  const left: string[] = [];
  const failures: TestFailure[] = [];
  let mayRetry = true;
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    const name = formatTestName(file, test.fullName);
    if (state === 'skipped' && isOfOtherTier(test, tier)) {
      left.push(name);
      continue;
    }
    ran.push(name);
    if (state === 'passed') counts.passed += 1;
    // A test without a result was interrupted and counts as failed; only a test marked as skipped counts as skipped.
    else if (state === 'skipped') counts.skipped += 1;
    else {
      failures.push({ name, message: describeErrors(errors) || 'It has no result.' });
      mayRetry &&= drawsOnScreen(test);
    }
  }
  if (failures.length === 0 && !module.ok()) {
    failures.push({ name: file, message: describeErrors(module.errors()) || 'The file could not be run.' });
    mayRetry = [...module.children.allTests()].some(drawsOnScreen);
  }
  return { file, mayRetry, ...counts, failed: failures.length, ran, left, failures };
}

/**
 * Builds the report of a run. An uncaught error outside of a test counts as failed, so that the run does not end with
 * "0 failed".
 */
function reportRun(
  modules: readonly TestModule[],
  uncaught: readonly ReportedError[],
  tier: TestTier | null,
): TestRunReport {
  return {
    files: modules.map((module) => reportFile(module, tier)),
    uncaught: uncaught.map((error) => ({ name: 'an error outside of any test', message: describeErrors([error]) })),
    retried: [],
  };
}

/** Writes the report of a run as JSON to the file named by {@link testReportVariable}. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly SerializedError[]): void {
    const path = process.env[testReportVariable];
    if (path !== undefined) writeFileSync(path, JSON.stringify(reportRun(modules, uncaught, readTestTier())));
  }
}
