// Finds the first kept entry of a compaction that refers to a line which is not a node of the tree.

import { getText } from '@coppice/core/decode';
import { isSideEntryType, type SessionEntry, type SessionFile } from './contract.ts';

/**
 * Returns a compaction with a valid first kept entry. Other tools may refer to a label, a name or the header before the
 * kept part. These lines are not nodes, so the reference is replaced by the next entry on the path.
 */
export function resolveFirstKept(
  file: Pick<SessionFile, 'indexOf' | 'parentAt' | 'typeAt' | 'uuidAt'>,
  at: number,
  entry: SessionEntry,
): SessionEntry {
  const named = entry.type === 'compaction' ? getText(entry, 'firstKeptEntryUuid') : undefined;
  const line = named === undefined ? -1 : file.indexOf(named);
  if (line < 0 || (line > 0 && !isSideEntryType(file.typeAt(line)))) return entry;
  let first = -1;
  let up = file.parentAt(at);
  // Parents come before their children, so the loop ends.
  for (; up > line; up = file.parentAt(up)) if (!isSideEntryType(file.typeAt(up))) first = up;
  return up !== line || first < 0 ? entry : { ...entry, firstKeptEntryUuid: file.uuidAt(first) };
}
