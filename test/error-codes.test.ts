/** Compares the generated page of error codes. `COPPICE_WRITE_DOCS=1` writes it instead. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cliErrorKinds, exitCodes } from '@coppice/cli';
import type { ErrorKind } from '@coppice/core';
import { httpStatusOf, statusOfKind } from '@coppice/server';
import { errorTables } from '@coppice/server/testing';
import { expect, test } from 'vitest';

const page = new URL('../docs/error-codes.md', import.meta.url);

const kinds: Readonly<Record<ErrorKind, string>> = {
  invalid: 'what was asked cannot be understood',
  'not-found': 'there is no such thing, or not for you',
  conflict: 'another user or process was first',
  refused: 'it is understood, and it is not done',
  unavailable: 'not now; try again later',
  aborted: 'it was stopped',
  internal: 'something is broken',
};

const { HTTP: http = {}, ...tables } = errorTables;
/** All codes and kinds, by the part that defines them. */
const parts = { ...tables, 'Command line': cliErrorKinds, HTTP: http };

function kindTable(): string {
  const rows = Object.entries(kinds).map(([kind, about]) => {
    const known = kind as ErrorKind;
    return `| ${kind} | ${statusOfKind[known]} | ${exitCodes[known]} | ${about} |`;
  });
  return ['| Kind | HTTP | Exit code | Means |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function codeTables(): string {
  return Object.entries(parts)
    .map(([part, codes]) => {
      const rows = Object.entries(codes).map(([code, kind]) => {
        // The command line's codes have no HTTP status.
        const status = code.startsWith('cli/') ? '' : httpStatusOf({ code, kind });
        return `| \`${code}\` | ${kind} | ${status}${status === '' ? '' : ' '}|`;
      });
      return [`## ${part}`, '', '| Code | Kind | HTTP |', '| --- | --- | --- |', ...rows].join('\n');
    })
    .join('\n\n');
}

test('the page lists every code with its kind, status and exit code', () => {
  const filled = Object.entries({ kinds: kindTable(), codes: codeTables() }).reduce(
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
