import { findNearestName } from '@coppice/core/decode';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCommand, quoteCommandWord, splitCommandWords } from './parse.ts';

const texts = (line: string) => parseCommand(line).words.map((word) => word.text);

test('[E2] a line is a name and words; the slash and the case of the name do not matter', () => {
  expect(parseCommand('/Branch-Here')).toEqual({ name: 'branch-here', words: [] });
  expect(parseCommand('  switch   3 ')).toMatchObject({
    name: 'switch',
    words: [{ text: '3', at: 11, quoted: false }],
  });
});

test('[E2] quotes at the start of a word hold words together, and an apostrophe inside a word does not', () => {
  expect(texts('/label "the oak" --on \'a b\'')).toEqual(['the oak', '--on', 'a b']);
  expect(texts("/name Don't panic")).toEqual(["Don't", 'panic']);
  expect(texts('/name "say \\"yes\\" \\\\ no"')).toEqual(['say "yes" \\ no']);
  expect(texts('/pop --focus="two words" 3')).toEqual(['--focus=two words', '3']);
  expect(parseCommand('/name "--x" ""').words).toMatchObject([
    { text: '--x', quoted: true },
    { text: '', quoted: true },
  ]);
});

test('[E2] an unclosed quote, and a line without a name, are refused', () => {
  expect(() => parseCommand('/name "x')).toThrow('A quote is not closed');
  expect(() => parseCommand("/pop --focus='x")).toThrow('A quote is not closed');
  for (const line of ['', '  ', '/']) expect(() => parseCommand(line)).toThrow('Name a command');
});

test('[E2] any text in quotes is parsed unchanged', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', "'", '--', '\\', ' a', '__proto__'))),
      (list) => {
        const { words, open } = splitCommandWords(list.map(quoteCommandWord).join(' '));
        expect(open).toBe(false);
        expect(words.map((word) => word.text)).toEqual(list);
      },
    ),
  );
});

test('[E4] the nearest name is the one with the fewest typing errors, and none if all are too different', () => {
  const names = ['branches', 'branch-here', 'switch', 'tree', 'undo'];
  expect(findNearestName('swtich', names)).toBe('switch');
  expect(findNearestName('branchs', names)).toBe('branches');
  expect(findNearestName('bra', names)).toBe('branches');
  expect(findNearestName('TREE', names)).toBe('tree');
  expect(findNearestName('xyzzy', names)).toBeUndefined();
  expect(findNearestName('', names)).toBeUndefined();
});
