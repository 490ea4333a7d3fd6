import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from './saving.ts';

test('[Z44] times in lines are those of the platform, to the millisecond', () => {
  const time = fc.oneof(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.integer({ min: 1.7e12, max: 1.7e12 + 5000 }));
  fc.assert(
    fc.property(time, fc.integer({ min: 0, max: 1500 }), (at, later) => {
      fc.pre(at + later <= 8.64e15);
      for (const each of [at, at + later, at]) expect(isoTime(each)).toBe(new Date(each).toISOString());
    }),
  );
  expect(isoTime(1.5)).toBe(new Date(1.5).toISOString());
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
