import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import { openStore, TemporaryTrees } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../new-id.ts';
import { MessageService } from './message-service.ts';
import type { Topic, TopicMessage } from './shapes.ts';
import { TemporaryChatService } from './temporary-chat-service.ts';
import { TopicService } from './topic-service.ts';

let place = '';
let store: Store;
let messages: MessageService;
let topics: TopicService;
let topic: Topic;

function textOf(message: TopicMessage): string {
  return message.data.parts.map((part) => ('text' in part ? String(part.text) : '')).join('');
}

/** Creates alternating user and assistant messages, each below the previous one. */
async function said(...words: string[]): Promise<TopicMessage[]> {
  const made: TopicMessage[] = [];
  for (const [index, data] of words.entries())
    made.push(await messages.create({ topicId: topic.id, role: index % 2 === 0 ? 'user' : 'assistant', data }));
  return made;
}

const replies = [
  { role: 'assistant', data: 'one' },
  { role: 'assistant', data: 'two' },
] as const;

describe.each(['memory', 'sqlite'])('messages and topics on %s', (kind) => {
  beforeEach(async () => {
    place = mkdtempSync(join(tmpdir(), 'coppice-messages-'));
    store = await openStore(kind === 'memory' ? 'memory:' : `sqlite:${join(place, 'trees.db')}`);
    messages = new MessageService(store);
    topics = new TopicService(store);
    topic = await topics.create({ title: 'T' });
  });
  afterEach(async () => {
    await store.close();
    rmSync(place, { recursive: true });
  });

  test('[W40] a topic has its root from its creation on, and a missing root is refused', async () => {
    expect(topic).toMatchObject({ title: 'T', systemPrompt: null, activeNodeId: null, version: 1 });
    expect(await messages.getRootMessageId(topic.id)).toBe(topic.rootId);
    await expect(messages.getRootMessageId(newId())).rejects.toMatchObject({
      code: 'tree/unknown-tree',
      data: { code: 'NOT_FOUND' },
    });
    expect(await messages.createRootMessage(topic.id)).toBe(topic.rootId);
    const id = newId();
    expect(await messages.createRootMessage(id)).toBe((await topics.get(id)).rootId);
    await expect(topics.create({ id: 'mine' })).rejects.toMatchObject({ data: { code: 'VALIDATION_ERROR' } });
    // A value that an untyped caller may pass.
    const none = JSON.parse('[[]]')[0];
    const unknown = { code: 'tree/unknown-tree', data: { code: 'NOT_FOUND' } };
    await expect(messages.getRootMessageId(none)).rejects.toMatchObject(unknown);
    await expect(messages.getTree({ topicId: none })).rejects.toMatchObject(unknown);
    await expect(messages.getBranchMessages({ topicId: none })).rejects.toMatchObject(unknown);
    await expect(messages.clearTopicMessages(none)).rejects.toMatchObject(unknown);
    await expect(topics.get(none)).rejects.toMatchObject(unknown);
    await expect(topics.delete(none)).rejects.toMatchObject(unknown);
    await expect(
      messages.createReplyGroup({ topicId: topic.id, parentId: topic.rootId, replies: JSON.parse('null') }),
    ).rejects.toMatchObject({ code: 'command/invalid' });
  });

  test('[W40] a call without its arguments, or with arguments of the wrong type, is refused with a code', async () => {
    const chats = new TemporaryChatService(store, new TemporaryTrees(store));
    for (const none of JSON.parse('[[null], [5], ["x"], [[]]]').concat([[]])) {
      const calls = [
        ...[() => messages.getBranchMessages(none[0]), () => messages.getTree(none[0]), () => messages.create(none[0])],
        ...[() => messages.createReplyGroup(none[0]), () => topics.duplicate(none[0])],
        ...[() => topics.update(topic.id, none[0]), () => messages.purgeByTopicIds(none[0] ?? null)],
        () => messages.createReplyGroup({ topicId: topic.id, parentId: topic.rootId, replies: [none[0]] }),
      ];
      // An empty list is a valid argument of `purgeByTopicIds`, so that call is left out.
      for (const call of Array.isArray(none[0]) ? calls.filter((_, at) => at !== 6) : calls)
        await expect(call()).rejects.toMatchObject({ code: 'command/invalid', data: { code: 'VALIDATION_ERROR' } });
      if (typeof none[0] !== 'string') {
        await expect(messages.delete(none[0])).rejects.toMatchObject({ data: { code: expect.any(String) } });
        expect(await chats.has(none[0])).toBe(false);
        await expect(chats.keep(none[0])).rejects.toMatchObject({ code: 'tree/unknown-tree' });
      }
    }
  });

  test('[W41] a message is added below the active node and becomes active; an equal sibling is never reused', async () => {
    const [a, b] = await said('a', 'b');
    expect(a).toMatchObject({ topicId: topic.id, parentId: topic.rootId, role: 'user', siblingsGroupId: 0 });
    expect(b?.parentId).toBe(a?.id);
    const again = await messages.create({ topicId: topic.id, parentId: topic.rootId, role: 'user', data: 'a' });
    expect(again.id).not.toBe(a?.id);
    expect((await topics.get(topic.id)).activeNodeId).toBe(again.id);
    const first = await messages.create({ topicId: topic.id, parentId: null, role: 'user', data: 'b', select: false });
    expect(first.parentId).toBe(topic.rootId);
    await messages.create({ topicId: topic.id, parentId: again.id, role: 'user', data: 'c', select: false });
    expect((await topics.get(topic.id)).activeNodeId).toBe(again.id);
  });

  test('[W41] a retry with its id finds its own message, and blank or malformed ones are refused', async () => {
    const id = newId();
    const wanted = { topicId: topic.id, parentId: topic.rootId, role: 'user', data: 'a', id } as const;
    expect((await messages.create(wanted)).id).toBe(id);
    expect((await messages.create(wanted)).id).toBe(id);
    expect((await messages.getTree({ topicId: topic.id })).nodes).toHaveLength(1);
    for (const data of [' ', { parts: [] }, { parts: [{ type: 'text' }] }, { parts: [{ type: 'tool-use' }] }])
      await expect(messages.create({ topicId: topic.id, role: 'user', data })).rejects.toMatchObject({
        kind: 'invalid',
        data: { code: 'VALIDATION_ERROR' },
      });
    await expect(messages.create(JSON.parse(`{"topicId":"${topic.id}","role":"user"}`))).rejects.toMatchObject({
      code: 'message/blank',
    });
    const tool = { topicId: topic.id, role: 'tool', data: 'ok', toolCallId: 'c1' } as const;
    expect(await messages.create(tool)).toMatchObject({ role: 'tool', toolCallId: 'c1' });
  });

  test('[W42] replies of one act share a group, later ones join it, and a pending reply is empty', async () => {
    const [a] = await said('a');
    const parentId = a?.id ?? '';
    const made = await messages.createReplyGroup({ topicId: topic.id, parentId, replies });
    const group = made[0]?.siblingsGroupId ?? 0;
    expect(group).toBeGreaterThan(0);
    const third = await messages.create({
      topicId: topic.id,
      parentId,
      role: 'assistant',
      data: { parts: [] },
      siblingsGroupId: group,
      status: 'pending',
    });
    expect(third).toMatchObject({ status: 'pending', siblingsGroupId: group });
    const { siblingsGroups, nodes } = await messages.getTree({ topicId: topic.id });
    const nodeIds = [...made, third].map((message) => message.id);
    expect(siblingsGroups).toEqual([{ parentId, groupId: group, nodeIds }]);
    expect(nodes.map((node) => node.id)).toEqual([a?.id, ...nodeIds]);
    await expect(messages.deleteReplyGroup(third.id)).rejects.toMatchObject({
      code: 'tree/pending',
      data: { code: 'INVALID_OPERATION' },
    });
  });

  test('[W43] a branch is read in pages with root, active node and version, and first turns have the root as parent', async () => {
    const all = await said('a', 'b', 'c', 'd', 'e');
    const last = await messages.getBranchMessages({ topicId: topic.id, limit: 2 });
    expect(last.items.map((item) => textOf(item.message))).toEqual(['d', 'e']);
    const rest = await messages.getBranchMessages({ topicId: topic.id, limit: 9, before: last.nextCursor ?? '' });
    expect(rest.items.map((item) => textOf(item.message))).toEqual(['a', 'b', 'c']);
    expect(rest.nextCursor).toBeNull();
    const first = await messages.getBranchMessages({ topicId: topic.id, nodeId: null, limit: null, before: null });
    expect(first.items.map((item) => textOf(item.message))).toEqual(['a', 'b', 'c', 'd', 'e']);
    const { version } = await topics.get(topic.id);
    for (const page of [last, rest])
      expect(page).toMatchObject({ rootId: topic.rootId, activeNodeId: all[4]?.id, version });
    expect(rest.items.filter((item) => item.message.parentId === rest.rootId)).toHaveLength(1);
    expect((await messages.getPathToNode(all[2]?.id ?? '')).map(textOf)).toEqual(['a', 'b', 'c']);
    const other = await messages.create({ topicId: topic.id, parentId: topic.rootId, role: 'user', data: 'x' });
    await expect(
      messages.getBranchMessages({ topicId: topic.id, nodeId: other.id, before: all[1]?.id }),
    ).rejects.toMatchObject({ code: 'tree/not-on-path' });
  });

  test('[W43] the other members of a group are included on request', async () => {
    const [a] = await said('a');
    await messages.createReplyGroup({ topicId: topic.id, parentId: a?.id ?? '', replies });
    const { items } = await messages.getBranchMessages({ topicId: topic.id, includeSiblings: true });
    expect(items.map((item) => item.siblings?.map(textOf))).toEqual([undefined, ['one']]);
    const plain = await messages.getBranchMessages({ topicId: topic.id });
    expect(plain.items.every((item) => item.siblings === undefined)).toBe(true);
  });

  test('[W44] a tree never contains the root, keeps real parents, and marks what a depth limit cuts off', async () => {
    const [a, b] = await said('a', 'b', 'c');
    const whole = await messages.getTree({ topicId: topic.id });
    expect(whole).toMatchObject({ rootId: topic.rootId, siblingsGroups: [] });
    expect(whole.nodes.map((node) => node.parentId)).toEqual([topic.rootId, a?.id, b?.id]);
    expect(whole.nodes.map((node) => node.hasChildren)).toEqual([true, true, false]);
    const cut = await messages.getTree({ topicId: topic.id, depth: 1 });
    expect(cut.nodes.map((node) => [node.id, node.hasChildren])).toEqual([[a?.id, true]]);
    const empty = await topics.create();
    expect(await messages.getTree({ topicId: empty.id })).toMatchObject({ nodes: [], activeNodeId: null });
  });

  test('[W45] a delete moves the children up unless it cascades', async () => {
    const [a, b, c] = await said('a', 'b', 'c');
    const spliced = await messages.delete({ messageId: b?.id ?? '' });
    expect(spliced).toEqual({ deletedIds: [b?.id], activeNodeId: c?.id });
    expect((await messages.getById(c?.id ?? '')).parentId).toBe(a?.id);
    expect(await messages.delete({ messageId: a?.id ?? '', cascade: true })).toEqual({
      deletedIds: [a?.id],
      activeNodeId: null,
    });
    await expect(messages.delete({ messageId: c?.id ?? '' })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } });
    const [d, e] = await said('d', 'e');
    expect((await messages.delete(e?.id ?? '')).activeNodeId).toBe(d?.id);
    await said('f');
    expect((await messages.delete(d?.id ?? '', { cascade: true })).activeNodeId).toBeNull();
  });

  test.each([false, true])('[W45] the root is refused as INVALID_OPERATION, cascade %s', async (cascade) => {
    await said('a');
    await expect(messages.delete({ messageId: topic.rootId, cascade })).rejects.toMatchObject({
      code: 'tree/root-protected',
      kind: 'refused',
      data: { code: 'INVALID_OPERATION' },
    });
    expect((await messages.getTree({ topicId: topic.id })).nodes).toHaveLength(1);
  });

  test('[W46] a group is deleted as a whole, and its children move up', async () => {
    const [a] = await said('a');
    const made = await messages.createReplyGroup({ topicId: topic.id, parentId: a?.id ?? '', replies });
    const below = await messages.create({ topicId: topic.id, role: 'user', data: 'next' });
    const gone = await messages.deleteReplyGroup(made[0]?.id ?? '');
    expect([...gone.deletedIds].sort()).toEqual(made.map((message) => message.id).sort());
    expect((await messages.getById(below.id)).parentId).toBe(a?.id);
  });

  test('[W47] clearing removes everything except the root, and leaves an empty topic as it is', async () => {
    await said('a', 'b');
    expect((await messages.clearTopicMessages(topic.id)).activeNodeId).toBeNull();
    const after = await topics.get(topic.id);
    expect(after).toMatchObject({ rootId: topic.rootId, activeNodeId: null });
    await messages.clearTopicMessages(topic.id);
    expect((await topics.get(topic.id)).version).toBe(after.version);
  });

  test('[W48] purged topics are deleted permanently; unknown ones are skipped', async () => {
    const [a] = await said('a');
    const other = await topics.create();
    expect(await messages.purgeByTopicIds([topic.id, newId(), topic.id])).toEqual([topic.id]);
    await expect(topics.get(topic.id)).rejects.toMatchObject({ code: 'tree/unknown-tree' });
    await expect(messages.getById(a?.id ?? '')).rejects.toMatchObject({ code: 'tree/unknown-node' });
    expect((await topics.list()).items.map((item) => item.id)).toEqual([other.id]);
    expect((await topics.list({ trashed: true })).items).toEqual([]);
  });

  test('[W49] a topic is copied up to a message or as a whole, with new ids', async () => {
    const [a, b] = await said('a', 'b');
    await messages.create({ topicId: topic.id, parentId: a?.id, role: 'assistant', data: 'c' });
    const { topic: copy, ids } = await topics.duplicate({ topicId: topic.id, nodeId: b?.id, title: 'Copy' });
    expect(copy).toMatchObject({ title: 'Copy', activeNodeId: ids.get(b?.id ?? topic.rootId) });
    expect((await messages.getPathToNode(copy.activeNodeId ?? '')).map(textOf)).toEqual(['a', 'b']);
    expect((await messages.getTree({ topicId: copy.id })).nodes).toHaveLength(2);
    const { topic: whole } = await topics.duplicate({ topicId: topic.id, whole: true });
    expect((await messages.getTree({ topicId: whole.id })).nodes).toHaveLength(3);
  });

  test('[W50] only messages of the topic can become active', async () => {
    const [a, b] = await said('a', 'b');
    expect(await topics.setActiveNode(topic.id, a?.id ?? '')).toBe(a?.id);
    expect((await topics.get(topic.id)).activeNodeId).toBe(a?.id);
    const other = await topics.create();
    await expect(topics.setActiveNode(topic.id, topic.rootId)).rejects.toMatchObject({ code: 'tree/root-protected' });
    await expect(topics.setActiveNode(topic.id, newId())).rejects.toMatchObject({ code: 'tree/unknown-node' });
    await expect(topics.setActiveNode(topic.id, JSON.parse('null'))).rejects.toMatchObject({
      code: 'tree/unknown-node',
    });
    await expect(topics.setActiveNode(other.id, b?.id ?? '')).rejects.toMatchObject({ code: 'tree/foreign-parent' });
  });

  test('[W51] a topic is retitled, moved to the trash and restored', async () => {
    expect(await topics.update(topic.id, { title: 'New', folder: 'f' })).toMatchObject({ title: 'New' });
    // The prompt of an empty topic can change; with messages it is fixed.
    expect(await topics.update(topic.id, { systemPrompt: 'x' })).toMatchObject({ systemPrompt: 'x' });
    await said('a');
    await expect(topics.update(topic.id, { systemPrompt: 'y' })).rejects.toMatchObject({
      data: { code: 'INVALID_OPERATION' },
    });
    await topics.delete(topic.id);
    expect((await topics.list()).items).toEqual([]);
    expect(await topics.restore(topic.id)).toMatchObject({ id: topic.id, title: 'New' });
    expect((await topics.list()).items).toHaveLength(1);
  });

  test('[W53] a write that expects an older version is a conflict, or is kept as a sibling on request', async () => {
    const [a] = await said('a');
    const seen = (await topics.get(topic.id)).version;
    const parentId = a?.id;
    await messages.create({ topicId: topic.id, parentId, role: 'assistant', data: 'b' });
    const late = { topicId: topic.id, parentId, role: 'assistant', data: 'c' } as const;
    await expect(messages.expecting(seen).create(late)).rejects.toMatchObject({
      code: 'tree/version-conflict',
      data: { code: 'CONFLICT', version: seen + 1 },
    });
    await expect(messages.expecting(seen).delete({ messageId: parentId ?? '' })).rejects.toMatchObject({
      code: 'tree/version-conflict',
    });
    const kept = await messages.expecting(seen, 'branch').create(late);
    expect(kept.parentId).toBe(parentId);
    const { version } = await topics.get(topic.id);
    expect(await messages.expecting(version).create({ ...late, data: 'd' })).toMatchObject({ parentId });
  });

  test.each([-1, 1.5, Number.NaN])('[W44] a depth or a limit of %s is refused', async (count) => {
    for (const call of [
      () => messages.getTree({ topicId: topic.id, depth: count }),
      () => messages.getBranchMessages({ topicId: topic.id, limit: count }),
    ])
      await expect(call()).rejects.toMatchObject({ data: { code: 'VALIDATION_ERROR' } });
  });

  test('[W52] a temporary chat is not listed until it is kept, and then has the same content', async () => {
    const chats = new TemporaryChatService(store, new TemporaryTrees(store));
    const chat = await chats.create({ title: 'Secret' });
    const a = await chats.messages.create({ topicId: chat.id, role: 'user', data: 'whisper' });
    const made = await chats.messages.createReplyGroup({ topicId: chat.id, parentId: a.id, replies });
    expect(await chats.has(chat.id)).toBe(true);
    await expect(topics.get(chat.id)).rejects.toMatchObject({ code: 'tree/unknown-tree' });
    expect((await store.search({ text: 'whisper' })).items).toEqual([]);
    const before = await chats.messages.getTree({ topicId: chat.id });
    const kept = await chats.keep(chat.id);
    expect(kept).toMatchObject({ id: chat.id, title: 'Secret', rootId: chat.rootId, activeNodeId: made[1]?.id });
    const after = await messages.getTree({ topicId: chat.id });
    expect(after.siblingsGroups).toEqual(before.siblingsGroups);
    expect(after.nodes).toEqual(before.nodes);
    expect(await chats.has(chat.id)).toBe(false);
    await expect(chats.keep(chat.id)).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } });
  });

  test('[W52] a discarded chat leaves nothing, and one with a pending reply cannot be kept', async () => {
    const chats = new TemporaryChatService(store, new TemporaryTrees(store));
    const chat = await chats.create();
    const a = await chats.messages.create({ topicId: chat.id, role: 'user', data: 'a' });
    await chats.messages.createReplyGroup({
      topicId: chat.id,
      parentId: a.id,
      replies: [{ role: 'assistant', data: { parts: [] }, status: 'pending' }],
    });
    await expect(chats.keep(chat.id)).rejects.toMatchObject({ code: 'tree/pending' });
    await chats.discard(chat.id);
    expect(await chats.has(chat.id)).toBe(false);
    await expect(chats.topics.get(chat.id)).rejects.toMatchObject({ code: 'tree/unknown-tree' });
    await expect(chats.discard(chat.id)).rejects.toMatchObject({ code: 'tree/unknown-tree' });
    expect((await topics.list()).items.map((item) => item.id)).toEqual([topic.id]);
  });
});
