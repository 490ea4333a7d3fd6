/** How many tests of a run passed, failed and were skipped. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts of a run without tests. */
const zeroCounts: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/** A test that failed, with the first lines of its error. */
export interface TestFailure {
  readonly name: string;
  readonly message: string;
}

/**
 * The report of one test file: its counts, the tests that ran, those of the other tier, and the failures. `mayRetry` tells
 * whether all failures are in tests that draw on a screen, which may be late on a busy machine.
 */
export interface TestFileReport extends TestCounts {
  readonly file: string;
  readonly mayRetry: boolean;
  readonly ran: readonly string[];
  readonly left: readonly string[];
  readonly failures: readonly TestFailure[];
}

/** The report of a run: its files, errors outside of any test, and failures of tests that passed on the second try. */
export interface TestRunReport {
  readonly files: readonly TestFileReport[];
  readonly uncaught: readonly TestFailure[];
  readonly retried: readonly TestFailure[];
}

/** How many tests may pass only on the second try; more fail the run. */
const maxRetriedTests = 3;

/** Formats the last line of a run, for people and programs: `412 passed, 0 failed, 3 skipped`. */
export function formatTestCounts(summary: TestCounts): string {
  return `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`;
}

/** Returns the counts of a run. Errors outside of any test count as failed. */
export function countTests({ files, uncaught }: TestRunReport): TestCounts {
  const sum = addTestCounts(files);
  return { ...sum, failed: sum.failed + uncaught.length };
}

export function addTestCounts(summaries: readonly TestCounts[]): TestCounts {
  return summaries.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    zeroCounts,
  );
}

/** Returns all failures of a run. */
function listFailures({ files, uncaught }: TestRunReport): readonly TestFailure[] {
  return [...files.flatMap((each) => each.failures), ...uncaught];
}

/**
 * Returns the files to run once more: those whose failures may be retried, if there are few of them. Empty if other
 * tests failed too, because the run has failed in any case.
 */
export function listFilesToRetry(report: TestRunReport): readonly string[] {
  const failed = report.files.filter((each) => each.failures.length > 0);
  if (report.uncaught.length > 0 || listFailures(report).length > maxRetriedTests) return [];
  return failed.every((each) => each.mayRetry) ? failed.map((each) => each.file) : [];
}

/** Replaces the results of files that were run a second time; their first failures are listed as retried. */
export function applySecondTry(first: TestRunReport, second: TestRunReport): TestRunReport {
  const again = new Map(second.files.map((each) => [each.file, each]));
  const files = first.files.map((each) => again.get(each.file) ?? each);
  const failedAgain = new Set(listFailures(second).map((each) => each.name));
  const passedNow = first.files
    .filter((each) => again.has(each.file))
    .flatMap((each) => each.failures.filter(({ name }) => !failedAgain.has(name)));
  return { files, uncaught: [...first.uncaught, ...second.uncaught], retried: [...first.retried, ...passedNow] };
}

function describeFailures(failures: readonly TestFailure[], heading: (name: string) => string): readonly string[] {
  return failures.flatMap(({ name, message }) => [heading(name), ...message.split('\n').map((line) => `    ${line}`)]);
}

/**
 * Formats failed tests, and tests that passed on the second try; empty if there are none. They are printed at the end,
 * because a log often keeps only its end.
 */
export function formatTestFailures(reports: readonly TestRunReport[]): readonly string[] {
  const retried = reports.flatMap((report) => report.retried);
  const verdict = retried.length > maxRetriedTests ? `; more than ${maxRetriedTests} fail the run` : '';
  return [
    ...(retried.length > 0 ? [`Passed on the second try (${retried.length}${verdict}):`] : []),
    ...describeFailures(retried, (name) => `  ${name}`),
    ...describeFailures(reports.flatMap(listFailures), (name) => `Failed: ${name}`),
  ];
}

/** Returns whether a run, or several together, count as passed. */
export function haveTestsPassed(reports: readonly TestRunReport[]): boolean {
  const retried = reports.flatMap((report) => report.retried);
  return addTestCounts(reports.map(countTests)).failed === 0 && retried.length <= maxRetriedTests;
}

/**
 * Returns a sentence for each test that the two tiers together did not run exactly once. A test is identified by its
 * file and full name; equal names in one file are counted.
 */
export function checkTiers(daily: TestRunReport, full: TestRunReport, files: readonly string[]): string[] {
  const found: string[] = [];
  const ran = [countNames(daily, 'ran'), countNames(full, 'ran')] as const;
  const left = [countNames(daily, 'left'), countNames(full, 'left')] as const;
  for (const [mine, other, name] of [
    [left[0], ran[1], 'test:full'],
    [left[1], ran[0], 'npm test'],
  ] as const)
    for (const [test, count] of mine)
      if (other.get(test) !== count) found.push(`${name} did not run ${test}, which the other tier left to it.`);
  for (const [test, count] of ran[0])
    if (ran[1].has(test) && left[0].get(test) !== ran[1].get(test))
      found.push(`Both tiers ran ${test} (${count} times).`);
  const seen = new Set([...daily.files, ...full.files].filter((each) => each.ran.length > 0).map((each) => each.file));
  for (const file of files) if (!seen.has(file)) found.push(`No tier ran a test of ${file}.`);
  return found;
}

/** Returns the name of a test in a report. */
export function formatTestName(file: string, fullName: string): string {
  return `${file} > ${fullName}`;
}

function countNames(report: TestRunReport, which: 'ran' | 'left'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of report.files) for (const name of file[which]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
