import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { type Message, textMessage } from '../message.ts';
import {
  assistant,
  Bed,
  calls,
  carry,
  ReferenceStore,
  refusalOf,
  result,
  stepTypesOf,
  user,
  uuid,
} from '../testing/index.ts';
import { childIds } from '../tree.ts';
import type { FinishCommand, NewReply, RegenerateCommand, ReplyCommand } from './reply.ts';

async function asked(): Promise<{ bed: Bed; prompt: NodeId }> {
  const bed = await Bed.make();
  const [prompt] = await bed.grow(['question']);
  return { bed, prompt: prompt ?? bed.rootId };
}

function replying(bed: Bed, parentId: NodeId, replies: readonly NewReply[], rest: Partial<ReplyCommand> = {}) {
  return { type: 'reply', treeId: bed.treeId, parentId, replies, ...rest } as const satisfies ReplyCommand;
}

function again(bed: Bed, id: NodeId, replies: readonly NewReply[] = [{}], rest: Partial<RegenerateCommand> = {}) {
  return { type: 'regenerate', treeId: bed.treeId, nodeId: id, replies, ...rest } as const satisfies RegenerateCommand;
}

function finishing(
  bed: Bed,
  id: NodeId | undefined,
  status: FinishCommand['status'],
  rest: Partial<FinishCommand> = {},
) {
  const nodeIdOf = id ?? bed.rootId;
  return { type: 'finish', treeId: bed.treeId, nodeId: nodeIdOf, status, ...rest } as const satisfies FinishCommand;
}

