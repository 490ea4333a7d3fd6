/**
 * Checks the parts of docs/formats.md that are generated from the registry; with `COPPICE_WRITE_DOCS=1` writes them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importFindingCodes } from './findings.ts';
import { formats } from './formats.ts';

const page = new URL('../../../../docs/formats.md', import.meta.url);

function formatTable(): string {
  const rows = formats.map(({ name, label, summary, keeps, reader, writer }) => {
    const loses = Object.entries(writer?.loses ?? {}).map(([what, sentence]) => `*${what}*: ${sentence}`);
    // Coppice's own formats store a complete tree.
    const kept = reader === undefined ? '–' : (keeps?.join(', ') ?? 'everything');
    return `| ${label} | \`${name}\` | ${reader ? 'yes' : '–'} | ${writer ? 'yes' : '–'} | ${summary} | ${kept} | ${loses.join(' ')} |`;
  });
  return [
    '| Format | Name | Read | Written | What it is | What its reader keeps beside the words | What its writer loses |',
    '|---|---|---|---|---|---|---|',
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

test('[I234] every reader of another program declares what it keeps', () => {
  const silent = formats.filter(({ reader, keeps }) => reader !== undefined && keeps === undefined);
  expect(silent.map(({ name }) => name)).toEqual(['archive', 'session-v2']);
});

test('[I28] the page of the formats matches the registry', () => {
  const wanted = filled(readFileSync(page, 'utf8'));
  if (process.env['COPPICE_WRITE_DOCS'] === '1') writeFileSync(page, wanted);
  expect(readFileSync(page, 'utf8')).toBe(wanted);
});
