/** Tests a whole conversation with a client that is generated from the OpenAPI document. */
import { openTestServer } from '@coppice/server/testing';
import createClient from 'openapi-fetch';
import { expect, test } from 'vitest';
import type { paths } from './paths.ts';

test('[A34] a generated client drives a whole conversation: create, append, generate, edit, regenerate, switch, delete, undo, search', async () => {
  const server = await openTestServer({ store: 'sqlite' });
  const { url } = await server.listen();
  const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${server.token}` } });
  const models = ['scripted/one'];

  const made = await client.POST('/api/trees', { body: { title: 'Trip', systemPrompt: 'Be brief.' } });
  const tree = made.data?.treeId ?? '';
  const path = { tree };
  const said = await client.POST('/api/trees/{tree}/messages', {
    params: { path, header: { 'if-match': '"1"' } },
    body: { messages: [{ role: 'user', content: 'Where to in May?' }] },
  });
  const question = said.data?.result.nodeId ?? '';
  const begun = await client.POST('/api/trees/{tree}/generations', {
    params: { path, header: { 'if-match': said.response.headers.get('etag') ?? '' } },
    body: { type: 'reply', parentId: question, models },
  });
  const first = begun.data?.nodes[0]?.nodeId ?? '';
  const settle = async (act: string | undefined) => {
    const events = await client.GET('/api/generations/{act}/events', {
      params: { path: { act: act ?? '' } },
      parseAs: 'text',
    });
    expect(events.data).toContain('event: end');
  };
  await settle(begun.data?.actId);

  const seen = async () => (await client.GET('/api/trees/{tree}/page', { params: { path } })).data;
  const version = async () => (await seen())?.version ?? 0;
  const edited = await client.POST('/api/trees/{tree}/nodes/{node}/edit', {
    params: { path: { tree, node: question } },
    body: { content: 'Where to in June?', expectedVersion: await version() },
  });
  const asked = edited.data?.result.nodeId ?? '';
  const again = await client.POST('/api/trees/{tree}/generations', {
    params: { path },
    body: { type: 'regenerate', nodeId: asked, models, n: 2, expectedVersion: await version() },
  });
  expect(again.data?.nodes.length).toBe(2);
  await settle(again.data?.actId);

  const back = await client.POST('/api/trees/{tree}/navigate', {
    params: { path },
    body: { nodeId: asked, direction: 'previous' },
  });
  expect(back.data?.activeNodeId).toBe(first);
  const page = await seen();
  expect(page?.nodes.map((node) => node.text)).toEqual(['Where to in May?', 'Hello there, how are you?']);
  expect(page?.variants[question]).toEqual({ index: 0, total: 2, ids: [question, asked] });

  const gone = await client.DELETE('/api/trees/{tree}/nodes/{node}', {
    params: { path: { tree, node: asked }, query: { mode: 'cascade', expectedVersion: await version() } },
  });
  expect(gone.data?.result.removed).toEqual([asked]);
  const undone = await client.POST('/api/trees/{tree}/undo', {
    params: { path },
    body: { expectedVersion: await version() },
  });
  expect(undone.data?.result.versions.length).toBe(1);
  const hits = await client.GET('/api/search', { params: { query: { q: 'June' } } });
  expect(hits.data?.items.map((hit) => hit.nodeId)).toEqual([asked]);

  const stale = await client.POST('/api/trees/{tree}/messages', {
    params: { path },
    body: { messages: [{ role: 'user', content: 'late' }], expectedVersion: 1 },
  });
  expect([stale.response.status, stale.error?.error.code]).toEqual([409, 'tree/version-conflict']);
  await server.close();
});
