import { messageKit } from '@coppice/content';
import { ask, run, type TreeId, type TreeSummary, treeId } from '@coppice/core';
import { newId } from '@coppice/engine';
import { encodeReply } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';
import { parseRequest } from './parse-request.ts';
import { recordHistory } from './record.ts';
import { regroupRecordingsBySession, undoRegroup } from './regroup.ts';
import { readCallOrigin } from './session-of-call.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });

/**
 * Records a project that is grouped by prompt. Two sessions share a prompt, and the prompt of the first one changes.
 */
async function byPrompt(): Promise<ProxyFixture> {
  let answered = 0;
  open = await openProxyFixture(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(encodeReply('openai', { text: `Answer ${++answered}.` })));
    },
    { config: '[proxy.projects]\nshop = "prompt"\n' },
  );
  const { post } = open;
  const call = (...messages: readonly object[]) => post('/p/shop/v1/chat/completions', { model: 'm', messages });
  await call(system('Monday.'), user('Tea?'));
  await call(system('Monday.'), user('Coffee?'));
  await call(system('Monday.'), user('Tea?'), said('Answer 1.'), user('Green?'));
  await call(system('Tuesday.'), user('Tea?'), said('Answer 1.'), user('Green?'), said('Answer 3.'), user('Black?'));
  return open;
}

async function drawn({ server }: ProxyFixture, { id, rootId }: TreeSummary): Promise<string[]> {
  const nodes = await server.store.read(id, () => ask('subtree', { of: rootId }));
  return nodes
    .slice(1)
    .map(({ text, meta }) => `${text}${meta.recordedPrompt === undefined ? '' : ` (${meta.recordedPrompt})`}`);
}

const titleOf = ({ attributes }: TreeSummary) => attributes.autoTitle;

describe('regrouping a project', () => {
  const services = { project: 'shop', actor: 'local', now: Date.now, newId: () => newId() };

  it('[RP35] makes one tree of each session, with its prompts, and moves the former trees to the trash', async () => {
    const proxied = await byPrompt();
    const { store } = proxied.server;
    const before = await proxied.trees();
    expect(before).toHaveLength(2);
    const preview = await regroupRecordingsBySession(store, { ...services, preview: true });
    expect(preview).toMatchObject({
      trees: 2,
      sessions: [
        { title: 'Tea?', messages: 6 },
        { title: 'Coffee?', messages: 2 },
      ],
    });
    expect((await proxied.trees()).map(({ id, version }) => [id, version])).toEqual(
      before.map(({ id, version }) => [id, version]),
    );
    const progress: number[] = [];
    await regroupRecordingsBySession(store, { ...services, onProgress: ({ done }) => progress.push(done) });
    expect(progress).toEqual([1, 2]);
    const after = await proxied.trees();
    expect(after.map(titleOf).toSorted()).toEqual(['Coffee?', 'Tea?']);
    const tea = after.find((tree) => titleOf(tree) === 'Tea?');
    expect(tea?.attributes.systemPrompt).toBe('Monday.');
    expect(await drawn(proxied, tea ?? never())).toEqual([
      'Tea?',
      'Answer 1.',
      'Green?',
      'Answer 3.',
      'Black? (Tuesday.)',
      'Answer 4.',
    ]);
    expect((await store.trees({ project: 'shop', trashed: true })).items).toHaveLength(2);
    // A second run must find nothing to regroup.
    expect(await regroupRecordingsBySession(store, services)).toEqual({ trees: 0, sessions: [] });
    expect(await proxied.trees()).toHaveLength(2);
  });

  it('[RP35] can be undone and repeated', async () => {
    const proxied = await byPrompt();
    const { store } = proxied.server;
    const before = (await proxied.trees()).map(({ id }) => id).toSorted();
    await regroupRecordingsBySession(store, services);
    expect(await undoRegroup(store, services)).toMatchObject({ trees: 2, sessions: [{}, {}] });
    expect((await proxied.trees()).map(({ id }) => id).toSorted()).toEqual(before);
    await regroupRecordingsBySession(store, services);
    const after = await proxied.trees();
    expect(after.map(titleOf).toSorted()).toEqual(['Coffee?', 'Tea?']);
    for (const tree of after) expect(await drawn(proxied, tree)).toHaveLength(titleOf(tree) === 'Tea?' ? 6 : 2);
  });

  it('[RP35] neither regrouping nor its undo changes a copy that a user made of a recorded tree', async () => {
    const proxied = await byPrompt();
    const { store } = proxied.server;
    const copy = async (from: TreeId) => {
      const id = treeId(newId());
      const context = { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit, actId: newId() };
      await run(store, { type: 'duplicate', treeId: id, from }, context);
      return id;
    };
    const [first] = await proxied.trees();
    const copyByPrompt = await copy((first ?? never()).id);
    await regroupRecordingsBySession(store, services);
    const [session] = (await proxied.trees()).filter(({ id }) => id !== copyByPrompt);
    const copyBySession = await copy((session ?? never()).id);
    const shown = async () => (await proxied.trees()).map(({ id }) => id);
    expect(await shown()).toEqual(expect.arrayContaining([copyByPrompt, copyBySession]));
    expect(await undoRegroup(store, services)).toMatchObject({ trees: 2, sessions: [{}, {}] });
    expect(await shown()).toEqual(expect.arrayContaining([copyByPrompt, copyBySession]));
    expect(await shown()).toHaveLength(4);
  });

  it('[RP35] lets later calls continue in the regrouped trees', async () => {
    const proxied = await byPrompt();
    const { store } = proxied.server;
    await proxied.recorder.idle();
    await regroupRecordingsBySession(store, services);
    const history = [user('Coffee?'), said('Answer 2.'), user('Strong?')];
    const other = { model: 'm', messages: [system('Monday.'), ...history] };
    // Without a setting in the configuration, new calls of the project must be grouped by session now.
    const asked = parseRequest('chat', other) ?? never();
    const from = { project: 'shop', origin: readCallOrigin(() => undefined, null), callId: newId() };
    const placed = await recordHistory(store, asked, from, { actor: 'local', now: Date.now, newId: () => newId() });
    const coffee = (await proxied.trees()).find((tree) => titleOf(tree) === 'Coffee?');
    expect(placed.treeId).toBe(coffee?.id);
    expect(await drawn(proxied, coffee ?? never())).toEqual(['Coffee?', 'Answer 2.', 'Strong?']);
  });
});

function never(): never {
  throw new Error('There is no tree.');
}
