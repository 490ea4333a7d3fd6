// @module-tag full
// Daily work runs this file as a part of `npm run check`.
import { describe, expect, test } from 'vitest';
import { checkBannedWords } from './checks/banned-words.ts';
import { findDuplicateNames, readFunctions, wordsOfName } from './checks/names.ts';
import { makeWorkspace, openRepository } from './checks/workspace.ts';

test('no name of the repository has a banned word', () => {
  expect(checkBannedWords(openRepository())).toEqual([]);
});

test('few names are defined in several source files, and fewer are exported by several', () => {
  const found = findDuplicateNames(openRepository());
  expect(found.length).toBeLessThan(350);
  expect(found.filter(({ places }) => places.filter((place) => place.exported).length > 1).length).toBeLessThan(80);
});

test('the glossary has at most forty words', () => {
  const rows = openRepository()
    .read('docs/glossary.md')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  expect(rows.length).toBeGreaterThan(10);
  // The first row of the table is its heading.
  expect(rows.length - 1).toBeLessThanOrEqual(40);
});

describe('the check of words', () => {
  const found = (text: string, path = 'packages/core/src/a.ts') =>
    checkBannedWords(makeWorkspace({ [path]: text })).map((sentence) =>
      sentence.split(':')[1]?.split(' ').slice(1).join(' '),
    );

  test.each([
    ['const openDesk = 1;', 'openDesk'],
    ['function f(room: string) {}', 'room'],
    ['const { a: graves } = f();', 'graves'],
    ['interface A { readonly told: string }', 'told'],
    ['class A { #shelf = 1; }', 'shelf'],
    ['type Stage = 1;', 'Stage'],
  ])('finds the word in %s', (text, name) => {
    expect(found(text)).toEqual([name]);
  });

  test('checks only whole words of declared names', () => {
    expect(
      found("const bookmark = 'room'; const mushroom = call.room; const backgroundColour = { [told]: 1 };"),
    ).toEqual([]);
    expect(found('export {};', 'packages/core/src/planted-faults.ts')).toEqual(['planted-faults']);
    expect(found('interface A { room: string }', 'packages/core/src/budget.ts')).toEqual([]);
  });
});

test('names are split at capitals, numbers stay with their word', () => {
  expect(wordsOfName('openHTTPFile2')).toEqual(['open', 'http', 'file2']);
  expect(wordsOfName('#told-you_so')).toEqual(['told', 'you', 'so']);
});

test('functions are measured from their first to their last line', () => {
  const text = 'export function a() {\n  return () => {\n    return 1;\n  };\n}\n';
  expect(readFunctions('a.ts', text).map(({ name, lines }) => [name, lines])).toEqual([
    ['a', 5],
    ['(anonymous)', 3],
  ]);
});
