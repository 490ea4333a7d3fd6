import { messageKit } from '@coppice/content';
import { ask, readTree, run, treeId } from '@coppice/core';
import { newId, RecordedSessionReader } from '@coppice/engine';
import { encodeReply } from '@coppice/engine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';
import { findSessionInBody, readCallOrigin } from './session-of-call.ts';

const chat = '/v1/chat/completions';
const json = { 'content-type': 'application/json' };
let open: ProxyFixture | null = null;

async function proxied(config = ''): Promise<ProxyFixture> {
  let answered = 0;
  open = await openProxyFixture(
    (_request, response) => {
      response.writeHead(200, json);
      response.end(JSON.stringify(encodeReply('openai', { text: `Answer ${++answered}.` })));
    },
    { config },
  );
  return open;
}

afterEach(async () => {
  vi.useRealTimers();
  await open?.close();
  open = null;
});

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });
const call = (...messages: readonly object[]) => ({ model: 'm', messages });

describe('the session of a call', () => {
  it('[RP25] is read from a header or from the body, as the programs send it', () => {
    const headers = (given: Readonly<Record<string, string>>) => readCallOrigin((name) => given[name], null).session;
    expect(headers({ 'x-claude-code-session-id': 'c1' })).toBe('c1');
    expect(headers({ session_id: 's1', 'thread-id': 's1' })).toBe('s1');
    expect(headers({ 'session-id': 's2' })).toBe('s2');
    expect(headers({ 'x-coppice-session': 'mine', session_id: 's1' })).toBe('mine');
    expect(headers({ session_id: 'x'.repeat(600) })).toBeNull();
    const id = '0190c2e0-0000-7000-8000-000000000001';
    expect(findSessionInBody({ metadata: { user_id: `user_abc_account_def_session_${id}` } })).toBe(id);
    expect(findSessionInBody({ metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: id }) } })).toBe(id);
    expect(findSessionInBody({ metadata: { user_id: 'somebody' } })).toBeNull();
    expect(findSessionInBody({ metadata: { user_id: '{broken' } })).toBeNull();
  });

  it('[RP25] is the key of the prompt cache only for a known program, because others share one key', async () => {
    const { post, trees } = await proxied();
    const cached = (words: string) => ({ ...call(user(words)), prompt_cache_key: 'support-v2' });
    for (const words of ['How do I cook rice?', 'Write a poem.']) await post(chat, cached(words));
    expect(await trees()).toHaveLength(2);
    for (const words of ['one', 'two']) await post(chat, cached(words), { 'user-agent': 'codex_exec/0.169.0' });
    expect((await trees()).map(({ attributes }) => attributes.autoTitle)).toEqual([
      'one',
      'Write a poem',
      'How do I cook rice?',
    ]);
  });
});

