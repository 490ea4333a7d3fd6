// Files of the terminal agent whose format this is, versions 2 and 3: `id` and `parentId`, the header outside the tree.
import type { SessionEntry, SessionHeader } from './contract.ts';
import { sessionVersion } from './contract.ts';
import { omitSessionFields, type SessionFields, textField } from './fields.ts';

// Where pi writes `fromId` it means the entry that a summary hangs on, or the word root: not what our `fromUuid` says.
const ourNames: ReadonlyMap<string, string> = new Map([
  ['id', 'uuid'],
  ['parentId', 'parentUuid'],
  ['firstKeptEntryId', 'firstKeptEntryUuid'],
  ['targetId', 'targetUuid'],
]);

/** The fields of a line that pi wrote, under our names. */
export function renamePiFields<T>(line: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(line).map(([key, value]) => [ourNames.get(key) ?? key, value]));
}

/** A header as ours. Its id stands for the root that such files do not have. */
export function headerFromPi(line: SessionFields): SessionHeader {
  const id = textField(line, 'id') ?? '';
  return {
    ...omitSessionFields(line, new Set(['version'])),
    type: 'session',
    version: sessionVersion,
    uuid: id,
    parentUuid: null,
    id,
  };
}

/** An entry as ours; undefined for a line that is none. What hangs on nothing hangs on the header. */
export function entryFromPi(line: SessionFields, header: SessionHeader): SessionEntry | undefined {
  const uuid = textField(line, 'id');
  const type = textField(line, 'type');
  if (uuid === undefined || type === undefined) return undefined;
  const { type: _, id: __, parentId, ...rest } = line;
  return {
    type,
    uuid,
    parentUuid: typeof parentId === 'string' ? parentId : header.uuid,
    ...renamePiFields(rest),
  };
}