describe('replies', () => {
  test('[P50] a reply without words is pending, one with words is there at once', async () => {
    const { bed, prompt } = await asked();
    const { result: made } = await carry(bed, replying(bed, prompt, [{}, { message: assistant('done') }]));
    const [open, done] = made.added.map((id) => bed.node(id));
    expect(open).toMatchObject({ status: 'pending', role: 'assistant', text: '' });
    expect(done).toMatchObject({ status: 'success', role: 'assistant', text: 'done' });
  });

  test('[P50] one reply is in no group, several are in one, and the pointer goes to the last', async () => {
    const { bed, prompt } = await asked();
    const one = await carry(bed, replying(bed, prompt, [{ message: assistant('a') }]));
    expect(one.result.groupId).toBe(0);
    expect(bed.node(one.result.added[0] ?? '').groupId).toBe(0);
    const three = await carry(bed, replying(bed, prompt, [{}, { status: 'error' }, {}]));
    expect(three.result.groupId).toBeGreaterThan(0);
    expect(new Set(three.result.added.map((id) => bed.node(id).groupId))).toEqual(new Set([three.result.groupId]));
    expect(bed.active).toBe(three.result.added[2]);
    expect(childIds(bed.tree, prompt)).toEqual([...one.result.added, ...three.result.added]);
  });

  test('[P50] a reply that fails keeps its place among the others', async () => {
    const { bed, prompt } = await asked();
    const { result: made } = await bed.run(replying(bed, prompt, [{}, {}, {}]));
    await carry(bed, finishing(bed, made.added[1], 'error'));
    expect(childIds(bed.tree, prompt)).toEqual(made.added);
    expect(made.added.map((id) => bed.node(id).status)).toEqual(['pending', 'error', 'pending']);
  });

  test('[P51] replies are never merged with an equal sibling', async () => {
    const { bed, prompt } = await asked();
    const same = { message: assistant('same') };
    await bed.run(replying(bed, prompt, [same]));
    const { result: made } = await carry(bed, replying(bed, prompt, [same, same]));
    expect(made.added).toHaveLength(2);
    expect(bed.texts(prompt)).toEqual(['same', 'same', 'same']);
    const { result: more } = await carry(bed, again(bed, prompt, [same]));
    expect(more.added).toHaveLength(1);
    expect(childIds(bed.tree, prompt)).toHaveLength(4);
  });

  test('[P52] replies join a group that is there, and none other', async () => {
    const { bed, prompt } = await asked();
    const { result: first } = await bed.run(replying(bed, prompt, [{}, {}]));
    const joined = await carry(bed, replying(bed, prompt, [{}], { join: first.groupId }));
    expect(bed.node(joined.result.added[0] ?? '').groupId).toBe(first.groupId);
    await bed.variant(assistant('alone'), prompt);
    for (const join of [0, -1, first.groupId + 1, Number.NaN])
      expect(await refusalOf(bed, replying(bed, prompt, [{}], { join }))).toBe('command/invalid');
  });

  test('[P53] the pointer stays where it is if asked, but for the first node of a tree', async () => {
    const { bed, prompt } = await asked();
    await carry(bed, replying(bed, prompt, [{}], { select: false }));
    expect(bed.active).toBe(prompt);
    const empty = await Bed.make();
    const { result: made } = await carry(empty, replying(empty, empty.rootId, [{}], { select: false }));
    expect(empty.active).toBe(made.added[0]);
  });

  test('[P54] no reply, a blank finished one, a bad message, and a parent that is not there are refused', async () => {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store });
    const [prompt] = await bed.grow(['question']);
    const at = prompt ?? bed.rootId;
    const beside = await Bed.make({ store, treeId: treeId(uuid(2)) });
    expect(await refusalOf(bed, replying(bed, at, []))).toBe('command/invalid');
    expect(await refusalOf(bed, replying(bed, at, [{ message: assistant(' ') }]))).toBe('message/blank');
    expect(await refusalOf(bed, replying(bed, at, [{ status: 'success' }]))).toBe('message/blank');
    const bad: unknown = { role: 'assistant', content: 5 };
    expect(await refusalOf(bed, replying(bed, at, [{ message: bad as Message }]))).toBe('message/invalid');
    expect(await refusalOf(bed, replying(bed, nodeId(uuid(99)), [{}]))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, replying(bed, beside.rootId, [{}]))).toBe('tree/foreign-parent');
    expect(await refusalOf(bed, replying(bed, at, [{ id: 'x' }]))).toBe('id/invalid');
  });

  test('[P55] a retry with the same ids commits nothing, also when the replies are written by then', async () => {
    const { bed, prompt } = await asked();
    const command = replying(bed, prompt, [{ id: uuid(60) }, { id: uuid(61), message: assistant('done') }]);
    const made = await carry(bed, command);
    await bed.run(finishing(bed, nodeId(uuid(60)), 'success', { message: assistant('written') }));
    const before = bed.tree;
    const retried = await bed.run(command);
    expect(retried.result).toEqual(made.result);
    expect(retried.commit).toBeNull();
    expect(bed.tree).toBe(before);
  });

  test('[P55] an id of another message, of another place or chosen twice is taken', async () => {
    const { bed, prompt } = await asked();
    await bed.run(replying(bed, prompt, [{ id: uuid(60), message: assistant('done') }]));
    const code = (parentId: NodeId, replies: readonly NewReply[]) => refusalOf(bed, replying(bed, parentId, replies));
    expect(await code(prompt, [{ id: uuid(60), message: assistant('other') }])).toBe('id/taken');
    expect(await code(bed.rootId, [{ id: uuid(60), message: assistant('done') }])).toBe('id/taken');
    expect(await code(prompt, [{ id: uuid(60) }, { id: uuid(62) }])).toBe('id/taken');
    expect(await code(prompt, [{ id: uuid(62) }, { id: uuid(62) }])).toBe('id/taken');
    expect(await code(prompt, [{ id: prompt }])).toBe('id/taken');
  });
});

