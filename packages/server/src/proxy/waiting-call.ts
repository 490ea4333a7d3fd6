/** A call between its request and its recording: what is kept of it, and how it is parsed. */
import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type CutReason, type ParsedRequest, parseJsonObject, type WireKind } from './exchange.ts';
import { removeKeys } from './hide-keys.ts';
import { parseRequest } from './parse-request.ts';
import type { CompleteExchange } from './record.ts';
import { ResponseBuffer } from './response-buffer.ts';
import type { CallOrigin } from './session-of-call.ts';

/** The kept part of a response: its bytes and the relevant headers. */
export interface CapturedResponse {
  readonly provider: string;
  readonly response: Uint8Array;
  /** Whether the bytes are the parsed response without keys, not the response itself. */
  readonly isRead?: boolean | undefined;
  /** The content encoding that the service declared. */
  readonly encoding: string | undefined;
  readonly status: number;
  readonly cut: CutReason;
  readonly timing: CompleteExchange['timing'];
}

/** A new call for the queue. */
export interface QueuedCallInput {
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** The request's body; parsed only when it is recorded, so that the client does not wait for that. */
  readonly request: Uint8Array;
  /** The keys of the call, which are never stored. */
  readonly secrets: readonly string[];
  /** Unknown if not given. */
  readonly origin?: CallOrigin | undefined;
}

/** Tells whether one call continues another; computed by the backend. */
export interface CallDigest {
  readonly wire: WireKind;
  readonly systemPrompt: string | undefined;
  /** The reply that it continues, by the service's id. */
  readonly previous: string | null;
  /** The length of its history. */
  readonly messages: number;
}

/** A call as the backend receives it. */
export interface BackendCall {
  /** The ids of its answers are derived from this: the same on every retry, so that nothing is added twice. */
  readonly id: string;
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** Its number in the order of the requests. */
  readonly number: number;
  readonly request: Uint8Array | null;
  readonly call: CapturedResponse | null;
  /** Removed from everything that is written; never written themselves. */
  readonly secrets: readonly string[];
  readonly origin: CallOrigin;
}

/** A call in the queue. */
export interface WaitingCall extends BackendCall {
  id: string;
  /** `open` until its response is complete, `ready` until it is its turn, then `recording`, then `gone`. */
  state: 'open' | 'ready' | 'recording' | 'gone';
  request: Uint8Array | null;
  call: CapturedResponse | null;
  /** Computed once; null if nothing in it can be recorded. */
  outline: CallDigest | null | undefined;
  keys: readonly string[] | null;
  /** Its history is already in the tree: a later call was recorded before its answer. */
  placed: boolean;
  readyAt: number;
  /** The earlier call that this one continues, while that is not recorded. */
  waitsFor: WaitingCall | null;
  file: string | null;
  size: number;
  /** Being moved to a file; readers wait for the end. */
  moving: Promise<void> | null;
}

const utf8 = new TextDecoder();

/** Parses a request; null if nothing in it can be recorded. */
export function parseQueuedRequest(
  wire: WireKind,
  request: Uint8Array,
  secrets: readonly string[],
): ParsedRequest | null {
  const body = parseJsonObject(removeKeys(utf8.decode(request), secrets, 'talk'));
  return body === null ? null : parseRequest(wire, body);
}

/**
 * The limit of one answer, decompressed and condensed. Its bytes exist several times in memory while it is recorded:
 * with twice this limit one answer was measured at 130 MB and a second one at 90 MB more, which is too much for a
 * hostile response.
 */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** A decompressed response; empty if that fails. */
export interface DecompressedResponse {
  readonly bytes: Uint8Array;
  readonly cut: CutReason;
}

/** Decompresses a response; as far as possible if it was cut off, empty if it is unreadable. */
export async function decompressResponse(
  wire: WireKind,
  { response, encoding, cut }: CapturedResponse,
  most = maxAnswerBytes,
): Promise<DecompressedResponse> {
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
  const kept = new ResponseBuffer({ wire, keep, giveBack });
  unpacker.end(response);
  try {
    for await (const piece of unpacker) {
      const bytes: Uint8Array = piece;
      const fits = bytes.subarray(0, space);
      kept.add(fits);
      await kept.settled();
      // A larger decompressed size is not a model's answer.
      if (!kept.isWhole || fits.byteLength < bytes.byteLength) return { bytes: await kept.take(), cut: 'limit' };
    }
  } catch {
    // Keeps what could be decompressed.
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
