/** Serialises the lines of a session file, and parses its header. */
import { randomUUID } from 'node:crypto';
import { type SessionCommit, type SessionEntry, type SessionHeader, sessionVersion } from '@coppice/content/sessions';
import type { FieldMap } from '@coppice/core';
import { ownField } from '@coppice/core/decode';
import { makeNotStorableError } from './refusals.ts';

/** Parses a header of version 2; undefined if the line is not one. */
export function parseHeaderText(line: FieldMap): SessionHeader | undefined {
  const [uuid, id] = [ownField(line, 'uuid'), ownField(line, 'id')];
  if (ownField(line, 'type') !== 'session' || typeof uuid !== 'string') return undefined;
  return {
    ...line,
    type: 'session',
    version: sessionVersion,
    uuid,
    parentUuid: null,
    id: typeof id === 'string' ? id : uuid,
  };
}

// The first fields of every line, which have a fixed order.
const heading: ReadonlySet<string> = new Set(['type', 'uuid', 'parentUuid', 'version', 'commit']);

/** Serialises a line with the common fields first, so that they can be read without parsing the rest. */
export function serializeSessionLine(
  entry: SessionEntry,
  version: number,
  commit: SessionCommit | null | undefined,
): string {
  const { type, uuid, parentUuid } = entry;
  const numbered = commit === undefined ? `,"version":${version}` : `,"version":${version},"commit":true`;
  const notes = commit === null || commit === undefined ? '}\n' : notesOfNode(commit);
  const whole = serializeEntry(entry);
  const begun = `{"type":"${type}","uuid":"${uuid}","parentUuid":"${parentUuid}"`;
  // Entries are built in line order, so usually the text only needs the number and the commit fields inserted.
  if (whole.startsWith(begun) && !('version' in entry) && !('commit' in entry))
    return `${begun}${numbered}${whole.slice(begun.length, -2)}${notes}`;
  let text = `{"type":${JSON.stringify(type)},"uuid":${JSON.stringify(uuid)},"parentUuid":${JSON.stringify(parentUuid)}${numbered}`;
  for (const key of Object.keys(entry)) if (!heading.has(key)) text += fieldText(key, entry[key]);
  return text + notes;
}

/**
 * Serialises an entry with a line end. If the entry has a `toJSON` method, the result may not be a valid line; {@link
 * serializeSessionLine} then writes the fields one by one. Throws if JSON cannot represent the entry.
 */
export function serializeEntry(entry: SessionEntry): string {
  try {
    return `${JSON.stringify(entry)}\n`;
  } catch (error) {
    throw makeNotStorableError(entry.uuid, error);
  }
}

/**
 * Serialises the commit fields at the end of a line. The result is
 * cached, because most commits of a session have the same fields.
 */
function notesOfNode(commit: SessionCommit): string {
  if (commit !== lastNoted) [lastNoted, lastNotes] = [commit, `,${JSON.stringify(commit).slice(1)}\n`];
  return lastNotes;
}

let lastNoted: SessionCommit | null = null;
let lastNotes = '';

/** Serialises a further field. Returns an empty text if JSON cannot represent its value. */
function fieldText(key: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? '' : `,${JSON.stringify(key)}:${text}`;
}

/** Serialises a header. */
export function serializeHeader(header: SessionHeader): string {
  const { type, version, uuid, parentUuid, ...rest } = header;
  return `${JSON.stringify({ type, version, uuid, parentUuid, ...rest })}\n`;
}

/** The entries of a commit to be written. */
export interface CommitEntries {
  readonly entries: readonly SessionEntry[];
  readonly version: number;
  readonly commit: SessionCommit | null;
}

/** Serialises the lines of a commit. */
export function serializeCommitLines({ entries: given, version, commit }: CommitEntries): string[] {
  const entries = endLine(given);
  const last = entries.length - 1;
  return entries.map((entry, index) => serializeSessionLine(entry, version, index === last ? commit : undefined));
}

/** Adds an empty entry if the last entry has fields with the names of the commit fields. */
function endLine(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const last = entries[entries.length - 1];
  if (last === undefined || !hasNotes(last)) return entries;
  return [...entries, { type: 'change', uuid: randomUUID(), parentUuid: last.uuid, steps: [] }];
}

// The fields are compared one by one for speed, because every
// saved line is checked. The names are those of `commitFields`.
function hasNotes({ actId, actor, at, kind, sequence, format }: SessionEntry): boolean {
  const isThere = actId !== undefined || actor !== undefined || at !== undefined;
  return isThere || kind !== undefined || sequence !== undefined || format !== undefined;
}
