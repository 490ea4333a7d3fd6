import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  emptyMap,
  hashText,
  type MapEntry,
  mapDelete,
  mapEntries,
  mapGet,
  mapPut,
  type PersistentMap,
} from './persistent-map.ts';
import { propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';

const runs = propertyParameters(300, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

interface Item extends MapEntry {
  readonly value: number;
}

type Write = { readonly put: boolean; readonly key: string; readonly value: number; readonly hash: number };

function entries(map: PersistentMap<Item>): [string, number][] {
  return [...mapEntries(map)].map((item): [string, number] => [item.key, item.value]).sort(byKey);
}

function byKey([a]: [string, number], [b]: [string, number]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Finds two ids with the same hash by trial. With 32 bits, two of about 80,000 ids usually have the same hash. */
function collision(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let i = 0; ; i++) {
    const key = `id-${i}`;
    const other = seen.get(hashText(key));
    if (other !== undefined) return [other, key];
    seen.set(hashText(key), key);
  }
}

const awkward = fc.constantFrom('__proto__', 'constructor', 'hasOwnProperty', '', 'a', 'b', '\ud800');
const key = fc.oneof(awkward, fc.string({ maxLength: 3 }), fc.uuid());
// Real hashes, hashes that differ only in their low or high bits, and one constant hash.
const hashed = fc.constantFrom<(text: string) => number>(
  hashText,
  (text) => hashText(text) & 3,
  (text) => hashText(text) & 0xc0000001,
  (text) => hashText(text) << 27,
  () => -1,
);

function writes(hash: (text: string) => number): fc.Arbitrary<Write[]> {
  const write = fc.record({ put: fc.boolean(), key, value: fc.nat() }).map((one) => ({ ...one, hash: hash(one.key) }));
  return fc.array(write, { maxLength: 120, size: 'max' });
}

describe('a persistent map', () => {
  test('[T5, T6] behaves like a Map after any puts and deletes, and earlier values never change', () => {
    fc.assert(
      fc.property(hashed.chain(writes), (list) => {
        let map = emptyMap<Item>();
        const model = new Map<string, number>();
        const history: { readonly map: PersistentMap<Item>; readonly was: [string, number][] }[] = [];
        for (const { put, key: name, value, hash } of list) {
          history.push({ map, was: [...model].sort(byKey) });
          map = put ? mapPut(map, { key: name, hash, value }) : mapDelete(map, name, hash);
          if (put) model.set(name, value);
          else model.delete(name);
          expect(map.size).toBe(model.size);
          expect(mapGet(map, name, hash)?.value).toBe(model.get(name));
        }
        expect(entries(map)).toEqual([...model].sort(byKey));
        for (const old of history) expect(entries(old.map)).toEqual(old.was);
      }),
      runs,
    );
  });

  test('[T8] with an owner changes only the parts that this owner made', () => {
    fc.assert(
      fc.property(
        hashed.chain((hash) => fc.tuple(writes(hash), writes(hash))),
        ([first, second]) => {
          let map = emptyMap<Item>();
          for (const { key: name, value, hash } of first) map = mapPut(map, { key: name, hash, value });
          const was = entries(map);
          const owner = { owner: true } as const;
          let next = map;
          const model = new Map(was);
          for (const { put, key: name, value, hash } of second) {
            next = put ? mapPut(next, { key: name, hash, value }, owner) : mapDelete(next, name, hash);
            if (put) model.set(name, value);
            else model.delete(name);
          }
          expect(entries(map)).toEqual(was);
          expect(entries(next)).toEqual([...model].sort(byKey));
        },
      ),
      runs,
    );
  });

  test('[T6] keeps two keys with the same hash apart', () => {
    const [one, two] = collision();
    expect(hashText(one)).toBe(hashText(two));
    const hash = hashText(one);
    let map = mapPut(emptyMap<Item>(), { key: one, hash, value: 1 });
    expect(mapGet(map, two)).toBeUndefined();
    map = mapPut(mapPut(map, { key: two, hash, value: 2 }), { key: one, hash, value: 3 });
    expect(entries(map)).toEqual(
      [
        [one, 3],
        [two, 2],
      ].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
    );
    const left = mapDelete(map, one);
    expect([mapGet(left, one), mapGet(left, two)?.value, left.size]).toEqual([undefined, 2, 1]);
    expect(mapDelete(left, two).size).toBe(0);
  });

  test('[T6] holds two thousand keys with the same hash', () => {
    let map = emptyMap<Item>();
    for (let i = 0; i < 2000; i++) map = mapPut(map, { key: `k${i}`, hash: 42, value: i });
    expect(map.size).toBe(2000);
    expect(mapGet(map, 'k1234', 42)?.value).toBe(1234);
    for (let i = 0; i < 2000; i++) map = mapDelete(map, `k${i}`, 42);
    expect([map.size, entries(map)]).toEqual([0, []]);
  });

  test('[T7] takes __proto__, constructor and the empty string as ordinary keys', () => {
    let map = emptyMap<Item>();
    for (const name of ['__proto__', 'constructor', '']) {
      expect(mapGet(map, name)).toBeUndefined();
      map = mapPut(map, { key: name, hash: hashText(name), value: name.length });
    }
    expect(entries(map)).toEqual([
      ['', 0],
      ['__proto__', 9],
      ['constructor', 11],
    ]);
    expect(mapGet(map, 'toString')).toBeUndefined();
    expect(mapGet(mapDelete(map, '__proto__'), '__proto__')).toBeUndefined();
  });

  test('[T5] is the same value after deleting a key that is not in it', () => {
    const map = mapPut(emptyMap<Item>(), { key: 'a', hash: hashText('a'), value: 1 });
    expect(mapDelete(map, 'b')).toBe(map);
  });

  test('[T5] shares unchanged parts: a put into a hundred thousand makes a few small arrays', () => {
    let map = emptyMap<Item>();
    const owner = { owner: true } as const;
    for (let i = 0; i < 100_000; i++) {
      const name = `key ${i}`;
      map = mapPut(map, { key: name, hash: hashText(name), value: i }, owner);
    }
    const next = mapPut(map, { key: 'new', hash: hashText('new'), value: -1 });
    const shared = next.root.slots.filter((slot, index) => slot === map.root.slots[index]);
    expect(shared).toHaveLength(31);
    expect([map.size, next.size]).toEqual([100_000, 100_001]);
  });
});
