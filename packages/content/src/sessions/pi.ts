// Files of the terminal agent whose format this is, versions 2 and 3: `id` and `parentId`, the header outside the tree.
import type { SessionEntry, SessionHeader } from './contract.ts';
import { sessionVersion } from './contract.ts';
import { type Fields, textField, without } from './fields.ts';

const spelt: ReadonlySet<string> = new Set(['type', 'id', 'parentId', 'firstKeptEntryId', 'fromId', 'targetId']);

/** A header as ours. Its id stands for the root that such files do not have. */
export function headerFromPi(line: Fields): SessionHeader {
  const id = textField(line, 'id') ?? '';
  return {
    ...without(line, new Set(['version'])),
    type: 'session',
    version: sessionVersion,
    uuid: id,
    parentUuid: null,
    id,
  };
}

/** An entry as ours; undefined for a line that is none. What hangs on nothing hangs on the header. */
export function entryFromPi(line: Fields, header: SessionHeader): SessionEntry | undefined {
  const uuid = textField(line, 'id');
  const type = textField(line, 'type');
  if (uuid === undefined || type === undefined) return undefined;
  const kept = textField(line, 'firstKeptEntryId');
  const from = textField(line, 'fromId');
  const target = textField(line, 'targetId');
  return {
    type,
    uuid,
    parentUuid: textField(line, 'parentId') ?? header.uuid,
    ...without(line, spelt),
    ...(kept === undefined ? {} : { firstKeptEntryUuid: kept }),
    // The code writes the place that the summary hangs on, or the word root, and not the leaf that was left.
    ...(from === undefined ? {} : { fromId: from }),
    ...(target === undefined ? {} : { targetUuid: target }),
  };
}
