/** The connection of an open tree to its server. */
import type { Api } from './api.ts';
import type { ClientEnvironment } from './environment.ts';
import { HttpProblem, readProblem } from './http.ts';
import { readEvents } from './read-events.ts';
import type { WriteQueue } from './write-queue.ts';

/** Callbacks of a stream of server-sent events. */
export interface EventStreamCallbacks {
  opened?(): void;
  /** One event: its name and its parsed data. */
  event(name: string, data: unknown): void;
  /** The stream ended: null if the server ended it, else the error. Not called after `close`. */
  ended(problem: HttpProblem | null): void;
}

/** What an open tree needs: the API, event streams, and the environment. */
export interface Connection extends Omit<ClientEnvironment, 'fetch'> {
  readonly api: Api;
  /** Sends a request to a path of the server, with the token if there is one. */
  send(path: string, options?: RequestInit): Promise<Response>;
  /** Opens a stream of server-sent events. It does not reconnect. */
  openEvents(path: string, listener: EventStreamCallbacks): { close(): void };
  /** Queues with writes that wait for an unreachable server. */
  readonly waitingQueues: Set<WriteQueue>;
}

/** Opens an event stream with a function that sends requests. */
export function openEventStream(
  send: Connection['send'],
  path: string,
  listener: EventStreamCallbacks,
): { close(): void } {
  const closed = new AbortController();
  const follow = async () => {
    const response = await send(path, { headers: { accept: 'text/event-stream' }, signal: closed.signal });
    if (!response.ok) throw await readProblem(response);
    if (response.body === null || response.body === undefined)
      throw new HttpProblem('client/no-streaming', 'This fetch cannot read a response while it arrives.', -1);
    if (closed.signal.aborted) return void response.body.cancel();
    listener.opened?.();
    await readEvents(response.body, (name, data) => {
      if (!closed.signal.aborted) listener.event(name, JSON.parse(data));
    });
  };
  const end = (problem: HttpProblem | null) => {
    if (closed.signal.aborted) return;
    closed.abort();
    listener.ended(problem);
  };
  follow().then(
    () => end(null),
    (thrown) => end(thrown instanceof HttpProblem ? thrown : makeOfflineProblem(thrown)),
  );
  return { close: () => closed.abort() };
}

/** The problem of a request that got no response. */
export function makeOfflineProblem(thrown: unknown): HttpProblem {
  return new HttpProblem('page/offline', thrown instanceof Error ? thrown.message : 'The server cannot be reached.', 0);
}

/** Options of a stream that is kept open. */
export interface StreamOptions {
  /** The path, called again for each connection, so that it continues after what arrived. */
  path(): string;
  /** Calls back for each connection that opens or breaks. */
  connected?(connected: boolean): void;
  event(name: string, data: unknown): void;
  /** Whether to stop after an error, or after the server's end of the stream (null). By default never. */
  isOver?(problem: HttpProblem | null): boolean;
  /** Whether the stream stays open while the app is hidden. A browser has six connections for all its tabs. */
  readonly whileHidden?: boolean;
}

// As the server asks all readers.
const reconnectMs = 1000;

/** Keeps an event stream open until it is closed: reconnects when it breaks, and pauses while the app is hidden. */
export function followEvents(connection: Connection, options: StreamOptions): { close(): void } {
  let stream: { close(): void } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  };
  const connect = () => {
    stop();
    stream = connection.openEvents(options.path(), {
      opened: () => options.connected?.(true),
      event: (name, data) => options.event(name, data),
      ended(problem) {
        if (options.isOver?.(problem) === true) return;
        options.connected?.(false);
        timer = setTimeout(connect, reconnectMs);
      },
    });
  };
  const stopWatching =
    options.whileHidden === true
      ? () => undefined
      : connection.onVisibilityChange(() => {
          if (!connection.isVisible()) stop();
          else if (stream === null) connect();
        });
  if (options.whileHidden === true || connection.isVisible()) connect();
  return {
    close() {
      stopWatching();
      stop();
    },
  };
}