describe('calls grouped by session', () => {
  it('[RP25] with one session are one tree even if the prompt changes, and the change is recorded where it happened', async () => {
    const { post, trees, server } = await proxied();
    const session = { 'x-claude-code-session-id': 'one' };
    await post(chat, call(system('Today is Monday.'), user('Which tea?')), session);
    await post(chat, call(system('Today is Tuesday.'), user('Which tea?'), said('Answer 1.'), user('Sure?')), session);
    await post(
      chat,
      call(
        system('Today is Tuesday.'),
        user('Which tea?'),
        said('Answer 1.'),
        user('Sure?'),
        said('Answer 2.'),
        user('Ok'),
      ),
      session,
    );
    const [tree, ...more] = await trees();
    expect(more).toEqual([]);
    expect(tree?.attributes).toMatchObject({ systemPrompt: 'Today is Monday.', autoTitle: 'Which tea?' });
    const nodes = await server.store.read(tree?.id ?? never(), () => ask('subtree', { of: tree?.rootId ?? never() }));
    const noted = nodes.filter(({ meta }) => meta.recordedPrompt !== undefined);
    expect(noted.map(({ text, meta }) => [text, meta.recordedPrompt])).toEqual([['Sure?', 'Today is Tuesday.']]);
    const last = nodes.find(({ text }) => text === 'Answer 3.');
    const { body } = await server.ask('GET', `/api/trees/${tree?.id}/context?nodeId=${last?.id}`);
    expect(JSON.stringify(body)).toContain('Today is Tuesday.');
    expect(JSON.stringify(body)).not.toContain('Today is Monday.');
  });

  it('[RP25] are compared with the prompt that counts now, if the tree was changed since the last call', async () => {
    const { post, trees, server } = await proxied();
    const session = { 'x-claude-code-session-id': 'one' };
    const [first, second] = [user('Which tea?'), user('Sure?')];
    await post(chat, call(system('Today is Monday.'), first), session);
    const [tree] = await trees();
    const id = tree?.id ?? never();
    const { activeNodeId } = await server.store.read(id, () => readTree(id));
    const noted = { recordedPrompt: 'Today is Tuesday.' };
    const context = { actor: 'me', kit: messageKit, now: Date.now, newId };
    await run(server.store, { type: 'annotate', treeId: id, nodeId: activeNodeId ?? never(), set: noted }, context);
    await post(chat, call(system('Today is Monday.'), first, said('Answer 1.'), second), session);
    expect(await trees()).toHaveLength(1);
    const nodes = await server.store.read(id, () => ask('subtree', { of: tree?.rootId ?? never() }));
    expect(nodes.find(({ text }) => text === 'Sure?')?.meta.recordedPrompt).toBe('Today is Monday.');
  });

  it('[RP25] of two sessions with the same prompt and the same texts are two trees', async () => {
    const { post, trees } = await proxied();
    for (const id of ['one', 'two']) await post(chat, call(system('Be brief.'), user('Hi')), { 'session-id': id });
    expect(await trees()).toHaveLength(2);
  });

  it('[RP25] of two programs with the same id are two trees, unless the user chose the id', async () => {
    const { post, trees, nodes } = await proxied();
    const [codex, claude] = [{ 'user-agent': 'codex_exec/1' }, { 'user-agent': 'claude-cli/2' }];
    for (const words of ['of Codex', 'again'])
      await post(chat, call(user('of Codex'), ...(words === 'again' ? [said('Answer 1.'), user(words)] : [])), {
        ...codex,
        'session-id': '7',
      });
    for (const words of ['of Claude', 'again'])
      await post(chat, call(user('of Claude'), ...(words === 'again' ? [said('Answer 3.'), user(words)] : [])), {
        ...claude,
        'x-claude-code-session-id': '7',
      });
    const agent = { 'x-claude-code-session-id': '7', 'x-claude-code-agent-id': 'a1' };
    await post(chat, call(user('for an agent')), { ...claude, ...agent });
    expect((await trees()).map(({ attributes }) => attributes.autoTitle).toSorted()).toEqual([
      'for an agent',
      'of Claude',
      'of Codex',
    ]);
    expect((await nodes()).map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 2]);
    const [sub] = (await trees()).filter(({ attributes }) => attributes.tags?.includes('sub-agent'));
    const of = (title: string) =>
      trees().then((all) => all.find(({ attributes }) => attributes.autoTitle === title)?.id);
    expect(sub?.attributes.metadata?.['spawnedBy']).toMatchObject({ treeId: await of('of Claude') });
    await post(chat, call(user('mine')), { ...codex, 'x-coppice-session': 'my own' });
    await post(chat, call(user('mine too')), { ...claude, 'x-coppice-session': 'my own' });
    expect(await trees()).toHaveLength(4);
  });

  it('[RP6] have a reply once if another process records the call that continues it first', async () => {
    const { post, nodes } = await proxied();
    const session = { 'session-id': 'one' };
    await post(chat, call(user('one'), said('Answer 2.'), user('two')), session);
    await post(chat, call(user('one')), session);
    const all = await nodes();
    expect(all.map(({ text, depth }) => `${depth} ${text}`)).toEqual(['1 one', '2 Answer 2.', '3 two', '4 Answer 1.']);
    expect(all[1]?.node.meta.source).toMatchObject({ provider: 'openai', timing: {} });
    // A reply that the history of a later call has already added is not added again.
    await post(chat, call(user('one'), said('Answer 2.'), user('two'), said('Answer 4.'), user('three')), session);
    await post(chat, call(user('one'), said('Answer 2.'), user('two')), session);
    expect((await nodes()).filter(({ text }) => text === 'Answer 4.')).toHaveLength(1);
  });

  it('[RP25] without an id continue where their history is, up to its last known reply', async () => {
    const { post, trees, nodes } = await proxied();
    await post(chat, call(user('one')));
    await post(chat, call(user('one'), said('Answer 1.'), user('two')));
    await post(chat, call(user('one'), said('Answer 1.'), user('other')));
    expect(await trees()).toHaveLength(1);
    expect((await nodes()).map(({ text, depth }) => [text, depth])).toEqual([
      ['one', 1],
      ['Answer 1.', 2],
      ['two', 3],
      ['Answer 2.', 4],
      ['other', 3],
      ['Answer 3.', 4],
    ]);
  });

  it('[RP25] without an id and without a reply are a retry within ten minutes, from the same program, with the same texts', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const { post, trees } = await proxied();
    const first = call(system('Be brief.'), user('Hi'));
    await post(chat, first, { 'user-agent': 'a' });
    await post(chat, first, { 'user-agent': 'a' });
    expect(await trees()).toHaveLength(1);
    await post(chat, first, { 'user-agent': 'b' });
    expect(await trees()).toHaveLength(2);
    await post(chat, call(system('Be long.'), user('Hi')), { 'user-agent': 'a' });
    expect(await trees()).toHaveLength(3);
    vi.setSystemTime(1_000_000 + 11 * 60_000);
    await post(chat, first, { 'user-agent': 'a' });
    expect(await trees()).toHaveLength(4);
  });

  it('[RP25] continue in a new tree if theirs was deleted', async () => {
    const { post, trees, server } = await proxied();
    const session = { 'session-id': 'one' };
    await post(chat, call(user('one')), session);
    const [tree] = await trees();
    await server.ask('DELETE', `/api/trees/${tree?.id}`, { headers: { 'if-match': String(tree?.version) } });
    await post(chat, call(user('one'), said('Answer 1.'), user('two')), session);
    const after = await trees();
    expect(after.map(({ id }) => id)).not.toContain(tree?.id);
    expect(after).toHaveLength(1);
  });

  it('[RP26] are titled by the words of the user, not by the text that the program puts before them', async () => {
    const { post, trees } = await proxied();
    const reminder = '<system-reminder>As you answer the user, you can use this.</system-reminder>\n';
    await post(chat, call(user(`${reminder}Fix the login page`)));
    expect((await trees())[0]?.attributes.autoTitle).toBe('Fix the login page');
    await post(chat, call(user('"Fix the list"\n')));
    expect((await trees())[0]?.attributes.autoTitle).toBe('Fix the list');
  });
});

