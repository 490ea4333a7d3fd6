import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { isPosition, positionBetween, positionsBetween } from './position.ts';
import { propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';

const runs = propertyParameters(300, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

/** Sorted keys that were generated at random positions. */
const keys = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 200, size: 'max' }).map((picks) => {
  const made: string[] = [];
  for (const pick of picks) {
    const at = pick % (made.length + 1);
    made.splice(at, 0, positionBetween(made[at - 1] ?? null, made[at] ?? null));
  }
  return made;
});

function ascending(list: readonly string[]): boolean {
  return list.every((key, index) => index === 0 || (list[index - 1] ?? '') < key);
}

describe('a position among siblings', () => {
  test('[T1] is between any two neighbours, before the first and after the last', () => {
    fc.assert(
      fc.property(keys, (made) => {
        expect(made.every(isPosition)).toBe(true);
        expect(ascending(made)).toBe(true);
      }),
      runs,
    );
  });

  test('[T1] is found repeatedly in the same gap, on both sides', () => {
    let low = positionBetween(null, null);
    let high = positionBetween(low, null);
    for (let i = 0; i < 500; i++) {
      const middle = positionBetween(low, high);
      expect(low < middle && middle < high && isPosition(middle)).toBe(true);
      if (i % 3 === 0) low = middle;
      else high = middle;
    }
  });

  test('[T1] is found before the first and after the last of any number', () => {
    let first = positionBetween(null, null);
    let last = first;
    for (let i = 0; i < 10_000; i++) {
      const before = positionBetween(null, first);
      const behind = positionBetween(last, null);
      expect(before < first && last < behind && isPosition(before) && isPosition(behind)).toBe(true);
      first = before;
      last = behind;
    }
    expect(Math.max(first.length, last.length)).toBeLessThanOrEqual(4);
  });

  test('[T1] is found below the smallest integer part and above the largest', () => {
    const smallest = `A${'0'.repeat(26)}`;
    const low = `${smallest}V`;
    expect(isPosition(low)).toBe(true);
    const lower = positionBetween(null, low);
    expect(lower < low && isPosition(lower)).toBe(true);
    const largest = `z${'z'.repeat(26)}`;
    const higher = positionBetween(largest, null);
    expect(higher > largest && isPosition(higher)).toBe(true);
    expect(positionBetween(null, `A${'0'.repeat(25)}1`)).toBe(`${smallest}V`);
  });

  test('[T2] is refused between neighbours in the wrong order', () => {
    expect(() => positionBetween('a1', 'a0')).toThrow(RangeError);
    expect(() => positionBetween('a1', 'a1')).toThrow(RangeError);
  });
});

describe('many positions at once', () => {
  test('[T3] are in order and between their neighbours', () => {
    fc.assert(
      fc.property(keys, fc.nat(), fc.nat(100), (made, pick, count) => {
        const at = pick % (made.length + 1);
        const before = made[at - 1] ?? null;
        const after = made[at] ?? null;
        const found = positionsBetween(before, after, count);
        expect(found).toHaveLength(count);
        expect(found.every(isPosition)).toBe(true);
        expect(ascending([...(before === null ? [] : [before]), ...found, ...(after === null ? [] : [after])])).toBe(
          true,
        );
      }),
      runs,
    );
  });

  test.each([
    ['behind the last', 'a0', null],
    ['before the first', null, 'a0'],
    ['in a gap', 'a0', 'a1'],
    ['in a narrow gap', 'a0', 'a00V'],
    ['in an empty list', null, null],
  ])('[T3] stay short, fifty thousand of them %s', (_where, before, after) => {
    const found = positionsBetween(before, after, 50_000);
    expect(new Set(found).size).toBe(50_000);
    expect(ascending(found)).toBe(true);
    expect(found.reduce((longest, key) => Math.max(longest, key.length), 0)).toBeLessThanOrEqual(10);
  });
});

test.each(['', 'a', 'a-', 'b0', '0a', 'a0 ', 'a00', 'a0é', `A${'0'.repeat(26)}`, 'ä0', 7, null, undefined, ['a0']])(
  '[T4] %j is not a valid position',
  (value) => {
    expect(isPosition(value)).toBe(false);
  },
);

test.each(['a0', 'Zz', 'b00', 'a0V', 'a00V', `z${'z'.repeat(26)}`])('[T4] %j is a valid position', (value) => {
  expect(isPosition(value)).toBe(true);
});
