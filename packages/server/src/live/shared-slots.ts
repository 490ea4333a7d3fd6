/** Limits how many turns or imports of a user run at once on all servers of a store. */
import type { SharedRecords } from '@coppice/core';
import type { Logger } from 'pino';
import { unrefTimer } from '#platform/system';

// If a server ends without releasing its slots, they become free after this many milliseconds.
const keepMs = 60_000;
const renewMs = 20_000;

interface SharedSlotsOptions {
  readonly records: SharedRecords;
  readonly newId: () => string;
  readonly log: Logger;
}

interface Slot {
  readonly group: string;
  readonly key: string;
}

/** The slots that this server has taken. One statement renews all of them at an interval. */
export class SharedSlots {
  readonly #options: SharedSlotsOptions;
  readonly #taken = new Set<Slot>();
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: SharedSlotsOptions) {
    this.#options = options;
  }

  /** Takes one of `most` slots of a group. Returns a function that releases it, or null if all are taken. */
  async take(group: string, most: number): Promise<(() => void) | null> {
    const { records, newId } = this.#options;
    const slot: Slot = { group, key: newId() };
    if ((await records.put(group, slot.key, {}, { keepMs, most })) === null) return null;
    this.#taken.add(slot);
    this.#timer ??= unrefTimer(setInterval(() => void this.#renew(), renewMs));
    return () => this.#release(slot);
  }

  #release(slot: Slot): void {
    if (!this.#taken.delete(slot)) return;
    if (this.#taken.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    const { records, log } = this.#options;
    records.take(slot.group, slot.key).catch((error: unknown) => {
      log.warn({ err: error }, 'a slot was not released; it becomes free in a minute');
    });
  }

  async #renew(): Promise<void> {
    const { records, log } = this.#options;
    const renewAll = async () => {
      const taken = [...this.#taken];
      if ((await records.renew(taken, keepMs)) === taken.length) return;
      // The database was away for longer than slots are kept, or has lost them in a crash.
      for (const slot of taken)
        if (this.#taken.has(slot)) await records.put(slot.group, slot.key, {}, { keepMs, expected: null });
    };
    await renewAll().catch((error: unknown) => {
      log.warn({ err: error }, 'the slots of running turns and imports could not be renewed');
    });
  }
}
