// Where the bytes of an image or file are. Both block types share this file, because block types do not import each
// other.
import type { Block, Json, JsonObject } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import { base64Length, fromBase64, isBase64 } from '../base64.ts';
import { isJsonObject } from '../json-copy.ts';
import { showValue } from '../problem.ts';
import { sha256Hex } from '../sha256.ts';

/** Bytes inside the message, as base64. */
export interface Base64Source {
  readonly type: 'base64';
  readonly data: string;
}

/** A URL of the bytes. It is never fetched automatically, and its scheme may be harmful. */
export interface UrlSource {
  readonly type: 'url';
  readonly url: string;
}

/** Bytes in the blob store, by their SHA-256. */
export interface BlobSource {
  readonly type: 'blob';
  readonly hash: string;
  /** The number of bytes if known, for display and the token estimate. */
  readonly size?: number;
}

/** Where the bytes of an image or file are. */
export type ByteSource = Base64Source | UrlSource | BlobSource;

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(\s*;[^\r\n]{0,256})?$/i;

/** Whether a text is a media type, such as `image/png`. */
export function isMediaType(text: Json | undefined): text is string {
  return typeof text === 'string' && mediaType.test(text);
}

/** Whether a value has the shape of a byte source. Base64 and hashes are not validated. */
export function isByteSource(value: unknown): value is ByteSource {
  if (!isFieldMap(value)) return false;
  if (value.type === 'base64') return typeof value.data === 'string';
  if (value.type === 'url') return typeof value.url === 'string';
  return value.type === 'blob' && typeof value.hash === 'string';
}

/** Returns where the bytes of a block are; undefined for a block without bytes. */
export function byteSourceOf(block: Block): ByteSource | undefined {
  return 'source' in block && isByteSource(block.source) ? block.source : undefined;
}

/** Whether the bytes of a block are in the message or in the blob store, and not only at a URL. */
export function hasOwnBytes(block: Block): boolean {
  const source = byteSourceOf(block);
  return source !== undefined && source.type !== 'url';
}

/** Returns the media type of a block; undefined if it names none. */
export function mediaTypeOf(block: Block): string | undefined {
  return 'mediaType' in block && typeof block.mediaType === 'string' ? block.mediaType : undefined;
}

/**
 * Returns the problem of a byte source as the rest of a sentence after "content[2] …"; undefined if it is valid.
 * `kinds` lists the allowed types for the error message.
 */
export function findByteSourceProblem(source: Json | undefined, kinds: string): string | undefined {
  if (!isJsonObject(source)) return `has no source object; its type is one of ${kinds}`;
  switch (source.type) {
    case 'base64':
      return typeof source.data === 'string' && source.data !== '' && isBase64(source.data)
        ? undefined
        : 'has a source of type base64 whose data is not base64 (standard alphabet, padded, no white space)';
    case 'url':
      return typeof source.url === 'string' && source.url !== '' ? undefined : 'has a source of type url without a url';
    case 'blob':
      if (typeof source.hash !== 'string' || !/^[0-9a-f]{64}$/.test(source.hash))
        return 'has a source of type blob whose hash is not a SHA-256 in 64 lower-case hex digits';
      return source.size === undefined || (Number.isSafeInteger(source.size) && Number(source.size) >= 0)
        ? undefined
        : 'has a source of type blob whose size is not a number of bytes';
    default:
      return `has a source of type ${showValue(source.type)}; one of ${kinds} is needed`;
  }
}

/** Returns a byte source with only the fields of its type. */
export function pickSourceFields(source: ByteSource): ByteSource {
  if (source.type === 'url') return { type: 'url', url: source.url };
  if (source.type === 'base64') return { type: 'base64', data: source.data };
  return { type: 'blob', hash: source.hash, ...(typeof source.size === 'number' ? { size: source.size } : {}) };
}

/**
 * Returns a byte source in the form that is compared. Bytes are compared by their hash, so that an image that a client
 * sends again equals the stored one, which the store has moved to a blob.
 */
export function toComparedSource(source: ByteSource): JsonObject {
  if (source.type === 'url') return { type: 'url', url: source.url };
  return { type: 'blob', hash: source.type === 'blob' ? source.hash : sha256Hex(fromBase64(source.data)) };
}

/** Returns the number of bytes; undefined for a URL and for a blob of unknown size. */
export function getByteSourceSize(source: ByteSource): number | undefined {
  if (source.type === 'base64') return base64Length(source.data);
  return source.type === 'blob' ? source.size : undefined;
}
