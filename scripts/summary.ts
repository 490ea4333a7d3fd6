/** How a test run ended. */
export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A run without a test. */
export const noTests: Summary = { passed: 0, failed: 0, skipped: 0 };

/** The line that closes a run, in the form that people and machines read: `412 passed, 0 failed, 3 skipped`. */
export function formatSummary(summary: Summary): string {
  return `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`;
}
