// @module-tag full
// Daily work runs this file as a part of `npm run check`.
/** Checks the form of the documents. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const longest = 120;

/** Returns the lines of prose: without code, tables, comments, pictures, and the parts that a program writes. */
function proseLines(text: string): { readonly number: number; readonly line: string }[] {
  const lines: { readonly number: number; readonly line: string }[] = [];
  let skipsUntil: RegExp | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    if (skipsUntil !== null) {
      if (skipsUntil.test(line)) skipsUntil = null;
    } else if (line.trimStart().startsWith('```')) skipsUntil = /^\s*```/;
    else if (/^<!-- [a-z]+ -->$/.test(line)) skipsUntil = /^<!-- end -->$/;
    else if (line.startsWith('<!--')) skipsUntil = line.includes('-->') ? null : /-->/;
    else if (!/^\s*\||^!\[|^Run of /.test(line)) lines.push({ number: index + 1, line });
  }
  return lines;
}

/** Whether a line can be broken within the limit. Code and the text of a link stay on one line. */
function canBreak(line: string): boolean {
  const words = line.trim().replace(/`[^`]*`|\[[^\]]*\]\([^)]*\)/g, (whole) => whole.replaceAll(' ', '_'));
  return /^(?:[-*] )?\S+ /.test(words);
}

test('lines of prose in the documents have at most 120 characters', () => {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  // A rule is one line, so that it can be found and cited.
  const documents = files.filter((file) => !file.endsWith('SPEC.md'));
  expect(documents.length).toBeGreaterThan(50);
  const tooLong = documents.flatMap((file) =>
    proseLines(readFileSync(join(root, file), 'utf8'))
      .filter(({ line }) => [...line].length > longest && canBreak(line))
      .map(({ number }) => `${file}:${number}`),
  );
  expect(tooLong).toEqual([]);
});
