/**
 * Server-sent events, with one stream per reader. A reader that is too far behind is disconnected, so that it does not
 * delay the others.
 */
import type { Caller, CallerCredential } from '../caller.ts';
import type { ServerLimits } from '../contract.ts';
import type { BodyUsage } from '../middleware/limits.ts';
import type { RawReply } from '../routes/define.ts';

const encoder = new TextEncoder();

/** Encodes an event, once for any number of readers. */
export function encodeEvent(event: string, data: unknown, id?: string | number): Uint8Array {
  const named = id === undefined ? '' : `id: ${id}\n`;
  // JSON contains no line breaks, so the data is one line.
  return encoder.encode(`${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

const ping = encoder.encode(': ping\n\n');
const hello = encoder.encode('retry: 1000\n\n');

/** The error of a stream that was not read fast enough. */
export class ReaderDroppedError extends Error {
  override readonly name = 'ReaderDroppedError';

  constructor() {
    super('a reader lagged too far behind and was dropped; it can come back');
  }
}

/** One reader of a stream. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Aborts when the reader has disconnected or was disconnected, or when the stream was closed. */
  readonly closed: AbortSignal;
  readonly #closing = new AbortController();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #roomy: (() => void)[] = [];

  constructor(backlogBytes: number) {
    this.closed = this.#closing.signal;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          controller.enqueue(hello);
        },
        pull: () => this.#wake(),
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: backlogBytes }),
    );
  }

  /**
   * Sends bytes to the reader, or disconnects a reader that is too far behind. Returns false if the reader is
   * disconnected.
   */
  send(bytes: Uint8Array): boolean {
    const controller = this.#controller;
    if (controller === null) return false;
    if ((controller.desiredSize ?? 0) <= 0) {
      this.#end();
      controller.error(new ReaderDroppedError());
      return false;
    }
    controller.enqueue(bytes);
    return true;
  }

  /**
   * Resolves when the buffer has space again or the reader has disconnected. Old events are sent only as fast as they
   * are read.
   */
  waitForDrain(): Promise<void> {
    if (this.#controller === null || (this.#controller.desiredSize ?? 0) > 0) return Promise.resolve();
    return new Promise((resolve) => this.#roomy.push(resolve));
  }

  /** Sends a keep-alive, if the buffer has space. */
  ping(): void {
    if (this.#controller !== null && (this.#controller.desiredSize ?? 0) > 0) this.#controller.enqueue(ping);
  }

  /** Ends the stream. */
  close(): void {
    const controller = this.#controller;
    this.#end();
    controller?.close();
  }

  #end(): void {
    this.#controller = null;
    this.#closing.abort();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#roomy.splice(0)) resolve();
  }
}

/** Every open stream of a server. */
export class EventStreams {
  readonly #open = new Map<EventStream, CallerCredential | null>();
  readonly #usage: BodyUsage;
  readonly #limits: Pick<ServerLimits, 'backlogBytes' | 'pingMs'>;
  #timer: NodeJS.Timeout | null = null;
  #over = false;
  #looking = false;

  constructor(usage: BodyUsage, limits: Pick<ServerLimits, 'backlogBytes' | 'pingMs'>, closing: AbortSignal) {
    this.#usage = usage;
    this.#limits = limits;
    closing.addEventListener('abort', () => this.#closeAll(), { once: true });
  }

  /** Opens a stream for a caller; throws above the limit. */
  open({ owner, stay }: Pick<Caller, 'owner' | 'stay'>): EventStream {
    const release = this.#usage.stream(owner);
    const stream = new EventStream(this.#limits.backlogBytes);
    this.#open.set(stream, stay);
    this.#timer ??= setInterval(() => this.#pingAll(), this.#limits.pingMs).unref();
    stream.closed.addEventListener('abort', () => {
      release();
      this.#open.delete(stream);
      if (this.#open.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    });
    if (this.#over) stream.close();
    return stream;
  }

  /** Closes the streams of callers whose credentials are no longer valid. */
  async lookAgain(): Promise<void> {
    const asked = new Map<string, Promise<boolean>>();
    for (const [stream, stay] of [...this.#open]) {
      if (stay === null) continue;
      // If the store is unavailable for a moment, the streams stay open.
      const holds = asked.get(stay.key) ?? stay.holds().catch(() => true);
      asked.set(stay.key, holds);
      if (!(await holds)) stream.close();
    }
  }

  #pingAll(): void {
    for (const stream of this.#open.keys()) stream.ping();
    // Finds credentials that another process revoked. If a check takes longer than the interval, the next one is
    // skipped.
    if (this.#looking) return;
    this.#looking = true;
    void this.lookAgain().finally(() => {
      this.#looking = false;
    });
  }

  #closeAll(): void {
    this.#over = true;
    for (const stream of [...this.#open.keys()]) stream.close();
  }
}

/** The response of a stream. */
export function respondWithStream(stream: EventStream): RawReply {
  return {
    raw: stream.body,
    status: 200,
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Buffering proxies would delay events.
      'X-Accel-Buffering': 'no',
    },
  };
}
