/** How much a request may bring and how many a user may have: one helper for every way in. */
import { parseJson } from '@coppice/content';
import { requestHeader, type ServerContext } from '../env.ts';
import { httpRefusal, refuseHttp } from '../http-errors.ts';
import type { RouteRequirements } from '../routes/define.ts';
import type { Services } from '../services.ts';
import { type BodyKind, BodyPace } from './body-pace.ts';

const readsUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Refuses a body of the wrong type, before any of it is read. A form of another site could send no other than these. */
export function checkMediaType(context: ServerContext, needs: Pick<RouteRequirements, 'body'>): void {
  const type = requestHeader(context, 'content-type');
  if (requestHeader(context, 'content-encoding') !== undefined)
    refuseHttp('http/media-type', 'Send the body as it is, without a content encoding.');
  if (needs.body === 'bytes') {
    if (type === undefined) refuseHttp('http/media-type', 'Say what the bytes are: Content-Type.');
    if (/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type))
      refuseHttp('http/media-type', 'Send the bytes themselves, not a form.');
    return;
  }
  if (type !== undefined && !/^application\/json\s*(?:;|$)/i.test(type))
    refuseHttp('http/media-type', 'This server takes application/json.');
  if (type === undefined && needs.body === 'json' && hasBody(context))
    refuseHttp('http/media-type', 'Say that the body is JSON: Content-Type: application/json.');
}

function hasBody(context: ServerContext): boolean {
  const length = requestHeader(context, 'content-length');
  return requestHeader(context, 'transfer-encoding') !== undefined || (length !== undefined && length !== '0');
}

/** How much of a body is taken, and how fast it has to come. */
export interface BodyBounds {
  readonly most: number;
  readonly kind: BodyKind;
}

