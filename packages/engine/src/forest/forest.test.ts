import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits } from '@coppice/content';
import { type NodeId, nodeId, type Provenance, run, type Store, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../new-id.ts';
import { runContextOf } from '../service.ts';
import { Forest } from './forest.ts';
import { type ForestNode, isRootData, type NodeData, type RootData } from './shapes.ts';

const user = (text: string) => ({ role: 'user', content: text });
const assistant = (text: string) => ({ role: 'assistant', content: text });
const texts = (nodes: readonly ForestNode[]) => nodes.map(textOf);

function textOf(node: ForestNode): string {
  if (isRootData(node)) return '(root)';
  return node.message.content.map((block) => ('text' in block ? String(block.text) : `[${block.type}]`)).join('');
}

function turn(node: ForestNode | null): NodeData {
  if (node === null || isRootData(node)) throw new Error('A node was expected, not a root or nothing.');
  return node;
}

let clock = 0;
let place = '';
let store: Store;
let forest: Forest;

async function grown(root: RootData, ...said: string[]): Promise<NodeData> {
  return turn(
    await forest.append(
      root.id,
      said.map((text, index) => (index % 2 === 0 ? user(text) : assistant(text))),
    ),
  );
}

describe.each(['memory', 'sqlite'])('a forest on %s', (kind) => {
  beforeEach(async () => {
    clock = Date.UTC(2026, 0, 1);
    place = mkdtempSync(join(tmpdir(), 'coppice-forest-'));
    store = await openStore(kind === 'memory' ? 'memory:' : `sqlite:${join(place, 'trees.db')}`);
    forest = new Forest(store, { now: () => clock++ });
  });
  afterEach(async () => {
    await store.close();
    rmSync(place, { recursive: true });
  });

  test('[W1] the same prompt gives the same root; no prompt, an empty one and white space are different prompts', async () => {
    const prompts = [undefined, '', ' ', 'Be brief.', 'Be brief. '];
    const roots: RootData[] = [];
    for (const prompt of prompts) roots.push(await forest.getOrCreateRoot(prompt));
    expect(new Set(roots.map((root) => root.id)).size).toBe(prompts.length);
    for (const [index, prompt] of prompts.entries())
      expect((await forest.getOrCreateRoot(prompt)).id).toBe(roots[index]?.id);
    expect(roots.map((root) => root.config)).toEqual([
      {},
      { systemPrompt: '' },
      { systemPrompt: ' ' },
      { systemPrompt: 'Be brief.' },
      { systemPrompt: 'Be brief. ' },
    ]);
  });

  test('[W1] simultaneous calls get one root, projects have separate ones, and chats are never used as one', async () => {
    const at = treeId(newId());
    await run(
      store,
      { type: 'create', treeId: at, attributes: { systemPrompt: 'Be brief.' } },
      runContextOf(store, {}),
    );
    const asked = await Promise.all(Array.from({ length: 8 }, () => forest.getOrCreateRoot('Be brief.')));
    expect(new Set(asked.map((root) => root.id)).size).toBe(1);
    expect(asked[0]?.id).not.toBe(at);
    const other = await new Forest(store, { project: 'other' }).getOrCreateRoot('Be brief.');
    expect(other.id).not.toBe(asked[0]?.id);
    expect(texts(await forest.listRoots())).toHaveLength(3);
    expect((await forest.listRoots({ forest: true })).map((root) => root.id).sort()).toEqual(
      [other.id, asked[0]?.id].sort(),
    );
    expect((await new Forest(store, { project: 'other' }).listRoots()).map((root) => root.id)).toEqual([other.id]);
  });

  test('[W2] a root and a node have the documented shapes', async () => {
    const root = await forest.getOrCreateRoot('Be brief.');
    expect(root).toEqual({
      id: root.id,
      createdAt: '2026-01-01T00:00:00.000Z',
      child_ids: [],
      config: { systemPrompt: 'Be brief.' },
    });
    const source = { type: 'model', provider: 'acme', model_name: 'm1', parameters: { temperature: 0 } } as const;
    const node = turn(
      await forest.append(root.id, [user('hello'), assistant('hi')], {
        source_info: source,
        title: 'Greeting',
        tags: ['a'],
        custom_data: { rank: 1 },
      }),
    );
    const first = nodeId(node.parent_id);
    expect(node).toEqual({
      id: node.id,
      root_id: root.id,
      parent_id: first,
      child_ids: [],
      message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
      metadata: {
        timestamp: node.metadata.timestamp,
        original_root_id: root.id,
        source_info: source,
        title: 'Greeting',
        tags: ['a'],
        custom_data: { rank: 1 },
      },
    });
    const above = turn(await forest.getNode(first));
    expect(above.parent_id).toBe(root.id);
    expect(above.child_ids).toEqual([node.id]);
    expect(above.metadata).not.toHaveProperty('title');
    expect(await forest.getRoot(root.id)).toEqual({ ...root, child_ids: [first] });
    expect(await forest.getNode(root.id)).toEqual({ ...root, child_ids: [first] });
  });

  test('[W3] the root has the id of its tree, and its own id is accepted too', async () => {
    const root = await forest.getOrCreateRoot();
    await grown(root, 'a');
    const inner = await rootNode(root);
    expect(inner).not.toBe(root.id);
    expect((await forest.getRoot(inner))?.id).toBe(root.id);
    expect(texts(await forest.getChildren(inner))).toEqual(['a']);
    expect(texts(await forest.getChildren(root.id))).toEqual(['a']);
  });

  test('[W4] an unknown node is null for getRoot and getNode, and refused by all other functions', async () => {
    const root = await forest.getOrCreateRoot();
    const node = await grown(root, 'a');
    const none = newId();
    expect(await forest.getRoot(none)).toBeNull();
    expect(await forest.getNode(JSON.parse('null'))).toBeNull();
    await expect(forest.getChildren(JSON.parse('{}'))).rejects.toMatchObject({ code: 'tree/unknown-node' });
    expect(await forest.getRoot(node.id)).toBeNull();
    expect(await forest.getNode(none)).toBeNull();
    expect(await forest.getBookmark(none)).toBeNull();
    for (const call of [
      () => forest.getPath({ to: none }),
      () => forest.getMessages(none),
      () => forest.getChildren(none),
      () => forest.getSiblings(none),
      () => forest.getSubtree(none),
      () => forest.append(none, [user('x')]),
      () => forest.splitNode(none, 1),
      () => forest.editNodeContent(none, 'x'),
      () => forest.deleteNodes([none]),
      () => forest.updateNodeMetadata(none, { title: 'x' }),
      () => forest.setBookmark(none, 'x'),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'tree/unknown-node' });
    for (const call of [
      () => forest.serialize(none),
      () => forest.serialize(node.id),
      () => forest.listBookmarks(none),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'tree/unknown-tree' });
  });

  test('[W4] nodes of other owners, and trees in the trash, are unknown', async () => {
    const root = await forest.getOrCreateRoot();
    const node = await grown(root, 'a');
    const stranger = new Forest(store.forOwner('somebody'));
    expect(await stranger.getNode(node.id)).toBeNull();
    expect(await stranger.getRoot(root.id)).toBeNull();
    expect(await stranger.deleteNode(node.id)).toBeNull();
    expect((await stranger.getOrCreateRoot()).id).not.toBe(root.id);
    await run(store, { type: 'delete-tree', treeId: root.id }, runContextOf(store, {}));
    expect(await forest.getRoot(root.id)).toBeNull();
    expect(await forest.listRoots()).toEqual([]);
    expect((await forest.getOrCreateRoot()).id).not.toBe(root.id);
  });

  test('[W5] a resent history leads to the same nodes, and a difference becomes a branch', async () => {
    const root = await forest.getOrCreateRoot();
    const first = await grown(root, 'a', 'b', 'c');
    expect((await grown(root, 'a', 'b', 'c')).id).toBe(first.id);
    const other = await grown(root, 'a', 'b', 'd');
    expect(other.parent_id).toBe(first.parent_id);
    expect(texts(await forest.getSiblings(other.id))).toEqual(['c']);
    expect(texts(await forest.getChildren(other.parent_id))).toEqual(['c', 'd']);
    expect((await forest.getAllNodeStructures(root.id)).length).toBe(5);
  });

  test('[W6] older message formats are read, blank messages are skipped, and only blank ones give the parent', async () => {
    const root = await forest.getOrCreateRoot();
    const called = turn(
      await forest.append(root.id, [
        user('what time is it?'),
        user('   '),
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'clock', arguments: '' } }],
        },
      ]),
    );
    expect(called.message.content).toEqual([{ type: 'tool-use', id: 'c1', name: 'clock', parameters: {} }]);
    expect((await forest.getPath({ to: called.id })).path).toHaveLength(2);
    expect((await forest.append(called.id, [user(' '), user('')])).id).toBe(called.id);
    expect((await forest.append(root.id, [])).id).toBe(root.id);
  });

  test('[W7] a malformed message is refused by its index, and nothing is stored', async () => {
    const root = await forest.getOrCreateRoot();
    for (const bad of [
      { role: 'nobody', content: 'x' },
      { role: 'assistant', content: null },
      { role: 'user', content: [] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{' } }],
      },
    ]) {
      const call = forest.append(root.id, [user('fine'), assistant('fine'), bad]);
      await expect(call).rejects.toMatchObject({ data: { index: 2 } });
      await expect(call).rejects.toThrow('messages[2]');
    }
    expect((await forest.getRoot(root.id))?.child_ids).toEqual([]);
  });

  test('[W8] adding or editing through a forest does not change the active node, except for the first node of a tree', async () => {
    const root = await forest.getOrCreateRoot();
    const active = async () => {
      const { items } = await store.trees();
      return items.find((tree) => tree.id === root.id)?.activeNodeId;
    };
    const first = await grown(root, 'a', 'b');
    expect(await active()).toBe(first.id);
    await grown(root, 'c');
    await forest.editNodeContent(first.parent_id, 'x');
    expect(await active()).toBe(first.id);
  });

  test('[W9] a reuse is recorded as one row per append, written in batches and at the end', async () => {
    const root = await forest.getOrCreateRoot();
    const written: number[] = [];
    const counting = new Forest(
      new Proxy(store, {
        get(target, key) {
          if (key === 'addProvenance')
            return (rows: readonly Provenance[]) => {
              written.push(rows.length);
              return target.addProvenance(rows);
            };
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
      { source: 'proxy', now: () => clock++, provenance: { batch: 2, delayMs: 600_000 } },
    );
    const history = [user('a'), assistant('b'), user('c')];
    await counting.append(root.id, history);
    expect(await store.provenanceOf(root.id)).toEqual([]);
    for (let times = 0; times < 3; times++) await counting.append(root.id, history);
    await counting.close();
    expect(written).toEqual([2, 1]);
    const rows = await store.provenanceOf(root.id);
    const ids = (await forest.getAllNodeStructures(root.id)).slice(1).map((node) => node.id);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ source: 'proxy', firstNodeId: ids[0], lastNodeId: ids[2], count: 3 });
  });

  test('[W9] provenance that cannot be written is reported and dropped, and the append succeeds', async () => {
    const root = await forest.getOrCreateRoot();
    const lost: number[] = [];
    const failing = new Proxy(store, {
      get(target, key) {
        if (key === 'addProvenance') return () => Promise.reject(new Error('disk full'));
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const losing = new Forest(failing, { provenance: { onLoss: (_error, rows) => lost.push(rows.length) } });
    const node = await losing.append(root.id, [user('a')]);
    expect((await losing.append(root.id, [user('a')])).id).toBe(node.id);
    await losing.close();
    expect(lost).toEqual([1]);
  });

  test('[W10] a path includes both ends and gives its root separately; an end that is not on it is refused', async () => {
    const root = await forest.getOrCreateRoot('p');
    const end = await grown(root, 'a', 'b', 'c');
    const { root: top, path } = await forest.getPath({ to: end.id });
    expect([top.id, ...texts(path)]).toEqual([root.id, 'a', 'b', 'c']);
    expect(path.map((node) => node.child_ids)).toEqual([[path[1]?.id], [end.id], []]);
    expect(texts((await forest.getPath({ from: end.parent_id, to: end.id })).path)).toEqual(['b', 'c']);
    expect(texts((await forest.getPath({ from: root.id, to: end.id })).path)).toEqual(['a', 'b', 'c']);
    expect((await forest.getPath({ to: root.id })).path).toEqual([]);
    const other = await grown(root, 'x');
    await expect(forest.getPath({ from: other.id, to: end.id })).rejects.toMatchObject({ code: 'tree/not-on-path' });
    expect(texts((await forest.getPath({ from: null, to: end.id })).path)).toEqual(['a', 'b', 'c']);
    for (const ends of ['null', `{"from":{},"to":"${end.id}"}`, `{"from":[],"to":"${end.id}"}`])
      await expect(forest.getPath(JSON.parse(ends))).rejects.toMatchObject({ code: 'tree/unknown-node' });
  });

  test('[W11] appending the messages of a path again under the root leads to the same node', async () => {
    const root = await forest.getOrCreateRoot('p');
    const middle = await grown(root, 'a', 'b');
    await run(
      store,
      { type: 'mark', treeId: root.id, parentId: middle.id, kind: 'injected', message: assistantMessage('sum') },
      runContextOf(store, {}),
    );
    const [marker] = await forest.getChildren(middle.id);
    const end = await forest.append(marker?.id ?? '', [user('c')]);
    const { root: config, messages } = await forest.getMessages(end.id);
    expect(config).toEqual({ systemPrompt: 'p' });
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect((await forest.append(root.id, messages)).id).toBe(end.id);
    expect(await forest.getMessages(root.id)).toEqual({ root: { systemPrompt: 'p' }, messages: [] });
  });

  test('[W12] a subtree is given breadth first down to a depth, and reports what is below it', async () => {
    const root = await forest.getOrCreateRoot();
    const c = await grown(root, 'a', 'b', 'c');
    await grown(root, 'a', 'd');
    const a = nodeId((await forest.getPath({ to: c.id })).path[0]?.id ?? '');
    expect(texts(await forest.getSubtree(root.id))).toEqual(['(root)', 'a', 'b', 'd', 'c']);
    expect(texts(await forest.getSubtree(a, { depth: 0 }))).toEqual(['a']);
    const two = await forest.getSubtree(a, { depth: 1 });
    expect(texts(two)).toEqual(['a', 'b', 'd']);
    expect(two.map((node) => node.child_ids.length)).toEqual([2, 1, 0]);
    for (const one of await forest.getSubtree(root.id)) expect(await forest.getNode(one.id)).toEqual(one);
    await expect(forest.getSubtree(a, { depth: -1 })).rejects.toMatchObject({ code: 'command/invalid' });
  });

  test('[W13] structures are the tree without contents, with the root as system', async () => {
    const root = await forest.getOrCreateRoot('p');
    const end = await grown(root, 'a', 'b');
    const first = nodeId(end.parent_id);
    const structures = await forest.getAllNodeStructures(root.id);
    expect(structures).toEqual([
      { id: root.id, parent_id: null, child_ids: [first], root_id: root.id, timestamp: root.createdAt, role: 'system' },
      {
        id: first,
        parent_id: root.id,
        child_ids: [end.id],
        root_id: root.id,
        timestamp: structures[1]?.timestamp,
        role: 'user',
      },
      {
        id: end.id,
        parent_id: first,
        child_ids: [],
        root_id: root.id,
        timestamp: end.metadata.timestamp,
        role: 'assistant',
      },
    ]);
    await forest.getOrCreateRoot('q');
    expect((await forest.getAllNodeStructures()).length).toBe(4);
  });

  test('[W14] a serialised tree is flat and its root a system message', async () => {
    const root = await forest.getOrCreateRoot('p');
    const end = await grown(root, 'a', 'b');
    const { root: top, nodes } = await forest.serialize(root.id);
    expect(top.message).toEqual({ role: 'system', content: [{ type: 'text', text: 'p' }] });
    expect(top.id).toBe(root.id);
    expect(texts(nodes)).toEqual(['a', 'b']);
    expect(nodes[1]).toEqual(end);
    const bare = await forest.getOrCreateRoot();
    expect((await forest.serialize(bare.id)).root.message.content).toEqual([]);
  });

  test('[W15] recent leaves are given newest first, for one tree or for all', async () => {
    const one = await forest.getOrCreateRoot('1');
    const two = await forest.getOrCreateRoot('2');
    await grown(one, 'a', 'b');
    await grown(two, 'c');
    await grown(one, 'a', 'd');
    expect(texts(await forest.listRecentLeaves(10, one.id))).toEqual(['d', 'b']);
    expect(texts(await forest.listRecentLeaves())).toEqual(['d', 'c', 'b']);
    expect(texts(await forest.listRecentLeaves(2))).toEqual(['d', 'c']);
    await expect(forest.listRecentLeaves(0)).rejects.toMatchObject({ code: 'command/invalid' });
    await expect(forest.listRecentLeaves(-1)).rejects.toMatchObject({ code: 'command/invalid' });
  });

  test('[W16] a split gives the left half, which has the old position of the node', async () => {
    const root = await forest.getOrCreateRoot();
    const b = await grown(root, 'hello world', 'b');
    const left = turn(await forest.splitNode(b.parent_id, 5));
    expect(textOf(left)).toBe('hello');
    expect(left.parent_id).toBe(root.id);
    expect(left.metadata.split_source).toBe(b.parent_id);
    expect(texts((await forest.getPath({ to: b.id })).path)).toEqual(['hello', ' world', 'b']);
    await expect(forest.splitNode(b.id, 1)).rejects.toMatchObject({ code: 'message/bad-position' });
  });

  test('[W17] an edit keeps the common beginning: in place on a leaf, by a split above replies', async () => {
    const root = await forest.getOrCreateRoot();
    const b = await grown(root, 'hello world', 'b');
    const leaf = turn(await forest.editNodeContent(b.id, 'bee'));
    expect([leaf.id, textOf(leaf)]).toEqual([b.id, 'bee']);
    const suffix = turn(await forest.editNodeContent(b.parent_id, 'hello there'));
    expect(texts((await forest.getPath({ to: suffix.id })).path).join('|')).toBe('hello |there');
    expect(texts((await forest.getPath({ to: b.id })).path)).toEqual(['hello ', 'world', 'bee']);
    await expect(forest.editNodeContent(root.id, 'x')).rejects.toMatchObject({ code: 'tree/root-protected' });
  });

  test('[W17] an edit moves the bookmark only on request', async () => {
    const root = await forest.getOrCreateRoot();
    const b = await grown(root, 'question', 'b');
    await forest.setBookmark(b.parent_id, 'mark');
    const stays = await forest.editNodeContent(b.parent_id, 'other');
    expect((await forest.getBookmark(stays.id))?.title).toBeUndefined();
    const goes = await forest.editNodeContent(b.parent_id, 'third', { moveBookmark: true });
    expect((await forest.getBookmark(goes.id))?.title).toBe('mark');
  });

  test('[W17] an edit has the same limits as every message', async () => {
    const node = await grown(await forest.getOrCreateRoot(), 'a');
    const space = defaultLimits.messageBytes;
    await expect(forest.editNodeContent(node.id, 'x'.repeat(space + 1))).rejects.toMatchObject({
      code: 'message/invalid',
    });
    await expect(forest.editNodeContent(node.id, JSON.parse('5'))).rejects.toMatchObject({ code: 'message/invalid' });
    await expect(forest.editNodeContent(node.id, ' ')).rejects.toMatchObject({ code: 'message/blank' });
    expect(await forest.getNode(node.id)).toEqual(node);
  });

  test('[W18] a delete removes the branch or moves its children up, and gives the parent, which can be the root', async () => {
    const root = await forest.getOrCreateRoot();
    const c = await grown(root, 'a', 'b', 'c');
    const a = nodeId((await forest.getPath({ to: c.id })).path[0]?.id ?? '');
    const lifted = turn(await forest.deleteNode(c.parent_id, true));
    expect([lifted.id, lifted.child_ids]).toEqual([a, [c.id]]);
    const top = await forest.deleteNode(a);
    expect(top).toEqual({ ...root, child_ids: [] });
    expect(await forest.getNode(c.id)).toBeNull();
    expect(await forest.deleteNode(a)).toBeNull();
    await expect(forest.deleteNode(root.id)).rejects.toMatchObject({ code: 'tree/root-protected' });
  });

  test('[W19] several nodes are deleted in one commit or not at all', async () => {
    const root = await forest.getOrCreateRoot();
    const ids: NodeId[] = [];
    for (const text of ['a', 'b', 'c']) ids.push((await grown(root, text)).id);
    const version = async () => (await store.trees()).items[0]?.version ?? 0;
    const before = await version();
    await expect(forest.deleteNodes([...ids, newId()])).rejects.toMatchObject({ code: 'tree/unknown-node' });
    expect(await version()).toBe(before);
    expect(await forest.deleteNodes(ids.slice(0, 2))).toEqual(ids.slice(0, 2));
    expect(await version()).toBe(before + 1);
    expect(texts(await forest.getChildren(root.id))).toEqual(['c']);
    expect(await forest.deleteNodes([])).toEqual([]);
    await expect(forest.deleteNodes(JSON.parse('null'))).rejects.toMatchObject({ code: 'command/invalid' });
    await expect(forest.deleteNodes(JSON.parse('[null]'))).rejects.toMatchObject({ code: 'tree/unknown-node' });
    await expect(forest.deleteNodes([ids[2] ?? '', root.id])).rejects.toMatchObject({ code: 'tree/root-protected' });
    const elsewhere = await grown(await forest.getOrCreateRoot('other'), 'x');
    await expect(forest.deleteNodes([ids[2] ?? '', elsewhere.id])).rejects.toMatchObject({
      code: 'tree/foreign-parent',
    });
  });

  test('[W20] notes are changed field by field; a generated title never replaces one, nor is given to a node with children', async () => {
    const root = await forest.getOrCreateRoot();
    const b = await grown(root, 'a', 'b');
    const noted = async (id: string, change: Parameters<Forest['updateNodeMetadata']>[1]) =>
      turn(await forest.updateNodeMetadata(id, change)).metadata;
    expect((await noted(b.id, { auto_title: 'Auto' })).auto_title).toBe('Auto');
    const full = await noted(b.id, {
      title: 'Mine',
      tags: [' x ', 'x', 'y'],
      custom_data: { k: [1] },
      auto_title: 'No',
    });
    expect(full).toEqual({
      ...b.metadata,
      title: 'Mine',
      auto_title: 'Auto',
      tags: ['x', 'y'],
      custom_data: { k: [1] },
    });
    expect(await noted(b.id, {})).toEqual(full);
    const less = await noted(b.id, { tags: null, custom_data: null });
    expect(less).toEqual({ ...b.metadata, title: 'Mine', auto_title: 'Auto' });
    expect(await noted(b.parent_id, { auto_title: 'Auto' })).not.toHaveProperty('auto_title');
    await expect(forest.updateNodeMetadata(root.id, { title: 'x' })).rejects.toMatchObject({
      code: 'tree/root-protected',
    });
  });

  test('[W20] a change of several notes is one act: undo reverts all of it', async () => {
    const root = await forest.getOrCreateRoot();
    const a = await grown(root, 'a');
    await forest.updateNodeMetadata(a.id, { title: 'T', tags: ['x'], custom_data: { k: 1 } });
    await run(store, { type: 'undo', treeId: root.id }, runContextOf(store, {}));
    expect(await forest.getNode(a.id)).toEqual(a);
  });

  test('[W20] a change of several notes is one commit: if one is refused, none is made', async () => {
    const root = await forest.getOrCreateRoot();
    const a = await grown(root, 'a');
    const version = async () => (await store.trees()).items[0]?.version ?? 0;
    const before = await version();
    await expect(forest.updateNodeMetadata(a.id, JSON.parse('{"title":"T","tags":"x"}'))).rejects.toMatchObject({
      code: 'command/invalid',
    });
    await expect(forest.updateNodeMetadata(a.id, JSON.parse('{"title":"T","custom_data":"x"}'))).rejects.toMatchObject({
      code: 'command/invalid',
    });
    expect(await forest.getNode(a.id)).toEqual(a);
    await forest.updateNodeMetadata(a.id, { title: 'T', tags: ['x'], custom_data: { k: 1 }, auto_title: 'A' });
    expect(await version()).toBe(before + 1);
  });

  test('[W21] a bookmark is set, retitled with its time kept, listed and removed', async () => {
    const root = await forest.getOrCreateRoot();
    const other = await forest.getOrCreateRoot('other');
    const a = await grown(root, 'a');
    const b = await grown(other, 'b');
    const set = await forest.setBookmark(a.id, 'one');
    const again = await forest.setBookmark(a.id, 'two');
    expect(again).toEqual({ ...set, title: 'two', updatedAt: again.updatedAt });
    expect(set).toMatchObject({ node_id: a.id, root_id: root.id, title: 'one' });
    await forest.setBookmark(b.id, 'three');
    expect((await forest.listBookmarks(root.id)).map((mark) => mark.title)).toEqual(['two']);
    expect((await forest.listBookmarks()).map((mark) => mark.title).sort()).toEqual(['three', 'two']);
    await forest.removeBookmark(a.id);
    await forest.removeBookmark(a.id);
    expect(await forest.getBookmark(a.id)).toBeNull();
  });

  test('[W23] a tree that cannot be read is listed with the reason, and the others are read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-damaged-'));
    const before = await openStore(`files:${folder}`);
    const damaged = await new Forest(before).getOrCreateRoot('damaged');
    const sound = await new Forest(before).getOrCreateRoot('sound');
    const node = await new Forest(before).append(sound.id, [user('hello')]);
    await new Forest(before).setBookmark(node.id, 'mark');
    await before.close();
    const journal = join(folder, damaged.id, 'journal.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"commit"', '"committ"'));
    const after = await openStore(`files:${folder}`);
    const again = new Forest(after);
    const roots = await again.listRoots();
    expect(roots.map((root) => root.id).sort()).toEqual([damaged.id, sound.id].sort());
    expect(roots.find((root) => root.id === damaged.id)?.damaged).toContain(journal);
    expect(roots.find((root) => root.id === sound.id)).not.toHaveProperty('damaged');
    expect((await again.listRecentLeaves()).map((leaf) => leaf.id)).toEqual([node.id]);
    expect(await again.getAllNodeStructures()).toHaveLength(2);
    expect(await again.listBookmarks()).toHaveLength(1);
    expect((await after.search({ text: 'hello' })).items).toHaveLength(1);
    await expect(again.getRoot(damaged.id)).rejects.toMatchObject({ code: 'store/damaged' });
    await after.close();
    rmSync(folder, { recursive: true });
  });

  test('[W22] a node copied from another tree names its origin', async () => {
    const root = await forest.getOrCreateRoot('one');
    const a = await grown(root, 'a');
    const into = await forest.getOrCreateRoot('two');
    const { result } = await run(
      store,
      { type: 'graft', treeId: into.id, from: { treeId: root.id, nodeId: a.id }, parentId: await rootNode(into) },
      runContextOf(store, {}),
    );
    const copy = turn(await forest.getNode(result.nodeId));
    expect([copy.root_id, copy.metadata.original_root_id]).toEqual([into.id, root.id]);
  });
});

