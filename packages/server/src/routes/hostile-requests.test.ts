// @module-tag full
/**
 * Sends hostile requests to every route of the OpenAPI document and to every MCP tool. Each must end, without an
 * internal error, and refuse with a code and a sentence.
 */
import type { Json } from '@coppice/core';
import { createMemorySecretRecords } from '@coppice/engine';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildOpenApiDocument } from '../openapi.ts';
import {
  generateHostileVariants,
  hostileTexts,
  hostileValues,
  type JsonSchema,
  SchemaExampleGenerator,
} from '../testing/hostile-values.ts';
import {
  addTestUsers,
  createTree,
  errorTables,
  openSharedServer,
  routeSamples,
  type TestRequestOptions,
  type TestServer,
} from '../testing/index.ts';
import type { RouteDefinition } from './define.ts';
import { routes } from './index.ts';

interface Ids {
  readonly version: number;
  readonly tree: string;
  readonly node: string;
  readonly parent: string;
  /** A tree and a message of another user. */
  readonly foreignTree: string;
  readonly foreignNode: string;
  /** The `id`, `name`, `token` and `call` of paths with this beginning. */
  readonly paths: readonly (readonly [beginning: string, values: Readonly<Record<string, string>>])[];
}

const long = process.env['COPPICE_LONG'] === '1';
const codes = new Set(Object.values(errorTables).flatMap((table) => Object.keys(table)));
// A request that takes longer hangs. The longest legitimate waits of a test server are much shorter.
const patienceMs = 20_000;
// Parts of a stack, a query or a path that an answer must not contain.
const inside =
  /\bat \S+ \(|node:internal|file:\/\/|\/packages\/|node_modules|SQLITE_|syntax error|\bundefined\b|\[object /;

/** Returns what is wrong with a response; null if nothing is. */
async function faultOf(response: Response): Promise<string | null> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok || response.status === 304) {
    await response.body?.cancel();
    return null;
  }
  const text = await response.text();
  if (response.status === 500) return `500: ${text}`;
  if (!type.startsWith('application/json')) return `${response.status} ${type}: ${text.slice(0, 200)}`;
  const { error } = JSON.parse(text);
  // The MCP route refuses in the form of JSON-RPC, whose codes are numbers.
  if (typeof error?.code === 'number' && error.message.length < 2_000 && !inside.test(error.message)) return null;
  const isKnown = typeof error?.code === 'string' && codes.has(error.code);
  if (!isKnown) return `${response.status} has no known code: ${text.slice(0, 300)}`;
  if (typeof error.message !== 'string' || !/^.{8,}[.?…]$/su.test(error.message))
    return `${error.code} has no sentence: ${text.slice(0, 300)}`;
  if (inside.test(error.message)) return `${error.code} shows its inside: ${error.message.slice(0, 300)}`;
  if (error.message.length > 2_000) return `${error.code} repeats the input: ${error.message.slice(0, 100)}`;
  return null;
}

/** A server with hostile clients. The tree of the requests is replaced after a successful write. */
class Target {
  readonly #open: () => Promise<TestServer>;
  server: TestServer;
  readonly faults = new Map<string, string>();
  ids: Ids;

  private constructor(open: () => Promise<TestServer>, server: TestServer, ids: Ids) {
    this.#open = open;
    this.server = server;
    this.ids = ids;
  }

  static async open(createStore: () => Promise<string>): Promise<Target> {
    const open = async () =>
      openSharedServer({ store: await createStore(), keys: createMemorySecretRecords(), mcpWrites: true });
    const server = await open();
    return new Target(open, server, await createIds(server));
  }

  async #reopen(): Promise<void> {
    await this.server.close();
    this.server = await this.#open();
  }

  /** Sends a request, and notes its fault under a short description of it. */
  async send(route: Pick<RouteDefinition, 'method' | 'path'>, path: string, asked: TestRequestOptions, what: string) {
    const key = `${route.method} ${route.path} ${what}`;
    const answered = Promise.resolve()
      .then(() => this.server.raw(route.method.toUpperCase(), path, { token: 'ada', ...asked }))
      .then(async (response) => ({
        fault: await faultOf(response),
        changed: response.ok && route.method !== 'get',
      }));
    const { fault, changed } = await Promise.race([answered, waitTooLong()]);
    if (fault !== null && this.faults.size < 60) {
      const same = [...this.faults.values()].filter((one) => one.startsWith(fault.slice(0, 40))).length;
      if (same < 4) this.faults.set(`${key} ${JSON.stringify(asked.body ?? path)?.slice(0, 1_500)}`, fault);
    }
    if (!changed) return;
    // The request may have revoked the token, disabled the user, limited the number of requests or removed the tree.
    if (/users|tokens|sign/.test(route.path)) await addTestUsers(this.server.store);
    if (route.path.includes('limits')) await this.#reopen();
    if (!/^\/v1|^\/p\/|models|attachments|imports/.test(route.path)) this.ids = await createIds(this.server, this.ids);
  }
}

