/** A server without a socket and with a scripted model, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import { createProviders, newId, openLiveConfig, parseConfig, type SecretRecords } from '@coppice/engine';
import {
  createScriptedProvider,
  makeTextEvents,
  type ScriptedProvider,
  type ScriptedReply,
} from '@coppice/engine/testing';
import { openStore } from '@coppice/stores';
import { type CoppiceServer, createServer } from '../app.ts';
import type { ServerOptions } from '../contract.ts';
import { routes } from '../routes/index.ts';
import { type RunningServer, serve } from '../serve.ts';

export { errorTables } from './error-tables.ts';
export { EventReader, type ReceivedEvent } from './read-events.ts';
export { type RouteSample, routeSamples, type SampleIds } from './route-samples.ts';
export { addTestUsers, openSharedServer, testUsers } from './shared-server.ts';

/** The options of a test server besides those of a real one. */
export type TestServerOptions = Partial<Omit<ServerOptions, 'store' | 'config'>> & {
  /** The URL of the store; by default in memory, for `sqlite` a new file. */
  readonly store?: string | Store;
  /** Whether calls are recorded on a worker thread. */
  readonly thread?: boolean;
  /** The replies of the scripted model, one per call; the last one is repeated. */
  readonly replies?: readonly ScriptedReply[];
  /** Lines of the configuration file. */
  readonly config?: string;
  /** The store of entered keys. Without it users cannot enter keys. */
  readonly keys?: SecretRecords;
};

/** A response with its parsed body. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The value that `JSON.parse` returns. Tests access responses of all shapes, which are validated before. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** The token, headers, body and expected version of a test request. */
export interface TestRequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly version?: number;
  /** The token of another user; null sends none. */
  readonly token?: string | null;
}

export interface TestServer {
  readonly server: CoppiceServer;
  readonly store: Store;
  readonly provider: ScriptedProvider;
  readonly token: string;
  /** Sends a request, validates a JSON response against its route's schema, and parses it. */
  ask(method: string, path: string, asked?: TestRequestOptions): Promise<TestResponse>;
  /** Sends a request and returns the raw response, for streams and bytes. */
  raw(method: string, path: string, asked?: TestRequestOptions): Promise<Response>;
  /** Starts the same services on a socket. */
  listen(options?: { readonly port?: number }): Promise<RunningServer>;
  close(): Promise<void>;
}

export const testToken = 'test-token';

export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const {
    store: wanted = 'memory:',
    replies = [makeTextEvents('Hello there, how are you?')],
    config: lines = '',
    thread = false,
    keys,
    ...rest
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'coppice-server-'));
  const url = wanted === 'sqlite' ? `sqlite:${join(folder, 'trees.db')}` : wanted;
  const store = typeof url === 'string' ? await openStore(url) : url;
  const provider = createScriptedProvider(replies);
  const fixed = parseConfig({ name: join(folder, 'test.toml'), text: lines }, {});
  const live =
    keys === undefined
      ? undefined
      : await openLiveConfig({
          records: keys,
          rules: { privateAddresses: rest.auth?.mode !== 'users' },
          env: {},
          checkMs: 0,
          load: async () => fixed,
        });
  const config = live?.current ?? fixed;
  const made: ServerOptions = {
    auth: { mode: 'token', token: testToken },
    generateLimits: { flushMs: 5, followMs: 5 },
    // A title would consume a reply of the scripted model.
    titles: false,
    providers: createProviders({ config, extra: [provider] }),
    ...rest,
    ...(thread && typeof url === 'string' ? { storeUrl: url } : {}),
    store,
    config,
    ...(live === undefined ? {} : { live }),
  };
  const server = createServer(made);
  const listening: RunningServer[] = [];
  const raw = (method: string, path: string, asked: TestRequestOptions = {}) => {
    const { token = testToken, version, body } = asked;
    const headers = new Headers();
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    if (version !== undefined) headers.set('if-match', `"${version}"`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(asked.headers ?? {})) headers.set(name, value);
    const sent =
      body === undefined
        ? {}
        : {
            body:
              body instanceof Uint8Array
                ? Uint8Array.from(body)
                : typeof body === 'string'
                  ? body
                  : JSON.stringify(body),
          };
    return Promise.resolve(server.app.request(path, { method, headers, ...sent }));
  };
  return {
    server,
    store,
    provider,
    token: testToken,
    raw,
    async ask(method, path, asked) {
      const response = await raw(method, path, asked);
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      const body: unknown = isJson ? await response.json() : await response.text();
      if (isJson && response.ok) checkAnswer(method, path, body);
      return { status: response.status, headers: response.headers, body };
    },
    async listen({ port = 0 } = {}) {
      const one = await serve({ ...made, port });
      listening.push(one);
      return one;
    },
    async close() {
      for (const one of listening) await one.close();
      await server.close();
      if (typeof wanted === 'string') await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Throws if a response does not match the document. */
function checkAnswer(method: string, path: string, body: unknown): void {
  const [plain = ''] = path.split('?');
  const route = routes.find(
    (one) =>
      one.method === method.toLowerCase() && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  );
  const checked = route?.answer.safeParse(body);
  if (checked === undefined || checked.success) return;
  throw new Error(`${method} ${plain} answers what its schema does not know: ${checked.error.message}`);
}

/** Returns a new id, like those that clients create. */
export function createTestId(): string {
  return newId();
}

/** Creates a tree with messages over HTTP: `user` and `assistant` alternate. */
export async function createTree(
  server: TestServer,
  texts: readonly string[] = ['Hello', 'Hi!'],
  token: string = testToken,
): Promise<{
  readonly id: string;
  readonly rootId: string;
  readonly nodeIds: readonly string[];
  readonly version: number;
}> {
  const messages = texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  const { status, body } = await server.ask('POST', '/api/trees', { token, body: { messages } });
  if (status !== 201) throw new Error(`No tree was made: ${JSON.stringify(body)}`);
  const nodeIds = body.nodes.map((node: { readonly id: string }) => node.id);
  return { id: body.treeId, rootId: body.result.tree.rootId, nodeIds, version: body.version };
}
