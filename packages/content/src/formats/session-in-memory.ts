// A session in memory with the interface of a session file, so that imports and exports can use the same code.
import type { SessionEntry, SessionFile, SessionHeader } from '../sessions/index.ts';

/**
 * Builds a read-only session from a header and entries. Entries with a missing parent become children of the header.
 */
export function buildSessionInMemory(header: SessionHeader, entries: readonly SessionEntry[]): SessionFile {
  const lines: readonly SessionEntry[] = [header, ...entries];
  const byId = new Map<string, number>();
  for (const [index, { uuid }] of lines.entries()) if (!byId.has(uuid)) byId.set(uuid, index);
  const at = (index: number): SessionEntry => lines[index] ?? header;
  return {
    path: '',
    dialect: 'v2',
    header,
    writable: false,
    holder: null,
    warnings: [],
    size: lines.length,
    version: 1,
    indexOf: (uuid) => byId.get(uuid) ?? -1,
    uuidAt: (index) => at(index).uuid,
    typeAt: (index) => at(index).type,
    parentAt: (index) => {
      if (index <= 0) return -1;
      const above = byId.get(at(index).parentUuid ?? '') ?? 0;
      // A parent that comes later in the file is replaced by the header, so that a walk up always ends.
      return above < index ? above : 0;
    },
    isOurs: () => true,
    entryAt: at,
    refresh: () => 0,
    append: () => undefined,
    appendLine: () => undefined,
    close: () => undefined,
  };
}