/** The body's bytes; cut off and refused as soon as they pass the bound. */
export async function readBody(context: ServerContext, bounds: BodyBounds): Promise<Uint8Array<ArrayBuffer>> {
  const { most, kind } = bounds;
  const said = requestHeader(context, 'content-length');
  if (said !== undefined && Number(said) > most) return bodyTooLarge(most);
  // With a length the parser of HTTP itself stops there; without one it is counted here.
  if (said !== undefined) {
    const bytes = new Uint8Array(await readAtOnce(context, kind));
    return bytes.byteLength > most ? bodyTooLarge(most) : bytes;
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bodyChunks(context, bounds)) {
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

/** A body that is read in one go: what its connection has brought tells how fast it comes. */
async function readAtOnce(context: ServerContext, kind: BodyKind): Promise<ArrayBuffer> {
  const incoming = context.env?.incoming;
  const read = unlessGone(context, context.req.arrayBuffer());
  // Most bodies are there with their head, and nobody waits for them.
  if (incoming === undefined || incoming.complete) return read;
  const { socket } = incoming;
  const before = socket.bytesRead;
  const watch = watchBody(context, kind, () => socket.bytesRead - before);
  try {
    return await watch.unlessLate(read);
  } finally {
    watch.end();
  }
}

/** A client that goes away while it sends is no fault of this server, and is not written down as one. */
async function unlessGone<T>(context: ServerContext, coming: Promise<T>): Promise<T> {
  try {
    return await coming;
  } catch (error) {
    const reset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
    if (reset || context.req.raw.signal.aborted) return refuseHttp('http/closing', 'The client went away.');
    throw error;
  }
}

/** The body's bytes as they come, never held together; cut off and refused as soon as they pass the bound. */
export async function* bodyChunks(context: ServerContext, { most, kind }: BodyBounds): AsyncGenerator<Uint8Array> {
  if (Number(requestHeader(context, 'content-length') ?? 0) > most) return bodyTooLarge(most);
  const reader = context.req.raw.body?.getReader();
  if (reader === undefined) return;
  let length = 0;
  let ended = false;
  const watch = watchBody(context, kind, () => length);
  try {
    for (;;) {
      const { done, value } = await watch.unlessLate(unlessGone(context, reader.read()));
      ended = done;
      if (done) return;
      length += value.byteLength;
      if (length > most) return bodyTooLarge(most);
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
  /** What is read, unless the body comes too slowly or the server stops: a stop waits for nobody who is still sending. */
  unlessLate<T>(read: Promise<T>): Promise<T>;
  pause(): void;
  resume(): void;
  end(): void;
}

/** Watches a body come. Whoever is gone without a word, or sends a byte now and then, would hold a place for ever. */
function watchBody(context: ServerContext, kind: BodyKind, bytes: () => number): BodyWatch {
  const { closing, limits, now } = context.get('services');
  const pace = new BodyPace(kind, limits, now());
  let refusal: Error | null = null;
  // A promise that lasts as long as the body would keep every piece that was raced with it.
  let rejectRead: (error: Error) => void = () => undefined;
  const fail = (error: Error) => {
    refusal ??= error;
    rejectRead(refusal);
  };
  const look = () => {
    const why = pace.check(now(), bytes());
    if (why === null) timer = setTimeout(look, pace.msUntilCheck(now()));
    else fail(httpRefusal('http/too-slow', why));
  };
  let timer = setTimeout(look, pace.msUntilCheck(now()));
  const stop = () => fail(httpRefusal('http/closing', 'The server is stopping.'));
  closing.addEventListener('abort', stop, { once: true });
  // It may have come while somebody was looked up, or while what came before was written: it is told once.
  if (closing.aborted) stop();
  return {
    unlessLate: (read) =>
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

function bodyTooLarge(most: number): never {
  return refuseHttp('http/too-large', `A body has at most ${most} bytes here.`, { most });
}

/** A JSON body, read strictly: no double keys, no numbers that would change, no bytes that are no UTF-8. */
export async function readJson(context: ServerContext, services: Services, most: number): Promise<unknown> {
  const bytes = await readBody(context, { most, kind: 'json' });
  if (bytes.byteLength === 0) return undefined;
  let text: string;
  try {
    text = readsUtf8.decode(bytes);
  } catch {
    return refuseHttp('http/invalid', 'The body is not UTF-8.');
  }
  const value = parseJson(text, 'body', services.limits.jsonDepth);
  if (value.ok) return value.value;
  return refuseHttp('http/invalid', value.refusal.message, value.refusal.data);
}

/** How many each user has of what is bounded. */
export class BodyUsage {
  readonly #services: Pick<Services, 'quotas' | 'now'>;
  readonly #streams = new Map<string, number>();
  readonly #minutes = new Map<string, { minute: number; count: number }>();
  readonly #days = new Map<string, { day: number; bytes: number }>();

  constructor(services: Pick<Services, 'quotas' | 'now'>) {
    this.#services = services;
  }

  /** Open streams of everybody. */
  get streams(): number {
    let sum = 0;
    for (const count of this.#streams.values()) sum += count;
    return sum;
  }

  /** Counts a request; 429 past the bound. */
  request(owner: string): void {
    const most = this.#services.quotas.requestsPerMinute;
    if (most === null) return;
    const minute = Math.floor(this.#services.now() / 60_000);
    const known = this.#minutes.get(owner);
    const count = known?.minute === minute ? known.count + 1 : 1;
    if (count > most)
      refuseHttp('http/too-many', `At most ${most} requests a minute are taken.`, {
        retryAfterMs: 60_000 - (this.#services.now() % 60_000),
      });
    this.#minutes.set(owner, { minute, count });
  }

  /** Opens a stream; what is returned closes it, once. */
  stream(owner: string): () => void {
    const open = this.#streams.get(owner) ?? 0;
    const { streams: most } = this.#services.quotas;
    if (open >= most) refuseHttp('http/too-many', `You have ${open} streams open; at most ${most} are allowed.`);
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

  /** Counts bytes of attachments and imports; 429 past the day's bound. */
  upload(owner: string, bytes: number): void {
    const most = this.#services.quotas.uploadBytesPerDay;
    if (most === null) return;
    const day = Math.floor(this.#services.now() / 86_400_000);
    const known = this.#days.get(owner);
    const sum = (known?.day === day ? known.bytes : 0) + bytes;
    if (sum > most)
      refuseHttp('http/too-many', `At most ${most} bytes of attachments and imports are taken a day.`, { most });
    this.#days.set(owner, { day, bytes: sum });
  }
}
