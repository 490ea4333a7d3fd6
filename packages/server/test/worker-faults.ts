/** Worker threads that fail on request, for tests. */
import { vi } from 'vitest';

/**
 * Makes threads that start later fail at a given point of the store. The test's own thread does not fail, because it
 * has already read the variable.
 */
export function injectWorkerFault(fault: string): void {
  vi.stubEnv('COPPICE_TEST_FAULTS', '1');
  vi.stubEnv('COPPICE_FAULT', fault);
}

/** Makes threads that start later work normally. */
export function clearWorkerFault(): void {
  vi.stubEnv('COPPICE_FAULT', '');
}
