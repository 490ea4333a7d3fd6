/** Worker threads that fail on request, for tests. */
import { vi } from 'vitest';

/**
 * Makes threads that start from now on fail at a given point of the store; the test's own thread has read the
 * variable already.
 */
export function injectThreadFault(fault: string): void {
  vi.stubEnv('COPPICE_TEST_FAULTS', '1');
  vi.stubEnv('COPPICE_FAULT', fault);
}

/** Makes threads that start from now on not fail. */
export function clearThreadFault(): void {
  vi.stubEnv('COPPICE_FAULT', '');
}
