/** A call from its request until it is recorded: its stored data and its parsing. */
import { decompress } from '#platform/compression';
import { listEncodings } from '../platform/content-encodings.ts';
import { type CutOffReason, type ParsedRequest, parseJsonObject, type WireKind } from './exchange.ts';
import { parseRequest } from './parse-request.ts';
import type { CompleteExchange } from './record.ts';
import { removeSecretsFromJson } from './remove-secrets.ts';
import { ResponseBuffer } from './response-buffer.ts';
import type { CallOrigin } from './session-of-call.ts';

/** The stored part of a response: its bytes and the relevant headers. */
export interface CapturedResponse {
  readonly provider: string;
  readonly response: Uint8Array;
  /** Whether the bytes are the parsed response without keys instead of the response itself. */
  readonly isRead?: boolean | undefined;
  /** The content encoding that the service declared. */
  readonly encoding: string | undefined;
  readonly status: number;
  readonly cut: CutOffReason;
  readonly timing: CompleteExchange['timing'];
}

/** A new call for the queue, whose request has arrived. */
export interface QueuedCallInput {
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** The request's body. It is not parsed when it arrives, so that the client does not wait for parsing. */
  readonly request: Uint8Array;
  /** The keys of the call, which are never stored. */
  readonly secrets: readonly string[];
  /** The origin of the call. Without it, the session is unknown. */
  readonly origin?: CallOrigin | undefined;
}

/** The data that decides whether one call continues another. The backend computes it. */
export interface CallDigest {
  readonly wire: WireKind;
  readonly systemPrompt: string | undefined;
  /** The reply that the call continues, by the service's id. */
  readonly previous: string | null;
  /** The length of its history. */
  readonly messages: number;
}

/** The data of a call that the backend needs to record it. */
export interface CallToRecord {
  /**
   * The id from which the ids of the answers are derived. It is the same on every retry, so that nothing is added
   * twice.
   */
  readonly id: string;
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** The number of the call in the order of the requests. */
  readonly number: number;
  readonly request: Uint8Array | null;
  readonly call: CapturedResponse | null;
  /** The keys of the call. They are removed from everything that is written. */
  readonly secrets: readonly string[];
  readonly origin: CallOrigin;
}

/** A call in the queue, with its state. */
export interface WaitingCall extends CallToRecord {
  id: string;
  /**
   * `open` until the response is complete, `ready` until the call is the next in its queue, then `recording`, then
   * `gone`.
   */
  state: 'open' | 'ready' | 'recording' | 'gone';
  request: Uint8Array | null;
  call: CapturedResponse | null;
  /** The digest, computed once; null if nothing in the call can be recorded. */
  digest: CallDigest | null | undefined;
  keys: readonly string[] | null;
  /** Whether the history is already in the tree, because a later call was recorded before this answer. */
  placed: boolean;
  readyAt: number;
  /** The earlier call that this one continues, until that call is recorded. */
  waitsFor: WaitingCall | null;
  file: string | null;
  size: number;
  /** The move to a file, while it runs. Readers wait for its end. */
  moving: Promise<void> | null;
}

const utf8 = new TextDecoder();

/** Parses a request; null if nothing in it can be recorded. */
export function parseQueuedRequest(
  wire: WireKind,
  request: Uint8Array,
  secrets: readonly string[],
): ParsedRequest | null {
  const body = parseJsonObject(removeSecretsFromJson(utf8.decode(request), secrets, 'talk'));
  return body === null ? null : parseRequest(wire, body);
}

/**
 * The limit of one answer, decompressed and condensed. While it is recorded, its bytes exist several times in memory:
 * with twice this limit one answer was measured at 130 MB and a second one at 90 MB more, which is too much for a
 * hostile response.
 */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** The bytes of a decompressed response; empty if it cannot be decompressed. */
export interface DecompressedResponse {
  readonly bytes: Uint8Array;
  readonly cut: CutOffReason;
  /** The content encoding of a response of which nothing could be decompressed. */
  readonly unreadableEncoding?: string;
}

/** Decompresses a response. Returns the first part if the response was cut off, and no bytes if it is unreadable. */
export async function decompressResponse(
  wire: WireKind,
  { response, encoding, cut }: CapturedResponse,
  most = maxAnswerBytes,
): Promise<DecompressedResponse> {
  const packing = encoding?.trim().toLowerCase() ?? '';
  if (listEncodings(packing).length === 0) return { bytes: response, cut };
  const unpacker = decompress(response, packing);
  const unreadable = response.byteLength === 0 ? {} : { unreadableEncoding: packing };
  if (unpacker === null) return { bytes: new Uint8Array(), cut, ...unreadable };
  let space = most;
  const keep = (bytes: number) => {
    space -= bytes;
    return space >= 0;
  };
  const giveBack = (bytes: number) => {
    space += bytes;
  };
  const kept = new ResponseBuffer({ wire, keep, releaseBytes: giveBack });
  try {
    for await (const bytes of unpacker) {
      const fits = bytes.subarray(0, space);
      kept.add(fits);
      await kept.waitForCondensing();
      // No answer of a model is larger. The rest is cut off.
      if (!kept.isWhole || fits.byteLength < bytes.byteLength) return { bytes: await kept.take(), cut: 'limit' };
    }
  } catch {
    // The part that could be decompressed is used.
  }
  const bytes = await kept.take();
  return { bytes, cut, ...(bytes.byteLength === 0 ? unreadable : {}) };
}
