/** Compares docs/dependencies.md with the generated tables. `COPPICE_WRITE_DOCS=1` writes the tables first. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findDependencies, findUnexplainedDependencies, formatDependencyTable } from './checks/dependencies.ts';
import { openRepository } from './checks/workspace.ts';

const page = new URL('../docs/dependencies.md', import.meta.url);
const found = findDependencies(openRepository());

test('every dependency has a reason, and every reason a dependency', () => {
  expect(findUnexplainedDependencies(found)).toEqual([]);
});

test('the page lists every dependency with its licence and reason', () => {
  const parts = {
    installed: formatDependencyTable(found, ['installed', 'peer']),
    page: formatDependencyTable(found, ['built into the page']),
    development: formatDependencyTable(found, ['development']),
  };
  const filled = Object.entries(parts).reduce(
    (text, [name, part]) =>
      text.replace(
        new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- end -->`),
        () => `<!-- ${name} -->\n${part}\n<!-- end -->`,
      ),
    readFileSync(page, 'utf8'),
  );
  if (process.env['COPPICE_WRITE_DOCS'] === '1') writeFileSync(page, filled);
  expect(readFileSync(page, 'utf8')).toBe(filled);
});

test('nothing that is installed or built into the page has a licence that restricts its users', () => {
  const shipped = found.filter(({ uses }) => [...uses.keys()].some((use) => use !== 'development'));
  const free = /^(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause|OFL-1\.1)$/;
  expect(
    shipped.filter(({ licence }) => !free.test(licence)).map(({ name, licence }) => `${name}: ${licence}`),
  ).toEqual([]);
});
