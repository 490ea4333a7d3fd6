/**
 * Server-sent events, one stream per reader. A reader that is too slow is disconnected, so that it does not delay other
 * readers.
 */
import { unrefTimer } from '#platform/system';
import type { Caller, CallerCredential } from '../caller.ts';
import type { ServerLimits } from '../contract.ts';
import type { UserUsageTracker } from '../middleware/limits.ts';
import type { RawReply } from '../routes/define.ts';

const encoder = new TextEncoder();

/** Encodes an event. The bytes can be sent to any number of readers. */
export function encodeEvent(event: string, data: unknown, id?: string | number): Uint8Array {
  const named = id === undefined ? '' : `id: ${id}\n`;
  // JSON contains no line breaks, so the data is one line.
  return encoder.encode(`${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

const ping = encoder.encode(': ping\n\n');
const hello = encoder.encode('retry: 1000\n\n');

/** The error of a stream that its reader did not read fast enough. */
export class ReaderDroppedError extends Error {
  override readonly name = 'ReaderDroppedError';

  constructor() {
    super('a reader was too slow and was disconnected; it can reconnect');
  }
}

/** The event stream of one reader. */
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
   * Sends bytes to the reader. Disconnects the reader if too many bytes are unread. Returns false if the reader is
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
   * Resolves when the buffer has space again, or when the reader has disconnected. Senders of old events wait for it,
   * so that a slow reader is not disconnected.
   */
  waitForDrain(): Promise<void> {
    if (this.#controller === null || (this.#controller.desiredSize ?? 0) > 0) return Promise.resolve();
    return new Promise((resolve) => this.#roomy.push(resolve));
  }

  /** Sends a keep-alive comment, if the buffer has space. */
  ping(): void {
    if (this.#controller !== null && (this.#controller.desiredSize ?? 0) > 0) this.#controller.enqueue(ping);
  }

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

/** The open event streams of a server, with their limits. */
export class EventStreams {
  readonly #open = new Map<EventStream, CallerCredential | null>();
  readonly #usage: UserUsageTracker;
  readonly #limits: Pick<ServerLimits, 'backlogBytes' | 'pingMs'>;
  #timer: NodeJS.Timeout | null = null;
  #isClosing = false;
  #isChecking = false;

  constructor(usage: UserUsageTracker, limits: Pick<ServerLimits, 'backlogBytes' | 'pingMs'>, closing: AbortSignal) {
    this.#usage = usage;
    this.#limits = limits;
    closing.addEventListener('abort', () => this.#closeAll(), { once: true });
  }

  /** Opens a stream for a caller; throws above the limit. */
  open({ owner, credential }: Pick<Caller, 'owner' | 'credential'>): EventStream {
    const release = this.#usage.stream(owner);
    const stream = new EventStream(this.#limits.backlogBytes);
    this.#open.set(stream, credential);
    this.#timer ??= unrefTimer(setInterval(() => this.#pingAll(), this.#limits.pingMs));
    stream.closed.addEventListener('abort', () => {
      release();
      this.#open.delete(stream);
      if (this.#open.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    });
    if (this.#isClosing) stream.close();
    return stream;
  }

  /** Closes the streams of callers whose credentials are no longer valid. */
  async closeRevoked(): Promise<void> {
    const checks = new Map<string, Promise<boolean>>();
    for (const [stream, credential] of [...this.#open]) {
      if (credential === null) continue;
      // If the store is unavailable for a moment, the streams stay open.
      const stillValid = checks.get(credential.key) ?? credential.isValid().catch(() => true);
      checks.set(credential.key, stillValid);
      if (!(await stillValid)) stream.close();
    }
  }

  #pingAll(): void {
    for (const stream of this.#open.keys()) stream.ping();
    // Finds credentials that another process has revoked. If a check takes longer than the interval, the next check is
    // skipped.
    if (this.#isChecking) return;
    this.#isChecking = true;
    void this.closeRevoked().finally(() => {
      this.#isChecking = false;
    });
  }

  #closeAll(): void {
    this.#isClosing = true;
    for (const stream of [...this.#open.keys()]) stream.close();
  }
}

/** Returns the response whose body is the stream. */
export function respondWithStream(stream: EventStream): RawReply {
  return {
    raw: stream.body,
    status: 200,
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Asks proxies not to buffer, because buffering delays events.
      'X-Accel-Buffering': 'no',
    },
  };
}
