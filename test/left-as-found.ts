/**
 * Checks that test files that share a process restore its state, because otherwise one file could make another fail.
 */
import { afterAll, beforeAll, expect, vi } from 'vitest';

const around = () => ({ env: { ...process.env }, directory: process.cwd(), areTimersFake: vi.isFakeTimers() });
let found = around();

beforeAll(() => {
  found = around();
});

afterAll(() => {
  const { env, ...rest } = around();
  // Only names are printed, because values may be secrets and test output is shared.
  const changed = Object.keys({ ...found.env, ...env }).filter((name) => env[name] !== found.env[name]);
  const { directory, areTimersFake } = found;
  expect({ ...rest, changed }, 'the process, as it was found').toEqual({ directory, areTimersFake, changed: [] });
});
