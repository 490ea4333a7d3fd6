// Where the part begins that a compaction keeps, when it names a line that is no point of the session.
import { isSideEntry, type SessionEntry, type SessionFile } from './contract.ts';
import { textField } from './fields.ts';

/**
 * A compaction with the entry that it keeps from on. Other tools name the line before what they keep if that is a label,
 * a name or the header; here nothing of those is in the way to an entry, so the entry after it stands for it.
 */
export function resolveFirstKept(
  file: Pick<SessionFile, 'indexOf' | 'parentAt' | 'typeAt' | 'uuidAt'>,
  at: number,
  entry: SessionEntry,
): SessionEntry {
  const named = entry.type === 'compaction' ? textField(entry, 'firstKeptEntryUuid') : undefined;
  const line = named === undefined ? -1 : file.indexOf(named);
  if (line < 0 || (line > 0 && !isSideEntry(file.typeAt(line)))) return entry;
  let first = -1;
  let up = file.parentAt(at);
  // Parents stand before their children, so that this ends.
  for (; up > line; up = file.parentAt(up)) if (!isSideEntry(file.typeAt(up))) first = up;
  return up !== line || first < 0 ? entry : { ...entry, firstKeptEntryUuid: file.uuidAt(first) };
}
