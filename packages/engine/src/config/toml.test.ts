import { expect, test } from 'vitest';
import type { ConfigWarning } from './contract.ts';
import { parseToml } from './toml.ts';

function readRounds(text: string): readonly [number | undefined, readonly ConfigWarning[]] {
  const warnings: ConfigWarning[] = [];
  const table = parseToml({ name: 'c.toml', text }, warnings).table('tools', 'Tools.');
  table.acceptFormer('steps', 'rounds', '0.2.0');
  const rounds = table.whole('rounds', 'Rounds of tool calls.', { min: 1 });
  table.finish();
  return [rounds, warnings];
}

test('[G161] a former name of a setting works with a warning that gives its line and the current name, which takes precedence', () => {
  const where = 'c.toml:2';
  const message = 'tools.steps is deprecated since version 0.2.0 and will be removed. Use tools.rounds instead.';
  expect(readRounds('[tools]\nsteps = 4')).toEqual([4, [{ where, message }]]);
  expect(readRounds('[tools]\nsteps = 4\nrounds = 7')).toEqual([7, [{ where, message }]]);
  expect(readRounds('[tools]\nrounds = 7')).toEqual([7, []]);
});
