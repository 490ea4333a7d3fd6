/**
 * Reads an event stream with `XMLHttpRequest`, where `fetch` returns a response only when it is complete: in React
 * Native.
 */
import type { EventStreamCallbacks } from './connection.ts';
import type { StreamingRequest } from './environment.ts';
import { type HttpProblem, parseProblemText, toRequestProblem } from './http.ts';
import { createEventParser } from './read-events.ts';

/** The URL of a stream, and the token that is sent instead of cookies. */
export interface EventsAddress {
  readonly url: string;
  readonly token?: string | undefined;
  readonly onSignedOut?: (() => void) | undefined;
}

// The states of a request: its headers have arrived, and its response is complete.
const [headersReceived, done] = [2, 4];

/** Opens an event stream. It does not reconnect. */
export function openRequestEvents(
  request: StreamingRequest,
  { url, token, onSignedOut }: EventsAddress,
  listener: EventStreamCallbacks,
): { close(): void } {
  let isClosed = false;
  let isOpen = false;
  let read = 0;
  const end = (problem: HttpProblem | null) => {
    if (isClosed) return;
    isClosed = true;
    listener.ended(problem);
  };
  const push = createEventParser((name, data) => {
    if (!isClosed) listener.event(name, JSON.parse(data));
  });
  const take = () => {
    if (isClosed || !isOpen) return;
    const text = request.responseText;
    push(text.slice(read));
    read = text.length;
  };
  const changed = () => {
    const { readyState, status } = request;
    if (isClosed || readyState < headersReceived || status === 0) return;
    if (status === 200 && !isOpen) {
      isOpen = true;
      listener.opened?.();
    }
    take();
    if (readyState !== done) return;
    if (status === 401) onSignedOut?.();
    end(isOpen ? null : parseProblemText(request.responseText, status));
  };
  const guarded = (work: () => void) => () => {
    try {
      work();
    } catch (thrown) {
      request.abort();
      end(toRequestProblem(thrown));
    }
  };
  request.addEventListener('readystatechange', guarded(changed));
  // With one of these two listeners React Native reports the text before the end.
  request.addEventListener('progress', guarded(take));
  request.addEventListener('error', () => end(toRequestProblem(null)));
  request.open('GET', url);
  request.setRequestHeader('accept', 'text/event-stream');
  if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`);
  request.send();
  return {
    close() {
      isClosed = true;
      request.abort();
    },
  };
}
