/**
 * Sends one request at a time for a component. A newer request replaces an older one, and an unmounted component gets
 * no response.
 */
import { type HttpProblem, toHttpProblem } from '@coppice/client';
import { useEffect, useRef, useState } from 'react';

/** The data or the error of the last request, and whether one is running. */
export interface RequestState<T> {
  readonly data: T | null;
  readonly isLoading: boolean;
  readonly problem: HttpProblem | null;
}

const idle: RequestState<never> = { data: null, isLoading: false, problem: null };

/**
 * Sends a request whenever its key changes; a null key sends nothing. The previous data is kept until the new data
 * arrives.
 */
export function useRequest<T>(
  key: string | null,
  send: (signal: AbortSignal) => Promise<T>,
  delayMs = 0,
): RequestState<T> {
  const [state, setState] = useState<RequestState<T>>(idle);
  // Every render passes a new function, so only a changed key triggers a request.
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    if (key === null) {
      setState(idle);
      return;
    }
    const ended = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(() => {
      latest.current(ended.signal).then(
        (data) => {
          if (!ended.signal.aborted) setState({ data, isLoading: false, problem: null });
        },
        (thrown) => {
          if (!ended.signal.aborted) setState({ data: null, isLoading: false, problem: toHttpProblem(thrown) });
        },
      );
    }, delayMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [key, delayMs]);
  return state;
}