async function waitTooLong(): Promise<{ readonly fault: string; readonly changed: boolean }> {
  await new Promise((resolve) => setTimeout(resolve, patienceMs).unref());
  return { fault: 'does not end', changed: false };
}

async function createIds(server: TestServer, before?: Ids): Promise<Ids> {
  const own = await createTree(server, ['Hello', 'Hi there'], 'ada');
  const foreign = before === undefined ? await createTree(server, ['Not yours'], 'cleo') : null;
  return {
    version: own.version,
    tree: own.id,
    node: own.nodeIds[1] ?? '',
    parent: own.nodeIds[0] ?? '',
    foreignTree: foreign?.id ?? before?.foreignTree ?? '',
    foreignNode: foreign?.nodeIds[0] ?? before?.foreignNode ?? '',
    paths: before?.paths ?? (await createPathValues(server, own)),
  };
}

/** Creates what the paths of other routes name: a link, an attachment, an import and a generation. */
async function createPathValues(
  server: TestServer,
  own: Awaited<ReturnType<typeof createTree>>,
): Promise<Ids['paths']> {
  const ask = (path: string, body: unknown, more: TestRequestOptions = {}) =>
    server.ask('POST', path, { token: 'ada', body, ...more });
  const shared = await ask(`/api/trees/${own.id}/shares`, {});
  const stored = await ask('/api/attachments', 'bytes', { headers: { 'content-type': 'image/png' } });
  const imported = await ask('/api/imports', '[]', { headers: { 'content-type': 'application/octet-stream' } });
  const reply = { type: 'reply', parentId: own.nodeIds[0], models: ['scripted/one'], select: false };
  const begun = await ask(`/api/trees/${own.id}/generations`, reply, { version: own.version });
  return [
    ['/api/users/', { id: 'cleo', token: 'token-cleo' }],
    ['/api/tokens/', { id: 'token-ben' }],
    ['/api/shares/', { id: shared.body.share.id }],
    ['/api/shared/', { token: shared.body.token }],
    ['/api/attachments/', { hash: stored.body.hash }],
    ['/api/imports/', { id: imported.body.id }],
    ['/api/connections/', { name: 'openai' }],
    ['/api/mcp/servers/', { name: 'own' }],
    ['/api/generations/', { act: begun.body.actId }],
  ];
}

function pathOf(route: RouteDefinition, ids: Ids, replaced: Readonly<Record<string, string>> = {}): string {
  const values: Readonly<Record<string, string>> = {
    tree: ids.tree,
    node: ids.node,
    act: ids.node,
    version: '1',
    hash: 'a'.repeat(64),
    ...ids.paths.find(([beginning]) => route.path.startsWith(beginning))?.[1],
    ...replaced,
  };
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'unknown');
}

// A database server refuses some texts and numbers that SQLite stores.
const databaseValues: readonly Json[] = ['a\0b', '\ud800', 2 ** 53, -1, 1e308, { 'a\0': 'b\0' }];

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: JsonSchema };
}

const document: ApiDocument = JSON.parse(JSON.stringify(buildOpenApiDocument(routes)));
const named = routes.map((route): [string, RouteDefinition] => [`${route.method} ${route.path}`, route]);
const utf8 = (text: string) => new TextEncoder().encode(text);
/** Bodies that are not JSON, or not the JSON that they seem to be. */
const brokenBodies: readonly (string | Uint8Array)[] = [
  ...['', ' ', '{', '{"a":', '[1,', '"x', 'nul', '{"a":1}{', '{"a":1,"a":2}', '[]]', "{'a':1}", '\ufeff{}', 'NaN'],
  ...['[', '{"a":', '[{"a":'].map((opening) => opening.repeat(20_000)),
  ...[
    Uint8Array.of(0),
    Uint8Array.of(0xff, 0xfe, 0x7b),
    utf8('{"a":"\u0000"}'),
    Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
  ],
];

const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } };
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
const model = 'scripted/one';
/** Requests to the recording proxy, which the document describes only as bytes. */
const proxyRequests: Readonly<Record<string, readonly Json[]>> = {
  '/chat/completions': [
    {
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'seen' },
      ],
      tools: [{ type: 'function', function: tool }],
      ...{ stream: true, stream_options: { include_usage: true }, n: 1, temperature: 1, max_tokens: 5, stop: ['x'] },
      ...{ tool_choice: 'auto', metadata: { a: 'b' }, user: 'me', reasoning_effort: 'low' },
    },
  ],
  '/messages': [
    {
      model,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'seen' }] },
      ],
      tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
      ...{ max_tokens: 5, stream: true, temperature: 1, stop_sequences: ['x'], thinking: { type: 'disabled' } },
    },
  ],
  '/messages/count_tokens': [{ model, messages: [{ role: 'user', content: 'Hi' }] }],
  '/responses': [
    {
      model,
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'seen' },
        { type: 'item_reference', id: 'rs_1' },
      ],
      tools: [{ type: 'function', ...tool }],
      ...{
        stream: true,
        store: false,
        previous_response_id: 'resp_1',
        max_output_tokens: 5,
        reasoning: { effort: 'low' },
      },
    },
  ],
  '/embeddings': [{ model, input: ['x'], encoding_format: 'float' }],
};

