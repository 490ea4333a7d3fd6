// Session files of the terminal agent pi, versions 2 and 3: `id` and `parentId`, the header outside the tree.

import type { FieldMap } from '@coppice/core';
import { getText } from '@coppice/core/decode';
import type { SessionEntry, SessionHeader } from './contract.ts';
import { sessionVersion } from './contract.ts';
import { omitSessionFields } from './fields.ts';

// `fromId` of pi is the parent of a summary or the word root, so it is not renamed to `fromUuid`, which has another
// meaning.
const ourNames: ReadonlyMap<string, string> = new Map([
  ['id', 'uuid'],
  ['parentId', 'parentUuid'],
  ['firstKeptEntryId', 'firstKeptEntryUuid'],
  ['targetId', 'targetUuid'],
]);

/** Renames the fields of a pi line to those of Coppice. */
export function renamePiFields<T>(line: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(line).map(([key, value]) => [ourNames.get(key) ?? key, value]));
}

/** Converts a header. Its id becomes the id of the root, because such files have no root. */
export function headerFromPi(line: FieldMap): SessionHeader {
  const id = getText(line, 'id') ?? '';
  return {
    ...omitSessionFields(line, new Set(['version'])),
    type: 'session',
    version: sessionVersion,
    uuid: id,
    parentUuid: null,
    id,
  };
}

/**
 * Converts an entry; undefined for a line without id or type. An entry without a parent becomes a child of the header.
 */
export function entryFromPi(line: FieldMap, header: SessionHeader): SessionEntry | undefined {
  const uuid = getText(line, 'id');
  const type = getText(line, 'type');
  if (uuid === undefined || type === undefined) return undefined;
  const { type: _, id: __, parentId, ...rest } = line;
  return {
    type,
    uuid,
    parentUuid: typeof parentId === 'string' ? parentId : header.uuid,
    ...renamePiFields(rest),
  };
}
