import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { benchmarksPage, rewriteTables } from '../bench/tables.ts';

test('the tables of docs/benchmarks.md are those of the recorded runs', () => {
  const page = readFileSync(benchmarksPage, 'utf8');
  expect(rewriteTables(page)).toBe(page);
});
