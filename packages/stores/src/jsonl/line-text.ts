/** Serialises the lines of a session file, and reads the fields of its header. */
import { randomUUID } from 'node:crypto';
import { type SessionCommit, type SessionEntry, type SessionHeader, sessionVersion } from '@coppice/content/sessions';
import type { FieldMap } from '@coppice/core';
import { ownField } from '@coppice/core/decode';
import { makeNotStorableError } from './refusals.ts';

/** Returns the header of version 2 that a parsed line contains; undefined if the line is not a header. */
export function parseSessionHeader(line: FieldMap): SessionHeader | undefined {
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

// Every line begins with these fields, in this order.
const heading: ReadonlySet<string> = new Set(['type', 'uuid', 'parentUuid', 'version', 'commit']);

/**
 * Serialises a line with the common fields first, so that {@link scanLinePrefix} can read them without parsing the
 * rest. The last line of a commit contains `lines`, the number of its lines, so that a reader notices missing lines.
 */
export function serializeSessionLine(
  entry: SessionEntry,
  version: number,
  commit: SessionCommit | null | undefined,
  lines = 1,
): string {
  const { type, uuid, parentUuid } = entry;
  const counted = lines > 1 ? `,"lines":${lines}` : '';
  const numbered = commit === undefined ? `,"version":${version}` : `,"version":${version},"commit":true${counted}`;
  const notes = commit === null || commit === undefined ? '}\n' : notesOfNode(commit);
  const whole = serializeEntry(entry);
  const begun = `{"type":"${type}","uuid":"${uuid}","parentUuid":"${parentUuid}"`;
  // Entries are usually built in the order of a line, so only the commit number and the commit fields have to be
  // inserted.
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
 * Serialises the commit fields at the end of a line. The last result is cached, because consecutive commits often have
 * the same fields.
 */
function notesOfNode(commit: SessionCommit): string {
  if (commit !== lastNoted) [lastNoted, lastNotes] = [commit, `,${JSON.stringify(commit).slice(1)}\n`];
  return lastNotes;
}

let lastNoted: SessionCommit | null = null;
let lastNotes = '';

/** Serialises one more field. Returns an empty text if JSON cannot represent the value. */
function fieldText(key: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? '' : `,${JSON.stringify(key)}:${text}`;
}

export function serializeHeader(header: SessionHeader): string {
  const { type, version, uuid, parentUuid, ...rest } = header;
  return `${JSON.stringify({ type, version, uuid, parentUuid, ...rest })}\n`;
}

/** The entries of one commit that is to be written, and its commit fields. */
export interface CommitEntries {
  readonly entries: readonly SessionEntry[];
  readonly version: number;
  readonly commit: SessionCommit | null;
}

export function serializeCommitLines({ entries: given, version, commit }: CommitEntries): string[] {
  const entries = endLine(given);
  const last = entries.length - 1;
  return entries.map((entry, index) =>
    serializeSessionLine(entry, version, index === last ? commit : undefined, entries.length),
  );
}

/**
 * Adds an empty entry if the last entry has its own fields with the names of commit fields, which would overwrite them.
 */
function endLine(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const last = entries[entries.length - 1];
  if (last === undefined || !hasNotes(last)) return entries;
  return [...entries, { type: 'change', uuid: randomUUID(), parentUuid: last.uuid, steps: [] }];
}

// The fields of `commitFields` are compared one by one for speed, because every saved line is checked.
function hasNotes({ actId, actor, at, kind, sequence, format, lines }: SessionEntry): boolean {
  const isThere = actId !== undefined || actor !== undefined || at !== undefined || lines !== undefined;
  return isThere || kind !== undefined || sequence !== undefined || format !== undefined;
}
