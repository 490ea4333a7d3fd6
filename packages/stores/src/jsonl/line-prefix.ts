/** Reads the type, ids and commit number of a line from its first bytes, without parsing the rest. */

import type { FieldMap } from '@coppice/core';
import { isFieldMap, ownField } from '@coppice/core/decode';
import { isBlankLine } from './raw-lines.ts';

/** The first fields of a line, which every line of Coppice begins with. */
export interface LinePrefix {
  readonly type: string;
  readonly uuid: string;
  /**
   * Null for the header. Empty if another line of Coppice names no parent: that is damage, because all others have one.
   */
  readonly parentUuid: string | null;
  /** The number of the commit that the line belongs to; 0 for lines of other tools, which have no number. */
  readonly version: number;
  /** Whether the line is the last one of its commit. */
  readonly commit: boolean;
  /** In the last line of a commit: how many lines the commit has; 1 if the line has no such number. */
  readonly lines: number;
}

/** A prefix that was scanned from bytes. `rest` is the offset after it, of a comma or of the closing brace. */
export interface ScannedPrefix extends LinePrefix {
  readonly rest: number;
}

const quote = 0x22;
const comma = 0x2c;
const opening = 0x7b;
const closing = 0x7d;
const backslash = 0x5c;
const typeKey = Buffer.from('{"type":"');
const uuidKey = Buffer.from('","uuid":"');
const parentKey = Buffer.from('","parentUuid":');
const nullWord = Buffer.from('null');
const versionKey = Buffer.from(',"version":');
const commitKey = Buffer.from(',"commit":true');
const linesKey = Buffer.from(',"lines":');

function isAt(bytes: Buffer, at: number, end: number, text: Buffer): boolean {
  if (at + text.length > end) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** Returns the offset of the closing quote; −1 if the string has an escape, a character beyond ASCII, or no end. */
function endOfLineString(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) return at;
    if (byte === backslash || byte >= 0x80 || byte < 0x20) return -1;
  }
  return -1;
}

// A file has only a few different types, so one string for each is reused.
const typeNames = new Map<number, string>();

function typeName(bytes: Buffer, from: number, end: number): string {
  let hash = end - from;
  for (let at = from; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  const known = typeNames.get(hash);
  if (known !== undefined && known.length === end - from && bytesMatch(bytes, from, known)) return known;
  const name = bytes.toString('latin1', from, end);
  if (typeNames.size < 256) typeNames.set(hash, name);
  return name;
}

function bytesMatch(bytes: Buffer, from: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[from + index] !== text.charCodeAt(index)) return false;
  return true;
}

/**
 * Returns the prefix of a line that begins with type, uuid, parentUuid, version and commit, as Coppice writes it.
 * Returns null for any other line, which must be parsed. Reads only the beginning and the last byte.
 */
export function scanLinePrefix(bytes: Buffer, start: number, end: number): ScannedPrefix | null {
  if (bytes[end - 1] !== closing || !isAt(bytes, start, end, typeKey)) return null;
  const typeStart = start + typeKey.length;
  const typeEnd = endOfLineString(bytes, typeStart, end);
  if (typeEnd < 0 || !isAt(bytes, typeEnd, end, uuidKey)) return null;
  const uuidStart = typeEnd + uuidKey.length;
  const uuidEnd = endOfLineString(bytes, uuidStart, end);
  if (uuidEnd < 0 || !isAt(bytes, uuidEnd, end, parentKey)) return null;
  let at = uuidEnd + parentKey.length;
  let parentUuid: string | null = null;
  if (bytes[at] === quote) {
    const parentEnd = endOfLineString(bytes, at + 1, end);
    if (parentEnd < 0) return null;
    parentUuid = bytes.toString('latin1', at + 1, parentEnd);
    at = parentEnd + 1;
  } else if (isAt(bytes, at, end, nullWord)) at += nullWord.length;
  else return null;
  let version = 0;
  let commit = false;
  let lines = 1;
  const number = (from: number) => {
    let found = 0;
    at = from;
    for (let byte = bytes[at] ?? 0; byte >= 0x30 && byte <= 0x39; byte = bytes[++at] ?? 0)
      found = found * 10 + byte - 0x30;
    return found;
  };
  if (isAt(bytes, at, end, versionKey)) {
    version = number(at + versionKey.length);
    if (isAt(bytes, at, end, commitKey)) {
      commit = true;
      at += commitKey.length;
      if (isAt(bytes, at, end, linesKey)) lines = number(at + linesKey.length);
    }
  }
  if (bytes[at] !== comma && bytes[at] !== closing) return null;
  return {
    type: typeName(bytes, typeStart, typeEnd),
    uuid: bytes.toString('latin1', uuidStart, uuidEnd),
    parentUuid: parentUuid ?? (version > 0 ? '' : null),
    version,
    commit,
    lines,
    rest: at,
  };
}

/**
 * Parses a line to an object; undefined if the line is not a JSON object. A byte order mark, which some editors write
 * at the start, is skipped.
 */
export function parseJsonLine(bytes: Buffer): FieldMap | undefined {
  try {
    const text = bytes.toString('utf8');
    const value: unknown = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return isFieldMap(value) ? value : undefined;
  } catch {
    // The line is cut off or altered, or it is longer than the longest string of V8.
    return undefined;
  }
}

/**
 * Returns the first JSON object in a line with several entries; undefined if the line does not begin with an object.
 */
