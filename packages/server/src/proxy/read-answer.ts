/** From the bytes of an answer to what is recorded of it, and to what of it may lie in a file: nothing of its call's keys in either. */
import { type ParsedResponse, parseObject, type WireKind } from './exchange.ts';
import { bytesWithoutKeys, valueWithoutKeys } from './hide-keys.ts';
import { excerptLength, foldWire, parseResponse } from './parse-response.ts';
import { isEventStream, streamEvents } from './stream-events.ts';
import { type CallTaken, unpackedOf } from './waiting-call.ts';

const utf8 = new TextDecoder();
const encoder = new TextEncoder();

// A beginning of so many bytes has the characters of an excerpt in it, and a key that it ends in is whole.
const beginningBytes = excerptLength * 8;

type ReadBytes = Pick<CallTaken, 'status' | 'cut'>;

async function readBytes(wire: WireKind, bytes: Uint8Array, { status, cut }: ReadBytes): Promise<ParsedResponse> {
  const isStream = isEventStream(bytes);
  const events = isStream ? await streamEvents(wire, bytes) : [];
  // An error in a stream under a bad status is told as it stands there.
  const document = isStream ? (status < 300 ? foldWire(wire, events) : null) : parseObject(utf8.decode(bytes));
  const text = utf8.decode(bytes.subarray(0, beginningBytes));
  return parseResponse(wire, { document, text, status, cut });
}

/** What was read without the keys of its call, however many pieces they came in; the same where there are none in it. */
function readWithoutKeys(read: ParsedResponse, keys: readonly string[]): ParsedResponse {
  const clean = valueWithoutKeys(read, keys, 'talk');
  const error = clean.error === null ? null : valueWithoutKeys(clean.error, keys, 'error');
  return error === clean.error ? clean : { ...clean, error };
}

interface BothReadings {
  /** As it stands there. */
  readonly shown: ParsedResponse;
  /** Without keys; the same where there are none in it. */
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
    // What nests too deep to be written is no answer of a model; that it came is recorded, with how it begins.
    const text = utf8.decode(bytes.subarray(0, beginningBytes));
    const shown = parseResponse(wire, { document: null, text, ...how });
    return { shown, read: readWithoutKeys(shown, keys) };
  }
}

/** What a service answered. */
export async function readAnswer(wire: WireKind, call: CallTaken, keys: readonly string[]): Promise<ParsedResponse> {
  if (call.isRead === true) return JSON.parse(utf8.decode(call.response));
  const { bytes, cut } = await unpackedOf(wire, call);
  const clean = bytesWithoutKeys(bytes, keys, 'talk');
  return (await readBoth(wire, clean, { status: call.status, cut }, keys)).read;
}

/**
 * An answer as it may lie in a file. Whoever reads it there knows no keys: where that would show one that came in pieces,
 * what was read of the answer is kept in its place.
 */
export async function answerForFile(wire: WireKind, call: CallTaken, keys: readonly string[]): Promise<CallTaken> {
  if (call.isRead === true) return call;
  const { bytes, cut } = await unpackedOf(wire, call);
  const clean = bytesWithoutKeys(bytes, keys, call.status < 300 ? 'talk' : 'error');
  const { shown, read } = await readBoth(wire, clean, { status: call.status, cut }, keys);
  if (read !== shown)
    return { ...call, cut, response: encoder.encode(JSON.stringify(read)), isRead: true, encoding: undefined };
  // What cannot be unpacked is not read later either, and nobody knows what is in it.
  return clean === bytes && bytes.byteLength > 0 ? call : { ...call, cut, response: clean, encoding: undefined };
}
