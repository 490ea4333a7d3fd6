import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { type Message, textMessage } from '../message.ts';
import {
  assistant,
  ReferenceStore,
  refusalOf,
  runAndCheck,
  stepTypesOf,
  TestTree,
  testUuid,
  toolCallMessage,
  toolResultMessage,
  user,
} from '../testing/index.ts';
import { childIds } from '../tree.ts';
import type { FinishCommand, NewReply, RegenerateCommand, ReplyCommand } from './reply.ts';

async function asked(): Promise<{ fixture: TestTree; prompt: NodeId }> {
  const fixture = await TestTree.make();
  const [prompt] = await fixture.addMessages(['question']);
  return { fixture, prompt: prompt ?? fixture.rootId };
}

function replying(fixture: TestTree, parentId: NodeId, replies: readonly NewReply[], rest: Partial<ReplyCommand> = {}) {
  return { type: 'reply', treeId: fixture.treeId, parentId, replies, ...rest } as const satisfies ReplyCommand;
}

function again(
  fixture: TestTree,
  id: NodeId,
  replies: readonly NewReply[] = [{}],
  rest: Partial<RegenerateCommand> = {},
) {
  return {
    type: 'regenerate',
    treeId: fixture.treeId,
    nodeId: id,
    replies,
    ...rest,
  } as const satisfies RegenerateCommand;
}

function finishing(
  fixture: TestTree,
  id: NodeId | undefined,
  status: FinishCommand['status'],
  rest: Partial<FinishCommand> = {},
) {
  const nodeIdOf = id ?? fixture.rootId;
  return { type: 'finish', treeId: fixture.treeId, nodeId: nodeIdOf, status, ...rest } as const satisfies FinishCommand;
}

