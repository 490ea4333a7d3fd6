/** With `COPPICE_WRITE_DOCS=1` this test writes the generated part of the page; otherwise it compares the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { subcommands } from './all.ts';
import { questionsBySubcommand } from './questions.ts';
import { buildCommandReference } from './reference.ts';

const page = new URL('../../../../docs/command-line.md', import.meta.url);

test('[O181] every subcommand lists the questions that it answers', () => {
  expect(Object.keys(questionsBySubcommand).sort()).toEqual(subcommands.map(({ name }) => name).sort());
  for (const forms of Object.values(questionsBySubcommand)) expect(forms.length).toBeGreaterThan(0);
});

test('[O181] the page of the command line has every subcommand, argument, option and example', () => {
  const text = readFileSync(page, 'utf8');
  const wanted = text.replace(
    /<!-- reference -->[\s\S]*?<!-- end -->/,
    () => `<!-- reference -->\n\n${buildCommandReference()}\n\n<!-- end -->`,
  );
  if (process.env['COPPICE_WRITE_DOCS'] === '1') writeFileSync(page, wanted);
  expect(readFileSync(page, 'utf8'), 'Run it with COPPICE_WRITE_DOCS=1 after a change of a help text.').toBe(wanted);
  for (const { name, examples } of subcommands)
    for (const each of [`### coppice ${name}\n`, ...examples]) expect(wanted).toContain(each);
});
