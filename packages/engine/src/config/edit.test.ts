import { expect, test } from 'vitest';
import { findConfigValue, parseConfigValue, setConfigValue } from './edit.ts';

const file = `# mine
model = "a/b" # the usual one

[tools]
approval = "ask"
`;

test('[M60] a key is set where it is, in its table or at the top, and everything else stays', () => {
  expect(setConfigValue(file, ['tools', 'approval'], 'always')).toBe(file.replace('"ask"', '"always"'));
  expect(setConfigValue(file, ['tools', 'rounds'], 3)).toBe(file.replace('[tools]\n', '[tools]\nrounds = 3\n'));
  expect(setConfigValue(file, ['store'], 'memory:')).toBe(file.replace('[tools]', 'store = "memory:"\n[tools]'));
  expect(setConfigValue(file, ['server', 'port'], 1)).toBe(`${file}\n[server]\nport = 1\n`);
  expect(setConfigValue('', ['providers', 'my own', 'base_url'], 'http://h')).toBe(
    '[providers."my own"]\nbase_url = "http://h"\n',
  );
});

test('[M60] a key is removed, and removing a missing one changes nothing', () => {
  expect(findConfigValue(setConfigValue(file, ['model'], null), ['model'])).toBeUndefined();
  expect(setConfigValue(file, ['store'], null)).toBe(file);
});

test('[M60] a value is written as typed TOML or as a string', () => {
  expect(['true', '2.5', '["a", "b"]', 'claude/x', '"quoted"'].map(parseConfigValue)).toEqual([
    true,
    2.5,
    ['a', 'b'],
    'claude/x',
    'quoted',
  ]);
});
