/** Prepares and validates entries before they are saved. */
import { normaliseMessage, utf8Length } from '@coppice/content';
import { copyPlainFields, type NewSession, type SessionEntry, type SessionFile } from '@coppice/content/sessions';
import { AppError, isText, type Message, refusalKinds, refuse, textMessage, unwrapResult } from '@coppice/core';
import { newId } from '../new-id.ts';
import type { AppMessage, NewEntry, NewSessionOptions, SessionOptions } from './contract.ts';

/** Builds the error for saving to a session that is closed or read-only. */
export function makeReadOnlySessionError(file: SessionFile, shut: 'read-only' | 'closed' | null): AppError {
  const { path, dialect } = file;
  if (shut === 'closed') return sessionWasClosed(path);
  const holder = shut === null ? file.holder : null;
  const why =
    holder !== null
      ? `is held by the process ${holder.pid} on ${holder.host}: nothing can be saved here until it is closed there`
      : dialect === 'v2'
        ? 'can only be read here: it was opened so, or its folder may not be written'
        : dialect === 'v1'
          ? 'is of the first version and was not migrated here: convert it into a new file to go on'
          : 'belongs to another tool and is never changed: convert it into a new file to go on';
  return new AppError({
    code: 'tree/read-only',
    kind: refusalKinds['tree/read-only'],
    message: `${path} ${why}.`,
    data: { path, ...(holder === null ? {} : { holder }) },
  });
}

function sessionWasClosed(path: string): AppError {
  return new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: `${path} was closed here: open it again.`,
    data: { path },
  });
}

/** Builds the header of a new session; missing id and time are filled in. */
export function newSessionHeader(options: NewSessionOptions): NewSession {
  const { cwd, parentSession, actor = 'local', now = Date.now } = options;
  const makeId = options.newId ?? (() => newId());
  const at = now();
  return {
    uuid: makeId(),
    id: makeId(),
    at,
    ...(cwd === undefined ? {} : { cwd }),
    ...(parentSession === undefined ? {} : { parentSession }),
    commit: { actId: makeId(), actor, at },
  };
}

/**
 * Yields the paths of the sessions in a folder that can be continued, newest first; with `cwd` only those of that
 * working directory.
 */
export function* listContinuableSessions({
  files,
  folder,
  cwd: wanted,
}: NewSessionOptions): Generator<string, void, undefined> {
  for (const { path, trouble, cwd, dialect } of files.list(folder)) {
    const known = trouble === undefined && (dialect === 'v2' || dialect === 'v1');
    if (known && (wanted === undefined || cwd === wanted)) yield path;
  }
}

/** Creates the id generator of entries. With a custom clock, ids still contain the system time. */
export function createEntryIdGenerator(
  { newId: make, now }: SessionOptions,
  file: SessionFile,
): (now?: number) => string {
  if (make === undefined) return now === undefined ? newId : () => newId();
  return () => {
    const made = make();
    if (file.indexOf(made) >= 0) refuse('id/taken', `The id ${made} is taken.`, { nodeId: made });
    return made;
  };
}

/** Converts a message to its stored form. A plain text, the common case, needs no conversion of older formats. */
export function toStoredMessage(message: AppMessage): Message {
  const { role, content } = message;
  const plain = typeof content === 'string' && hasVisibleText(content) && Object.keys(message).length === 2;
  const speaks = role === 'user' || role === 'assistant' || role === 'system';
  return plain && speaks ? textMessage(role, content) : unwrapResult(normaliseMessage(message));
}

// The longest id of another tool that is accepted, in bytes.
const longestId = 512;

/**
 * Copies an entry as plain data. Throws on an entry that could not be read again: without a type, with an invalid id,
 * or with values that JSON cannot represent.
 */
export function toPlainEntry(entry: NewEntry): NewEntry {
  const fields = unwrapResult(copyPlainFields(entry));
  const { type, uuid } = fields;
  if (typeof type !== 'string' || type === '') refuse('command/invalid', 'An entry has a type, which is a text.', {});
  if (uuid === undefined) return { ...fields, type, ...parentAndTime(entry) };
  if (typeof uuid !== 'string' || uuid === '' || utf8Length(uuid) > longestId)
    refuse('id/invalid', `The id of an entry is a text of 1 to ${longestId} bytes.`, { type });
  return { ...fields, type, uuid, ...parentAndTime(entry) };
}

// Line types in which a file stores its own state. A caller's line of such a type could corrupt the session.
const reservedTypes: ReadonlySet<string> = new Set(['change', 'linear', 'log', 'state']);

/** Throws on an entry type that only sessions write. */
export function assertCallerEntryType(type: string, uuid: string): void {
  if (type === 'session') refuse('tree/root-protected', 'A session has one header.', { nodeId: uuid });
  if (reservedTypes.has(type))
    refuse('command/invalid', `Only the session itself writes entries of the type ${type}.`, { nodeId: uuid });
}

/** Throws on an entry with fields that only sessions write. */
export function assertNoReservedFields(entry: NewEntry, uuid: string): void {
  if (entry['version'] === undefined && entry['commit'] === undefined) return;
  const why = 'The session notes version and commit itself: put yours below another name.';
  refuse('command/invalid', why, { nodeId: uuid });
}

/** Returns the parent and the time of an entry, without undefined fields. */
function parentAndTime({ parentUuid, timestamp }: NewEntry): Pick<NewEntry, 'parentUuid' | 'timestamp'> {
  return {
    ...(parentUuid === undefined ? {} : { parentUuid }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

/** Returns whether an existing entry equals the given one, so that saving it again changes nothing. */
export function isSameEntry(there: SessionEntry, given: NewEntry): boolean {
  for (const key of Object.keys(given)) {
    if (key === 'timestamp' || key === 'node') continue;
    if (JSON.stringify(there[key]) !== JSON.stringify(given[key])) return false;
  }
  return true;
}

/** Returns whether counting a message's tokens is as fast as reading a stored count; then none is stored. */
export function isMessageQuickToCount({ content }: Message): boolean {
  const block = content[0];
  return block !== undefined && content.length === 1 && isText(block) && block.text.length <= 2048;
}

/**
 * Returns whether a text has more than white space. Checks the first character before trimming, because it usually
 * decides.
 */
export function hasVisibleText(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || text.trim() !== '';
}

let second = Number.NaN;
let upToSecond = '';

/**
 * Formats a timestamp for session lines. The part up to the second is cached, because most saves follow each other
 * quickly.
 */
export function formatEntryTime(at: number): string {
  const now = Math.floor(at / 1000);
  if (now !== second) [second, upToSecond] = [now, new Date(now * 1000).toISOString().slice(0, -4)];
  return `${upToSecond}${String(Math.floor(at) - now * 1000).padStart(3, '0')}Z`;
}
