import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  type ChildList,
  childAtIndex,
  childAtPosition,
  childListIds,
  childListSize,
  deleteChild,
  emptyChildList,
  indexOfPosition,
  insertChild,
  neighbourPositions,
} from './child-list.ts';
import { nodeId } from './ids.ts';
import { propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';

const runs = propertyParameters(200, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

const place = (n: number) => `p${String(n).padStart(6, '0')}`;
const write = fc.record({ put: fc.integer({ min: 0, max: 9 }).map((n) => n < 7), at: fc.nat(300) });
// Many writes at the end and at the front fill leaves; single writes in between split and empty leaves.
const writes = fc
  .array(fc.oneof(fc.array(write, { minLength: 1, maxLength: 60, size: 'max' }), burst()), {
    maxLength: 8,
    size: 'max',
  })
  .map((lists) => lists.flat());

function burst(): fc.Arbitrary<{ readonly put: boolean; readonly at: number }[]> {
  return fc
    .record({ from: fc.nat(300), count: fc.nat(120), put: fc.boolean() })
    .map(({ from, count, put }) => Array.from({ length: count }, (_, i) => ({ put, at: from + i })));
}

describe('the children of a node', () => {
  test('[T9] match a sorted list after any inserts and deletes, and earlier values do not change', () => {
    fc.assert(
      fc.property(writes, (list) => {
        let order: ChildList = emptyChildList;
        const model = new Map<string, string>();
        const history: { readonly order: ChildList; readonly ids: readonly string[] }[] = [];
        for (const [index, { put, at }] of list.entries()) {
          const position = place(at);
          if (put && !model.has(position)) {
            order = insertChild(order, position, nodeId(`n${index}`));
            model.set(position, `n${index}`);
          } else if (!put) {
            order = deleteChild(order, position);
            model.delete(position);
          }
          if (index % 16 === 0) history.push({ order, ids: [...childListIds(order)] });
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(childListSize(order)).toBe(sorted.length);
        expect([...childListIds(order)]).toEqual(sorted.map(([, id]) => id));
        for (const [rank, [position, id]] of sorted.entries()) {
          expect(childAtPosition(order, position)).toBe(id);
          expect(indexOfPosition(order, position)).toBe(rank);
          expect(childAtIndex(order, rank)).toEqual({ id, position });
        }
        for (const at of [0, 7, 150, 299, 500]) {
          const position = place(at);
          const before = sorted.filter(([other]) => other < position);
          const after = sorted.filter(([other]) => other > position);
          expect(childAtPosition(order, position)).toBe(model.get(position));
          expect(indexOfPosition(order, position)).toBe(before.length);
          expect(neighbourPositions(order, position)).toEqual({
            before: before[before.length - 1]?.[0] ?? null,
            after: after[0]?.[0] ?? null,
          });
        }
        expect([childAtIndex(order, -1), childAtIndex(order, sorted.length)]).toEqual([undefined, undefined]);
        for (const old of history) expect([...childListIds(old.order)]).toEqual(old.ids);
      }),
      runs,
    );
  });

  test('[T9] are the same value after deleting a position that is not in the list', () => {
    let order: ChildList = emptyChildList;
    for (let i = 0; i < 200; i += 2) order = insertChild(order, place(i), nodeId(`n${i}`));
    expect(deleteChild(order, place(51))).toBe(order);
    expect(deleteChild(order, 'a')).toBe(order);
    expect(deleteChild(emptyChildList, place(1))).toBe(emptyChildList);
  });

  test('[T9] are empty again when all are deleted, in any order', () => {
    let order: ChildList = emptyChildList;
    for (let i = 0; i < 3000; i++) order = insertChild(order, place(i), nodeId(`n${i}`));
    for (let i = 0; i < 3000; i++) order = deleteChild(order, place((i * 7919) % 3000));
    expect([childListSize(order), [...childListIds(order)]]).toEqual([0, []]);
    expect(childListSize(insertChild(order, place(5), nodeId('n')))).toBe(1);
  });

  test('[T9] share the unchanged parts when one is added to fifty thousand', () => {
    let order: ChildList = emptyChildList;
    for (let i = 0; i < 50_000; i++) order = insertChild(order, place(i), nodeId(`n${i}`));
    const next = insertChild(order, place(60_000), nodeId('new'));
    if (!('branches' in order) || !('branches' in next)) throw new Error('Fifty thousand fit into one leaf?');
    const { branches } = order;
    const fresh = next.branches.filter((branch) => !branches.includes(branch));
    expect(fresh).toHaveLength(1);
    expect([childListSize(order), childListSize(next)]).toEqual([50_000, 50_001]);
  });
});