describe('a regeneration', () => {
  test('[P56] adds variants below the nearest user message, in a group with the old replies', async () => {
    const { bed, prompt } = await asked();
    const old = await bed.variant(assistant('old'), prompt);
    const { result: made, commit } = await carry(bed, again(bed, old, [{}, {}]));
    expect(made.promptId).toBe(prompt);
    expect(stepTypesOf({ commit })).toEqual(['regroup', 'insert', 'insert', 'select']);
    expect(childIds(bed.tree, prompt)).toEqual([old, ...made.added]);
    for (const id of childIds(bed.tree, prompt)) expect(bed.node(id).groupId).toBe(made.groupId);
    expect(bed.active).toBe(made.added[1]);
  });

  test('[P56] goes up through tool loops and markers, and takes the prompt itself', async () => {
    const bed = await Bed.make();
    const [prompt, call] = await bed.grow([user('q'), calls('c1', 'date')]);
    const [tool] = await bed.grow([result('c1', 'today')]);
    await bed.run({ type: 'mark', treeId: bed.treeId, kind: 'injected', message: user('note') });
    const [end] = await bed.grow([assistant('end')]);
    for (const id of [end, tool, call, prompt, bed.active]) {
      const { result: made } = await carry(bed, again(bed, id ?? bed.rootId));
      expect(made.promptId).toBe(prompt);
    }
    const group = bed.node(call ?? '').groupId;
    expect(group).toBeGreaterThan(0);
    for (const id of childIds(bed.tree, prompt ?? '')) expect(bed.node(id).groupId).toBe(group);
  });

  test('[P56] back-fills replies that are in no group and leaves other groups and users alone', async () => {
    const { bed, prompt } = await asked();
    const pair = await bed.run(replying(bed, prompt, [{ message: assistant('a') }, { message: assistant('b') }]));
    const other = await bed.run(replying(bed, prompt, [{ message: assistant('c') }, { message: assistant('d') }]));
    const alone = await bed.variant(assistant('e'), prompt);
    const said = await bed.variant(user('aside'), prompt);
    const note = { type: 'mark', treeId: bed.treeId, kind: 'injected', message: assistant('note') } as const;
    const marker = await bed.run({ ...note, parentId: prompt });
    const [c] = other.result.added;
    const { result: made } = await carry(bed, again(bed, c ?? prompt));
    expect(made.groupId).toBe(other.result.groupId);
    expect(bed.node(alone).groupId).toBe(other.result.groupId);
    for (const id of [said, marker.result.nodeId]) expect(bed.node(id).groupId).toBe(0);
    expect(pair.result.added.map((id) => bed.node(id).groupId)).toEqual([pair.result.groupId, pair.result.groupId]);
  });

  test('[P56] the first reply to a prompt is in no group', async () => {
    const { bed, prompt } = await asked();
    const { result: made } = await carry(bed, again(bed, prompt));
    expect(made.groupId).toBe(0);
  });

  test('[P57] where nobody asked, at the root and at what is not there it is refused', async () => {
    const bed = await Bed.make();
    const [system, said] = await bed.grow([textMessage('system', 'be brief'), assistant('welcome')]);
    expect(await refusalOf(bed, again(bed, said ?? bed.rootId))).toBe('command/invalid');
    expect(await refusalOf(bed, again(bed, system ?? bed.rootId))).toBe('command/invalid');
    expect(await refusalOf(bed, again(bed, bed.rootId))).toBe('tree/root-protected');
    expect(await refusalOf(bed, again(bed, nodeId(uuid(99))))).toBe('tree/unknown-node');
    const [prompt] = await bed.grow([user('q')]);
    expect(await refusalOf(bed, again(bed, prompt ?? bed.rootId, []))).toBe('command/invalid');
  });

  test('[P55] a retry with the same ids finds its replies', async () => {
    const { bed, prompt } = await asked();
    const old = await bed.variant(assistant('old'), prompt);
    const command = again(bed, old, [{ id: uuid(60) }, { id: uuid(61) }]);
    const made = await carry(bed, command);
    const retried = await bed.run(command);
    expect(retried.commit).toBeNull();
    expect(retried.result).toEqual(made.result);
  });
});

