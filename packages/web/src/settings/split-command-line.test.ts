import { expect, test } from 'vitest';
import { joinCommandLine, splitCommandLine } from './split-command-line.ts';

test('[B232] a command line is split into exactly the words that are run, and nothing in it is expanded', () => {
  expect(splitCommandLine('uvx mcp-server-git --repository ~/projects/shop')).toEqual([
    'uvx',
    'mcp-server-git',
    '--repository',
    '~/projects/shop',
  ]);
  expect(splitCommandLine(`  a "b c"  'd "e"' f\\ g "h \\" i" '' $HOME;rm `)).toEqual([
    'a',
    'b c',
    'd "e"',
    'f g',
    'h " i',
    '',
    '$HOME;rm',
  ]);
  expect(splitCommandLine('')).toEqual([]);
});

test('[B232] a command is shown so that its words are told apart', () => {
  const words = ['npx', '-y', '@x/server files', '', 'd "e" \\', "f's", '$HOME'];
  expect(joinCommandLine(['npx', '--root', '/my files'])).toBe('npx --root "/my files"');
  expect(splitCommandLine(joinCommandLine(words))).toEqual(words);
});
