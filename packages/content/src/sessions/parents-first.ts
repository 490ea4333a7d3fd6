// Sorts entries, because files of other tools may name a parent that comes later or is missing. Missing parents are not
// added.
import type { SessionEntry } from './contract.ts';

/**
 * Returns the entries with parents before children, otherwise in their order. Entries with an unknown parent or in a
 * cycle come last and keep their parent id, so that the reader can report them. Takes linear time, even for a file that
 * contains only orphans.
 */
export function sortParentsFirst(entries: readonly SessionEntry[], root: string): SessionEntry[] {
  const waiting = new Map<string, SessionEntry[]>();
  const placed = new Set<string>([root]);
  const found = new Set<SessionEntry>();
  const place = (first: SessionEntry) => {
    const open = [first];
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      // In a cycle the walk reaches an entry a second time.
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
  // First come entries with a missing parent, then cycles, each cut at its first entry.
  for (const missing of [true, false])
    for (const entry of entries)
      if (!missing || entry.parentUuid === null || !known.has(entry.parentUuid)) place(entry);
  return [...found];
}
