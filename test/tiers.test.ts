import { describe, expect, test } from 'vitest';
import { addTestCounts, checkTiers, countTests, type TestRunReport } from '../scripts/summary.ts';
import {
  doesTierLoadFile,
  findMissingPrograms,
  hasFullTests,
  isFullTierFile,
  isTestPath,
  outsidePrograms,
  outsideServices,
  testTiers,
} from '../scripts/tiers.ts';
import { isTypeScript, openRepository } from './checks/workspace.ts';

const workspace = openRepository();

function reportOf(ran: readonly string[], left: readonly string[]): TestRunReport {
  const fileOf = (name: string) => name.slice(0, name.indexOf(' > '));
  const files = [...new Set([...ran, ...left].map(fileOf))].map((file) => {
    const isOfFile = (name: string) => fileOf(name) === file;
    const counts = { passed: ran.filter(isOfFile).length, failed: 0, skipped: 0 };
    return { file, mayRetry: true, ...counts, ran: ran.filter(isOfFile), left: left.filter(isOfFile), failures: [] };
  });
  return { files, uncaught: [], retried: [] };
}

describe('the tiers of the tests', () => {
  test('load every test file of the repository, and a file that both load has tests for both', () => {
    for (const path of workspace.paths.filter(isTestPath)) {
      const text = workspace.read(path);
      const loading = testTiers.filter((tier) => doesTierLoadFile(tier, path, text));
      expect(loading.length, path).toBeGreaterThan(0);
      expect(loading.length === 2, path).toBe(hasFullTests(text) && !isFullTierFile(text));
    }
  });

  test('are chosen in test files alone: a suite that tagged its tests would not be loaded by the other tier', () => {
    const suites = workspace.paths.filter(
      (path) => isTypeScript(path) && path.startsWith('packages/') && !isTestPath(path),
    );
    expect(suites.filter((path) => hasFullTests(workspace.read(path)))).toEqual([]);
  });

  test('are read from the tag of a file, of a test, and from the name of a file', () => {
    const full = '// @module-tag full\ntest();';
    const mixed = "test('a', { tags: ['browser', 'full'] }, () => {});";
    const loadedBy = (path: string, text: string) => testTiers.filter((tier) => doesTierLoadFile(tier, path, text));
    expect(loadedBy('packages/core/src/a.test.ts', full)).toEqual(['full']);
    expect(loadedBy('packages/core/src/a.test.ts', mixed)).toEqual(['daily', 'full']);
    expect(loadedBy('packages/core/src/a.test.ts', 'test();')).toEqual(['daily']);
    expect(loadedBy('packages/core/src/a.outside.test.ts', full)).toEqual(['outside']);
  });
});

describe('the check of two test runs', () => {
  const files = ['a.test.ts', 'b.test.ts'];

  test('accepts two runs that ran every test once between them', () => {
    const daily = reportOf(['a.test.ts > one', 'b.test.ts > one'], ['b.test.ts > two']);
    expect(checkTiers(daily, reportOf(['b.test.ts > two'], ['b.test.ts > one']), files)).toEqual([]);
  });

  test('reports a test that no run executed, a test that both executed and a file without a test', () => {
    const daily = reportOf(['b.test.ts > one'], ['b.test.ts > two']);
    expect(checkTiers(daily, reportOf(['b.test.ts > one'], []), files)).toEqual([
      'test:full did not run b.test.ts > two, which the other tier left to it.',
      'Both tiers ran b.test.ts > one (1 times).',
      'No tier ran a test of a.test.ts.',
    ]);
  });

  test('adds up the counts, with errors outside of any test', () => {
    const late = {
      ...reportOf(['b.test.ts > b', 'b.test.ts > c'], []),
      uncaught: [{ name: 'an error', message: 'late' }],
    };
    expect(addTestCounts([reportOf(['a.test.ts > a'], []), late].map(countTests))).toEqual({
      passed: 3,
      failed: 1,
      skipped: 0,
    });
  });
});

test('every missing program and service is named', () => {
  const missing = findMissingPrograms({ PATH: '' });
  expect(missing.map((sentence) => /^Not (?:found|set): (\w+)\./.exec(sentence)?.[1])).toEqual([
    ...outsidePrograms.keys(),
    ...outsideServices.keys(),
  ]);
});
