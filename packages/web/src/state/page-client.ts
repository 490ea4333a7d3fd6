/** How an open tree reaches its server. Tests in Node give it another way there than a browser has. */
import { type Api, api } from './client.ts';

/** A stream of server-sent events, as far as the page uses an `EventSource`. */
export interface EventChannel {
  readonly readyState: number;
  addEventListener(name: string, listener: (event: Event) => void): void;
  close(): void;
}

/** What an open tree needs of the machine around it. */
export interface PageClient {
  readonly api: Api;
  /** Opens a stream of server-sent events; it reconnects by itself until it is closed. */
  openEvents(address: string): EventChannel;
  /** Whether somebody can see the page. */
  isVisible(): boolean;
  /** Calls the listener when the page is hidden or shown again; returns a function that ends this. */
  onVisibilityChange(listener: () => void): () => void;
}

/** The state of a stream that its server closed for good. */
export const closedChannel = 2;

/** The data of an event, parsed; null for one that carries none. */
export function eventData<T>(event: Event): T | null {
  if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return null;
  const value: T = JSON.parse(event.data);
  return value;
}

/** The browser's own way to the server that the page came from. */
export const browserClient: PageClient = {
  api,
  openEvents: (address) => new EventSource(address),
  isVisible: () => document.visibilityState === 'visible',
  onVisibilityChange(listener) {
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  },
};
