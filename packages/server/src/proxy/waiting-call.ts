/** A call between its request and its place in a tree: what is kept of it, and how it is read. */
import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type CutAnswer, type ParsedRequest, parseObject, type WireKind } from './exchange.ts';
import { withoutKeys } from './hide-keys.ts';
import { KeptAnswer } from './keep-answer.ts';
import { parseRequest } from './parse-request.ts';
import type { Exchange } from './record.ts';

/** What is kept of an answer until it is recorded: its bytes as they came, and what its head said. */
export interface CallTaken {
  readonly provider: string;
  readonly response: Uint8Array;
  /** Whether the bytes are what was read of the answer, without keys, and not the answer itself. */
  readonly isRead?: boolean | undefined;
  /** How the bytes are packed, as the service said. */
  readonly encoding: string | undefined;
  readonly status: number;
  readonly cut: CutAnswer;
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
export interface CallDigest {
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
  outline: CallDigest | null | undefined;
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
export function requestIn(wire: WireKind, request: Uint8Array, secrets: readonly string[]): ParsedRequest | null {
  const body = parseObject(withoutKeys(utf8.decode(request), secrets, 'talk'));
  return body === null ? null : parseRequest(wire, body);
}

/**
 * The most that is kept and read of one answer, unpacked and with the pieces of a long stream put together. Its bytes are
 * held several times on their way into a tree: at twice this bound one was seen to take 130 MB and a second one 90 MB more,
 * which is past what a hostile answer may cost.
 */
export const answerBytes = 16 * 1024 * 1024;

/** What came of a call, unpacked; nothing where it cannot be. */
export interface Unpacked {
  readonly bytes: Uint8Array;
  readonly cut: CutAnswer;
}

/** An answer unpacked; as much of it as there is where it was cut, nothing where it cannot be read. */
export async function unpackedOf(
  wire: WireKind,
  { response, encoding, cut }: CallTaken,
  most = answerBytes,
): Promise<Unpacked> {
  const packing = encoding?.trim().toLowerCase() ?? '';
  if (packing === '' || packing === 'identity') return { bytes: response, cut };
  const unpacker = unpackers.get(packing)?.();
  if (unpacker === undefined) return { bytes: new Uint8Array(), cut };
  let space = most;
  const keep = (bytes: number) => {
    space -= bytes;
    return space >= 0;
  };
  const giveBack = (bytes: number) => {
    space += bytes;
  };
  const kept = new KeptAnswer({ wire, keep, giveBack });
  unpacker.end(response);
  try {
    for await (const piece of unpacker) {
      const bytes: Uint8Array = piece;
      const fits = bytes.subarray(0, space);
      kept.add(fits);
      await kept.settled();
      // What unpacks to more is no answer of a model.
      if (!kept.isWhole || fits.byteLength < bytes.byteLength) return { bytes: await kept.take(), cut: 'limit' };
    }
  } catch {
    // It is read as far as it could be unpacked.
  }
  return { bytes: await kept.take(), cut };
}

const asFarAsThereIs = { finishFlush: constants.Z_SYNC_FLUSH };
const unpackers = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(asFarAsThereIs)],
  ['x-gzip', () => createGunzip(asFarAsThereIs)],
  ['deflate', () => createInflate(asFarAsThereIs)],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);
