/** Validates the document with a third-party validator, and real responses against the document. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { createTestId, EventReader, openTestServer, type TestServer } from './testing/index.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Document {
  readonly [part: string]: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let document: Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
ajv.addFormat('binary', true);

beforeAll(async () => {
  const server = await openTestServer();
  document = (await server.ask('GET', '/api/openapi.json')).body;
  ajv.addSchema({ ...document, $id: 'document' });
  await server.close();
});

test('[A36] the document is valid under the schema of OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

/** Returns the differences between a response and the document; empty if the response matches. */
async function faultsOf(method: string, path: string, response: Response): Promise<readonly unknown[]> {
  const [plain = ''] = path.split('?');
  const parts = plain.split('/');
  const template = Object.keys(document.paths).find((known) => {
    const names = known.split('/');
    const fits = (name: string, at: number) => name === parts[at] || /^\{\w+\}$/.test(name);
    return method.toLowerCase() in (document.paths[known] ?? {}) && names.length === parts.length && names.every(fits);
  });
  if (template === undefined) return [`${plain} is not in the document`];
  const verb = method.toLowerCase();
  const { responses } = document.paths[template]?.[verb] ?? { responses: {} };
  const status = String(response.status) in responses ? String(response.status) : 'default';
  if (response.ok && status === 'default') return [`${response.status} is not in the document`];
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  if (response.status === 304) return [];
  const { content } = responses[status] ?? {};
  if (content?.[type] === undefined && content?.['*/*'] === undefined) return [`${type} is not in the document`];
  if (type !== 'application/json') return [];
  const pointer = ['paths', template, verb, 'responses', status, 'content', type, 'schema'].map(
    (name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
  );
  const check = ajv.getSchema(`document#${pointer.join('')}`);
  if (check === undefined) return [`${template} has no schema`];
  return check(await response.json()) ? [] : (check.errors ?? []);
}

/** Sends a request, and fails if the response does not match the document. */
async function held(
  server: TestServer,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await server.raw(method, path, { headers, ...(body === undefined ? {} : { body }) });
  const copy = response.clone();
  expect({ method, path, faults: await faultsOf(method, path, response) }).toEqual({ method, path, faults: [] });
  const isJson = copy.headers.get('content-type')?.startsWith('application/json') === true;
  const said: ReturnType<typeof JSON.parse> = isJson ? await copy.json() : null;
  return { status: copy.status, body: said };
}

test('[A36] every response in a long conversation matches the document, refusals included', async () => {
  const server = await openTestServer({ store: 'sqlite' });
  const ask = held.bind(null, server);
  const id = createTestId();
  const first = { id, title: 'Trip', systemPrompt: 'Be brief.', messages: [{ role: 'user', content: 'Where to?' }] };
  expect((await ask('POST', '/api/trees', first)).status).toBe(201);
  expect((await ask('POST', '/api/trees', first)).status).toBe(200);
  expect((await ask('POST', '/api/trees', { ...first, title: 'Other' })).status).toBe(409);
  const at = `/api/trees/${id}`;
  const version = async () => (await ask('GET', at)).body.version;
  const write = async (method: string, path: string, body?: object) =>
    ask(method, `${at}${path}`, body, { 'if-match': `"${await version()}"` });
  const question = (await ask('GET', at)).body.activeNodeId;

  const models = ['scripted/one'];
  const begun = await write('POST', '/generations', { type: 'reply', parentId: question, models });
  const turn = new EventReader(await server.raw('GET', `/api/generations/${begun.body.actId}/events`));
  await turn.all();
  const reply = begun.body.nodes[0].nodeId;
  const added = await write('POST', '/messages', {
    messages: [
      { role: 'user', content: 'Look it up.' },
      { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'find', parameters: { of: 'sea' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'Found.' },
      {
        role: 'assistant',
        content: [
          { type: 'odd', any: { thing: [1, null] } },
          { type: 'text', text: 'The sea.' },
        ],
      },
    ],
  });
  const [asked, called, , reported] = added.body.nodes.map((node: { id: string }) => node.id);
  const edited = await write('POST', `/nodes/${asked}/edit`, { content: 'Look it up, please.' });
  const calls: readonly (readonly [string, string, object?])[] = [
    ['POST', `/nodes/${reported}/edit`, { content: 'x', mode: 'prefix' }],
    ['POST', `/nodes/${edited.body.result.nodeId}/split`, { position: 4 }],
    ['PUT', `/nodes/${reported}/bookmark`, { title: 'Here' }],
    ['PUT', `/nodes/${reported}/tags`, { tags: ['a'] }],
    ['PUT', `/nodes/${reported}/title`, { title: 'T' }],
    ['PATCH', `/nodes/${reported}/meta`, { set: { excluded: true, own: { a: 1 } } }],
    ['PUT', '/active', { nodeId: reported }],
    ['POST', '/navigate', { nodeId: asked, direction: 'next' }],
    ['POST', '/cherry-pick', { nodeId: question }],
    ['POST', '/merge', { nodeId: reported }],
    ['POST', '/branch', { nodeId: reply, summary: 'Left.' }],
    ['POST', `/nodes/${reported}/move`, { parentId: question }],
    ['POST', '/group', { nodeIds: [reported] }],
    ['DELETE', `/nodes/${reported}?mode=cascade`],
    ['POST', `/trash/${reported}/restore`],
    ['DELETE', `/nodes/${called}`],
    ['POST', '/undo'],
    ['POST', '/redo', {}],
    ['POST', '/history/2/restore'],
    ['POST', '/undo', {}],
    ['POST', '/generations', { type: 'regenerate', nodeId: reply, models, n: 2 }],
    ['POST', '/shares', { fields: ['tools', 'times'] }],
    ['PATCH', '', { title: null, folder: 'f', tags: ['t'], pinned: true, metadata: { a: [1] } }],
    ['POST', '/duplicate', { whole: true }],
    ['PUT', '/system-prompt', { systemPrompt: null }],
    ['POST', '/commands', { line: '/branches' }],
    ['POST', '/commands/complete', { line: '/b' }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await write(method, path, body);
    expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    // A reply in progress would change the version, so that the next request conflicts.
    if (path === '/generations')
      await new EventReader(await server.raw('GET', `/api/generations/${answer.body.actId}/events`)).all();
  }

  for (const path of [
    at,
    `${at}?format=linear&count=true`,
    `${at}/page?siblings=true`,
    `${at}/topology`,
    `${at}/topology/columns`,
    `${at}/leaves`,
    `${at}/bookmarks`,
    `${at}/trash`,
    `${at}/history`,
    `${at}/history/3`,
    `${at}/history/3/page`,
    `${at}/context?model=scripted/one`,
    `${at}/shares`,
    `${at}/generations`,
    `${at}/nodes/${reply}`,
    `${at}/nodes/${reply}/children`,
    `${at}/nodes/${reply}/siblings`,
    `${at}/nodes/${reply}/impact`,
    `${at}/nodes/${reply}/path`,
    `${at}/diff?a=${question}&b=${reply}`,
    '/api/trees?trashed=true',
    '/api/trees',
    '/api/search?q=sea',
    '/api/folders',
    '/api/tags',
    '/api/shares',
    '/api/models',
    '/api/tools',
    '/api/mcp',
    '/api/settings',
    '/api/commands',
    '/api/me',
    '/healthz',
    '/readyz',
    '/metrics',
    '/api/docs',
  ])
    expect([path, (await ask('GET', path)).status]).toEqual([path, 200]);
  for (const [path, status] of [
    [`${at}/page?limit=x`, 400],
    [`${at}/history/99999`, 404],
    [`/api/trees/${createTestId()}`, 404],
    ['/api/trees?cursor=none', 400],
    ['/api/users', 404],
    ['/api/shared/nothing', 404],
  ] as const)
    expect([path, (await ask('GET', path)).status]).toEqual([path, status]);
  expect((await ask('POST', '/mcp', { neither: 'call' })).status).toBe(400);
  for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/p/x/v1/messages', '/v1/embeddings'])
    expect([path, (await ask('POST', path, { messages: 'none', previous_response_id: 'none' })).status]).toEqual([
      path,
      400,
    ]);
  for (const [method, path, status] of [
    ['DELETE', '/nodes/nothing', 400],
    ['DELETE', '/messages', 200],
    ['DELETE', '/trash', 200],
    ['POST', '/undo', 422],
    ['DELETE', '', 200],
    ['POST', '/messages', 400],
    ['POST', '/restore', 200],
  ] as const)
    expect([path, (await write(method, path)).status]).toEqual([path, status]);

  for (const path of ['/api/undo', '/api/redo'])
    expect([path, (await server.ask('POST', path, { body: { force: false } })).status]).toEqual([path, 200]);

  const stored = await server.ask('POST', '/api/attachments', {
    body: new Uint8Array([1, 2, 3]),
    headers: { 'content-type': 'image/png' },
  });
  const blob = `/api/attachments/${stored.body.hash}`;
  for (const headers of [
    {},
    { range: 'bytes=0-1' },
    { range: 'bytes=9-' },
    { 'if-none-match': `"${stored.body.hash}"` },
  ])
    await ask('GET', blob, undefined, { ...headers });
  await server.close();
});
