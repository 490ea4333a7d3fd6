// Splits a large JSON document into pieces. JSON.parse of a whole export would need several times its size in memory
// and block everything else. Instead, the bytes are cut at given patterns and each piece is parsed separately.
import type { Json } from '@coppice/core';
import { copyBytes, joinBytes } from './bytes.ts';
import { refuseImport } from './findings.ts';
import {
  backslashByte,
  closeBraceByte,
  closeBracketByte,
  colonByte,
  commaByte,
  isJsonSpace,
  type JsonValueKind,
  openBraceByte,
  openBracketByte,
  quoteByte,
  scanJsonValue,
} from './scan-json.ts';

/**
 * The path of the pieces: keys from the top down, `*` for each element of an array, `{}` for each member of an object.
 */
export type JsonPathPattern = readonly string[];

/** A part of the document that matches a pattern, not parsed yet. */
export interface JsonPiece {
  /** The index of the matching pattern. */
  readonly pattern: number;
  /** The path of the piece: keys and indexes from the top down. */
  readonly path: readonly (string | number)[];
  /** The JSON text of the piece; valid only until the next chunk is pushed. */
  readonly bytes: Uint8Array;
  /** The number of object members in the text. If the parsed value has fewer, duplicate keys were lost. */
  readonly members: number;
  /** The offset of the piece in the document. */
  readonly offset: number;
}

/** The remainder of a document, in which each piece is replaced by `null`. */
export interface JsonDocumentRest {
  readonly bytes: Uint8Array;
  readonly members: number;
  /** Whether the document ended; false for a truncated document. */
  readonly complete: boolean;
  /** Whether anything follows the document's single value. */
  readonly trailing: boolean;
}

/** The most bytes that one piece, or the remainder, may take up in memory. */
export interface JsonSplitLimits {
  readonly pieceBytes: number;
  readonly restBytes: number;
}

const defaultSplitLimits: JsonSplitLimits = { pieceBytes: 512 * 1024 * 1024, restBytes: 128 * 1024 * 1024 };

const nothing = new Uint8Array([0x6e, 0x75, 0x6c, 0x6c]);

interface JsonLevel {
  readonly array: boolean;
  index: number;
  key: string;
  /** Whether the next string in an object is a key. */
  keyNext: boolean;
}

/** A value that is being copied unparsed. */
interface Grab {
  /** The index of the matching pattern; -1 for a value of the remainder. */
  readonly pattern: number;
  readonly path: readonly (string | number)[];
  readonly offset: number;
  readonly kind: JsonValueKind;
  depth: number;
  members: number;
  pieces: Uint8Array[];
  size: number;
}

/** Splits a document that is pushed chunk by chunk. */
export class JsonSplitter {
  readonly #patterns: readonly JsonPathPattern[];
  readonly #limits: JsonSplitLimits;
  readonly #levels: JsonLevel[] = [];
  #grab: Grab | null = null;
  /** Whether the position is inside a string, either a key or a copied value. */
  #inString = false;
  #escaped = false;
  #key: Uint8Array[] | null = null;
  // One byte array. A list of pieces would contain an object for each comma between a million records.
  #rest = new Uint8Array(256);
  #restSize = 0;
  #members = 0;
  #offset = 0;
  #done = false;
  #trailing = false;

  constructor(patterns: readonly JsonPathPattern[], limits: Partial<JsonSplitLimits> = {}) {
    this.#patterns = patterns;
    this.#limits = { ...defaultSplitLimits, ...limits };
  }

