/** The connection of an open tree to its server: requests, event streams and their reconnection. */
import type { Api } from './api/create-api.ts';
import type { ClientEnvironment } from './environment.ts';
import { HttpProblem, readProblem, toRequestProblem } from './http.ts';
import { readEvents } from './read-events.ts';
import type { WriteQueue } from './write-queue.ts';

/** Callbacks of a stream of server-sent events. */
export interface EventStreamCallbacks {
  opened?(): void;
  /** Called for each event, with its name and its parsed data. */
  event(name: string, data: unknown): void;
  /**
   * Called when the stream has ended: with null if the server ended it, else with the error. Not called after `close`.
   */
  ended(problem: HttpProblem | null): void;
}

/** The parts that an open tree needs: the API, event streams and the environment. */
export interface Connection extends Omit<ClientEnvironment, 'fetch'> {
  readonly api: Api;
  /** Sends a request to a path of the server, with the bearer token if the client has one. */
  send(path: string, options?: RequestInit): Promise<Response>;
  /** Opens a stream of server-sent events. It does not reconnect. */
  openEvents(path: string, listener: EventStreamCallbacks): { close(): void };
  /** The queues whose writes wait for an unreachable server. */
  readonly waitingQueues: Set<WriteQueue>;
}

/** Opens an event stream through `send`, because `EventSource` cannot send a bearer token. */
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
      throw new HttpProblem(
        'client/no-streaming',
        'The given `fetch` cannot stream. Pass one that can, as of expo/fetch, or none.',
        -1,
      );
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
    (thrown) => end(toRequestProblem(thrown)),
  );
  return { close: () => closed.abort() };
}

/** The path and the callbacks of an event stream that reconnects. */
export interface FollowEventsOptions {
  /** Returns the path. Called for each connection, so that the query can name the last received event. */
  path(): string;
  /** Called with true when a connection opens, and with false when it breaks. */
  connected?(connected: boolean): void;
  event(name: string, data: unknown): void;
  /**
   * Whether to stop after an error, or after the server has ended the stream (null). By default the stream never stops.
   */
  isOver?(problem: HttpProblem | null): boolean;
  /**
   * Whether the stream stays open while the app is hidden; called repeatedly. By default it is closed, because a
   * browser allows six connections to a server for all tabs together.
   */
  whileHidden?(): boolean;
}

// The server recommends this time to all clients.
const reconnectMs = 1000;
// How often a hidden app checks whether a stream is still needed. No reply and no tool runs for a moment between a tool
// and the next reply; a shorter interval would more often close the stream then.
const hiddenCheckMs = 5000;

/** Keeps an event stream open until it is closed. Reconnects when it breaks, and pauses while the app is hidden. */
export function followEvents(connection: Connection, options: FollowEventsOptions): { close(): void } {
  const { whileHidden = () => false } = options;
  let stream: { close(): void } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    clearTimeout(hiddenTimer);
    stream?.close();
    stream = null;
  };
  const connect = () => {
    stream = connection.openEvents(options.path(), {
      opened: () => options.connected?.(true),
      event: (name, data) => options.event(name, data),
      ended(problem) {
        if (options.isOver?.(problem) === true) return;
        options.connected?.(false);
        timer = setTimeout(() => {
          stop();
          openIfNeeded();
        }, reconnectMs);
      },
    });
  };
  const openIfNeeded = () => {
    clearTimeout(hiddenTimer);
    if (!connection.isVisible() && !whileHidden()) return stop();
    if (stream === null) connect();
    if (!connection.isVisible()) hiddenTimer = setTimeout(openIfNeeded, hiddenCheckMs);
  };
  const stopWatching = connection.onVisibilityChange(openIfNeeded);
  openIfNeeded();
  return {
    close() {
      stopWatching();
      stop();
    },
  };
}
