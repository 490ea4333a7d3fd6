// Stores the record of the source with each node, so that a writer can restore it field by field. Texts that the
// message also contains are stored only once.
import type { Block, Json, JsonObject, Message, Node, NodeMeta } from '@coppice/core';
import { type BlobSource, isByteSource } from '../blocks/source.ts';
import { isJsonObject, setOwnProperty } from '../json-copy.ts';

/** What an imported node stores about its source, under the metadata field `imported`. */
export interface ImportMetadata {
  readonly format: string;
  readonly scope: string;
  readonly id: string;
  /** A checksum of the imported message. If it differs, the record no longer matches the message. */
  readonly sum: string;
  readonly record?: Json;
  /** Bytes that the record contained as base64. The record refers to them by their index. */
  readonly bytes?: readonly RecordBytes[];
}

/** Bytes of a record that are in the blob store. */
export interface RecordBytes extends BlobSource {
  readonly mediaType: string;
}

/** The shortest text that is replaced by a pointer; for shorter texts a pointer would save nothing. */
const shortestPackedText = 48;
const pointer = '$text';
const escape = '$$text';
/**
 * The key of a text that contained base64. Its value is a list: the texts around the base64, and indexes of the moved
 * bytes.
 */
const bytesPointer = '$bytes';

/** Returns the texts of a message that its record probably repeats, in order. */
function textsInRecord(message: Message): string[] {
  const texts: string[] = [];
  for (const block of message.content) {
    for (const value of Object.values(block)) {
      if (typeof value === 'string') {
        if (value.length >= shortestPackedText) texts.push(value);
      } else if (isJsonObject(value)) {
        for (const inner of Object.values(value))
          if (typeof inner === 'string' && inner.length >= shortestPackedText) texts.push(inner);
      }
    }
  }
  return texts;
}

// The recursion is limited by `recordDepth`. Unchanged parts are shared, not copied.
function mapTexts(value: Json, change: (value: Json) => Json | undefined): Json {
  const changed = change(value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return mappedList(value, change);
  return isJsonObject(value) ? mappedObject(value, change) : value;
}

function mappedList(list: readonly Json[], change: (value: Json) => Json | undefined): Json {
  let copy: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    const mapped = mapTexts(item, change);
    if (mapped !== item) copy ??= list.slice(0, index);
    copy?.push(mapped);
  }
  return copy ?? list;
}

function mappedObject(object: JsonObject, change: (value: Json) => Json | undefined): Json {
  const keys = Object.keys(object);
  let copy: Record<string, Json> | undefined;
  for (const [index, key] of keys.entries()) {
    const member = object[key] ?? null;
    const mapped = mapTexts(member, change);
    if (mapped !== member) copy ??= copyFirstMembers(object, keys, index);
    if (copy !== undefined) setOwnProperty(copy, key, mapped);
  }
  return copy ?? object;
}

/**
 * Replaces texts in a record by pointers if the message contains the same texts, and base64 by the indexes of its
 * bytes.
 */
export function packRecord(record: Json, message: Message, inline: readonly string[] = []): Json {
  const texts = textsInRecord(message);
  return packValue(record, { places: texts.length === 0 ? noPlaces : textPlaces(texts), inline });
}

const noPlaces: ReadonlyMap<string, number> = new Map();

/** What {@link packRecord} replaces in a record. */
interface PackedTexts {
  /** The texts of the message, with their indexes. */
  readonly places: ReadonlyMap<string, number>;
  /** Base64 that was moved to the blob store. */
  readonly inline: readonly string[];
}

/** Divides a text at the first base64 in it; undefined if it contains none. */
function divideAtBytes(text: string, inline: readonly string[]): Json[] | undefined {
  for (const [index, data] of inline.entries()) {
    const at = data.length < shortestPackedText ? -1 : text.indexOf(data);
    if (at < 0) continue;
    const rest = text.slice(at + data.length);
    return [...divideText(text.slice(0, at), inline), index, ...divideText(rest, inline)];
  }
  return undefined;
}

