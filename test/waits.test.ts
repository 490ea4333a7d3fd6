import { expect, test } from 'vitest';
import { makeWorkspace, openRepository, type Workspace } from './checks/workspace.ts';

const leastMs = 60_000;

/**
 * Finds waits that give up in less than a minute, which a busy machine exceeds: `vi.waitFor` and `vi.waitUntil` wait
 * for one second unless told otherwise; `expect.poll` waits for a minute, by the configuration.
 */
function findShortWaits({ paths, read }: Workspace): readonly string[] {
  return paths
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => {
      const text = read(path);
      const polls = [...text.matchAll(/\.poll\((?:[^;]*?)\btimeout: ([\d_]+)/g)]
        .filter(([, limit = '']) => Number(limit.replaceAll('_', '')) < leastMs)
        .map(() => `${path}: expect.poll with less than a minute`);
      const others = [...text.matchAll(/\bvi\s*\.(waitFor|waitUntil)\(/g)].map(([, name]) => `${path}: vi.${name}`);
      return [...polls, ...others];
    });
}

test('every test waits for at least a minute, with expect.poll', () => {
  expect(findShortWaits(openRepository())).toEqual([]);
});

test('a short wait is found', () => {
  // The names are joined from parts, so that the check does not find this file.
  const name = ['vi', 'waitFor(() => 1);'].join('.');
  const limit = ['time', 'out: 5_000'].join('');
  const found = findShortWaits(
    makeWorkspace({
      'a.test.ts': name,
      'b.test.ts': `await expect\n.poll(() => f(1), { interval: 5, ${limit} }).toBe(1);`,
      'c.test.ts': `await expect.poll(f).toBe(1); g({ ${limit} });`,
    }),
  );
  expect(found).toEqual(['a.test.ts: vi.waitFor', 'b.test.ts: expect.poll with less than a minute']);
});
