import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeHistoryStart, findTrimVersion, type TrimmableCommit } from './history-start.ts';
import { actId } from './ids.ts';

function commit(version: number, act: string, at: number, kind: TrimmableCommit['kind'] = 'do'): TrimmableCommit {
  return { version, actId: actId(act), kind, at };
}

describe('the first version to keep', () => {
  test('[R10] is that of the first commit that is recent enough, or of the newest one', () => {
    const log = [commit(1, 'a', 10), commit(2, 'b', 20), commit(3, 'c', 30)];
    expect([5, 20, 21, 99].map((before) => findTrimVersion(log, before))).toEqual([1, 2, 3, 3]);
    expect(findTrimVersion(log, 99, 2)).toBe(2);
    expect(findTrimVersion(log.slice(1), 5)).toBe(2);
    expect(findTrimVersion([], 5)).toBe(1);
  });

  test('[R10] an act that has a later commit stays whole, unless an undo covers its beginning', () => {
    const open = [commit(1, 'a', 1), commit(2, 'b', 2), commit(3, 'c', 3), commit(4, 'b', 40)];
    expect(findTrimVersion(open, 30)).toBe(2);
    const undone = [commit(1, 'a', 1), commit(2, 'b', 2), commit(3, 'c', 3), commit(4, 'b', 40, 'undo')];
    expect(findTrimVersion(undone, 30)).toBe(4);
    const redone = [...undone, commit(5, 'b', 50, 'redo')];
    expect(findTrimVersion(redone, 45)).toBe(4);
  });

  test('[R10] trimming again with the same time changes nothing, and no act is cut', () => {
    const logs = fc
      .array(fc.record({ act: fc.constantFrom('a', 'b', 'c', 'd'), wait: fc.nat(3) }), { minLength: 1, maxLength: 30 })
      .map((items) => {
        let at = 0;
        return items.map(({ act, wait }, index) => {
          at += wait;
          return commit(index + 1, act, at);
        });
      });
    fc.assert(
      fc.property(logs, fc.nat(40), (log, before) => {
        const start = findTrimVersion(log, before);
        const kept = log.filter((one) => one.version >= start);
        expect(findTrimVersion(kept, before)).toBe(start);
        const acts = new Set(kept.map((one) => one.actId));
        expect(log.filter((one) => one.version < start && (acts.has(one.actId) || one.at >= before))).toEqual([]);
      }),
    );
  });
});

test('[R10] the beginning of a history is named by its date in UTC', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (at) => {
      expect(describeHistoryStart({ version: 2, at }).begins).toBe(new Date(at).toISOString().slice(0, 10));
    }),
  );
});
