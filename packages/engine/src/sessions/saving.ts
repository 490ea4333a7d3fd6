/** What a message is before it is saved and when that is, and why nothing can be. */
import { normaliseMessage, utf8Length } from '@coppice/content';
import { plainFields, type SessionEntry, type SessionFile } from '@coppice/content/sessions';
import { AppError, isText, type Message, refusalKinds, refuse, textMessage, valueOf } from '@coppice/core';
import type { AppMessage, NewEntry } from './contract.ts';

/** Why nothing can be saved. */
export function readOnly({ path, holder, dialect }: SessionFile): AppError {
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

/** A message as it is kept. One that is a text, as most are, needs no reading of older forms. */
export function saidBy(message: AppMessage): Message {
  const { role, content } = message;
  const plain = typeof content === 'string' && saysSomething(content) && Object.keys(message).length === 2;
  const speaks = role === 'user' || role === 'assistant' || role === 'system';
  return plain && speaks ? textMessage(role, content) : valueOf(normaliseMessage(message));
}

// Ids of others are kept as they are up to so many bytes.
const idMost = 512;

/** An entry as data of its own. Refuses one that could not be read again: without a type, with no id, or with no JSON. */
export function plainEntry(entry: NewEntry): NewEntry {
  const fields = valueOf(plainFields(entry));
  const { type, uuid } = fields;
  if (typeof type !== 'string' || type === '') refuse('command/invalid', 'An entry has a type, which is a text.', {});
  if (uuid === undefined) return { ...fields, type, ...placed(entry) };
  if (typeof uuid !== 'string' || uuid === '' || utf8Length(uuid) > idMost)
    refuse('id/invalid', `The id of an entry is a text of 1 to ${idMost} bytes.`, { type });
  return { ...fields, type, uuid, ...placed(entry) };
}

/** Place and time of an entry. */
function placed({ parentUuid, timestamp }: NewEntry): Pick<NewEntry, 'parentUuid' | 'timestamp'> {
  return {
    ...(parentUuid === undefined ? {} : { parentUuid }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

/** Whether an entry that is there says what is given: saved again, it is the same one. */
export function isSame(there: SessionEntry, given: NewEntry): boolean {
  for (const key of Object.keys(given)) {
    if (key === 'timestamp' || key === 'node') continue;
    if (JSON.stringify(there[key]) !== JSON.stringify(given[key])) return false;
  }
  return true;
}

/** Whether the tokens of a message are as soon counted as read: those are not noted. */
export function isSoonCounted({ content }: Message): boolean {
  const block = content[0];
  return block !== undefined && content.length === 1 && isText(block) && block.text.length <= 2048;
}

/** Whether a text is more than spaces; mostly its first letter tells. */
export function saysSomething(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || text.trim() !== '';
}

let second = Number.NaN;
let upToSecond = '';

/** A time as lines say it. The part up to the second is kept, since most saves follow another: the rest is three digits. */
export function isoTime(at: number): string {
  const now = Math.floor(at / 1000);
  if (now !== second) [second, upToSecond] = [now, new Date(now * 1000).toISOString().slice(0, -4)];
  return `${upToSecond}${String(Math.floor(at) - now * 1000).padStart(3, '0')}Z`;
}
