import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CopyOnWriteMap } from './copy-on-write-map.ts';

test('[CL14] copies of a map have the same entries as copies of a plain map, and changing one changes no other', () => {
  const change = fc.record({
    copy: fc.boolean(),
    key: fc.integer({ min: 0, max: 40 }),
    value: fc.option(fc.record({ n: fc.integer() }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 })), fc.array(change, { maxLength: 200 }), (first, changes) => {
      const start = new Map(first.map((key) => [key, { n: key }]));
      let expected = new Map(start);
      let copy = new CopyOnWriteMap<number, { readonly n: number }>(start);
      const kept: (readonly [CopyOnWriteMap<number, object>, Map<number, object>])[] = [];
      for (const { copy: copies, key, value } of changes) {
        if (copies) {
          kept.push([copy, new Map(expected)]);
          copy = new CopyOnWriteMap(copy);
          expected = new Map(expected);
        }
        if (value === undefined) expect(copy.delete(key)).toBe(expected.delete(key));
        else {
          copy.set(key, value);
          expected.set(key, value);
        }
        expect(copy.get(key)).toBe(expected.get(key));
      }
      for (const [map, plain] of [...kept, [copy, expected] as const]) {
        expect(new Map(map)).toEqual(plain);
        expect([map.size, new Set(map.keys()), [...map.values()].length]).toEqual([
          plain.size,
          new Set(plain.keys()),
          plain.size,
        ]);
        for (const key of plain.keys()) expect(map.has(key)).toBe(true);
        let seen = 0;
        map.forEach((value, key) => {
          seen += value === plain.get(key) ? 1 : 0;
        });
        expect(seen).toBe(plain.size);
      }
    }),
  );
});
