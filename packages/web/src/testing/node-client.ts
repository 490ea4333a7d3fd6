/** A way to a test server that needs no browser: the page's session logic runs against the real server in Node. */
import { EventReader, type TestServer } from '@coppice/server/testing';
import { createApi, createRoutes } from '../state/client.ts';
import type { EventChannel, PageClient } from '../state/page-client.ts';

/** A gate that lets everything through, or holds it back until it is opened. */
export class Gate {
  #held: (() => void)[] | null = null;

  hold(): void {
    this.#held ??= [];
  }

  open(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const release of held) release();
  }

  pass(): Promise<void> {
    const held = this.#held;
    return held === null ? Promise.resolve() : new Promise((resolve) => held.push(resolve));
  }
}

/** A client whose answers and events can be held back, and whose requests are counted. */
export interface NodeClient extends PageClient {
  /** Answers to requests of these methods wait here. */
  readonly answers: Gate;
  /** Events of all streams wait here. */
  readonly events: Gate;
  /** Method and path of each request and stream, in order. */
  readonly requests: string[];
}

/** An `EventSource` on a response of the test server. */
class NodeEvents implements EventChannel {
  readyState = 0;
  readonly #listeners = new Map<string, ((event: Event) => void)[]>();
  #reader: EventReader | null = null;

  constructor(response: Promise<Response>, gate: Gate) {
    void this.#read(response, gate);
  }

  addEventListener(name: string, listener: (event: Event) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  close(): void {
    this.readyState = 2;
    void this.#reader?.close();
  }

  #dispatch(event: Event): void {
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
  }

  async #read(response: Promise<Response>, gate: Gate): Promise<void> {
    try {
      const reader = new EventReader(await response);
      this.#reader = reader;
      if (this.readyState === 2) return void reader.close();
      this.readyState = 1;
      this.#dispatch(new Event('open'));
      for (let at = 0; ; ) {
        await reader.until((seen) => seen.length > at);
        for (let event = reader.seen[at]; event !== undefined; event = reader.seen[++at]) {
          await gate.pass();
          if (this.readyState !== 1) return;
          this.#dispatch(new MessageEvent(event.event, { data: JSON.stringify(event.data) }));
        }
      }
    } catch {
      // The server ended the stream, or this end closed it.
      if (this.readyState === 2) return;
      this.readyState = 2;
      this.#dispatch(new Event('error'));
    }
  }
}

/** Opens a client of a test server. */
export function openNodeClient(server: TestServer): NodeClient {
  const answers = new Gate();
  const events = new Gate();
  const requests: string[] = [];
  const authorization = `Bearer ${server.token}`;
  const request = (asked: Request) => {
    asked.headers.set('authorization', authorization);
    requests.push(`${asked.method} ${new URL(asked.url).pathname}`);
    return Promise.resolve(server.server.app.request(asked));
  };
  const baseUrl = 'http://localhost';
  const fetch = async (asked: Request) => {
    const response = await request(asked);
    if (asked.method !== 'GET') await answers.pass();
    return response;
  };
  return {
    api: createApi(createRoutes({ baseUrl, fetch })),
    openEvents: (address) => new NodeEvents(request(new Request(baseUrl + address)), events),
    isVisible: () => true,
    onVisibilityChange: () => () => undefined,
    answers,
    events,
    requests,
  };
}