describe('a program that names no sessions', () => {
  const tools = [{ type: 'function', function: { name: 'look' } }];
  const context = (date: string) => `<session_context>\nThe date is ${date}.\n</session_context>\n`;
  const routing = call(system('You are a specialized Task Routing AI.'), user('Which tea?'));

  it('[RP39] has the side calls of a process in the session of that process', async () => {
    const { post, trees, server } = await proxied();
    const run = { 'x-coppice-run': 'p1', 'x-coppice-program': 'Tea maker' };
    await post(chat, routing, run);
    await post(chat, { ...call(user('Which tea?')), tools }, run);
    await post(chat, { ...call(user('Which tea?'), said('Answer 2.'), user('Sure?')), tools }, run);
    expect(await trees()).toHaveLength(2);
    const { sessions } = await new RecordedSessionReader(server.store).list();
    expect(sessions).toMatchObject([
      { title: 'Which tea?', program: 'Tea maker', children: [{ kind: 'side-calls', figures: { calls: 1 } }] },
    ]);
    // The result is the same if the session is recorded before its first side call.
    await post(chat, { ...call(user('Which milk?')), tools }, { 'x-coppice-run': 'p3' });
    await post(chat, routing, { 'x-coppice-run': 'p3' });
    await trees();
    const [milk] = (await new RecordedSessionReader(server.store).list()).sessions;
    expect(milk).toMatchObject({ title: 'Which milk?', children: [{ kind: 'side-calls' }] });
    // The same question from another process is not a retry.
    await post(chat, { ...call(user('Which tea?')), tools }, { 'x-coppice-run': 'p2' });
    expect(await trees()).toHaveLength(5);
  });

  it('[RP39] keeps side calls without a process apart from sessions', async () => {
    const { post, server, trees } = await proxied();
    await post(chat, routing);
    await post(chat, { ...call(user('Which tea?')), tools });
    expect(await trees()).toHaveLength(2);
    const { sessions } = await new RecordedSessionReader(server.store).list();
    expect(sessions).toMatchObject([{ title: 'Which tea?', children: [] }]);
  });

  it('[RP39] continues its session on another day only if no other session has the same texts', async () => {
    const { post, trees } = await proxied();
    const asked = (date: string) => user(`${context(date)}Which tea?`);
    await post(chat, { ...call(asked('Monday')), tools }, { 'x-coppice-run': 'p1' });
    await post(chat, { ...call(asked('Tuesday'), said('Answer 1.'), user('Sure?')), tools }, { 'x-coppice-run': 'p2' });
    expect(await trees()).toHaveLength(2);
    const long = [asked('Wednesday'), said('Answer 1.'), user('Sure?'), said('Answer 2.'), user('And milk?')];
    await post(chat, { ...call(...long), tools }, { 'x-coppice-run': 'p3' });
    expect(await trees()).toHaveLength(2);
  });
});

