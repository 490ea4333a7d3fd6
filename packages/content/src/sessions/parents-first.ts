// Files of other tools may name a parent that comes later, or never. Order is put right; what is missing is not made up.
import type { SessionEntry } from './contract.ts';

/**
 * The entries with parents before children, else in their own order. Entries that hang on nothing known, or in a circle,
 * come after the others and keep the parent that they name, for the reader to report.
 */
export function parentsFirst(entries: readonly SessionEntry[], root: string): SessionEntry[] {
  const waiting = new Map<string, SessionEntry[]>();
  const placed = new Set<string>([root]);
  const found: SessionEntry[] = [];
  const place = (first: SessionEntry) => {
    const open = [first];
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      found.push(entry);
      if (placed.has(entry.uuid)) continue;
      placed.add(entry.uuid);
      const below = waiting.get(entry.uuid);
      waiting.delete(entry.uuid);
      if (below !== undefined) for (let index = below.length - 1; index >= 0; index--) open.push(below[index] ?? entry);
    }
  };
  for (const entry of entries) {
    const { parentUuid } = entry;
    if (parentUuid !== null && placed.has(parentUuid)) place(entry);
    else waiting.set(parentUuid ?? '', [...(waiting.get(parentUuid ?? '') ?? []), entry]);
  }
  const known = new Set(entries.map(({ uuid }) => uuid));
  // First those whose parent is nowhere, then circles, each cut where it comes first.
  for (const missing of [true, false])
    for (const entry of entries) {
      const { parentUuid } = entry;
      if (placed.has(entry.uuid) || (missing && parentUuid !== null && known.has(parentUuid))) continue;
      const left = waiting.get(parentUuid ?? '') ?? [];
      waiting.set(
        parentUuid ?? '',
        left.filter((one) => one !== entry),
      );
      place(entry);
    }
  return found;
}