function assistantMessage(text: string) {
  const block = { type: 'text', text };
  return { role: 'assistant', content: [block] } as const;
}

async function rootNode(root: RootData): Promise<NodeId> {
  const { items } = await store.trees();
  return items.find((tree) => tree.id === root.id)?.rootId ?? nodeId('');
}

test('[W3] in folders of files, roots and nodes have the same ids and shapes as in the forest', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-forest-'));
  const files = await openStore(`files:${folder}`);
  const wood = new Forest(files);
  const root = await wood.getOrCreateRoot('p');
  const source_info = { type: 'model', provider: 'acme', model_name: 'm1', parameters: {} } as const;
  await wood.append(root.id, [user('a')]);
  await wood.append(root.id, [user('a'), assistant('b')], { source_info, title: 'B', tags: ['x'] });
  const { nodes } = await wood.serialize(root.id);
  expect(nodes).toHaveLength(2);
  // Changes are written to the journal first; closing the store writes them to the files.
  await files.close();
  for (const node of nodes) {
    const file: unknown = JSON.parse(readFileSync(join(folder, root.id, 'nodes', `${node.id}.json`), 'utf8'));
    expect(file).toMatchObject(node);
  }
  rmSync(folder, { recursive: true });
});

test('[W11] each appended history leads back to itself, and no prefix is stored twice', async () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const history = fc.array(word, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(history, { maxLength: 8 }), async (histories) => {
      const own = await openStore('memory:');
      const wood = new Forest(own);
      const root = await wood.getOrCreateRoot();
      const prefixes = new Set<string>();
      for (const words of histories) {
        const end = await wood.append(root.id, words.map(user));
        const { messages } = await wood.getMessages(end.id);
        expect((await wood.append(root.id, messages)).id).toBe(end.id);
        for (let length = 1; length <= words.length; length++) prefixes.add(words.slice(0, length).join());
      }
      expect((await wood.getAllNodeStructures(root.id)).length).toBe(prefixes.size + 1);
      await own.close();
    }),
    { numRuns: 30 },
  );
});
