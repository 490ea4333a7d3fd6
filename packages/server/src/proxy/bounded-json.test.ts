import { expect, it } from 'vitest';
import { parseBoundedJson } from './bounded-json.ts';

const filling = '[{"\\'.repeat(300_000);

it('[RP5] a long response that is nested too deeply is not parsed; brackets in its texts do not count as levels', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${JSON.stringify(filling)}${']'.repeat(depth)}`;
  expect(parseBoundedJson(nested(999))).toEqual(JSON.parse(nested(999)));
  expect(parseBoundedJson(nested(2000))).toBeUndefined();
  expect(parseBoundedJson('['.repeat(2000) + ']'.repeat(2000))).toBeDefined();
  for (const broken of ['{"a":', `"${'x'.repeat(1 << 20)}\\"`, `[${'"a",'.repeat(1 << 19)}`])
    expect(parseBoundedJson(broken)).toBeUndefined();
});