function proxied({ path }: RouteDefinition): readonly Json[] | undefined {
  return Object.entries(proxyRequests).find(([end]) => path.endsWith(`/v1${end}`))?.[1];
}

async function attackRoute(target: Target, route: RouteDefinition, hostile: readonly Json[]): Promise<void> {
  const operation = document.paths[route.path]?.[route.method];
  const sample = () => routeSamples[route.name]?.(target.ids) ?? {};
  const path = () => {
    const { query } = sample();
    return `${pathOf(route, target.ids)}${query === undefined ? '' : `?${query}`}`;
  };
  const base = () => (route.needs.body === 'none' ? {} : { body: proxied(route)?.[0] ?? sample().body ?? {} });
  const send = (at: string, asked: TestRequestOptions, what: string) =>
    target.send(route, at, route.needs.version === 'none' ? asked : { version: target.ids.version, ...asked }, what);

  for (const parameter of operation?.parameters ?? []) {
    for (const text of [...hostileTexts, target.ids.foreignTree, target.ids.foreignNode]) {
      // `encodeURIComponent` throws on a lone surrogate, so it is replaced.
      const encoded = encodeURIComponent(text.toWellFormed());
      if (parameter.in === 'query') {
        const before = path().includes('?') ? `${path()}&` : `${path()}?`;
        await send(`${before}${parameter.name}=${encoded}`, base(), parameter.name);
        await send(`${pathOf(route, target.ids)}?${parameter.name}=${encoded}`, base(), parameter.name);
      }
      if (parameter.in === 'path' && encoded !== '')
        await send(pathOf(route, target.ids, { [parameter.name]: encoded }), base(), parameter.name);
      if (parameter.in === 'header' && /^[\x20-\x7e]*$/.test(text))
        await send(path(), { ...base(), headers: { 'if-match': text } }, 'if-match');
    }
    const bytes = ['%ff', '%ed%a0%80', '%c0%ae%c0%ae', '%', '%zz', '%00', '%2e%2e', '..', '%2f', '%5c', '%0d%0a'];
    for (const text of bytes) {
      if (parameter.in === 'query') await send(`${pathOf(route, target.ids)}?${parameter.name}=${text}`, base(), text);
      if (parameter.in === 'path') await send(pathOf(route, target.ids, { [parameter.name]: text }), base(), text);
    }
  }
  for (const { name } of (operation?.parameters ?? []).filter((one) => one.in === 'query'))
    await send(`${pathOf(route, target.ids)}?${name}=1&${name}=2`, base(), `${name} twice`);
  for (const query of [
    '?',
    '?&&==',
    '?unknown=1',
    '?__proto__=1',
    '?=1',
    `?${'a=1&'.repeat(2_000)}`,
    '?%00=%00',
    '?a[]=1',
  ])
    await send(`${pathOf(route, target.ids)}${query}`, base(), query.slice(0, 20));

  // The recorder treats all values alike, and a request has many places for them.
  const some = hostile.filter((value, at) => at % 3 === 0 || typeof value === 'object');
  for (const example of proxied(route) ?? [])
    for (const body of generateHostileVariants(example, some, 5)) await send(path(), { body }, 'body');
  if (route.needs.body === 'bytes') {
    for (const body of [...brokenBodies, utf8('x'.repeat(2_000_000))])
      for (const type of ['application/octet-stream', 'application/json', 'image/png', 'application/zip', 'text/html'])
        await send(path(), { body, headers: { 'content-type': type } }, type);
    return;
  }
  for (const type of [
    'text/plain',
    'application/xml',
    'application/json;charset=utf-16',
    'nonsense',
    'a/b;c=\u00e9',
    'application/json, text/plain',
  ])
    await send(path(), { ...base(), headers: { 'content-type': type } }, type);
  if (route.needs.body === 'none') {
    if (route.method === 'get') return;
    for (const body of brokenBodies) await send(path(), { body }, 'body of a route without one');
    return;
  }
  for (const body of brokenBodies) await send(path(), { body }, 'broken body');
  const schema = Object.values(operation?.requestBody?.content ?? {})[0]?.schema ?? {};
  const { node } = target.ids;
  const examples = new SchemaExampleGenerator(document.components.schemas, [node]).of(schema);
  const seen = new Set<string>();
  for (const example of [asJson(sample().body ?? {}), ...examples])
    for (const body of generateHostileVariants(example, hostile)) {
      const text = JSON.stringify(body);
      if (seen.has(text)) continue;
      seen.add(text);
      // The ids of the example are those of a tree that may have been replaced.
      await send(path(), { body: text.replaceAll(node, target.ids.node) }, 'body');
    }
  for (const id of [target.ids.foreignTree, target.ids.foreignNode])
    for (const example of examples)
      for (const body of generateHostileVariants(example, [id])) await send(path(), { body }, 'foreign id');
}

