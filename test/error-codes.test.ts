/** Compares docs/error-codes.md with the generated tables. `COPPICE_WRITE_DOCS=1` writes the tables first. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliErrorKinds, exitCodes } from '@coppice/cli';
import { importFindingCodes } from '@coppice/content/formats';
import type { ErrorKind } from '@coppice/core';
import { httpStatusByErrorKind, httpStatusOf } from '@coppice/server';
import { errorTables } from '@coppice/server/testing';
import { expect, test } from 'vitest';
import { errorMeanings } from './error-meanings.ts';

const page = new URL('../docs/error-codes.md', import.meta.url);

const kinds: Readonly<Record<ErrorKind, string>> = {
  invalid: 'the request is invalid',
  'not-found': 'it does not exist, or you have no access to it',
  conflict: 'another user or process changed it first',
  refused: 'the request is valid, but not possible now',
  unavailable: 'temporarily not possible; try again later',
  aborted: 'it was stopped',
  internal: 'an unexpected error',
};

const { HTTP: http = {}, ...tables } = errorTables;
/** The kinds of codes that only one place throws. */
const singleErrorKinds: Readonly<Record<string, ErrorKind>> = {
  'provider/no-model': 'refused',
  'config/invalid': 'invalid',
  'config/unreadable': 'invalid',
  'config/not-set': 'not-found',
  'hook/invalid': 'invalid',
  'hook/untrusted': 'refused',
  'hook/no-session': 'refused',
  'chat/attachment': 'refused',
  'chat/nothing-said': 'refused',
  'chat/failed': 'refused',
  'proxy/answer-too-long': 'refused',
  'proxy/failed': 'internal',
  'proxy/thread-ended': 'internal',
};

/** All codes and kinds, by the part that defines them. */
const parts = {
  ...tables,
  'Command line': cliErrorKinds,
  HTTP: http,
  'Configuration, hooks, chat, recording': singleErrorKinds,
};

/** The codes that only the client throws. They have no kind and no status. */
const clientCodes = Object.keys(errorMeanings).filter((code) => code.startsWith('client/'));

function kindTable(): string {
  const rows = Object.entries(kinds).map(([kind, about]) => {
    const known = kind as ErrorKind;
    return `| ${kind} | ${httpStatusByErrorKind[known]} | ${exitCodes[known]} | ${about} |`;
  });
  return ['| Kind | HTTP | Exit code | Means |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function codeTables(): string {
  return Object.entries(parts)
    .map(([part, codes]) => {
      const rows = Object.entries(codes).map(([code, kind]) => {
        // The command line's codes have no HTTP status.
        const status = code.startsWith('cli/') ? '' : httpStatusOf({ code, kind });
        return `| \`${code}\` | ${kind} | ${status}${status === '' ? '' : ' '}| ${errorMeanings[code]} |`;
      });
      const heading = '| Code | Kind | HTTP | What it means, and what to do |';
      return [`## ${part}`, '', heading, '| --- | --- | --- | --- |', ...rows].join('\n');
    })
    .concat(
      ['## Client', '', '| Code | What it means, and what to do |', '| --- | --- |']
        .concat(clientCodes.map((code) => `| \`${code}\` | ${errorMeanings[code]} |`))
        .join('\n'),
    )
    .join('\n\n');
}

/** Returns the error codes in the sources of all packages. */
function codesInSources(): ReadonlySet<string> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = execFileSync('git', ['ls-files', 'packages/*/src/*.ts', 'packages/*/src/*.tsx'], { cwd: root });
  const areas = [...new Set(Object.keys(errorMeanings).map((code) => code.split('/')[0]))].join('|');
  const codes = new Set<string>();
  for (const file of files.toString().trim().split('\n')) {
    if (/\.test\.|\/testing\/|\/conformance\//.test(file)) continue;
    for (const [, code = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      new RegExp(`'((?:${areas})/[a-z-]+)'`, 'g'),
    ))
      if (!Object.hasOwn(importFindingCodes, code) && code !== 'chat/completions') codes.add(code);
  }
  return codes;
}

test('every code in the sources is on the page with its meaning, and no other', () => {
  const listed = [...Object.values(parts).flatMap((codes) => Object.keys(codes)), ...clientCodes];
  expect(listed.toSorted()).toEqual([...codesInSources()].toSorted());
  expect(Object.keys(errorMeanings).toSorted()).toEqual(listed.toSorted());
});

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
