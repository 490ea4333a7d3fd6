/** Threads of tests that fail where they are told to. */
import { vi } from 'vitest';

/** Has threads that are started from now on fail at a place of the store; the one that runs the test has looked already. */
export function arm(fault: string): void {
  vi.stubEnv('COPPICE_TEST_FAULTS', '1');
  vi.stubEnv('COPPICE_FAULT', fault);
}

/** Has threads that are started from now on fail nowhere. */
export function disarm(): void {
  vi.stubEnv('COPPICE_FAULT', '');
}