  /** Returns the pieces that this chunk completes. They are valid only until the next chunk is pushed. */
  push(chunk: Uint8Array): JsonPiece[] {
    const found: JsonPiece[] = [];
    let at = 0;
    // A UTF-8 byte order mark is not part of the document.
    if (this.#offset === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) at = 3;
    while (at < chunk.length) {
      if (this.#grab !== null) at = this.#grabbing(this.#grab, chunk, at, found);
      else if (this.#key !== null) at = this.#readingKey(this.#key, chunk, at);
      else at = this.#between(chunk, at);
    }
    this.#offset += chunk.length;
    return found;
  }

  /** Ends the document and returns the remainder, with a piece that only the end completes. */
  end(): { readonly pieces: JsonPiece[]; readonly remainder: JsonDocumentRest } {
    const pieces: JsonPiece[] = [];
    // A number at the top level ends only at the end of the document.
    if (this.#grab?.kind === 'scalar' && this.#levels.length === 0) this.#finish(this.#grab, pieces);
    const complete = this.#grab === null && this.#key === null && this.#levels.length === 0 && this.#done;
    const remainder: JsonDocumentRest = {
      bytes: this.#rest.subarray(0, this.#restSize),
      members: this.#members,
      complete,
      trailing: this.#trailing,
    };
    return { pieces, remainder };
  }

  #keep(bytes: Uint8Array): void {
    const size = this.#restSize + bytes.length;
    if (size > this.#limits.restBytes)
      refuseImport(
        'import/too-large',
        `More than ${this.#limits.restBytes} bytes of this file are outside its conversations.`,
      );
    if (size > this.#rest.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#rest.length));
      larger.set(this.#rest);
      this.#rest = larger;
    }
    this.#rest.set(bytes, this.#restSize);
    this.#restSize = size;
  }

  /** Reads the bytes between values, on the levels of the patterns. */
  #between(chunk: Uint8Array, start: number): number {
    let at = start;
    while (at < chunk.length) {
      const byte = chunk[at] ?? 0;
      const level = this.#levels[this.#levels.length - 1];
      if (isJsonSpace(byte)) {
        at++;
      } else if (byte === commaByte) {
        if (level?.array === true) level.index++;
        else if (level !== undefined) level.keyNext = true;
        at++;
        this.#keep(chunk.subarray(at - 1, at));
      } else if (byte === colonByte) {
        at++;
        this.#members++;
        this.#keep(chunk.subarray(at - 1, at));
      } else if (byte === closeBraceByte || byte === closeBracketByte) {
        at++;
        this.#keep(chunk.subarray(at - 1, at));
        this.#levels.pop();
        if (this.#levels.length === 0) this.#done = true;
      } else if (byte === quoteByte && level?.keyNext === true) {
        this.#key = [];
        this.#keyed(copyBytes(chunk, at, at + 1));
        return at + 1;
      } else {
        if (this.#done && level === undefined) this.#trailing = true;
        if (!this.#descends(byte)) {
          this.#begin(byte, at);
          return at;
        }
        this.#levels.push({ array: byte === openBracketByte, index: 0, key: '', keyNext: byte === openBraceByte });
        at++;
        this.#keep(chunk.subarray(at - 1, at));
      }
    }
    return at;
  }

  #keyed(bytes: Uint8Array): void {
    this.#key?.push(bytes);
    this.#keep(bytes);
  }

  #readingKey(key: Uint8Array[], chunk: Uint8Array, start: number): number {
    const end = this.#stringEnd(chunk, start);
    this.#keyed(copyBytes(chunk, start, Math.min(end, chunk.length)));
    if (this.#inString) return end;
    const level = this.#levels[this.#levels.length - 1];
    if (level !== undefined) {
      level.key = keyText(joinBytes(key));
      level.keyNext = false;
    }
    this.#key = null;
    return end;
  }

  /**
   * Returns the index after the closing quote. If the string continues in the next chunk, returns the length of the
   * chunk, and {@link #inString} stays set.
   */
  #stringEnd(chunk: Uint8Array, start: number): number {
    let at = start;
    this.#inString = true;
    if (this.#escaped && at < chunk.length) {
      this.#escaped = false;
      at++;
    }
    while (at < chunk.length) {
      const byte = chunk[at];
      if (byte === quoteByte) {
        this.#inString = false;
        return at + 1;
      }
      if (byte === backslashByte) {
        at++;
        if (at === chunk.length) this.#escaped = true;
      }
      at++;
    }
    return chunk.length;
  }

  #path(): (string | number)[] {
    return this.#levels.map((level) => (level.array ? level.index : level.key));
  }

  /** Whether a pattern continues inside the container that starts at the current position. */
  #descends(byte: number): boolean {
    if (byte !== openBraceByte && byte !== openBracketByte) return false;
    const depth = this.#levels.length;
    const array = byte === openBracketByte;
    return this.#patterns.some(
      (pattern) => pattern.length > depth && (pattern[depth] === '*') === array && this.#matches(pattern, depth),
    );
  }

  #matches(pattern: JsonPathPattern, depth: number): boolean {
    for (let index = 0; index < depth; index++) {
      const segment = pattern[index];
      const level = this.#levels[index];
      if (level === undefined || level.array !== (segment === '*')) return false;
      if (!level.array && segment !== '{}' && level.key !== segment) return false;
    }
    return true;
  }