export function parseFirstObject(bytes: Buffer): FieldMap | undefined {
  return parseJsonLine(bytes.subarray(0, Math.max(0, endOfObject(bytes, 0))));
}

/** A part of a line: an entry, or unreadable bytes with the reason in `why`. */
export interface LinePart {
  readonly head: LinePrefix | null;
  readonly why: string;
  readonly from: number;
  readonly to: number;
}

// The most positions at which an entry is searched after an incomplete line. Each attempt may parse the rest of the
// line.
const maxAttempts = 16;

/**
 * Whether a line may contain the start of another line, because the first one was not finished. This function looks for
 * a key that message texts rarely contain.
 */
export function mayContainAnotherLine(bytes: Buffer, { rest }: ScannedPrefix): boolean {
  return bytes.includes(parentKey, rest);
}

// The bytes between two entries on one line. In a valid line they occur only inside a text.
const seam = Buffer.from('}{"');
const wideSeam = Buffer.from('} {"');

/**
 * Whether some of these lines must be parsed completely, because they contain NUL bytes or several entries. One call
 * checks many lines.
 */
export function mayNeedParsing(bytes: Buffer): boolean {
  return bytes.includes(0) || bytes.includes(seam) || bytes.includes(wideSeam);
}

/**
 * Splits a line that must be parsed completely into entries and unreadable parts. An entry that follows another without
 * a line end becomes a separate part; so does an entry of Coppice after an incomplete line.
 */
export function splitLineParts(bytes: Buffer): readonly LinePart[] {
  const line = parseJsonLine(bytes);
  if (line !== undefined) return [linePartAt(line, 0, bytes.length)];
  const parts: LinePart[] = [];
  let from = 0;
  for (let to = endOfObject(bytes, 0); to > from; to = endOfObject(bytes, from)) {
    const one = parseJsonLine(bytes.subarray(from, to));
    const part = one === undefined ? null : linePartAt(one, from, to);
    // The first part that is not an entry is reported together with the rest of the line.
    if (part === null || part.head === null) break;
    parts.push(part);
    from = to;
  }
  const rest = bytes.subarray(from);
  if (isBlankLine(rest)) return parts;
  const ours = entryWithin(rest);
  const end = ours === null ? rest.length : ours.from;
  const why = ours === null ? 'cannot be read' : 'was cut off, and another one begins in it';
  parts.push({ head: null, why, from, to: from + end });
  if (ours !== null) parts.push({ ...ours, from: from + ours.from, to: from + ours.to });
  return parts;
}

function linePartAt(line: FieldMap, from: number, to: number): LinePart {
  return { head: prefixOfParsedLine(line), why: 'has no type or no id', from, to };
}

/** Returns the offset after the JSON object that begins at `from`; −1 if no complete object begins there. */
function endOfObject(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
    } else if (byte === opening) depth++;
    else if (byte === closing && --depth <= 0) return at + 1;
  }
  return -1;
}

/**
 * Finds the entry of Coppice at the end of a line. The search runs from the end, because only one entry can end there.
 */
function entryWithin(bytes: Buffer): LinePart | null {
  for (let [at, left] = [bytes.length, maxAttempts]; at > 0 && left > 0; ) {
    at = bytes.lastIndexOf(typeKey, at - 1);
    // A commit number is required, because message texts rarely contain one.
    if (at <= 0 || !mayBeOurs(bytes, at)) continue;
    left--;
    const line = parseJsonLine(bytes.subarray(at));
    const head = line === undefined ? null : prefixOfParsedLine(line);
    if (head !== null && head.version > 0) return { head, why: '', from: at, to: bytes.length };
  }
  return null;
}

/**
 * Whether an entry of Coppice may begin at an offset. This check allows types and ids that {@link scanLinePrefix}
 * rejects.
 */
function mayBeOurs(bytes: Buffer, at: number): boolean {
  const head = scanLinePrefix(bytes, at, bytes.length);
  if (head !== null) return head.version > 0;
  let end = at + typeKey.length;
  for (let byte = bytes[end]; byte !== undefined && byte !== quote; byte = bytes[end])
    end += byte === backslash ? 2 : 1;
  return isAt(bytes, end, bytes.length, uuidKey);
}

/**
 * Returns the prefix of a parsed line; null if the line has no type or no id. The tool pi uses the names `id` and
 * `parentId`.
 */
export function prefixOfParsedLine(line: FieldMap): LinePrefix | null {
  const type = ownField(line, 'type');
  const [uuid, parent] =
    ownField(line, 'uuid') === undefined
      ? [ownField(line, 'id'), ownField(line, 'parentId')]
      : [ownField(line, 'uuid'), ownField(line, 'parentUuid')];
  if (typeof type !== 'string' || typeof uuid !== 'string') return null;
  const given = ownField(line, 'version');
  const isNumber = type !== 'session' && typeof given === 'number' && Number.isSafeInteger(given) && given > 0;
  const version = isNumber ? given : 0;
  const lines = ownField(line, 'lines');
  // Other tools leave out the parent of their first entry. A parent that is not a text is damage in every line.
  const isRoot = version === 0 && (parent === undefined || parent === null);
  return {
    type,
    uuid,
    parentUuid: typeof parent === 'string' ? parent : isRoot || type === 'session' ? null : '',
    version,
    commit: ownField(line, 'commit') === true,
    lines: typeof lines === 'number' ? lines : 1,
  };
}
