import { expect, test } from 'vitest';
import { splitCommand } from './split-command.ts';

test('[B232] a command line is split into exactly the words that are run, and nothing in it is expanded', () => {
  expect(splitCommand('uvx mcp-server-git --repository ~/projects/shop')).toEqual([
    'uvx',
    'mcp-server-git',
    '--repository',
    '~/projects/shop',
  ]);
  expect(splitCommand(`  a "b c"  'd "e"' f\\ g "h \\" i" '' $HOME;rm `)).toEqual([
    'a',
    'b c',
    'd "e"',
    'f g',
    'h " i',
    '',
    '$HOME;rm',
  ]);
  expect(splitCommand('')).toEqual([]);
});