describe('replies', () => {
  test('[P50] a reply without content is pending, one with content succeeds at once', async () => {
    const { fixture, prompt } = await asked();
    const { result: made } = await runAndCheck(
      fixture,
      replying(fixture, prompt, [{}, { message: assistant('done') }]),
    );
    const [open, done] = made.added.map((id) => fixture.node(id));
    expect(open).toMatchObject({ status: 'pending', role: 'assistant', text: '' });
    expect(done).toMatchObject({ status: 'success', role: 'assistant', text: 'done' });
  });

  test('[P50] one reply has no group, several share one, and the last becomes active', async () => {
    const { fixture, prompt } = await asked();
    const one = await runAndCheck(fixture, replying(fixture, prompt, [{ message: assistant('a') }]));
    expect(one.result.groupId).toBe(0);
    expect(fixture.node(one.result.added[0] ?? '').groupId).toBe(0);
    const three = await runAndCheck(fixture, replying(fixture, prompt, [{}, { status: 'error' }, {}]));
    expect(three.result.groupId).toBeGreaterThan(0);
    expect(new Set(three.result.added.map((id) => fixture.node(id).groupId))).toEqual(new Set([three.result.groupId]));
    expect(fixture.active).toBe(three.result.added[2]);
    expect(childIds(fixture.tree, prompt)).toEqual([...one.result.added, ...three.result.added]);
  });

  test('[P50] a reply that fails keeps its position among the others', async () => {
    const { fixture, prompt } = await asked();
    const { result: made } = await fixture.run(replying(fixture, prompt, [{}, {}, {}]));
    await runAndCheck(fixture, finishing(fixture, made.added[1], 'error'));
    expect(childIds(fixture.tree, prompt)).toEqual(made.added);
    expect(made.added.map((id) => fixture.node(id).status)).toEqual(['pending', 'error', 'pending']);
  });

  test('[P51] replies are never merged with an equal sibling', async () => {
    const { fixture, prompt } = await asked();
    const same = { message: assistant('same') };
    await fixture.run(replying(fixture, prompt, [same]));
    const { result: made } = await runAndCheck(fixture, replying(fixture, prompt, [same, same]));
    expect(made.added).toHaveLength(2);
    expect(fixture.texts(prompt)).toEqual(['same', 'same', 'same']);
    const { result: more } = await runAndCheck(fixture, again(fixture, prompt, [same]));
    expect(more.added).toHaveLength(1);
    expect(childIds(fixture.tree, prompt)).toHaveLength(4);
  });

  test('[P52] replies join an existing group of the same parent, and no other', async () => {
    const { fixture, prompt } = await asked();
    const { result: first } = await fixture.run(replying(fixture, prompt, [{}, {}]));
    const joined = await runAndCheck(fixture, replying(fixture, prompt, [{}], { join: first.groupId }));
    expect(fixture.node(joined.result.added[0] ?? '').groupId).toBe(first.groupId);
    await fixture.variant(assistant('alone'), prompt);
    for (const join of [0, -1, first.groupId + 1, Number.NaN])
      expect(await refusalOf(fixture, replying(fixture, prompt, [{}], { join }))).toBe('command/invalid');
  });

  test('[P53] the active node stays unchanged on request, except for the first node of a tree', async () => {
    const { fixture, prompt } = await asked();
    await runAndCheck(fixture, replying(fixture, prompt, [{}], { select: false }));
    expect(fixture.active).toBe(prompt);
    const empty = await TestTree.make();
    const { result: made } = await runAndCheck(empty, replying(empty, empty.rootId, [{}], { select: false }));
    expect(empty.active).toBe(made.added[0]);
  });

  test('[P54] an empty list, a blank finished reply, a malformed message and an unknown parent are refused', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    const [prompt] = await fixture.addMessages(['question']);
    const at = prompt ?? fixture.rootId;
    const beside = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    expect(await refusalOf(fixture, replying(fixture, at, []))).toBe('command/invalid');
    expect(await refusalOf(fixture, replying(fixture, at, [{ message: assistant(' ') }]))).toBe('message/blank');
    expect(await refusalOf(fixture, replying(fixture, at, [{ status: 'success' }]))).toBe('message/blank');
    const bad: unknown = { role: 'assistant', content: 5 };
    expect(await refusalOf(fixture, replying(fixture, at, [{ message: bad as Message }]))).toBe('message/invalid');
    expect(await refusalOf(fixture, replying(fixture, nodeId(testUuid(99)), [{}]))).toBe('tree/unknown-node');
    expect(await refusalOf(fixture, replying(fixture, beside.rootId, [{}]))).toBe('tree/foreign-parent');
    expect(await refusalOf(fixture, replying(fixture, at, [{ id: 'x' }]))).toBe('id/invalid');
  });

  test('[P55] a retry with the same ids commits nothing, even if the replies have been written since', async () => {
    const { fixture, prompt } = await asked();
    const command = replying(fixture, prompt, [{ id: testUuid(60) }, { id: testUuid(61), message: assistant('done') }]);
    const made = await runAndCheck(fixture, command);
    await fixture.run(finishing(fixture, nodeId(testUuid(60)), 'success', { message: assistant('written') }));
    const before = fixture.tree;
    const retried = await fixture.run(command);
    expect(retried.result).toEqual(made.result);
    expect(retried.commit).toBeNull();
    expect(fixture.tree).toBe(before);
  });

  test('[P55] an id of another message, of another position or used twice is taken', async () => {
    const { fixture, prompt } = await asked();
    await fixture.run(replying(fixture, prompt, [{ id: testUuid(60), message: assistant('done') }]));
    const code = (parentId: NodeId, replies: readonly NewReply[]) =>
      refusalOf(fixture, replying(fixture, parentId, replies));
    expect(await code(prompt, [{ id: testUuid(60), message: assistant('other') }])).toBe('id/taken');
    expect(await code(fixture.rootId, [{ id: testUuid(60), message: assistant('done') }])).toBe('id/taken');
    expect(await code(prompt, [{ id: testUuid(60) }, { id: testUuid(62) }])).toBe('id/taken');
    expect(await code(prompt, [{ id: testUuid(62) }, { id: testUuid(62) }])).toBe('id/taken');
    expect(await code(prompt, [{ id: prompt }])).toBe('id/taken');
  });
});

