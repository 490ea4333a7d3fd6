/** Opens a server that forwards calls to a local service, for tests of the recording proxy. */
import { ask, type Node, type TreeSummary } from '@coppice/core';
import { openRawServer, type RawRequestHandler, type RawServer } from '@coppice/engine/testing';
import type { Recorder } from '../proxy/recorder.ts';
import type { RunningServer } from '../serve.ts';
import { openTestServer, type TestServer, type TestServerOptions, testToken } from './index.ts';

/** The operator's key for the service. */
export const operatorApiKey = 'sk-canary-of-the-operator-1234567890';

/** The fields of a node that tests check. */
interface RecordedNode {
  readonly role: string | null;
  readonly text: string;
  readonly status: string;
  readonly depth: number;
  readonly node: Node;
}

/** The server, the service behind it, and functions that read the recorded trees. */
export interface ProxyFixture {
  readonly url: string;
  readonly server: TestServer;
  readonly listening: RunningServer;
  readonly service: RawServer;
  readonly recorder: Recorder;
  /** The recorded trees, after all calls are recorded. */
  trees(): Promise<readonly TreeSummary[]>;
  /** The nodes of all trees, in the order in which they were added. */
  nodes(): Promise<readonly RecordedNode[]>;
  /** Sends a body and returns the response while it streams. */
  begin(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a body and waits for the whole response, because recording starts only then. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  close(): Promise<void>;
}

/** Opens the proxy and the service. The handler answers as the service. */
export async function openProxyFixture(
  handler: RawRequestHandler,
  more: TestServerOptions = {},
): Promise<ProxyFixture> {
  const service = await openRawServer(handler);
  const config = `[proxy]\nopenai = "${service.url}/v1"\nanthropic = "${service.url}"\n[providers.openai]\nbase_url = "${service.url}/v1"\napi_key = "${operatorApiKey}"\n${more.config ?? ''}`;
  // The services of these tests may never respond, and closing must not wait for them.
  const server = await openTestServer({ store: 'sqlite', limits: { stopMs: 500 }, ...more, config });
  const listening = await server.listen();
  const { recorder } = listening.server.services;
  const trees = async () => {
    await recorder.idle();
    return (await server.store.trees({ limit: 100 })).items;
  };
  const begin: ProxyFixture['begin'] = (path, body, headers = {}) =>
    fetch(`${listening.url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
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
