/** Checks that test files that share a process restore its state: a leftover would make another file fail. */
import { afterAll, beforeAll, expect, vi } from 'vitest';

const around = () => ({ env: { ...process.env }, directory: process.cwd(), areTimersFake: vi.isFakeTimers() });
let found = around();

beforeAll(() => {
  found = around();
});

afterAll(() => {
  const { env, ...rest } = around();
  // Only names: values may be secrets, and test output is read by many.
  const changed = Object.keys({ ...found.env, ...env }).filter((name) => env[name] !== found.env[name]);
  const { directory, areTimersFake } = found;
  expect({ ...rest, changed }, 'the process, as it was found').toEqual({ directory, areTimersFake, changed: [] });
});
