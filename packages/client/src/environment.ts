/** The functions of the environment that the client needs, with defaults for a browser, Node and Bun. */

/** Storage for texts that must survive the end of the program, such as unsent messages. */
export interface TextStorage {
  /** Returns the stored text; null if nothing is stored under the name. */
  read(name: string): string | null;
  /** Stores a text under a name; null removes it. Returns false if nothing could be stored. */
  write(name: string, text: string | null): boolean;
}

export interface ClientEnvironment {
  fetch(request: Request): Promise<Response>;
  readonly storage: TextStorage;
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  /** Returns a new random UUID. */
  newId(): string;
  /** Whether the app is visible. While it is hidden, only feeds of trees with running replies or tools stay open. */
  isVisible(): boolean;
  /** Calls the listener when the app becomes hidden or visible. Returns a function that removes the listener. */
  onVisibilityChange(listener: () => void): () => void;
}

/** The part of `XMLHttpRequest` that reads a response while it arrives. */
export interface StreamingRequest {
  readonly readyState: number;
  readonly status: number;
  readonly responseText: string;
  addEventListener(name: 'readystatechange' | 'progress' | 'error', listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(): void;
  abort(): void;
}

/** The globals that the defaults use. Some environments lack them. */
const machine: {
  readonly XMLHttpRequest?: new () => StreamingRequest;
  readonly Response?: { readonly prototype: object };
  readonly crypto?: { getRandomValues<T extends Uint8Array<ArrayBuffer>>(bytes: T): T };
  readonly document?: {
    readonly visibilityState: string;
    addEventListener(name: 'visibilitychange', listener: () => void): void;
    removeEventListener(name: 'visibilitychange', listener: () => void): void;
  };
  readonly localStorage?: {
    getItem(name: string): string | null;
    setItem(name: string, text: string): void;
    removeItem(name: string): void;
  };
  readonly location?: { readonly origin: string };
} = globalThis;

/** Creates a storage in memory, whose texts are lost when the program ends. */
export function createMemoryStorage(): TextStorage {
  const texts = new Map<string, string>();
  return {
    read: (name) => texts.get(name) ?? null,
    write(name, text) {
      if (text === null) texts.delete(name);
      else texts.set(name, text);
      return true;
    },
  };
}

const storagePrefix = 'coppice.';

/** The storage of the browser. If it is full or not allowed, nothing is stored and `write` returns false. */
export const browserStorage: TextStorage = {
  read(name) {
    try {
      return machine.localStorage?.getItem(storagePrefix + name) ?? null;
    } catch {
      return null;
    }
  },
  write(name, text) {
    try {
      const { localStorage } = machine;
      if (text === null) localStorage?.removeItem(storagePrefix + name);
      else localStorage?.setItem(storagePrefix + name, text);
      return localStorage !== undefined;
    } catch {
      return false;
    }
  },
};

/** Returns a random UUID. `crypto.randomUUID` is missing on pages without HTTPS, and `crypto` in React Native. */
function newUuid(): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (digit) => {
    const random = machine.crypto?.getRandomValues(new Uint8Array(1))[0] ?? Math.floor(Math.random() * 256);
    return (digit === 'x' ? random % 16 : 8 + (random % 4)).toString(16);
  });
}

/** Whether `localStorage` can be used. Without permission even reading the property throws. */
function hasLocalStorage(): boolean {
  try {
    return machine.localStorage !== undefined;
  } catch {
    return false;
  }
}

/** Returns the environment of a browser, Node or Bun. */
export function createDefaultEnvironment(): ClientEnvironment {
  const page = machine.document;
  return {
    fetch: (request) => fetch(request),
    storage: hasLocalStorage() ? browserStorage : createMemoryStorage(),
    now: () => Date.now(),
    newId: newUuid,
    isVisible: () => page === undefined || page.visibilityState === 'visible',
    onVisibilityChange(listener) {
      page?.addEventListener('visibilitychange', listener);
      return () => page?.removeEventListener('visibilitychange', listener);
    },
  };
}

// openapi-fetch also uses these globals, before it calls the given `fetch`.
const requiredGlobals = ['Request', 'Response', 'Headers', 'URLSearchParams', 'AbortController'] as const;

/**
 * Returns the required globals that this environment does not have. Without this check each request would fail like a
 * request to an unreachable server.
 */
export function findMissingGlobals(hasOwnFetch: boolean): readonly string[] {
  const needed = hasOwnFetch ? requiredGlobals : ['fetch', ...requiredGlobals];
  return needed.filter((name) => typeof Reflect.get(globalThis, name) !== 'function');
}

/** Whether the built-in `fetch` returns a response before its body is complete. In React Native it does not. */
export function canStreamResponses(): boolean {
  return machine.Response !== undefined && 'body' in machine.Response.prototype;
}

/** Creates a request that can be read while its response arrives; null if the environment has none. */
export function createStreamingRequest(): StreamingRequest | null {
  return machine.XMLHttpRequest === undefined ? null : new machine.XMLHttpRequest();
}

/** Returns the origin of the page; empty outside of a browser. */
export function pageOrigin(): string {
  return machine.location?.origin ?? '';
}