const divideText = (text: string, inline: readonly string[]): readonly Json[] =>
  divideAtBytes(text, inline) ?? (text === '' ? [] : [text]);

/** Maps each text to the first index at which it occurs. */
function textPlaces(texts: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? '';
    if (!places.has(text)) places.set(text, index);
  }
  return places;
}

// Like `mapTexts`, but without a callback, for speed: this function visits every value of every imported record.
function packValue(value: Json, texts: PackedTexts): Json {
  if (typeof value === 'string') {
    if (value.length < shortestPackedText) return value;
    const place = texts.places.get(value);
    if (place !== undefined) return { [pointer]: place };
    const parts = texts.inline.length === 0 ? undefined : divideAtBytes(value, texts.inline);
    return parts === undefined ? value : { [bytesPointer]: parts };
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonObject(value)) return packedObject(value, texts);
  let copy: Json[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const item = value[index] ?? null;
    const packed = packValue(item, texts);
    if (packed !== item) copy ??= value.slice(0, index);
    copy?.push(packed);
  }
  return copy ?? value;
}

function packedObject(object: JsonObject, texts: PackedTexts): Json {
  const keys = Object.keys(object);
  let copy: Record<string, Json> | undefined;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? '';
    // An object of the source that looks like a pointer is escaped.
    if (key === pointer || key === escape || key === bytesPointer) return { [escape]: JSON.stringify(object) };
    const member = object[key] ?? null;
    const packed = packValue(member, texts);
    if (packed !== member) copy ??= copyFirstMembers(object, keys, index);
    if (copy !== undefined) setOwnProperty(copy, key, packed);
  }
  return copy ?? object;
}

/** Copies the members of an object before the key at index `end`. */
function copyFirstMembers(object: JsonObject, keys: readonly string[], end: number): Record<string, Json> {
  const copy: Record<string, Json> = {};
  for (let index = 0; index < end; index++) {
    const key = keys[index] ?? '';
    setOwnProperty(copy, key, object[key] ?? null);
  }
  return copy;
}

/** Restores the texts with base64 in a packed record; `data` returns the base64 of an index. */
export function unpackRecordBytes(packed: Json, data: (index: number) => string): Json {
  return mapTexts(packed, (value) => {
    // An escaped object is stored as JSON text and contains no packed values.
    if (!isJsonObject(value) || Object.hasOwn(value, escape)) return undefined;
    const parts = Object.hasOwn(value, bytesPointer) ? value[bytesPointer] : undefined;
    if (!Array.isArray(parts)) return undefined;
    return parts.map((part) => (typeof part === 'number' ? data(part) : String(part))).join('');
  });
}