describe('a regeneration', () => {
  test('[P56] adds variants below the nearest user message, in a group with the old replies', async () => {
    const { fixture, prompt } = await asked();
    const old = await fixture.variant(assistant('old'), prompt);
    const { result: made, commit } = await runAndCheck(fixture, again(fixture, old, [{}, {}]));
    expect(made.promptId).toBe(prompt);
    expect(stepTypesOf({ commit })).toEqual(['regroup', 'insert', 'insert', 'select']);
    expect(childIds(fixture.tree, prompt)).toEqual([old, ...made.added]);
    for (const id of childIds(fixture.tree, prompt)) expect(fixture.node(id).groupId).toBe(made.groupId);
    expect(fixture.active).toBe(made.added[1]);
  });

  test('[P56] finds the prompt above tool loops and markers, and accepts the prompt itself', async () => {
    const fixture = await TestTree.make();
    const [prompt, call] = await fixture.addMessages([user('q'), toolCallMessage('c1', 'date')]);
    const [tool] = await fixture.addMessages([toolResultMessage('c1', 'today')]);
    await fixture.run({ type: 'mark', treeId: fixture.treeId, kind: 'injected', message: user('note') });
    const [end] = await fixture.addMessages([assistant('end')]);
    for (const id of [end, tool, call, prompt, fixture.active]) {
      const { result: made } = await runAndCheck(fixture, again(fixture, id ?? fixture.rootId));
      expect(made.promptId).toBe(prompt);
    }
    const group = fixture.node(call ?? '').groupId;
    expect(group).toBeGreaterThan(0);
    for (const id of childIds(fixture.tree, prompt ?? '')) expect(fixture.node(id).groupId).toBe(group);
  });

  test('[P56] puts ungrouped replies into the group and leaves other groups and user messages unchanged', async () => {
    const { fixture, prompt } = await asked();
    const pair = await fixture.run(
      replying(fixture, prompt, [{ message: assistant('a') }, { message: assistant('b') }]),
    );
    const other = await fixture.run(
      replying(fixture, prompt, [{ message: assistant('c') }, { message: assistant('d') }]),
    );
    const alone = await fixture.variant(assistant('e'), prompt);
    const said = await fixture.variant(user('aside'), prompt);
    const note = { type: 'mark', treeId: fixture.treeId, kind: 'injected', message: assistant('note') } as const;
    const marker = await fixture.run({ ...note, parentId: prompt });
    const [c] = other.result.added;
    const { result: made } = await runAndCheck(fixture, again(fixture, c ?? prompt));
    expect(made.groupId).toBe(other.result.groupId);
    expect(fixture.node(alone).groupId).toBe(other.result.groupId);
    for (const id of [said, marker.result.nodeId]) expect(fixture.node(id).groupId).toBe(0);
    expect(pair.result.added.map((id) => fixture.node(id).groupId)).toEqual([pair.result.groupId, pair.result.groupId]);
  });

  test('[P56] makes no group for the first reply to a prompt', async () => {
    const { fixture, prompt } = await asked();
    const { result: made } = await runAndCheck(fixture, again(fixture, prompt));
    expect(made.groupId).toBe(0);
  });

  test('[P57] is refused without a user message above, at the root and at an unknown node', async () => {
    const fixture = await TestTree.make();
    const [system, said] = await fixture.addMessages([textMessage('system', 'be brief'), assistant('welcome')]);
    expect(await refusalOf(fixture, again(fixture, said ?? fixture.rootId))).toBe('command/invalid');
    expect(await refusalOf(fixture, again(fixture, system ?? fixture.rootId))).toBe('command/invalid');
    expect(await refusalOf(fixture, again(fixture, fixture.rootId))).toBe('tree/root-protected');
    expect(await refusalOf(fixture, again(fixture, nodeId(testUuid(99))))).toBe('tree/unknown-node');
    const [prompt] = await fixture.addMessages([user('q')]);
    expect(await refusalOf(fixture, again(fixture, prompt ?? fixture.rootId, []))).toBe('command/invalid');
  });

  test('[P55] repeated with the same ids finds its replies', async () => {
    const { fixture, prompt } = await asked();
    const old = await fixture.variant(assistant('old'), prompt);
    const command = again(fixture, old, [{ id: testUuid(60) }, { id: testUuid(61) }]);
    const made = await runAndCheck(fixture, command);
    const retried = await fixture.run(command);
    expect(retried.commit).toBeNull();
    expect(retried.result).toEqual(made.result);
  });
});

