// A session whose lines are in memory, so that what is said of session files elsewhere holds for what comes in or goes
// out as well.
import type { SessionEntry, SessionFile, SessionHeader } from '../sessions/index.ts';

/** A session of a header and entries, to be read only. Entries hang on the header where the one they name is not there. */
export function sessionInMemory(header: SessionHeader, entries: readonly SessionEntry[]): SessionFile {
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
      // A walk upwards must end, whatever a file says.
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
