/** Limits the size and pace of request bodies, and the usage of each user. */
import { parseJson } from '@coppice/content';
import { readRequestHeader, type ServerContext } from '../env.ts';
import { makeHttpError, throwHttpError } from '../http-errors.ts';
import type { RouteRequirements } from '../routes/define.ts';
import type { SharedServices } from '../services.ts';
import { type BodyKind, BodyPaceMonitor } from './body-pace.ts';

const readsUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Throws on a body of the wrong media type before reading it. HTML forms of other sites cannot send the accepted types.
 */
export function assertMediaType(context: ServerContext, needs: Pick<RouteRequirements, 'body' | 'isEncoded'>): void {
  if (needs.body === 'any') return;
  const type = readRequestHeader(context, 'content-type');
  if (!needs.isEncoded && readRequestHeader(context, 'content-encoding') !== undefined)
    throwHttpError('http/media-type', 'Send the body without a content encoding.');
  if (needs.body === 'bytes') {
    if (type === undefined) throwHttpError('http/media-type', 'The Content-Type header is missing.');
    if (/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type))
      throwHttpError('http/media-type', 'Send the bytes themselves, not a form.');
    return;
  }
  if (type !== undefined && !/^application\/json\s*(?:;|$)/i.test(type))
    throwHttpError('http/media-type', 'This server accepts only application/json.');
  if (type === undefined && needs.body === 'json' && hasBody(context))
    throwHttpError('http/media-type', 'The body must be JSON: set Content-Type: application/json.');
}

function hasBody(context: ServerContext): boolean {
  const length = readRequestHeader(context, 'content-length');
  return readRequestHeader(context, 'transfer-encoding') !== undefined || (length !== undefined && length !== '0');
}

/** The size limit of a body and how fast it must arrive. */
export interface BodyLimits {
  readonly most: number;
  readonly kind: BodyKind;
}

