/** A call between its request and its place in a tree: what is kept of it, and how it is read. */
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate } from 'node:zlib';
import { type Asked, type Cut, parseObject, type WireKind } from './exchange.ts';
import { bytesWithoutKeys, withoutKeys } from './hide-keys.ts';
import { readAsked } from './read-asked.ts';
import type { Exchange } from './record.ts';

/** What is kept of an answer until it is recorded: its bytes as they came, and what its head said. */
export interface CallTaken {
  readonly provider: string;
  readonly response: Uint8Array;
  /** How the bytes are packed, as the service said. */
  readonly encoding: string | undefined;
  readonly status: number;
  readonly cut: Cut;
  readonly timing: Exchange['timing'];
}

/** What a place in the line is taken with. */
export interface CallEntered {
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** The request's body as it came; read when its turn comes, so that nobody waits for the reading. */
  readonly request: Uint8Array;
  /** The keys of the call, of which nothing is kept. */
  readonly secrets: readonly string[];
}

/** What tells whether one call goes on from another; read where the recording is done. */
export interface Outline {
  readonly wire: WireKind;
  readonly systemPrompt: string | undefined;
  /** The reply that it goes on from, by the id that the service gave it. */
  readonly previous: string | null;
  /** How many messages its history has. */
  readonly messages: number;
}

/** A call as whoever reads and writes it is given it. */
export interface GivenCall {
  /** What its answers are named by: the same whenever and wherever it is tried again, so that nothing is there twice. */
  readonly id: string;
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** Its number by the arrival of the requests. */
  readonly number: number;
  readonly request: Uint8Array | null;
  readonly call: CallTaken | null;
  /** Taken out of whatever is written; never written themselves. */
  readonly secrets: readonly string[];
}

/** One call in the line. */
export interface WaitingCall extends GivenCall {
  id: string;
  /** `open` until its answer is through, `ready` until its turn comes, `recording`, and then `gone`. */
  state: 'open' | 'ready' | 'recording' | 'gone';
  request: Uint8Array | null;
  call: CallTaken | null;
  /** Read once; null where nothing in it can be recorded. */
  outline: Outline | null | undefined;
  keys: readonly string[] | null;
  /** Its history is in the tree already: a later call went ahead of its answer. */
  placed: boolean;
  readyAt: number;
  /** The earlier call whose answer this one goes on from, while that is not recorded. */
  waitsFor: WaitingCall | null;
  file: string | null;
  size: number;
  /** On its way to a file; whoever wants to read it waits for that. */
  moving: Promise<void> | null;
}

const utf8 = new TextDecoder();

/** What a request asks; null where nothing in it can be recorded. */
export function askedIn(wire: WireKind, request: Uint8Array, secrets: readonly string[]): Asked | null {
  const body = parseObject(withoutKeys(utf8.decode(request), secrets, 'talk'));
  return body === null ? null : readAsked(wire, body);
}

const unpackers = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate) };
const unpackBrotli = promisify(brotliDecompress);

// What unpacks to more than this is no answer of a model.
const unpackedBytes = 32 * 1024 * 1024;

/** The text of an answer, unpacked; as much of it as there is where it was cut, nothing where it cannot be read. */
export async function textOfResponse(call: CallTaken): Promise<string> {
  return utf8.decode(await unpackedOf(call));
}

/** An answer as it may lie in a file, without the keys of its call. */
export async function answerForFile(call: CallTaken, secrets: readonly string[]): Promise<CallTaken> {
  const bytes = await unpackedOf(call);
  const clean = bytesWithoutKeys(bytes, secrets, call.status < 300 ? 'talk' : 'error');
  // What cannot be unpacked is not read later either, and nobody knows what is in it.
  return clean === bytes && bytes.byteLength > 0 ? call : { ...call, response: clean, encoding: undefined };
}

function unpackedOf({ response, encoding }: CallTaken): Promise<Uint8Array> {
  return unpacked(response, encoding?.trim().toLowerCase() ?? 'identity');
}

async function unpacked(bytes: Uint8Array, encoding: string): Promise<Uint8Array> {
  const limit = { maxOutputLength: unpackedBytes };
  try {
    if (encoding === 'br')
      return await unpackBrotli(bytes, { ...limit, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    if (encoding === 'gzip' || encoding === 'x-gzip' || encoding === 'deflate')
      return await unpackers[encoding](bytes, { ...limit, finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return new Uint8Array();
  }
  return encoding === 'identity' || encoding === '' ? bytes : new Uint8Array();
}