function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

describe.each(['sqlite', 'postgres'])('hostile requests on %s', (kind) => {
  let database: PostgresServer | null = null;
  beforeAll(async () => {
    if (kind === 'postgres') database = await PostgresServer.start();
  }, 120_000);
  afterAll(() => database?.close());

  test('[A301] every MCP tool ends every hostile call with an error that a model can read', {
    timeout: 600_000,
  }, async () => {
    const server = await openSharedServer({
      store: database === null ? 'sqlite' : await database.createDatabase(),
      mcpWrites: true,
    });
    let ids = await createIds(server);
    const headers = { accept: 'application/json, text/event-stream' };
    const rpc = async (method: string, params: Json) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await Promise.race([server.raw('POST', '/mcp', { token: 'ada', headers, body }), waitTooLong()]);
      if ('fault' in response) return { fault: response.fault };
      const text = await response.text();
      const answer = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
      if (response.status === 500) return { fault: text };
      const said = answer.error?.message ?? (answer.result?.isError === true ? answer.result.content[0].text : null);
      const isBad =
        said !== null &&
        (typeof said !== 'string' ||
          said.length < 8 ||
          said.length > 2_000 ||
          inside.test(said.replaceAll('received undefined', '')));
      return { fault: isBad || /unexpected|went wrong/.test(said ?? '') ? `${method} ${said}` : null, answer, said };
    };
    const faults: string[] = [];
    const note = ({ fault }: { readonly fault: string | null }, asked: Json) =>
      fault === null ? 0 : faults.push(`${JSON.stringify(asked).slice(0, 300)}\n  ${String(fault).slice(0, 300)}`);
    const { answer } = await rpc('tools/list', {});
    const tools: readonly { readonly name: string; readonly inputSchema: JsonSchema }[] = answer.result.tools;
    expect(tools.length).toBeGreaterThan(6);
    for (const { name, inputSchema } of tools) {
      const examples = new SchemaExampleGenerator({}, [ids.node]).of(inputSchema);
      const hostile = kind === 'sqlite' ? hostileValues : databaseValues;
      for (const example of examples) {
        const known = { ...(typeof example === 'object' ? example : {}), tree: ids.tree, node: ids.node };
        for (const body of [
          ...generateHostileVariants(known, hostile),
          ...generateHostileVariants(known, [ids.foreignTree, ids.foreignNode]),
        ]) {
          const result = await rpc('tools/call', { name, arguments: body });
          note(result, { name, body });
          if (result.said === null) ids = await createIds(server, ids);
        }
      }
    }
    const [uri] = [`coppice://trees/${ids.tree}/nodes/${ids.node}`];
    for (const text of [...hostileTexts, ids.foreignTree])
      for (const [method, params] of [
        ['resources/read', { uri: `coppice://trees/${encodeURIComponent(text.toWellFormed())}` }],
        ['resources/read', { uri: `${uri}/pictures/${encodeURIComponent(text.toWellFormed())}` }],
        ['resources/read', { uri: text }],
        ['resources/list', { cursor: text }],
        ['prompts/get', { name: 'continue-branch', arguments: { tree: text } }],
        ['prompts/get', { name: text, arguments: {} }],
        ['tools/call', { name: text, arguments: {} }],
        [text, {}],
      ] as const)
        note(await rpc(method, params), { method, params });
    await server.close();
    expect(faults).toEqual([]);
  });

  test.each(named)(
    '[A301] %s ends every hostile request without an internal error',
    { timeout: 600_000 },
    async (_name, route) => {
      // In the usual run each route gets a third of the values, and with `COPPICE_LONG` all.
      const third = (_value: Json, at: number) => long || at % 3 === routes.indexOf(route) % 3;
      const hostile = kind === 'sqlite' ? hostileValues.filter(third) : databaseValues;
      const target = await Target.open(async () => (database === null ? 'sqlite' : database.createDatabase()));
      await attackRoute(target, route, hostile);
      await target.server.close();
      expect([...target.faults].map((fault) => fault.join('\n  ')).join('\n')).toBe('');
    },
  );
});