describe('the end of a reply', () => {
  async function open(): Promise<{ fixture: TestTree; reply: NodeId }> {
    const { fixture, prompt } = await asked();
    const { result: made } = await fixture.run(replying(fixture, prompt, [{ meta: { source: { model: 'm' } } }]));
    return { fixture, reply: made.added[0] ?? prompt };
  }

  test('[P58] writes text, status and metadata; the reply keeps its id and position', async () => {
    const { fixture, reply } = await open();
    const meta = { source: { model: 'm', usage: 7 } };
    const message = assistant('written');
    const { result: made, commit } = await runAndCheck(
      fixture,
      finishing(fixture, reply, 'success', { message, meta }),
    );
    expect(made).toEqual({ nodeId: reply, changed: true });
    expect(stepTypesOf({ commit })).toEqual(['replace', 'annotate']);
    expect(fixture.node(reply)).toMatchObject({ status: 'success', text: 'written', message, meta });
    expect(fixture.node(reply).key).not.toBeNull();
  });

  test.each(['interrupted', 'aborted', 'error'] as const)(
    '[P58] as %s keeps the text received so far, or nothing',
    async (status) => {
      const { fixture, reply } = await open();
      await runAndCheck(fixture, finishing(fixture, reply, status, { message: assistant('half a sen') }));
      expect(fixture.node(reply)).toMatchObject({ status, text: 'half a sen' });
      const other = await open();
      await runAndCheck(other.fixture, finishing(other.fixture, other.reply, status));
      expect(other.fixture.node(other.reply)).toMatchObject({ status, text: '' });
    },
  );

  test('[P59] changes nothing if the reply has already ended', async () => {
    const { fixture, reply } = await open();
    await fixture.run(finishing(fixture, reply, 'interrupted', { message: assistant('saved') }));
    const before = fixture.tree;
    for (const status of ['success', 'error', 'aborted', 'interrupted'] as const) {
      const late = await fixture.run(
        finishing(fixture, reply, status, { message: assistant('late'), meta: { tags: ['x'] } }),
      );
      expect(late.result).toEqual({ nodeId: reply, changed: false });
      expect(late.commit).toBeNull();
    }
    expect(fixture.tree).toBe(before);
  });

  test('[P59] with the same content commits nothing', async () => {
    const { fixture, reply } = await open();
    await fixture.run(finishing(fixture, reply, 'pending', { message: assistant('so far') }));
    for (const rest of [{}, { message: assistant('so far') }, { meta: {} }]) {
      const same = await fixture.run(finishing(fixture, reply, 'pending', rest));
      expect(same.result.changed).toBe(false);
      expect(same.commit).toBeNull();
    }
  });

  test('[P59] can be repeated after an interruption, not after a success', async () => {
    const { fixture, reply } = await open();
    await fixture.run(finishing(fixture, reply, 'aborted', { message: assistant('half') }));
    expect((await runAndCheck(fixture, finishing(fixture, reply, 'pending'))).result.changed).toBe(true);
    expect(fixture.node(reply)).toMatchObject({ status: 'pending', text: 'half' });
    await fixture.run(finishing(fixture, reply, 'success', { message: assistant('half and half') }));
    expect((await fixture.run(finishing(fixture, reply, 'pending'))).result.changed).toBe(false);
  });

  test('[P60] refuses success without content, another role, a malformed message, the root and unknown nodes', async () => {
    const { fixture, reply } = await open();
    const code = (id: NodeId, rest: Partial<FinishCommand>) =>
      refusalOf(fixture, finishing(fixture, id, 'success', rest));
    expect(await code(reply, {})).toBe('message/blank');
    expect(await code(reply, { message: assistant(' ') })).toBe('message/blank');
    expect(await code(reply, { message: user('no') })).toBe('message/invalid');
    const bad: unknown = { role: 'assistant', content: [null] };
    expect(await code(reply, { message: bad as Message })).toBe('message/invalid');
    expect(await code(fixture.rootId, {})).toBe('tree/root-protected');
    expect(await code(nodeId(testUuid(99)), {})).toBe('tree/unknown-node');
  });
});