/** Restores a packed record; undefined if the message has changed since the record was packed. */
export function unpackRecord(packed: Json, message: Message): Json | undefined {
  const texts = textsInRecord(message);
  let whole = true;
  const record = mapTexts(packed, (value) => {
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

/** The deepest nesting of a stored record: the limit of a message, minus the levels around the record. */
const recordDepth = 150;
/** The largest stored record, in UTF-16 units of its texts and keys. */
const recordSize = 16 * 1024 * 1024;

// Adds the size of a value to `size`. Returns infinity for a value that nests deeper than `left` levels or is too
// large.
function measureJson(value: Json, left: number, size: number): number {
  if (typeof value === 'string') return size + value.length + 2;
  if (typeof value !== 'object' || value === null) return size + 2;
  if (left === 0 || size > recordSize) return Number.POSITIVE_INFINITY;
  let sum = size + 2;
  if (Array.isArray(value)) {
    for (const item of value) sum = measureJson(item, left - 1, sum);
    return sum;
  }
  if (isJsonObject(value))
    for (const key of Object.keys(value)) sum = measureJson(value[key] ?? null, left - 1, sum + key.length);
  return sum;
}

/** Whether a record is small and shallow enough to be stored with a message. */
export function isStorableRecord(record: Json): boolean {
  return measureJson(record, recordDepth, 0) <= recordSize;
}

/**
 * Computes a short checksum of a message's content. It only has to detect edits and runs for every imported message; a
 * cryptographic hash would cost more than parsing.
 */
export function computeContentChecksum(content: readonly Block[]): string {
  const text = JSON.stringify(content);
  let high = 0xdeadbeef ^ text.length;
  let low = 0x41c6ce57 ^ text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
}

/**
 * Builds the metadata that {@link readImportMetadata} reads. Without a record only the origin and the checksum are
 * stored.
 */
export function buildImportMetadata(
  source: { readonly format: string; readonly scope: string; readonly id: string },
  message: Message,
  record: Json | undefined,
): JsonObject {
  const { format, scope, id } = source;
  const sum = computeContentChecksum(message.content);
  return record === undefined
    ? { format, scope, id, sum }
    : { format, scope, id, sum, record: packRecord(record, message) };
}

/** Returns the import metadata of a node; undefined if the node was not imported. */
export function readImportMetadata(meta: NodeMeta): ImportMetadata | undefined {
  const { imported } = meta;
  if (!isImportMetadata(imported)) return undefined;
  return imported;
}

function isImportMetadata(value: unknown): value is ImportMetadata {
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

/**
 * Returns import metadata for a message whose inline bytes were moved to the blob store. The record then refers to the
 * bytes as well.
 */
export function moveBytesOfRecord(
  imported: ImportMetadata,
  before: Message,
  after: Message,
  moved: readonly (RecordBytes & { readonly data: string })[],
): JsonObject {
  const { format, scope, id, sum, record: packed } = imported;
  const unchanged = computeContentChecksum(before.content) === sum;
  const note = { format, scope, id, sum: unchanged ? computeContentChecksum(after.content) : sum };
  const record = packed === undefined ? undefined : unpackRecord(packed, before);
  if (record === undefined) return note;
  const bytes = moved.map(({ type, hash, size = 0, mediaType }) => ({ type, hash, size, mediaType }));
  const inline = moved.map(({ data }) => data);
  return { ...note, record: packRecord(record, after, inline), bytes };
}

/** Returns the bytes that the original record of a node refers to. */
export function recordBytesOf({ meta }: Pick<Node, 'meta'>): readonly RecordBytes[] {
  const bytes = readImportMetadata(meta)?.bytes;
  return Array.isArray(bytes) ? bytes.filter((one) => isByteSource(one) && one.type === 'blob') : [];
}

/** Returns the original record of a node with hashes instead of bytes, for comparisons; undefined without a record. */
export function comparedRecordOf(meta: NodeMeta, message: Message | null): Json | undefined {
  const note = readImportMetadata(meta);
  if (note?.record === undefined || message === null) return undefined;
  const bytes = recordBytesOf({ meta });
  const packed =
    bytes.length === 0 ? note.record : unpackRecordBytes(note.record, (index) => `sha256:${bytes[index]?.hash}`);
  return unpackRecord(packed, message);
}

/** The original record of a node, for a writer. */
export interface OriginalRecord {
  readonly id: string;
  readonly scope: string;
  /** The record of the source; undefined if none was stored. */
  readonly record: JsonObject | undefined;
  /** Whether the message still matches the record. If not, only the other fields of the record are valid. */
  readonly unchanged: boolean;
}

/** Returns the original record of a node in a format; undefined if the node was not imported from this format. */
export function originalRecordOf(node: Pick<Node, 'meta' | 'message'>, format: string): OriginalRecord | undefined {
  const note = readImportMetadata(node.meta);
  if (note === undefined || note.format !== format || node.message === null) return undefined;
  const unchanged = computeContentChecksum(node.message.content) === note.sum;
  // If the bytes of the record were not restored from the blob store, the record is incomplete and cannot be written.
  const record =
    note.record === undefined || note.bytes !== undefined ? undefined : unpackRecord(note.record, node.message);
  return { id: note.id, scope: note.scope, record: isJsonObject(record) ? record : undefined, unchanged };
}
