/** Entries of a session file as the nodes that core's context is made of, and as they are now. */
import type { EntryMarker, SessionEntry, SessionIndex } from '@coppice/content/sessions';
import { type Marker, type MessageKit, type Node, nodeId, roleOf } from '@coppice/core';

/** The node that a line is, with what later lines changed about it. Ids are those of the file. */
export function sessionNodeAt(index: SessionIndex, at: number, kit: Pick<MessageKit, 'tokens'>): Node {
  const { file } = index;
  const { kind, message, status, meta, marker, createdAt, noted } = index.meaningAt(at);
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
    // Noted when it was written, or counted once: an estimate of a long session would cost more than reading it.
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

/** An entry with what later lines say about it: another parent, other content. */
export function entryIn(index: SessionIndex, at: number): SessionEntry {
  const { file } = index;
  if (at === 0) return file.header;
  const entry = file.entryAt(at);
  const parentUuid = file.uuidAt(index.parent(at));
  const message = index.amendment(at)?.message;
  return message === undefined
    ? { ...entry, parentUuid }
    : { ...entry, parentUuid, ...(entry.type === 'message' ? { message } : { amended: message }) };
}
