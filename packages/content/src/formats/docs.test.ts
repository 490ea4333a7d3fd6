/** `COPPICE_WRITE_DOCS=1` writes the parts of the page that come from the registry; else they are compared. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importFindingCodes } from './findings.ts';
import { formats } from './formats.ts';

const page = new URL('../../../../docs/formats.md', import.meta.url);

function formatTable(): string {
  const rows = formats.map(({ name, label, summary, reader, writer }) => {
    const loses = Object.entries(writer?.loses ?? {}).map(([what, sentence]) => `*${what}*: ${sentence}`);
    return `| ${label} | \`${name}\` | ${reader ? 'yes' : '–'} | ${writer ? 'yes' : '–'} | ${summary} | ${loses.join(' ')} |`;
  });
  return [
    '| Format | Name | Read | Written | What it is | What its writer loses |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function findingTable(): string {
  const rows = Object.entries(importFindingCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ['| Code | Means |', '|---|---|', ...rows].join('\n');
}

function filled(text: string): string {
  return Object.entries({ formats: formatTable(), findings: findingTable() }).reduce(
    (before, [name, part]) =>
      before.replace(
        new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- end -->`),
        () => `<!-- ${name} -->\n${part}\n<!-- end -->`,
      ),
    text,
  );
}

test('[I28] the page of the formats says what the registry says', () => {
  const wanted = filled(readFileSync(page, 'utf8'));
  if (process.env['COPPICE_WRITE_DOCS'] === '1') writeFileSync(page, wanted);
  expect(readFileSync(page, 'utf8')).toBe(wanted);
});
