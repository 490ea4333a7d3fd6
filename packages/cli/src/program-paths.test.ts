import { expect, test } from 'vitest';
import { toSpawnCommand } from './program-paths.ts';

const env = { Path: 'C:\\Windows;C:\\Program Files (x86)\\npm', PATHEXT: '.EXE;.CMD' };
const isFile = (path: string) =>
  ['C:\\Windows\\git.EXE', 'C:\\Program Files (x86)\\npm\\claude.CMD', 'C:\\Program Files (x86)\\npm\\claude'].includes(
    path,
  );

test('[O50] a program is started directly, and on Windows by its file', () => {
  expect(toSpawnCommand('claude', ['-p', 'a & b'], env, 'linux', isFile)).toEqual({
    file: 'claude',
    words: ['-p', 'a & b'],
    shell: false,
  });
  const words = ['log', '%PATH% & "x"'];
  expect(toSpawnCommand('git', words, env, 'win32', isFile)).toEqual({
    file: 'C:\\Windows\\git.EXE',
    words,
    shell: false,
  });
  expect(toSpawnCommand('missing', [], env, 'win32', isFile)).toEqual({ file: 'missing', words: [], shell: false });
});

test('[O50] a script on Windows gets its arguments quoted, so that its shell runs none of them', () => {
  expect(toSpawnCommand('claude', ['-p', 'two words'], env, 'win32', isFile)).toEqual({
    file: '"C:\\Program Files (x86)\\npm\\claude.CMD"',
    words: ['"-p"', '"two words"'],
    shell: true,
  });
  for (const word of ['a & calc', '%PATH%', 'a"b', 'a|b', '$(x)', 'a\nb', '^', '!x!', '>out'])
    expect(() => toSpawnCommand('claude', [word], env, 'win32', isFile)).toThrow('script of Windows');
});
