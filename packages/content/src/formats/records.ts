// The source's own record of a node, kept beside the message so that a writer can give it back field for field. Most of a
// record is the text that the message holds as well; those texts are kept once.
import type { Block, Json, JsonObject, Message, Node, NodeMeta } from '@coppice/core';
import { isJsonObject, setOwn } from '../json-copy.ts';
import { sha256Hex } from '../sha256.ts';

/** What is noted on an imported node under `imported`. */
export interface ImportedNote {
  readonly format: string;
  readonly scope: string;
  readonly id: string;
  /** A sum of the message as it came in: where it differs, the record no longer tells what the node says. */
  readonly sum: string;
  readonly record?: Json;
}

/** Texts shorter than this are not worth a pointer. */
const worthwhile = 48;
const pointer = '$text';
const escape = '$$text';

/** The texts of a message that a record is likely to repeat, in order. */
function textsOf(message: Message): string[] {
  const texts: string[] = [];
  for (const block of message.content) {
    for (const value of Object.values(block)) {
      if (typeof value === 'string') {
        if (value.length >= worthwhile) texts.push(value);
      } else if (isJsonObject(value)) {
        for (const inner of Object.values(value))
          if (typeof inner === 'string' && inner.length >= worthwhile) texts.push(inner);
      }
    }
  }
  return texts;
}

// Recursion is bounded: records are at most as deep as a message may be, see `recordDepth`.
function mapped(value: Json, change: (value: Json) => Json | undefined): Json {
  const changed = change(value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (!isJsonObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, mapped(member, change));
  return copy;
}

/** A record with pointers in place of texts that the message has too. */
export function packRecord(record: Json, message: Message): Json {
  const texts = textsOf(message);
  const places = new Map<string, number>();
  for (const [index, text] of texts.entries()) if (!places.has(text)) places.set(text, index);
  return mapped(record, (value) => {
    if (typeof value === 'string') {
      const place = value.length < worthwhile ? undefined : places.get(value);
      return place === undefined ? undefined : { [pointer]: place };
    }
    // An object of the source that looks like one of our pointers is wrapped, so that none is taken for one.
    return isJsonObject(value) && (Object.hasOwn(value, pointer) || Object.hasOwn(value, escape))
      ? { [escape]: JSON.stringify(value) }
      : undefined;
  });
}

/** The record again. Undefined where the message is not the one that it was packed with. */
export function unpackRecord(packed: Json, message: Message): Json | undefined {
  const texts = textsOf(message);
  let whole = true;
  const record = mapped(packed, (value) => {
    if (!isJsonObject(value)) return undefined;
    const place = Object.hasOwn(value, pointer) ? value[pointer] : undefined;
    if (typeof place === 'number') {
      const text = texts[place];
      if (text === undefined) whole = false;
      return text ?? '';
    }
    const escaped = Object.hasOwn(value, escape) ? value[escape] : undefined;
    if (typeof escaped !== 'string') return undefined;
    const original: Json = JSON.parse(escaped);
    return original;
  });
  return whole ? record : undefined;
}

/** How deep a record may nest to be kept: what a message may, less what it is wrapped in. */
export const recordDepth = 150;
/** How large a record may be to be kept, in UTF-16 units of its texts and keys. */
const recordSize = 16 * 1024 * 1024;

/** Whether a record is small and shallow enough to be kept beside a message. Iterative: it may be as deep as it likes. */
export function isKeepable(record: Json): boolean {
  let size = 0;
  let level: Json[] = [record];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > recordDepth) return false;
    const next: Json[] = [];
    for (const value of level) {
      if (typeof value === 'string') size += value.length;
      else if (Array.isArray(value)) for (const item of value) next.push(item);
      else if (isJsonObject(value))
        for (const [key, member] of Object.entries(value)) {
          size += key.length;
          next.push(member);
        }
      size += 2;
    }
    if (size > recordSize) return false;
    level = next;
  }
  return true;
}

/** A short sum of what a message says, to the byte. */
export function sumOf(content: readonly Block[]): string {
  return sha256Hex(JSON.stringify(content)).slice(0, 16);
}

/** The note of an imported node. */
export function noteOf(
  source: { readonly format: string; readonly scope: string; readonly id: string },
  message: Message,
  record: Json | undefined,
): JsonObject {
  const { format, scope, id } = source;
  const note = { format, scope, id, sum: sumOf(message.content) };
  return record === undefined ? note : { ...note, record: packRecord(record, message) };
}

/** Reads the note of a node, whatever format it came from. */
export function readNote(meta: NodeMeta): ImportedNote | undefined {
  const { imported } = meta;
  if (!isNote(imported)) return undefined;
  return imported;
}

function isNote(value: unknown): value is ImportedNote {
  return (
    typeof value === 'object' &&
    value !== null &&
    'format' in value &&
    typeof value.format === 'string' &&
    'scope' in value &&
    typeof value.scope === 'string' &&
    'id' in value &&
    typeof value.id === 'string' &&
    'sum' in value &&
    typeof value.sum === 'string'
  );
}

/** What a writer finds of a node's source. */
export interface Original {
  readonly id: string;
  readonly scope: string;
  /** The source's record; undefined where none was kept. */
  readonly record: JsonObject | undefined;
  /** Whether the message is still what the record says; if not, only the record's other fields hold. */
  readonly unchanged: boolean;
}

/** The node's record in a format, for a writer of that format. Undefined for a node that did not come from it. */
export function originalOf(node: Pick<Node, 'meta' | 'message'>, format: string): Original | undefined {
  const note = readNote(node.meta);
  if (note === undefined || note.format !== format || node.message === null) return undefined;
  const unchanged = sumOf(node.message.content) === note.sum;
  const record = note.record === undefined ? undefined : unpackRecord(note.record, node.message);
  return { id: note.id, scope: note.scope, record: isJsonObject(record) ? record : undefined, unchanged };
}
