/** Files that share a process leave it as they found it: what one of them forgets would be the fault of another. */
import { afterAll, beforeAll, expect, vi } from 'vitest';

const around = () => ({ env: { ...process.env }, directory: process.cwd(), areTimersFake: vi.isFakeTimers() });
let found = around();

beforeAll(() => {
  found = around();
});

afterAll(() => {
  const { env, ...rest } = around();
  // By their names alone: values may be secrets, and what a failed test says is read by many.
  const changed = Object.keys({ ...found.env, ...env }).filter((name) => env[name] !== found.env[name]);
  const { directory, areTimersFake } = found;
  expect({ ...rest, changed }, 'the process, as it was found').toEqual({ directory, areTimersFake, changed: [] });
});
