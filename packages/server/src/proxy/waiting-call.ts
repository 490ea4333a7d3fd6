/** A call between its request and its place in a tree: what is kept of it, and how it is read. */
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate } from 'node:zlib';
import { messageKit } from '@coppice/content';
import type { Asked, Cut, WireKind } from './exchange.ts';
import { parseObject } from './exchange.ts';
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
}

/** One call in the line. */
export interface WaitingCall {
  readonly owner: string;
  readonly project: string;
  readonly wire: WireKind;
  /** Its number by the arrival of the requests. */
  readonly number: number;
  /** `open` until its answer is through, `ready` until its turn comes, `recording`, and then `gone`. */
  state: 'open' | 'ready' | 'recording' | 'gone';
  request: Uint8Array | null;
  call: CallTaken | null;
  /** Read once; null where nothing in it can be recorded. */
  asked: Asked | null | undefined;
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

/** What a call asked, read when it is first wanted. */
export function askedOf(call: WaitingCall): Asked | null {
  if (call.asked !== undefined) return call.asked;
  const body = call.request === null ? null : parseObject(utf8.decode(call.request));
  call.asked = body === null ? null : readAsked(call.wire, body);
  return call.asked;
}

/** Whether a later call may go on from what an earlier one was answered: it says what that one said, and then more. */
export function goesOnFrom(later: WaitingCall, earlier: WaitingCall): boolean {
  const [after, before] = [askedOf(later), askedOf(earlier)];
  if (after === null || before === null) return false;
  if (after.previous !== null) return before.wire === 'responses';
  if (after.systemPrompt !== before.systemPrompt || after.history.length <= before.history.length) return false;
  const [longer, shorter] = [keysOf(later, after), keysOf(earlier, before)];
  return shorter.every((key, index) => key === longer[index]);
}

function keysOf(call: WaitingCall, asked: Asked): readonly string[] {
  call.keys ??= asked.history.map((message) => messageKit.key(message));
  return call.keys;
}

const unpackers = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate) };
const unpackBrotli = promisify(brotliDecompress);

// What unpacks to more than this is no answer of a model.
const unpackedBytes = 32 * 1024 * 1024;

/** The text of an answer, unpacked; as much of it as there is where it was cut, nothing where it cannot be read. */
export async function textOfResponse({ response, encoding }: CallTaken): Promise<string> {
  return utf8.decode(await unpacked(response, encoding?.trim().toLowerCase() ?? 'identity'));
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
