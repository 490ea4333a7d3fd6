/** Parses a response for recording, and prepares it for a file. The keys of the call are removed in both cases. */
import type { JsonObject } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { parseBoundedJson, splitJsonList } from './bounded-json.ts';
import { type ParsedResponse, parseJsonObject, type WireKind } from './exchange.ts';
import { foldStreamEvents, maxRecordedExcerptLength, parseResponse, type RawResponse } from './parse-response.ts';
import { removeSecretsFromBytes, removeSecretsFromValue } from './remove-secrets.ts';
import { isEventStream, readStreamEvents } from './stream-events.ts';
import { type CapturedResponse, decompressResponse } from './waiting-call.ts';

const utf8 = new TextDecoder();
const encoder = new TextEncoder();

// Enough bytes for the characters of an excerpt, and for a key at its end.
const beginningBytes = maxRecordedExcerptLength * 8;

type ReadBytes = Pick<RawResponse, 'status' | 'cut' | 'unreadableEncoding'>;

async function readBytes(wire: WireKind, bytes: Uint8Array, how: ReadBytes): Promise<ParsedResponse> {
  const isStream = isEventStream(bytes);
  const events = isStream ? await readStreamEvents(wire, bytes) : [];
  // A stream with an error status contains no answer. It is recorded as text.
  const document = isStream
    ? how.status < 300
      ? foldStreamEvents(wire, events)
      : null
    : documentIn(wire, utf8.decode(bytes));
  const text = utf8.decode(bytes.subarray(0, beginningBytes));
  return parseResponse(wire, { document, text, ...how });
}

/** Returns the document of a response. Without `alt=sse` Google streams a list of chunks, which may be cut off. */
function documentIn(wire: WireKind, text: string): JsonObject | null {
  if (wire !== 'google' || !text.trimStart().startsWith('[')) return parseJsonObject(text);
  const whole = parseBoundedJson(text);
  const chunks = Array.isArray(whole) ? whole : splitJsonList(text).map(parseBoundedJson);
  return chunks.some(isJsonObject) ? foldStreamEvents(wire, chunks.filter(isJsonObject)) : null;
}

/**
 * Removes the call's keys from a parsed response, even if they arrived in pieces. Returns the same object if it
 * contains none.
 */
function readWithoutKeys(read: ParsedResponse, keys: readonly string[]): ParsedResponse {
  const clean = removeSecretsFromValue(read, keys, 'talk');
  const error = clean.error === null ? null : removeSecretsFromValue(clean.error, keys, 'error');
  return error === clean.error ? clean : { ...clean, error };
}

interface BothReadings {
  /** The parsed response, which may contain keys. */
  readonly shown: ParsedResponse;
  /** The parsed response without keys; the same object if it contains none. */
  readonly read: ParsedResponse;
}

async function readBoth(
  wire: WireKind,
  bytes: Uint8Array,
  how: ReadBytes,
  keys: readonly string[],
): Promise<BothReadings> {
  try {
    const shown = await readBytes(wire, bytes, how);
    return { shown, read: readWithoutKeys(shown, keys) };
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    // Data that is nested too deeply to be written is not a model's answer. Its first part is recorded as an error.
    const text = utf8.decode(bytes.subarray(0, beginningBytes));
    const shown = parseResponse(wire, { document: null, text, ...how });
    return { shown, read: readWithoutKeys(shown, keys) };
  }
}

/** Parses a response and removes the keys of the call. */
export async function readCapturedResponse(
  wire: WireKind,
  call: CapturedResponse,
  keys: readonly string[],
): Promise<ParsedResponse> {
  if (call.isRead === true) return JSON.parse(utf8.decode(call.response));
  const { bytes, ...how } = await decompressResponse(wire, call);
  const clean = removeSecretsFromBytes(bytes, keys, 'talk');
  return (await readBoth(wire, clean, { status: call.status, ...how }, keys)).read;
}

/**
 * Returns a response in the form in which it may be stored in a file. The keys are not known when the file is read, so
 * if the response contains a key in pieces, the parsed response is stored instead.
 */
export async function redactResponseForFile(
  wire: WireKind,
  call: CapturedResponse,
  keys: readonly string[],
): Promise<CapturedResponse> {
  if (call.isRead === true) return call;
  const { bytes, ...how } = await decompressResponse(wire, call);
  const { cut } = how;
  const clean = removeSecretsFromBytes(bytes, keys, call.status < 300 ? 'talk' : 'error');
  const { shown, read } = await readBoth(wire, clean, { status: call.status, ...how }, keys);
  if (read !== shown || how.unreadableEncoding !== undefined)
    return { ...call, cut, response: encoder.encode(JSON.stringify(read)), isRead: true, encoding: undefined };
  // Data that cannot be decompressed now cannot be read later either, and may contain anything, so it is not stored.
  return clean === bytes && bytes.byteLength > 0 ? call : { ...call, cut, response: clean, encoding: undefined };
}
