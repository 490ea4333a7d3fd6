import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Commit, readPath, type Store } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../test/postgres.ts';
import { openStore } from './index.ts';
import { type OpenedTree, openTree, type TreeMessage } from './open-tree.ts';

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function newStore(scheme: string): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-open-tree-'));
  const database = scheme === 'postgres' ? await createTestDatabase() : null;
  const store = await openStore(database?.url ?? `${scheme}:${scheme === 'memory' ? '' : join(folder, 'trees')}`);
  opened.push(async () => {
    await store.close();
    await database?.drop();
    rmSync(folder, { recursive: true });
  });
  return store;
}

const texts = (messages: readonly TreeMessage[]) => messages.map(({ text }) => text);
const active = async (tree: OpenedTree) => texts(await tree.messages());

describe.each(['memory', 'sqlite', 'files', 'jsonl', 'postgres'])('on %s', (scheme) => {
  test('[K184] a tree without an id is created by its first append, and is empty before', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store, undefined, { systemPrompt: 'Be brief.', title: 'Bread' });
    expect(await tree.messages()).toEqual([]);
    expect(await tree.page()).toEqual({ messages: [], before: null, activeId: null, version: 0 });
    expect((await tree.search('dough')).items).toEqual([]);
    expect((await tree.context()).messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    ]);
    await expect(tree.append('  ', { parentId: tree.id })).rejects.toMatchObject({ code: 'tree/unknown-node' });
    await expect(tree.append(['  '])).rejects.toMatchObject({ code: 'message/blank' });
    await expect(tree.undo()).rejects.toMatchObject({ code: 'undo/nothing' });
    await expect(tree.redo()).rejects.toMatchObject({ code: 'undo/nothing' });
    expect((await store.trees()).items).toEqual([]);
    // Concurrent appends form a chain.
    const [first, second] = await Promise.all([
      tree.append('Hello'),
      tree.append({ role: 'assistant', content: 'Hi.' }),
    ]);
    expect([first.parentId, second.parentId]).toEqual([null, first.id]);
    expect((await store.trees()).items).toMatchObject([{ id: tree.id, attributes: { title: 'Bread' } }]);
    expect((await tree.context()).messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    await tree.undo();
    await tree.undo();
    expect(await active(tree)).toEqual([]);
    await tree.redo();
    expect(await active(tree)).toEqual(['Hello']);
    await expect(tree.append(' ')).rejects.toMatchObject({ code: 'message/blank' });
  });

  test('[K184] handles that create the same tree at the same time all write to it; null is no id', async () => {
    const store = await newStore(scheme);
    const id = crypto.randomUUID();
    const handles = ['One', 'Two', 'Three'].map((title) => openTree(store, id, { create: true, title }));
    const added = await Promise.all(handles.map((tree, at) => tree.append(`Message ${at}`)));
    const { items } = await openTree(store, id).search('message');
    expect(new Set(items.map(({ nodeId }) => nodeId))).toEqual(new Set(added.map((message) => message.id)));
    expect((await store.trees()).items.length).toBe(1);
    const fresh = openTree(store, null);
    await fresh.append('Hello');
    expect(await active(fresh)).toEqual(['Hello']);
  });

  test('[K185] edit, regenerate, select, next and previous handle variants, each message with its position among them', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store);
    const reply = await tree.append(['Where to in May?', { role: 'assistant', content: 'Lisbon.' }]);
    const prepared = await tree.regenerate(reply.id);
    expect(prepared.prompt.text).toBe('Where to in May?');
    expect(prepared.context.messages.map(({ role }) => role)).toEqual(['user']);
    // `regenerate` writes nothing: the active path changes when the reply is added.
    expect(await active(tree)).toEqual(['Where to in May?', 'Lisbon.']);
    const again = await prepared.add('Porto.', { meta: { tags: ['second'] } });
    expect(again).toMatchObject({ role: 'assistant', text: 'Porto.', index: 1, count: 2, meta: { tags: ['second'] } });
    // A reply with the same text becomes another variant.
    expect(await (await tree.regenerate(again.id)).add('Porto.')).toMatchObject({ index: 2, count: 3 });
    expect((await tree.next(again.id)).index).toBe(2);
    expect((await tree.next((await tree.messages()).at(-1)?.id ?? '')).text).toBe('Lisbon.');
    expect((await tree.previous(reply.id)).index).toBe(2);
    const edited = await tree.edit(again.parentId ?? '', 'Where to in June?');
    expect(edited).toMatchObject({ index: 1, count: 2, role: 'user' });
    expect(await tree.messages()).toMatchObject([{ text: 'Where to in June?', index: 1, count: 2 }]);
    const { index, count, messages } = await tree.variants(edited.id);
    expect([index, count, texts(messages)]).toEqual([1, 2, ['Where to in May?', 'Where to in June?']]);
    expect(texts(await tree.path(reply.id))).toEqual(['Where to in May?', 'Lisbon.']);
    await tree.select(reply.id);
    const page = await tree.page({ limit: 1 });
    expect(page).toMatchObject({
      messages: [{ text: 'Lisbon.', index: 0, count: 3 }],
      activeId: reply.id,
      before: reply.id,
    });
    expect(texts((await tree.page({ limit: 1, before: page.before ?? '' })).messages)).toEqual(['Where to in May?']);
    expect((await tree.search('june')).items.map((hit) => hit.nodeId)).toEqual([edited.id]);
  });

  test('[K186] the children of a removed message stay unless removed too; a branch can be moved; both can be undone', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store);
    await tree.append(['One', { role: 'assistant', content: 'Two' }, 'Three']);
    const [one, two, three] = await tree.messages();
    if (one === undefined || two === undefined || three === undefined) throw new Error('A message is missing.');
    await tree.remove(two.id);
    expect(await active(tree)).toEqual(['One', 'Three']);
    await tree.undo();
    await tree.remove(two.id, { keepChildren: false });
    expect(await active(tree)).toEqual(['One']);
    await tree.undo();
    expect(await active(tree)).toEqual(['One', 'Two', 'Three']);
    await tree.move(three.id, null, { before: one.id });
    expect(await tree.path(three.id)).toMatchObject([{ text: 'Three', parentId: null, index: 0, count: 2 }]);
    await expect(tree.move(one.id, two.id)).rejects.toMatchObject({ kind: 'refused' });
    await tree.undo();
    expect(await active(tree)).toEqual(['One', 'Two', 'Three']);
  });

  test('[K187] a chosen id is always used, even if an equal message with another id exists, and a retry adds nothing', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store, '01890c2e-0000-7000-8000-000000000001', { create: true });
    const first = await tree.append('Hello');
    const id = '01890c2e-0000-7000-8000-00000000000a';
    expect((await tree.append({ id, role: 'user', content: 'Hello' }, { parentId: null })).id).toBe(id);
    expect((await tree.append({ id, role: 'user', content: 'Hello' }, { parentId: null })).id).toBe(id);
    expect((await tree.variants(first.id)).count).toBe(2);
    // Without a chosen id, the existing message with the same text is reused.
    expect((await tree.append('Hello', { parentId: null })).id).toBe(first.id);
    await expect(tree.append({ id, role: 'user', content: 'Other' })).rejects.toMatchObject({ code: 'id/taken' });
    await expect(tree.append({ id: 'msg_1', role: 'user', content: 'x' })).rejects.toMatchObject({
      code: 'id/invalid',
    });
  });

  test('[K210] an unknown field of options is refused by name, and nothing is written', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store);
    const { id } = await tree.append('Hello');
    const reply = await tree.regenerate(id);
    const version = async () => (await tree.page()).version;
    const before = await version();
    const calls: readonly (() => Promise<unknown>)[] = [
      async () => Reflect.apply(openTree, undefined, [store, undefined, { selct: 'x' }]),
      () => Reflect.apply(tree.append, tree, ['More', { selct: false }]),
      () => Reflect.apply(tree.edit, tree, [id, 'Hi', { selct: false }]),
      () => Reflect.apply(reply.add, reply, ['Hi', { selct: false }]),
      () => Reflect.apply(tree.remove, tree, [id, { selct: false }]),
      () => Reflect.apply(tree.move, tree, [id, null, { selct: false }]),
      () => Reflect.apply(tree.page, tree, [{ selct: 1 }]),
      () => Reflect.apply(tree.search, tree, ['Hello', { selct: 1 }]),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({
        code: 'command/invalid',
        message: expect.stringContaining('selct'),
      });
    expect(await version()).toBe(before);
  });

  test('[K210] a malformed message, an unknown message and a missing function are refused, and nothing is written', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store);
    const { id } = await tree.append('Hello');
    const reply = await tree.regenerate(id);
    const { version } = await tree.page();
    const unknown = crypto.randomUUID();
    const refused: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => Reflect.apply(tree.append, tree, [{ role: 'user' }]), 'message/invalid'],
      [() => Reflect.apply(tree.append, tree, [{ role: 'user', content: null }]), 'message/invalid'],
      [() => Reflect.apply(tree.edit, tree, [id, { role: 'user', content: 'Hi' }]), 'message/invalid'],
      [() => Reflect.apply(reply.add, reply, [{ role: 'assistant' }]), 'message/invalid'],
      [() => Reflect.apply(tree.subscribe, tree, []), 'command/invalid'],
      [async () => openTree(store, undefined, { user: '' }), 'command/invalid'],
      [async () => Reflect.apply(openTree, undefined, [store, null, { user: 5 }]), 'command/invalid'],
      [() => Reflect.apply(tree.remove, tree, [id, { keepChildren: 'no' }]), 'command/invalid'],
      [() => Reflect.apply(tree.remove, tree, [id, { keepChildren: 0 }]), 'command/invalid'],
      [() => tree.context(unknown), 'tree/unknown-node'],
    ];
    for (const [call, code] of refused) await expect(call()).rejects.toMatchObject({ code });
    expect((await tree.page()).version).toBe(version);
  });

  test('[K188] a tree of another user, or an id that does not exist, is refused by name; nothing is written there', async () => {
    const store = await newStore(scheme);
    const mine = openTree(store, undefined, { user: 'ann' });
    const said = await mine.append('Mine');
    const theirs = openTree(store, mine.id, { user: 'bob' });
    await expect(theirs.messages()).rejects.toMatchObject({ code: 'tree/unknown-tree' });
    await expect(theirs.append('Hello')).rejects.toMatchObject({ code: 'tree/unknown-tree' });
    await expect(theirs.edit(said.id, 'Yours')).rejects.toMatchObject({ code: 'tree/unknown-node' });
    await expect(openTree(store, mine.id, { user: 'bob', create: true }).append('Hi')).rejects.toMatchObject({
      code: 'id/taken',
    });
    await expect(mine.select('01890c2e-0000-7000-8000-00000000000b')).rejects.toMatchObject({
      code: 'tree/unknown-node',
    });
    expect(await active(mine)).toEqual(['Mine']);
    expect((await store.forOwner('ann').history(mine.id))[0]?.actor).toBe('ann');
  });

  test('[K260] pictures and files are blobs of the store, and are returned as they were given', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store);
    const picture = (name: string, data: string) => ({
      ...{ type: 'image', mediaType: 'image/png', name },
      source: { type: 'base64', data: Buffer.from(data).toString('base64') },
    });
    const words = { type: 'text', text: 'What is this?' };
    const first = [words, picture('a', 'dough'), { ...picture('b', 'rye'), type: 'file', mediaType: 'text/plain' }];
    const asked = await tree.append({ role: 'user', content: first });
    const answer = [{ type: 'text', text: 'Like this:' }, picture('c', 'loaf')];
    const replied = await tree.append({ role: 'assistant', content: answer });
    expect([asked.content, replied.content]).toEqual([first, answer]);
    expect((await tree.messages()).map(({ content }) => content)).toEqual([first, answer]);
    expect((await tree.append({ role: 'assistant', content: answer }, { parentId: asked.id })).id).toBe(replied.id);
    const again = await tree.regenerate(replied.id);
    expect(again.prompt.content).toEqual(first);
    expect(again.context.messages.at(-1)?.content).toEqual(first);
    const other = [words, picture('d', 'crust')];
    expect((await again.add({ role: 'assistant', content: other })).content).toEqual(other);
    const edited = [words, picture('e', 'crumb')];
    expect((await tree.edit(asked.id, edited)).content).toEqual(edited);
    expect((await tree.variants(replied.id)).messages.map(({ content }) => content)).toEqual([answer, other]);
    expect((await tree.path(replied.id)).map(({ content }) => content)).toEqual([first, answer]);
    expect((await tree.page()).messages.map(({ content }) => content)).toEqual([edited]);
    expect((await tree.context()).entries.at(-1)?.message.content).toEqual(edited);
    const stored = await store.read(tree.id, () => readPath({ to: replied.id }));
    expect(
      stored.flatMap(({ message }) => message?.content ?? []).map((block) => Reflect.get(block, 'source')?.type),
    ).toEqual([undefined, 'blob', 'blob', undefined, 'blob']);
  });

  test('[K189] a subscription gets every new commit, even of a tree created later, until it is ended', async () => {
    const store = await newStore(scheme);
    const tree = openTree(store);
    const [received, later]: [Commit[], Commit[]] = [[], []];
    const end = await tree.subscribe((commit) => received.push(commit));
    await tree.append('One');
    await expect.poll(() => received.map(({ version }) => version)).toEqual([1, 2]);
    await tree.subscribe((commit) => later.push(commit));
    await openTree(store, tree.id).append('Two');
    await expect.poll(() => [received.length, later.length]).toEqual([3, 1]);
    end();
    await tree.append('Three');
    await expect.poll(() => later.length).toBe(2);
    expect(received.length).toBe(3);
    await tree.close();
  });

  test('[K189] a subscription that waits for its tree gets the commits of another handle that creates it', async () => {
    const store = await newStore(scheme);
    const id = crypto.randomUUID();
    const watching = openTree(store, id, { create: true });
    const [received, ended]: [number[], number[]] = [[], []];
    await watching.subscribe(({ version }) => received.push(version));
    const end = await watching.subscribe(({ version }) => ended.push(version));
    end();
    await openTree(store).append('Another tree');
    await openTree(store, id, { create: true }).append('One');
    await expect.poll(() => received).toEqual([1, 2]);
    await watching.append('Two');
    await expect.poll(() => received).toEqual([1, 2, 3]);
    expect(ended).toEqual([]);
    await watching.close();
  });
});

test('[K210] what is no store, such as a URL or a promise of one, is refused at once', async () => {
  const promise = openStore('memory:');
  for (const value of [undefined, null, 'sqlite:chats.db', promise])
    expect(() => Reflect.apply(openTree, undefined, [value])).toThrow('await openStore');
  await (await promise).close();
});

test('[K190] a commit between two polls of a feed is delivered at once, in the same process and from another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-open-tree-'));
  const url = `sqlite:${folder}/trees.db`;
  const [store, other] = [await openStore(url), await openStore(url)];
  opened.push(async () => {
    await store.close();
    await other.close();
    rmSync(folder, { recursive: true });
  });
  for (const writer of [store, other]) {
    const tree = openTree(store);
    await tree.append('First');
    const received: Commit[] = [];
    const again = openTree(writer, tree.id);
    for (let turn = 1; turn <= 20; turn++) {
      const end = await tree.subscribe((commit) => received.push(commit));
      await again.append(`Message ${turn}`);
      await expect.poll(() => received.length).toBe(turn);
      end();
    }
  }
});
