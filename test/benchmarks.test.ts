import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { benchmarksPagePath, rewriteBenchmarkTables } from '../bench/tables.ts';

test('the tables of docs/benchmarks.md are those of the recorded runs', () => {
  const page = readFileSync(benchmarksPagePath, 'utf8');
  expect(rewriteBenchmarkTables(page)).toBe(page);
});
