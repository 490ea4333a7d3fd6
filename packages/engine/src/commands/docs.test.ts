/** `COPPICE_WRITE_DOCS=1` writes the generated parts of the page; without it they are compared. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtInCommands } from './registry.ts';
import { renderCommandDetails, renderCommandTable } from './table.ts';

const page = new URL('../../../../docs/commands.md', import.meta.url);

function filled(text: string): string {
  return Object.entries({
    table: renderCommandTable(builtInCommands),
    details: renderCommandDetails(builtInCommands),
  }).reduce(
    (before, [name, part]) =>
      before.replace(
        new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- end -->`),
        () => `<!-- ${name} -->\n${part}\n<!-- end -->`,
      ),
    text,
  );
}

test('[E29] every command lists the questions that it answers', () => {
  expect(builtInCommands.filter(({ questions }) => questions.length === 0).map(({ name }) => name)).toEqual([]);
});

test('[E29] the page of the commands matches the registry', () => {
  const text = readFileSync(page, 'utf8');
  const wanted = filled(text);
  if (process.env['COPPICE_WRITE_DOCS'] === '1') writeFileSync(page, wanted);
  expect(readFileSync(page, 'utf8')).toBe(wanted);
  for (const { usage } of builtInCommands) expect(wanted).toContain(usage.replaceAll('|', '\\|'));
});
