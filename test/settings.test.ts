/** Compares docs/settings.md with the generated tables. `COPPICE_WRITE_DOCS=1` writes the tables first. */
import { readFileSync, writeFileSync } from 'node:fs';
import { listSettings } from '@coppice/engine';
import { expect, test } from 'vitest';
import {
  findEnvironmentVariables,
  findUndescribedVariables,
  formatConfigurationTables,
  formatLimitTables,
  formatVariableTables,
} from './checks/settings.ts';
import { makeWorkspace, openRepository } from './checks/workspace.ts';

const page = new URL('../docs/settings.md', import.meta.url);

test('the page lists every variable, configuration key and limit with its default', async () => {
  const parts = {
    variables: formatVariableTables(),
    configuration: formatConfigurationTables(listSettings()),
    limits: await formatLimitTables(openRepository()),
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

test('the page and the README of the store list every option in the URL of a PostgreSQL store', () => {
  const repository = openRepository();
  const code = repository.read('packages/stores/src/postgres/options.ts');
  const read = [...code.matchAll(/takeOption\(url, '(\w+)'\)/g)].map(([, name]) => name).sort();
  expect(read).toContain('attachments');
  const [, section = ''] = repository.read('docs/settings.md').split('## The address of a PostgreSQL store');
  const [table = ''] = section.split('\n## ');
  const listed = (text: string) => [...text.matchAll(/^\| `(\w+)[^`]*` \|/gm)].map(([, name]) => name).sort();
  expect(listed(table)).toEqual(read);
  const [beginning = ''] = repository.read('packages/stores/src/postgres/README.md').split('These settings can be');
  expect(listed(beginning)).toEqual(read);
});

test('every environment variable that the packages read is described, and no other', () => {
  expect(findUndescribedVariables(openRepository())).toEqual([]);
});

test('a variable is found however it is read', () => {
  const text =
    "env.ONE; host.env['TWO']; (source.env ?? process.env).THREE; const { FOUR: four, FIVE } = process.env; import.meta.env.PROD;";
  const workspace = makeWorkspace({ 'packages/x/src/a.ts': text, 'packages/x/src/a.test.ts': 'env.SIX' });
  expect(findEnvironmentVariables(workspace)).toEqual(['FIVE', 'FOUR', 'ONE', 'THREE', 'TWO']);
});