/** Reads a whole body. Throws as soon as it exceeds the size limit or arrives too slowly. */
export async function readBody(context: ServerContext, bounds: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  const { most, kind } = bounds;
  const declaredLength = readRequestHeader(context, 'content-length');
  if (declaredLength !== undefined && Number(declaredLength) > most) return throwBodyTooLarge(most);
  // With a Content-Length the HTTP parser enforces the length. Otherwise `streamBody` counts the bytes.
  if (declaredLength !== undefined) {
    const bytes = new Uint8Array(await readAtOnce(context, kind));
    return bytes.byteLength > most ? throwBodyTooLarge(most) : bytes;
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of streamBody(context, bounds)) {
    length += part.byteLength;
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Reads a body in one piece. Its pace is measured by the bytes that the socket has received. */
async function readAtOnce(context: ServerContext, kind: BodyKind): Promise<ArrayBuffer> {
  const incoming = context.env?.incoming;
  const read = waitForBodyData(context, context.req.arrayBuffer());
  // Most bodies arrive together with the headers, and need no watch.
  if (incoming === undefined || incoming.complete) return read;
  const { socket } = incoming;
  const before = socket.bytesRead;
  const watch = watchBody(context, kind, () => socket.bytesRead - before);
  try {
    return await watch.withinPace(read);
  } finally {
    watch.end();
  }
}

/** Waits for data of a body. If the client disconnects, throws a client error, so that no server error is logged. */
async function waitForBodyData<T>(context: ServerContext, pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    const reset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
    if (reset || context.req.raw.signal.aborted) return throwHttpError('http/closing', 'The client disconnected.');
    throw error;
  }
}

/** Streams a body without buffering it. Throws as soon as it exceeds the size limit or arrives too slowly. */
export async function* streamBody(context: ServerContext, { most, kind }: BodyLimits): AsyncGenerator<Uint8Array> {
  if (Number(readRequestHeader(context, 'content-length') ?? 0) > most) return throwBodyTooLarge(most);
  const reader = context.req.raw.body?.getReader();
  if (reader === undefined) return;
  let length = 0;
  let ended = false;
  const watch = watchBody(context, kind, () => length);
  try {
    for (;;) {
      const { done, value } = await watch.withinPace(waitForBodyData(context, reader.read()));
      ended = done;
      if (done) return;
      length += value.byteLength;
      if (length > most) return throwBodyTooLarge(most);
      watch.pause();
      yield value;
      watch.resume();
    }
  } finally {
    watch.end();
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}

interface BodyWatch {
  /** Rejects if the body arrives too slowly or the server stops. A shutdown does not wait for uploads. */
  withinPace<T>(read: Promise<T>): Promise<T>;
  pause(): void;
  resume(): void;
  end(): void;
}

/**
 * Watches the pace of a body. Without it, a client that disappears or sends single bytes would keep the request open
 * forever.
 */
function watchBody(context: ServerContext, kind: BodyKind, bytes: () => number): BodyWatch {
  const { closing, limits, now } = context.get('services');
  const pace = new BodyPaceMonitor(kind, limits, now());
  let refusal: Error | null = null;
  // A `Promise.race` with one long-lived promise would keep every chunk in memory.
  let rejectRead: (error: Error) => void = () => undefined;
  const fail = (error: Error) => {
    refusal ??= error;
    rejectRead(refusal);
  };
  const checkPace = () => {
    const why = pace.check(now(), bytes());
    if (why === null) timer = setTimeout(checkPace, pace.msUntilCheck(now()));
    else fail(makeHttpError('http/too-slow', why));
  };
  let timer = setTimeout(checkPace, pace.msUntilCheck(now()));
  const stop = () => fail(makeHttpError('http/closing', 'The server is stopping.'));
  closing.addEventListener('abort', stop, { once: true });
  // The server may have started to stop before this listener was added.
  if (closing.aborted) stop();
  return {
    withinPace: (read) =>
      new Promise((resolve, reject) => {
        rejectRead = reject;
        if (refusal !== null) reject(refusal);
        read.then(resolve, reject);
      }),
    pause: () => pace.pause(now()),
    resume: () => pace.resume(now()),
    end() {
      clearTimeout(timer);
      closing.removeEventListener('abort', stop);
    },
  };
}

function throwBodyTooLarge(most: number): never {
  return throwHttpError('http/too-large', `The body is too large: at most ${most} bytes are allowed.`, { most });
}

/** Parses a JSON body strictly: no duplicate keys, no numbers that lose precision, only valid UTF-8. */
export async function readJson(context: ServerContext, services: SharedServices, most: number): Promise<unknown> {
  const bytes = await readBody(context, { most, kind: 'json' });
  if (bytes.byteLength === 0) return undefined;
  let text: string;
  try {
    text = readsUtf8.decode(bytes);
  } catch {
    return throwHttpError('http/invalid', 'The body is not UTF-8.');
  }
  const value = parseJson(text, 'body', services.limits.jsonDepth);
  if (value.ok) return value.value;
  return throwHttpError('http/invalid', value.refusal.message, value.refusal.data);
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * The usage of each user: requests and uploaded bytes, which all servers count together, and the streams of this
 * server.
 */
export class UserUsageTracker {
  readonly #services: Pick<SharedServices, 'quotasOf' | 'now' | 'records'>;
  readonly #streams = new Map<string, number>();
  /** When the current period of each length ends, by the clock of this server. */
  readonly #periodEnds = new Map<number, number>();

  constructor(services: Pick<SharedServices, 'quotasOf' | 'now' | 'records'>) {
    this.#services = services;
  }

  get streams(): number {
    let sum = 0;
    for (const count of this.#streams.values()) sum += count;
    return sum;
  }

  /** Counts a request. Rejects with 429 above the limit per minute. Returns null if there is no limit. */
  request(owner: string): Promise<void> | null {
    const most = this.#services.quotasOf(owner).requestsPerMinute;
    return most === null ? null : this.#countRequest(owner, most);
  }

  async #countRequest(owner: string, most: number): Promise<void> {
    const { records } = this.#services;
    if ((await records.count(`requests ${owner}`, 1, { most, periodMs: minuteMs })) !== null) return;
    throwHttpError('http/too-many', `Too many requests: at most ${most} per minute. Try again later.`, {
      retryAfterMs: await this.#periodLeft(minuteMs),
    });
  }

  /**
   * Returns how long the current period of the counters continues. The clock of the store is asked once per period,
   * because a client above its limit may send many requests.
   */
  async #periodLeft(periodMs: number): Promise<number> {
    const { records, now } = this.#services;
    const known = (this.#periodEnds.get(periodMs) ?? 0) - now();
    if (known > 0 && known <= periodMs) return known;
    const left = await records.periodLeft(periodMs);
    this.#periodEnds.set(periodMs, now() + left);
    return left;
  }

  /** Counts an open stream. Throws 429 above the limit. Returns a function that releases the stream. */
  stream(owner: string): () => void {
    const open = this.#streams.get(owner) ?? 0;
    const { streams: most } = this.#services.quotasOf(owner);
    if (open >= most)
      throwHttpError('http/too-many', `You have ${open} open streams; at most ${most} are allowed. Close another tab.`);
    this.#streams.set(owner, open + 1);
    let closed = false;
    return () => {
      if (closed) return;
      closed = true;
      const left = (this.#streams.get(owner) ?? 1) - 1;
      if (left === 0) this.#streams.delete(owner);
      else this.#streams.set(owner, left);
    };
  }

  /** Counts bytes of attachments and imports. Rejects with 429 above the daily limit. */
  async upload(owner: string, bytes: number): Promise<void> {
    const { quotasOf, records } = this.#services;
    const most = quotasOf(owner).uploadBytesPerDay;
    if (most === null || (await records.count(`uploads ${owner}`, bytes, { most, periodMs: dayMs })) !== null) return;
    throwHttpError(
      'http/too-many',
      `The daily limit of ${most} bytes for attachments and imports is reached. Try again tomorrow.`,
      { most, retryAfterMs: await this.#periodLeft(dayMs) },
    );
  }
}
