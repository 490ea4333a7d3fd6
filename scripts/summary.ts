/** The counts of a test run. */
export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A run without tests. */
export const noTests: Summary = { passed: 0, failed: 0, skipped: 0 };

/** A test that failed, with the first lines of its error. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

/** The report of a run: its counts, the tests that ran, those of the other tier, what failed, and what needed a retry. */
export interface RunReport extends Summary {
  readonly ran: readonly string[];
  readonly left: readonly string[];
  readonly retried: readonly string[];
  readonly failures: readonly Failure[];
}

/** The largest number of retried tests; more fail the run. */
export const mostRetried = 3;

/** The last line of a run, for people and programs: `412 passed, 0 failed, 3 skipped`. */
export function formatSummary(summary: Summary): string {
  return `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`;
}

/** Adds up the counts of several runs. */
export function addSummaries(summaries: readonly Summary[]): Summary {
  return summaries.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    noTests,
  );
}

/**
 * Lines about the tests that failed; empty if there were none. They stand at the end of the output, because a record of
 * a run often keeps nothing else.
 */
export function failureLines(failures: readonly Failure[]): readonly string[] {
  return failures.flatMap(({ name, message }) => [
    `Failed: ${name}`,
    ...message.split('\n').map((line) => `  ${line}`),
  ]);
}

/** Lines about tests that passed on their second attempt; empty if there were none. */
export function retryLines(retried: readonly string[]): readonly string[] {
  if (retried.length === 0) return [];
  const verdict = retried.length > mostRetried ? `; more than ${mostRetried} fail the run` : '';
  return [`Passed on the second try (${retried.length}${verdict}):`, ...retried.map((name) => `  ${name}`)];
}

/**
 * Checks that two tiers together ran every test exactly once. A test is identified by its file and full name; equal
 * names in one file are counted.
 */
export function checkTiers(daily: RunReport, full: RunReport, files: readonly string[]): string[] {
  const found: string[] = [];
  const ran = [countNames(daily.ran), countNames(full.ran)] as const;
  const left = [countNames(daily.left), countNames(full.left)] as const;
  for (const [mine, other, name] of [
    [left[0], ran[1], 'test:full'],
    [left[1], ran[0], 'npm test'],
  ] as const)
    for (const [test, count] of mine)
      if (other.get(test) !== count) found.push(`${name} did not run ${test}, which the other tier left to it.`);
  for (const [test, count] of ran[0])
    if (ran[1].has(test) && left[0].get(test) !== ran[1].get(test))
      found.push(`Both tiers ran ${test} (${count} times).`);
  const seen = new Set([...daily.ran, ...full.ran].map(fileOf));
  for (const file of files) if (!seen.has(file)) found.push(`No tier ran a test of ${file}.`);
  return found;
}

/** The name of a test in a report. */
export function testName(file: string, fullName: string): string {
  return `${file} > ${fullName}`;
}

function fileOf(name: string): string {
  return name.slice(0, name.indexOf(' > '));
}

function countNames(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
