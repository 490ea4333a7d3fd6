/** Lines of a session file as texts, and the header back from one. */
import { randomUUID } from 'node:crypto';
import { type SessionCommit, type SessionEntry, type SessionHeader, sessionVersion } from '@coppice/content/sessions';
import { type DiskFields, diskField } from '../disk/decode.ts';
import { notStorable } from './refusals.ts';

/** A header as it was read from a line of ours; undefined if it is none. */
export function headerInText(line: DiskFields): SessionHeader | undefined {
  const [uuid, id] = [diskField(line, 'uuid'), diskField(line, 'id')];
  if (diskField(line, 'type') !== 'session' || typeof uuid !== 'string') return undefined;
  return {
    ...line,
    type: 'session',
    version: sessionVersion,
    uuid,
    parentUuid: null,
    id: typeof id === 'string' ? id : uuid,
  };
}

// What every line begins with, in an order of its own.
const heading: ReadonlySet<string> = new Set(['type', 'uuid', 'parentUuid', 'version', 'commit']);

/** A line as text: what every line begins with comes first, so that it can be told without reading the rest. */
export function lineText(entry: SessionEntry, version: number, commit: SessionCommit | null | undefined): string {
  const { type, uuid, parentUuid } = entry;
  const numbered = commit === undefined ? `,"version":${version}` : `,"version":${version},"commit":true`;
  const notes = commit === null || commit === undefined ? '}\n' : notesOfNode(commit);
  const whole = printLine(entry);
  const begun = `{"type":"${type}","uuid":"${uuid}","parentUuid":"${parentUuid}"`;
  // Entries are made in the order of a line, so that nearly always only the number and the notes are put between.
  if (whole.startsWith(begun) && !('version' in entry) && !('commit' in entry))
    return `${begun}${numbered}${whole.slice(begun.length, -2)}${notes}`;
  let text = `{"type":${JSON.stringify(type)},"uuid":${JSON.stringify(uuid)},"parentUuid":${JSON.stringify(parentUuid)}${numbered}`;
  for (const key of Object.keys(entry)) if (!heading.has(key)) text += fieldText(key, entry[key]);
  return text + notes;
}

/**
 * An entry as JSON, with the end of a line. What it says of itself there is no line, be it nothing. Refuses one that JSON
 * cannot say.
 */
export function printLine(entry: SessionEntry): string {
  try {
    return `${JSON.stringify(entry)}\n`;
  } catch (error) {
    throw notStorable(entry.uuid, error);
  }
}

/** The notes about a commit, as a line ends with them. A session notes the same about most of what it saves. */
function notesOfNode(commit: SessionCommit): string {
  if (commit !== lastNoted) [lastNoted, lastNotes] = [commit, `,${JSON.stringify(commit).slice(1)}\n`];
  return lastNotes;
}

let lastNoted: SessionCommit | null = null;
let lastNotes = '';

/** A field as it goes on after others; nothing where JSON has no word for its value. */
function fieldText(key: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? '' : `,${JSON.stringify(key)}:${text}`;
}

/** The text of a header. */
export function headerText(header: SessionHeader): string {
  const { type, version, uuid, parentUuid, ...rest } = header;
  return `${JSON.stringify({ type, version, uuid, parentUuid, ...rest })}\n`;
}

/** A commit on its way into a file. */
export interface LinesOfCommit {
  readonly entries: readonly SessionEntry[];
  readonly version: number;
  readonly commit: SessionCommit | null;
}

/** The lines of a commit. */
export function linesToWrite({ entries: given, version, commit }: LinesOfCommit): string[] {
  const entries = endLine(given);
  const last = entries.length - 1;
  return entries.map((entry, index) => lineText(entry, version, index === last ? commit : undefined));
}

/** Entries with one more at the end if the last one has fields of its own where the notes about the commit go. */
function endLine(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const last = entries[entries.length - 1];
  if (last === undefined || !hasNotes(last)) return entries;
  return [...entries, { type: 'change', uuid: randomUUID(), parentUuid: last.uuid, steps: [] }];
}

// By name, one by one: it is asked of every line that is saved. The names are those of `commitFields`.
function hasNotes({ actId, actor, at, kind, sequence, format }: SessionEntry): boolean {
  const isThere = actId !== undefined || actor !== undefined || at !== undefined;
  return isThere || kind !== undefined || sequence !== undefined || format !== undefined;
}
