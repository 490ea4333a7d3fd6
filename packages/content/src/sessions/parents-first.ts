// Files of other tools may name a parent that comes later, or never. Order is put right; what is missing is not made up.
import type { SessionEntry } from './contract.ts';

/**
 * The entries with parents before children, else in their own order. Entries that hang on nothing known, or in a circle,
 * come after the others and keep the parent that they name, for the reader to report. Each is looked at a fixed number of
 * times: a file of nothing but orphans takes no longer than one in order.
 */
export function entriesParentsFirst(entries: readonly SessionEntry[], root: string): SessionEntry[] {
  const waiting = new Map<string, SessionEntry[]>();
  const placed = new Set<string>([root]);
  const found = new Set<SessionEntry>();
  const place = (first: SessionEntry) => {
    const open = [first];
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      // Where a circle was cut, the way round leads back here.
      if (found.has(entry)) continue;
      found.add(entry);
      if (placed.has(entry.uuid)) continue;
      placed.add(entry.uuid);
      const below = waiting.get(entry.uuid);
      waiting.delete(entry.uuid);
      if (below !== undefined) for (let index = below.length - 1; index >= 0; index--) open.push(below[index] ?? entry);
    }
  };
  for (const entry of entries) {
    const parent = entry.parentUuid ?? '';
    const fellows = waiting.get(parent);
    if (entry.parentUuid !== null && placed.has(parent)) place(entry);
    else if (fellows === undefined) waiting.set(parent, [entry]);
    else fellows.push(entry);
  }
  const known = new Set(entries.map(({ uuid }) => uuid));
  // First those whose parent is nowhere, then circles, each cut where it comes first.
  for (const missing of [true, false])
    for (const entry of entries)
      if (!missing || entry.parentUuid === null || !known.has(entry.parentUuid)) place(entry);
  return [...found];
}
