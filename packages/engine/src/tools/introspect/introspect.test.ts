import { nodeId, type Store, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Forest } from '../../forest/index.ts';
import { newId } from '../../new-id.ts';
import { createTools } from '../registry.ts';

let store: Store;
let forest: Forest;

beforeEach(async () => {
  store = await openStore('memory:');
  forest = new Forest(store);
});
afterEach(() => store.close());

async function introspect(rootId: string, here: string, level?: string, tools = createTools()): Promise<string> {
  const parameters = level === undefined ? {} : { level };
  const place = { store, treeId: treeId(rootId), nodeId: nodeId(here) };
  const { message } = await tools.call({ id: 'c', name: 'introspect', parameters }, { place });
  const [block] = message.content;
  return block !== undefined && 'text' in block ? String(block.text) : '';
}

async function buildChat() {
  const root = await forest.getOrCreateRoot('Be brief.');
  const user = (content: string) => ({ role: 'user', content });
  const assistant = (content: string) => ({ role: 'assistant', content });
  const first = await forest.append(root.id, [user('Which tree?'), assistant('An oak.')]);
  const second = await forest.append(root.id, [user('Which tree?'), assistant('A hazel.'), user('Why?')]);
  await forest.setBookmark(first.id, 'the oak');
  return { root, first, second };
}

test('[W81] an overview counts messages and branches, and names first messages and bookmarks', async () => {
  const { root, second } = await buildChat();
  const text = await introspect(root.id, second.id);
  expect(text.split('\n')).toEqual([
    'System prompt: 9 characters',
    'Messages: 4 in all, 3 on the path to the current message',
    'Branches: 2, forking at 1 message',
    expect.stringMatching(/^Tokens: about \d+ in all$/),
    'Bookmarks:',
    '#2 the oak',
    '',
    'First messages:',
    '#1 * user: Which tree?',
  ]);
  expect(await introspect(root.id, second.id, 'overview')).toBe(text);
});

test('[W82] all lists every message of every branch, its parent, and the path to the current one', async () => {
  const { root, second } = await buildChat();
  const lines = (await introspect(root.id, second.id, 'all')).split('\n');
  expect(lines.slice(-4)).toEqual([
    '#1 * user: Which tree?',
    '#2 < #1 assistant [the oak]: An oak.',
    '#3 < #1 * assistant: A hazel.',
    '#4 < #3 * user: Why?',
  ]);
});

test('[W83] only the chat itself is visible, and without one the result is empty', async () => {
  const { root, second } = await buildChat();
  const tools = createTools();
  const call = { id: 'c', name: 'introspect', parameters: {} };
  const stranger = { store: store.forOwner('somebody'), treeId: root.id, nodeId: nodeId(second.id) };
  const foreign = await tools.call(call, { place: stranger });
  expect(foreign.error).toBe('tool/failed');
  expect(JSON.stringify(foreign.message)).not.toContain('oak');
  expect((await tools.call(call)).error).toBe('tool/failed');
  expect((await tools.call({ ...call, parameters: { level: 'everything' } })).error).toBe('tool/bad-arguments');
  expect(await introspect(newId(), newId())).toContain('There is no chat');
});

test('[W83] a long chat is listed up to the limit of a result', async () => {
  const root = await forest.getOrCreateRoot();
  const history = Array.from({ length: 200 }, (_, index) => ({ role: 'user', content: `turn ${index}` }));
  const end = await forest.append(root.id, history);
  const text = await introspect(root.id, end.id, 'all', createTools({ limits: { resultBytes: 2000 } }));
  expect(text).toMatch(/^System prompt[\s\S]*#50 < #49[\s\S]*\[truncated: [^\]]+\]$/);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
});
