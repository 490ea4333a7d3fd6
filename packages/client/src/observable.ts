/**
 * A value that calls listeners after each change. It works with
 * React's `useSyncExternalStore` and zustand's `useStore`.
 */
export interface Observable<T> {
  getState(): T;
  getInitialState(): T;
  /** Replaces fields of the value, then calls each listener once. */
  setState(change: Partial<T> | ((state: T) => Partial<T>)): void;
  /** Calls the listener after each change. Returns a function that removes the listener. */
  subscribe(listener: (state: T, before: T) => void): () => void;
}

/** Creates an observable value. Listeners are called synchronously, in the order of subscription. */
export function createObservable<T extends object>(initial: T): Observable<T> {
  let state = initial;
  const listeners = new Set<(state: T, before: T) => void>();
  return {
    getState: () => state,
    getInitialState: () => initial,
    setState(change) {
      const before = state;
      state = { ...state, ...(typeof change === 'function' ? change(state) : change) };
      for (const listener of listeners) listener(state, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
