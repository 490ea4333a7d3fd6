import { test as plain } from 'vitest';

/**
 * A test in a real browser. A machine that is busy elsewhere may keep a page from drawing for longer than anybody waits, so
 * such a test is tried again before it counts as failed; a page that is wrong is wrong every time.
 */
export function test(name: string, act: () => Promise<void>): void {
  plain(name, { retry: 2 }, act);
}
