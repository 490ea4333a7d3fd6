/** A client of a test server without a socket. Requests are passed to the app of the server directly. */
import type { TestServer } from '@coppice/server/testing';
import { type CoppiceClient, createClient } from '../client.ts';

/** Lets responses pass, or holds them until the gate is opened. */
export class ResponseGate {
  #held: (() => void)[] | null = null;

  hold(): void {
    this.#held ??= [];
  }

  /** How many responses are held. */
  get waiting(): number {
    return this.#held?.length ?? 0;
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

/** A client whose responses and events can be held back, and whose requests are recorded. */
export interface GatedTestClient extends CoppiceClient {
  /** Holds the responses to requests that write. */
  readonly answers: ResponseGate;
  /** Holds the responses to requests that read, except streams. */
  readonly reads: ResponseGate;
  /** Holds the events of all streams. */
  readonly events: ResponseGate;
  /** The method and path of each request and stream, in order. */
  readonly requests: string[];
}

/** Returns the response with a body whose chunks wait at the gate. */
function gated(response: Response, gate: ResponseGate): Response {
  const held = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await gate.pass();
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(held) ?? null, response);
}

/** Creates a client that passes requests to the app of a test server. */
export function openNodeClient(server: TestServer): GatedTestClient {
  const answers = new ResponseGate();
  const reads = new ResponseGate();
  const events = new ResponseGate();
  const requests: string[] = [];
  const client = createClient({
    baseUrl: 'http://localhost',
    token: server.token,
    async fetch(request) {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      const response = await server.server.app.request(request);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (request.method !== 'GET') await answers.pass();
      else if (!isStream) await reads.pass();
      return isStream ? gated(response, events) : response;
    },
  });
  return { ...client, answers, reads, events, requests };
}