  #begin(byte: number, at: number): void {
    const depth = this.#levels.length;
    const pattern = this.#patterns.findIndex((one) => one.length === depth && this.#matches(one, depth));
    const kind =
      byte === quoteByte ? 'string' : byte === openBraceByte || byte === openBracketByte ? 'container' : 'scalar';
    this.#grab = {
      pattern,
      path: pattern === -1 ? [] : this.#path(),
      offset: this.#offset + at,
      kind,
      depth: 0,
      members: 0,
      pieces: [],
      size: 0,
    };
  }

  #grabbing(grab: Grab, chunk: Uint8Array, start: number, found: JsonPiece[]): number {
    const { kind } = grab;
    let at = start;
    let ended = false;
    if (this.#inString) {
      at = this.#stringEnd(chunk, at);
      ended = !this.#inString && kind === 'string';
    }
    if (!ended) {
      const seen = scanJsonValue(chunk, at, grab.depth, kind);
      grab.depth = seen.depth;
      grab.members += seen.members;
      ended = seen.ended;
      at = seen.open ? this.#stringEnd(chunk, seen.at) : seen.at;
    }
    const part = chunk.subarray(start, at);
    grab.size += part.length;
    if (grab.size > this.#limits.pieceBytes)
      refuseImport(
        'import/too-large',
        `One record at byte ${grab.offset} has more than the ${this.#limits.pieceBytes} bytes that fit into memory at once.`,
        { offset: grab.offset },
      );
    // A value that continues in the next chunk is copied, because the caller may reuse the chunk.
    grab.pieces.push(ended && grab.pieces.length === 0 && grab.pattern !== -1 ? part : copyBytes(part));
    if (ended) this.#finish(grab, found);
    return at;
  }

  #finish(grab: Grab, found: JsonPiece[]): void {
    this.#grab = null;
    if (this.#levels.length === 0) this.#done = true;
    if (grab.pattern === -1) {
      this.#members += grab.members;
      for (const piece of grab.pieces) this.#keep(piece);
      return;
    }
    this.#keep(nothing);
    const { pattern, path, members, offset } = grab;
    found.push({ pattern, path, members, offset, bytes: joinBytes(grab.pieces) });
  }
}

function keyText(bytes: Uint8Array): string {
  let ascii = '';
  let plain = true;
  for (let at = 1; at < bytes.length - 1; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === backslashByte || byte > 0x7e) plain = false;
    ascii += String.fromCharCode(byte);
  }
  if (plain) return ascii;
  try {
    const key: Json = JSON.parse(decodeKey(bytes));
    return String(key);
  } catch {
    return ascii;
  }
}

// Does not need to be fast, because keys on pattern levels are few and short.
function decodeKey(bytes: Uint8Array): string {
  let encoded = '';
  for (const byte of bytes) encoded += `%${byte.toString(16).padStart(2, '0')}`;
  return decodeURIComponent(encoded);
}