describe('the grouping of a project', () => {
  it('[RP25] is by prompt if the configuration says so, for all projects or for one', async () => {
    const { post, trees } = await proxied('[proxy.projects]\nshop = "prompt"\n');
    for (const words of ['one', 'two'])
      for (const project of ['shop', 'mine'])
        await post(`/p/${project}${chat}`, call(system('Be brief.'), user(words)), { 'session-id': words });
    const found = (await trees()).map(({ attributes }) => attributes.project).toSorted();
    expect(found).toEqual(['mine', 'mine', 'shop']);
  });

  it('[RP25] decides what is active: the newest reply of a session, the first message of a prompt', async () => {
    const { post, trees, server } = await proxied('[proxy.projects]\nshop = "prompt"\n');
    const history = [user('one')];
    for (const words of ['two', 'three']) {
      for (const project of ['shop', 'mine'])
        await post(`/p/${project}${chat}`, call(...history), { 'session-id': project });
      history.push(said(`Answer ${history.length}.`), user(words));
    }
    const active = async (project: string) => {
      const tree = (await trees()).find(({ attributes }) => attributes.project === project) ?? never();
      const to = tree.activeNodeId ?? never();
      return (await server.store.read(tree.id, () => ask('node', { id: to })))?.text;
    };
    expect([await active('shop'), await active('mine')]).toEqual(['one', 'Answer 4.']);
  });

  it('[RP25] stays by prompt if a project already has such trees', async () => {
    const { post, trees, server } = await proxied();
    const attributes = { project: 'old', systemPrompt: 'Be brief.' };
    const made = { type: 'create', treeId: treeId(newId()), attributes, forest: true } as const;
    await run(server.store, made, { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit });
    for (const id of ['a', 'b']) await post(`/p/old${chat}`, call(system('Be brief.'), user(id)), { 'session-id': id });
    expect((await trees()).map(({ id }) => id)).toEqual([made.treeId]);
  });
});

function never(): never {
  throw new Error('There is no tree.');
}
