/** Keeps short-lived records and counters in the memory of one process. */
import type { JsonObject, SharedRecord, SharedRecords } from '@coppice/core';

interface MemoryRecord {
  readonly record: SharedRecord;
  expiresAt: number;
}

interface MemoryCounter {
  readonly period: number;
  readonly amount: number;
  readonly expiresAt: number;
}

/** Creates records for a process that shares its store with no other server. They are lost when the process ends. */
export function createMemorySharedRecords(now: () => number): SharedRecords {
  const groups = new Map<string, Map<string, MemoryRecord>>();
  const counters = new Map<string, MemoryCounter>();
  let stamps = 0;
  const find = (group: string, key: string): MemoryRecord | null => {
    const found = groups.get(group)?.get(key);
    return found === undefined || found.expiresAt <= now() ? null : found;
  };
  const remove = (group: string, key: string): void => {
    const own = groups.get(group);
    own?.delete(key);
    if (own?.size === 0) groups.delete(group);
  };
  const live = (group: string): SharedRecord[] =>
    [...(groups.get(group)?.values() ?? [])].filter(({ expiresAt }) => expiresAt > now()).map(({ record }) => record);
  return {
    find: async (group, key) => find(group, key)?.record ?? null,
    list: async (group) => live(group).sort((a, b) => (a.key < b.key ? -1 : 1)),
    async put(group, key, value, { keepMs, expected, most }) {
      if (expected !== undefined && (find(group, key)?.record.stamp ?? null) !== expected) return null;
      if (most !== undefined && live(group).filter((one) => one.key !== key).length >= most) return null;
      const stamp = String(++stamps);
      const own = groups.get(group) ?? new Map<string, MemoryRecord>();
      // Copied, so that a caller that changes its value later does not change the record.
      const copy = JSON.parse(JSON.stringify(value)) as JsonObject;
      own.set(key, { record: { key, stamp, value: copy }, expiresAt: now() + keepMs });
      groups.set(group, own);
      return stamp;
    },
    async take(group, key) {
      const found = find(group, key);
      remove(group, key);
      return found?.record ?? null;
    },
    async renew(names, keepMs) {
      const found = names.flatMap(({ group, key }) => find(group, key) ?? []);
      for (const one of found) one.expiresAt = now() + keepMs;
      return found.length;
    },
    async count(name, amount, { most, periodMs }) {
      const period = Math.floor(now() / periodMs);
      const known = counters.get(name);
      const sum = (known?.period === period ? known.amount : 0) + amount;
      if (sum > most) return null;
      counters.set(name, { period, amount: sum, expiresAt: (period + 1) * periodMs });
      return sum;
    },
    periodLeft: async (periodMs) => periodMs - (now() % periodMs),
    async sweep() {
      const at = now();
      let deleted = 0;
      for (const [group, own] of [...groups])
        for (const [key, { expiresAt }] of [...own])
          if (expiresAt <= at) {
            remove(group, key);
            deleted++;
          }
      for (const [name, { expiresAt }] of [...counters]) if (expiresAt <= at && counters.delete(name)) deleted++;
      return deleted;
    },
  };
}
