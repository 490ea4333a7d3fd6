/** Lines of a session file as texts, and the header back from one. */
import { randomUUID } from 'node:crypto';
import {
  commitFields,
  type SessionCommit,
  type SessionEntry,
  type SessionHeader,
  sessionVersion,
} from '@coppice/content/sessions';
import { type Fields, field } from '../disk/decode.ts';
import type { Head } from './heads.ts';

/** A header as it was read from a line of ours; undefined if it is none. */
export function headerIn(line: Fields): SessionHeader | undefined {
  const [uuid, id] = [field(line, 'uuid'), field(line, 'id')];
  if (field(line, 'type') !== 'session' || typeof uuid !== 'string') return undefined;
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

/**
 * A line as text: what every line begins with comes first, so that it can be told without reading the rest. Written down
 * field by field: an object in another order would be made only to be printed.
 */
export function lineText(entry: SessionEntry, version: number, commit: SessionCommit | null | undefined): string {
  const { type, uuid, parentUuid } = entry;
  let text = `{"type":${JSON.stringify(type)},"uuid":${JSON.stringify(uuid)},"parentUuid":${JSON.stringify(parentUuid)},"version":${version}`;
  if (commit !== undefined) text += ',"commit":true';
  const last: object = commit ?? {};
  for (const key of Object.keys(entry))
    if (!heading.has(key) && !Object.hasOwn(last, key)) text += fieldText(key, entry[key]);
  for (const [key, value] of Object.entries(last)) text += fieldText(key, value);
  return `${text}}\n`;
}

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

/** A line of ours, and what it begins with. */
export interface OwnLine {
  readonly head: Head;
  readonly text: string;
}

/** The lines of a commit. */
export function linesOf({ entries: given, version, commit }: LinesOfCommit): OwnLine[] {
  const entries = ended(given);
  return entries.map((entry, index) => {
    const { type, uuid, parentUuid } = entry;
    const last = index === entries.length - 1;
    return {
      head: { type, uuid, parentUuid, version, commit: last },
      text: lineText(entry, version, last ? commit : undefined),
    };
  });
}

/** Entries with one more at the end if the last one has fields of its own where the notes about the commit go. */
function ended(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const last = entries.at(-1);
  if (last === undefined || !commitFields.some((key) => Object.hasOwn(last, key))) return entries;
  return [...entries, { type: 'change', uuid: randomUUID(), parentUuid: last.uuid, steps: [] }];
}
