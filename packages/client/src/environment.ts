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
  /** Whether the app is visible. While it is hidden, no feed stays open. */
  isVisible(): boolean;
  /** Calls the listener when the app becomes hidden or visible. Returns a function that removes the listener. */
  onVisibilityChange(listener: () => void): () => void;
}

/** The globals that the defaults use. Some environments lack them. */
const machine: {
  readonly crypto?: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): unknown };
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
  const bytes = new Uint8Array(16);
  if (machine.crypto === undefined) for (const at of bytes.keys()) bytes[at] = Math.floor(Math.random() * 256);
  else machine.crypto.getRandomValues(bytes);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
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
export function defaultEnvironment(): ClientEnvironment {
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

/** Returns the origin of the page; empty outside of a browser. */
export function pageOrigin(): string {
  return machine.location?.origin ?? '';
}