describe('the end of a reply', () => {
  async function open(): Promise<{ bed: Bed; reply: NodeId }> {
    const { bed, prompt } = await asked();
    const { result: made } = await bed.run(replying(bed, prompt, [{ meta: { source: { model: 'm' } } }]));
    return { bed, reply: made.added[0] ?? prompt };
  }

  test('[P58] writes text, status and notes; the reply keeps its id and place', async () => {
    const { bed, reply } = await open();
    const meta = { source: { model: 'm', usage: 7 } };
    const message = assistant('written');
    const { result: made, commit } = await carry(bed, finishing(bed, reply, 'success', { message, meta }));
    expect(made).toEqual({ nodeId: reply, changed: true });
    expect(stepTypesOf({ commit })).toEqual(['replace', 'annotate']);
    expect(bed.node(reply)).toMatchObject({ status: 'success', text: 'written', message, meta });
    expect(bed.node(reply).key).not.toBeNull();
  });

  test.each(['interrupted', 'aborted', 'error'] as const)(
    '[P58] as %s keeps what was said, or nothing',
    async (status) => {
      const { bed, reply } = await open();
      await carry(bed, finishing(bed, reply, status, { message: assistant('half a sen') }));
      expect(bed.node(reply)).toMatchObject({ status, text: 'half a sen' });
      const other = await open();
      await carry(other.bed, finishing(other.bed, other.reply, status));
      expect(other.bed.node(other.reply)).toMatchObject({ status, text: '' });
    },
  );

  test('[P59] that comes late changes nothing: the first one stays', async () => {
    const { bed, reply } = await open();
    await bed.run(finishing(bed, reply, 'interrupted', { message: assistant('saved') }));
    const before = bed.tree;
    for (const status of ['success', 'error', 'aborted', 'interrupted'] as const) {
      const late = await bed.run(finishing(bed, reply, status, { message: assistant('late'), meta: { tags: ['x'] } }));
      expect(late.result).toEqual({ nodeId: reply, changed: false });
      expect(late.commit).toBeNull();
    }
    expect(bed.tree).toBe(before);
  });

  test('[P59] that says what is there already commits nothing', async () => {
    const { bed, reply } = await open();
    await bed.run(finishing(bed, reply, 'pending', { message: assistant('so far') }));
    for (const rest of [{}, { message: assistant('so far') }, { meta: {} }]) {
      const same = await bed.run(finishing(bed, reply, 'pending', rest));
      expect(same.result.changed).toBe(false);
      expect(same.commit).toBeNull();
    }
  });

  test('[P59] a reply that was cut short can be taken up again, one that succeeded cannot', async () => {
    const { bed, reply } = await open();
    await bed.run(finishing(bed, reply, 'aborted', { message: assistant('half') }));
    expect((await carry(bed, finishing(bed, reply, 'pending'))).result.changed).toBe(true);
    expect(bed.node(reply)).toMatchObject({ status: 'pending', text: 'half' });
    await bed.run(finishing(bed, reply, 'success', { message: assistant('half and half') }));
    expect((await bed.run(finishing(bed, reply, 'pending'))).result.changed).toBe(false);
  });

  test('[P60] refuses success without words, another role, a message it cannot read, the root and unknown nodes', async () => {
    const { bed, reply } = await open();
    const code = (id: NodeId, rest: Partial<FinishCommand>) => refusalOf(bed, finishing(bed, id, 'success', rest));
    expect(await code(reply, {})).toBe('message/blank');
    expect(await code(reply, { message: assistant(' ') })).toBe('message/blank');
    expect(await code(reply, { message: user('no') })).toBe('message/invalid');
    const bad: unknown = { role: 'assistant', content: [null] };
    expect(await code(reply, { message: bad as Message })).toBe('message/invalid');
    expect(await code(bed.rootId, {})).toBe('tree/root-protected');
    expect(await code(nodeId(uuid(99)), {})).toBe('tree/unknown-node');
  });
});
