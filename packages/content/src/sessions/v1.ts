// Migrates version 1, in which lines form a chain in their order, to version 2. Ids are derived from the session id and
// the line, so that a file has the same ids before and after it is rewritten.

import type { FieldMap } from '@coppice/core';
import { describeValue, getText, ownField } from '@coppice/core/decode';
import { deriveId } from '../derive-id.ts';
import { type SessionEntry, type SessionHeader, type SessionWarning, sessionVersion } from './contract.ts';
import { omitSessionFields } from './fields.ts';

/** A migrated session: header first, then all entries in the same order. */
export interface MigratedSession {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly warnings: readonly Omit<SessionWarning, 'offset'>[];
}

const gone: ReadonlySet<string> = new Set(['type', 'timestamp', 'firstKeptEntryIndex', 'backToIndex', 'version']);

/**
 * Migrates the lines of a v1 file, including the header. Indexes count all lines from the header (0) on. An unreadable
 * line is passed as null and counts, because it existed when the indexes were written.
 */
export function migrateV1Session(lines: readonly (FieldMap | null)[]): MigratedSession {
  const first = lines[0] ?? {};
  const id = getText(first, 'id') ?? '';
  const uuids = lines.map((_, index) => deriveId('session-v1', id, index));
  const warnings: Omit<SessionWarning, 'offset'>[] = [];
  const pointing: Pointing = {
    lines,
    uuids,
    warn: (index, message) => warnings.push({ code: 'unkept', message, line: index + 1, uuid: uuids[index] ?? '' }),
  };
  const header: SessionHeader = {
    type: 'session',
    version: sessionVersion,
    uuid: uuids[0] ?? deriveId('session-v1', id, 0),
    parentUuid: null,
    id,
    ...convertTimes(first),
    ...omitSessionFields(first, new Set([...gone, 'id', 'uuid', 'parentUuid'])),
  };
  const entries: SessionEntry[] = [];
  let parentUuid = header.uuid;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === null) continue;
    const uuid = uuids[index] ?? '';
    const type = getText(line, 'type') ?? 'custom';
    const pop = type === 'stack_pop';
    const base = { type: pop ? 'stack_summary' : type, uuid, parentUuid, ...convertTimes(line) };
    const rest = omitSessionFields(line, new Set([...gone, 'uuid', 'parentUuid']));
    const more = pop ? backTo(line, index, pointing) : type === 'compaction' ? keptFrom(line, index, pointing) : {};
    entries.push({ ...base, ...rest, ...more });
    parentUuid = uuid;
  }
  return { header, entries, warnings };
}

/** What is needed to convert references by index to references by id. */
interface Pointing {
  readonly lines: readonly (FieldMap | null)[];
  readonly uuids: readonly string[];
  warn(index: number, message: string): void;
}

function convertTimes(line: FieldMap): FieldMap {
  const at = ownField(line, 'timestamp');
  return at === undefined ? {} : { timestamp: at };
}

// A reference that cannot be converted is kept unchanged, because nothing else records its target.

function backTo(line: FieldMap, index: number, { lines, uuids, warn }: Pointing): FieldMap {
  const back = ownField(line, 'backToIndex');
  if (!isEarlier(back, index)) {
    warn(index, `The pop at line ${index + 1} goes back to ${describeValue(back)}, which is not an earlier line.`);
    return back === undefined ? {} : { backToIndex: back };
  }
  let at = back;
  while (lines[at] === null) at--;
  if (at !== back) warn(index, `The pop at line ${index + 1} goes back to a line that cannot be read.`);
  return { parentUuid: uuids[at] ?? '' };
}

function keptFrom(line: FieldMap, index: number, { lines, uuids, warn }: Pointing): FieldMap {
  const firstKeptIndex = ownField(line, 'firstKeptEntryIndex');
  if (firstKeptIndex === undefined) return {};
  if (!isEarlier(firstKeptIndex, index)) {
    warn(
      index,
      `The compaction at line ${index + 1} keeps from entry ${describeValue(firstKeptIndex)} on, which is not there.`,
    );
    return { firstKeptEntryIndex: firstKeptIndex };
  }
  // Index 0 means that everything is kept, so the reference is set to the first entry.
  if (firstKeptIndex === 0)
    warn(
      index,
      `The compaction at line ${index + 1} names the header as its first kept line; the first entry is used instead.`,
    );
  let at = Math.max(1, firstKeptIndex);
  while (at < index && lines[at] === null) at++;
  if (firstKeptIndex > 0 && at !== firstKeptIndex)
    warn(
      index,
      `The compaction at line ${index + 1} names an unreadable line as its first kept line; the next line is used instead.`,
    );
  return at === index ? {} : { firstKeptEntryUuid: uuids[at] ?? '' };
}

function isEarlier(value: unknown, index: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < index;
}
