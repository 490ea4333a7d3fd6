/** Converts entries of a session file to nodes for core, including changes by later lines. */
import type { EntryMarker, SessionEntry, SessionIndex } from '@coppice/content/sessions';
import { type Marker, type MessageKit, type Node, nodeId, roleOf } from '@coppice/core';

/** Builds the node of a line, with changes by later lines. Its ids are those of the file. */
export function sessionNodeAt(index: SessionIndex, at: number, kit: Pick<MessageKit, 'tokens'>): Node {
  const { file } = index;
  const { kind, message, status, meta, marker, createdAt, noted } = index.decodedAt(at);
  const { tokens } = noted;
  return {
    id: nodeId(file.uuidAt(at)),
    parentId: nodeId(file.uuidAt(Math.max(0, index.parent(at)))),
    position: '',
    seq: at,
    kind,
    role: roleOf(message),
    status,
    groupId: 0,
    createdAt: createdAt ?? 0,
    matchParent: null,
    key: null,
    // The count is stored with the line or computed once, because counting the tokens of a long session again takes
    // longer than reading it.
    tokens: typeof tokens === 'number' ? tokens : index.tokensAt(at, () => kit.tokens(message)),
    addedIn: 0,
    contentIn: 0,
    removedIn: null,
    lastChildId: null,
    message,
    text: '',
    meta,
    marker: marker === null ? null : markerOfEntry(marker),
    aliases: [],
  };
}

function markerOfEntry({ firstKept, from, ...rest }: EntryMarker): Marker {
  return {
    ...rest,
    ...(firstKept === undefined ? {} : { firstKept: nodeId(firstKept) }),
    ...(from === undefined ? {} : { from: nodeId(from) }),
  };
}

/** Returns an entry with changes by later lines, such as another parent or other content. */
export function readChangedEntry(index: SessionIndex, at: number): SessionEntry {
  const { file } = index;
  if (at === 0) return file.header;
  const entry = file.entryAt(at);
  const parentUuid = file.uuidAt(index.parent(at));
  const message = index.laterChanges(at)?.message;
  return message === undefined
    ? { ...entry, parentUuid }
    : { ...entry, parentUuid, ...(entry.type === 'message' ? { message } : { amended: message }) };
}
