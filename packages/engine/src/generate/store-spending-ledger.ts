/** Records the daily spending in a store that several servers share, so that all of them have one budget. */
import type { SharedSpendingLedger } from '@coppice/core';
import { type ModelUse, type SpendingLedger, sumModelUse } from './spending-ledger.ts';

// Longer than a turn may take. A reservation of a server that has ended is released after this time.
const reservationMs = 3_600_000;

/**
 * Creates spending in a store. `before` is the spending that this server has recorded outside of the store: its amounts
 * still count on their days, and amounts are added to it only if the store cannot be written.
 */
export function createStoreSpendingLedger(shared: SharedSpendingLedger, before: SpendingLedger): SpendingLedger {
  return {
    on: async (day) => (await shared.on(day)) + (await before.on(day)),
    async add(day, usd, note) {
      const { owner = null, tokens = 0 } = note ?? {};
      // If the store is unavailable, the amount must not be lost.
      await shared.add(day, { owner, calls: 1, tokens, usd }).catch(() => before.add(day, usd, note));
    },
    async reserve(day, owner, amountOf) {
      const [spent, own] = [await before.on(day), (await before.byOwner(day)).get(owner)?.usd ?? 0];
      const id = await shared.reserve(day, owner, reservationMs, (used, ownUsed) =>
        amountOf({ ...used, spent: used.spent + spent }, { ...ownUsed, spent: ownUsed.spent + own }),
      );
      return id === null ? null : () => void shared.release(id).catch(() => undefined);
    },
    async byOwner(day) {
      const people = new Map<string, ModelUse>(await before.byOwner(day));
      for (const { owner, ...use } of await shared.byOwner(day)) people.set(owner, sumModelUse(people.get(owner), use));
      return people;
    },
  };
}
