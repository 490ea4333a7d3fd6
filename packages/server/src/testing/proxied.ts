/** A server that passes calls on to a service on this machine, for tests of the recording proxy. */
import { ask, type Node, type TreeSummary } from '@coppice/core';
import { type Handler, openRawServer, type RawServer } from '@coppice/engine/testing';
import type { Recorder } from '../proxy/recorder.ts';
import type { Listening } from '../serve.ts';
import { openTestServer, type TestServer, type TestServerOptions, testToken } from './index.ts';

/** The operator's key for the service. */
export const operatorKey = 'sk-canary-of-the-operator-1234567890';

/** A node as tests look at it. */
export interface RecordedNode {
  readonly role: string | null;
  readonly text: string;
  readonly status: string;
  readonly depth: number;
  readonly node: Node;
}

/** The server, the service and what was recorded. */
export interface Proxied {
  readonly url: string;
  readonly server: TestServer;
  readonly listening: Listening;
  readonly service: RawServer;
  readonly recorder: Recorder;
  /** The recorded trees, once everything is recorded. */
  trees(): Promise<readonly TreeSummary[]>;
  /** The nodes of all of them, in the order in which they came. */
  nodes(): Promise<readonly RecordedNode[]>;
  /** Sends a body as it is, and gives the answer while it comes. */
  begin(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The same once the answer is there to its end: only then its recording has begun. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  close(): Promise<void>;
}

/** Opens both. The handler is the service. */
export async function openProxied(handler: Handler, more: TestServerOptions = {}): Promise<Proxied> {
  const service = await openRawServer(handler);
  const config = `[proxy]\nopenai = "${service.url}/v1"\nanthropic = "${service.url}"\n[providers.openai]\nbase_url = "${service.url}/v1"\napi_key = "${operatorKey}"\n${more.config ?? ''}`;
  // Services in these tests may never answer; nobody has to wait for them at the end.
  const server = await openTestServer({ store: 'sqlite', limits: { stopMs: 500 }, ...more, config });
  const listening = await server.listen();
  const { recorder } = listening.server.services;
  const trees = async () => {
    await recorder.idle();
    return (await server.store.trees({ forest: true, limit: 100 })).items;
  };
  const begin: Proxied['begin'] = (path, body, headers = {}) =>
    fetch(`${listening.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}`, ...headers },
    });
  return {
    url: listening.url,
    server,
    listening,
    service,
    recorder,
    trees,
    async nodes() {
      const all: RecordedNode[] = [];
      for (const { id, rootId } of (await trees()).toReversed()) {
        const found = await server.store.read(id, () => ask('subtree', { of: rootId }));
        const depths = new Map<string, number>();
        for (const node of [...found].sort((a, b) => a.seq - b.seq)) {
          const depth = node.parentId === null ? 0 : (depths.get(node.parentId) ?? 0) + 1;
          depths.set(node.id, depth);
          const { role, text, status } = node;
          if (node.kind !== 'root') all.push({ role, text, status, depth, node });
        }
      }
      return all;
    },
    begin,
    async post(path, body, headers) {
      const answer = await begin(path, body, headers);
      const { status, headers: reported } = answer;
      return new Response(await answer.arrayBuffer(), { status, headers: reported });
    },
    async close() {
      await listening.close();
      await server.close();
      await service.close();
    },
  };
}
