// From version 1, in which the order of the lines is the chain, to version 2. Ids are derived from the session's own id
// and the line, so that reading a file without writing it gives the ids that it will have once it is written.
import { derivedId } from '../derived-id.ts';
import { type SessionEntry, type SessionHeader, type SessionWarning, sessionVersion } from './contract.ts';
import { type Fields, numberField, own, textField, without } from './fields.ts';

/** A session after its migration: header first, as many entries as before, in the same order. */
export interface Migrated {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly warnings: readonly Omit<SessionWarning, 'offset'>[];
}

const gone: ReadonlySet<string> = new Set(['type', 'timestamp', 'firstKeptEntryIndex', 'backToIndex', 'version']);

/** Migrates the lines of a v1 file, the header among them. Indexes count all lines, the header being 0. */
export function migrateV1(lines: readonly Fields[]): Migrated {
  const [first] = lines;
  const id = (first === undefined ? undefined : textField(first, 'id')) ?? '';
  const uuids = lines.map((_, index) => derivedId('session-v1', id, index));
  const warnings: Omit<SessionWarning, 'offset'>[] = [];
  const warn = (index: number, message: string) =>
    warnings.push({ code: 'unkept', message, line: index + 1, uuid: uuids[index] ?? '' });
  const header: SessionHeader = {
    type: 'session',
    version: sessionVersion,
    uuid: uuids[0] ?? derivedId('session-v1', id, 0),
    parentUuid: null,
    id,
    ...times(first ?? {}),
    ...without(first ?? {}, new Set([...gone, 'id', 'uuid', 'parentUuid'])),
  };
  const entries: SessionEntry[] = [];
  let parentUuid = header.uuid;
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? {};
    const uuid = uuids[index] ?? '';
    const rest = without(line, new Set([...gone, 'uuid', 'parentUuid']));
    const type = textField(line, 'type') ?? 'custom';
    if (type === 'stack_pop') {
      const back = numberField(line, 'backToIndex');
      const target = back === undefined ? undefined : uuids[back];
      if (target === undefined || back === undefined || back >= index) {
        warn(index, `The pop at line ${index + 1} goes back to ${String(back)}, which is no earlier line.`);
        entries.push({ type: 'stack_summary', uuid, parentUuid, ...times(line), ...rest });
      } else entries.push({ type: 'stack_summary', uuid, parentUuid: target, ...times(line), ...rest });
    } else if (type === 'compaction') {
      const kept = keptFrom(line, index, uuids, warn);
      entries.push({ type, uuid, parentUuid, ...times(line), ...rest, ...kept });
    } else entries.push({ type, uuid, parentUuid, ...times(line), ...rest });
    parentUuid = uuid;
  }
  return { header, entries, warnings };
}

function times(line: Fields): Fields {
  const at = own(line, 'timestamp');
  return at === undefined ? {} : { timestamp: at };
}

function keptFrom(
  line: Fields,
  index: number,
  uuids: readonly string[],
  warn: (index: number, message: string) => void,
): Fields {
  const kept = numberField(line, 'firstKeptEntryIndex');
  if (kept === undefined) return {};
  if (kept === 0) {
    // All of it is kept, which is to say: from the first entry on.
    warn(index, `The compaction at line ${index + 1} keeps from the header on; that is from the first entry.`);
    return uuids[1] === undefined || index === 1 ? {} : { firstKeptEntryUuid: uuids[1] };
  }
  const uuid = uuids[kept];
  if (uuid !== undefined && kept < index) return { firstKeptEntryUuid: uuid };
  warn(index, `The compaction at line ${index + 1} keeps from entry ${kept} on, which is not there.`);
  return {};
}
