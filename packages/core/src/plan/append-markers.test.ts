import { describe, expect, test } from 'vitest';
import { answer, type Surroundings } from '../answer.ts';
import type { NodeId } from '../ids.ts';
import { type Message, textMessage } from '../message.ts';
import { drive } from '../reads.ts';
import { planOf } from '../run.ts';
import { assistant, Bed, carry, testKit, user, uuid } from '../testing/index.ts';
import { childIds } from '../tree.ts';
import type { AppendCommand } from './append.ts';

function appending(bed: Bed, messages: readonly Message[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: bed.treeId, messages: messages.map((message) => ({ message })), ...rest };
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('The list is empty.');
  return one;
}

const nowhere: Surroundings = {
  tree: () => undefined,
  taken: () => [],
  home: () => null,
  forest: () => null,
  undoable: () => null,
  redoable: () => null,
  log: () => [],
};

describe('markers and splits', () => {
  async function marked(): Promise<{ bed: Bed; hi: NodeId; marker: NodeId; below: NodeId }> {
    const bed = await Bed.make();
    const [hi] = await bed.grow(['hi', 'hello']);
    const top = hi ?? bed.rootId;
    const { result: made } = await bed.run({ type: 'branch', treeId: bed.treeId, nodeId: top, summary: 'so far' });
    const [below] = await bed.grow([assistant('below')]);
    return { bed, hi: top, marker: made.nodeId, below: below ?? top };
  }

  test('[P10] a message below a marker is found from the message above it', async () => {
    const { bed, hi, below } = await marked();
    const { result: found } = await bed.run(appending(bed, [user('hi'), assistant('below')], { parentId: bed.rootId }));
    expect(found.reused).toEqual([hi, below]);
  });

  test('[P10] several markers in a row are looked through', async () => {
    const { bed, below } = await marked();
    await bed.run({ type: 'compact', treeId: bed.treeId, summary: 'short' });
    await bed.run({ type: 'mark', treeId: bed.treeId, kind: 'injected', message: user('note') });
    const [deep] = await bed.grow([user('deep')]);
    const { result: found } = await bed.run(appending(bed, [user('deep')], { parentId: below }));
    expect(found.reused).toEqual([deep]);
  });

  test('[P10] from a marker only what lies below it counts', async () => {
    const { bed, marker, below } = await marked();
    const { result: under } = await bed.run(appending(bed, [assistant('below')], { parentId: marker }));
    expect(under.reused).toEqual([below]);
    const { result: beside } = await carry(bed, appending(bed, [assistant('hello')], { parentId: marker }));
    expect(beside.added).toHaveLength(1);
    expect(bed.texts(marker)).toEqual(['below', 'hello']);
  });

  test('[P10] a marker itself never matches', async () => {
    const { bed, hi } = await marked();
    const { result: found } = await bed.run(appending(bed, [textMessage('system', 'so far')], { parentId: hi }));
    expect(found.reused).toEqual([]);
  });

  async function cut(text: string | Message, ...at: number[]): Promise<{ bed: Bed; whole: NodeId; reply: NodeId }> {
    const bed = await Bed.make();
    const [whole, reply] = await bed.grow([typeof text === 'string' ? user(text) : text, assistant('reply')]);
    if (whole === undefined || reply === undefined) throw new Error('Nothing grew.');
    for (const position of at) await bed.run({ type: 'split', treeId: bed.treeId, nodeId: whole, position });
    return { bed, whole, reply };
  }

  test('[P11] after a split the old text leads to the node that completes it, and on to its replies', async () => {
    const { bed, whole, reply } = await cut('one two', 4);
    const { result: found } = await bed.run(
      appending(bed, [user('one two'), assistant('reply'), user('new')], { parentId: bed.rootId }),
    );
    expect(found.reused).toEqual([whole, reply]);
    expect(found.added).toHaveLength(1);
  });

  test('[P11] the halves match by themselves too', async () => {
    const { bed, whole, reply } = await cut('one two', 4);
    const { result: found } = await bed.run(
      appending(bed, [user('one'), user('two'), assistant('reply')], { parentId: bed.rootId }),
    );
    expect(found.reused.slice(1)).toEqual([whole, reply]);
  });

  test('[P11] a text that was split again and again is still found, from whatever side', async () => {
    const { bed, whole, reply } = await cut('one two three four', 4, 4);
    const left = first(childIds(bed.tree, bed.rootId));
    await bed.run({ type: 'split', treeId: bed.treeId, nodeId: left, position: 2 });
    expect(bed.thread(reply)).toEqual(['on', 'e ', 'two ', 'three four', 'reply']);
    for (const text of ['one two three four', 'one two three four ']) {
      const { result: found } = await bed.run(appending(bed, [user(text)], { parentId: bed.rootId }));
      expect(found.reused).toEqual([whole]);
    }
    const { result: half } = await bed.run(appending(bed, [user('one ')], { parentId: bed.rootId }));
    expect(half.reused).toEqual([left]);
  });

  test('[P11] blocks are put together again whether the cut went through one or between two', async () => {
    const blocks = ['one ', 'two ', 'three'].map((text) => ({ type: 'text', text }));
    const message: Message = { role: 'user', content: blocks };
    for (const cuts of [[4], [6], [4, 4], [2, 6], [6, 4], [2, 4, 2]]) {
      const { bed, whole } = await cut(message, ...cuts);
      const { result: found } = await bed.run(appending(bed, [message], { parentId: bed.rootId }));
      expect(found.reused).toEqual([whole]);
      const { result: joined } = await bed.run(appending(bed, [user('one two three')], { parentId: bed.rootId }));
      expect(joined.added).toHaveLength(1);
    }
  });

  test('[P11] more cuts than one wants to try are still found for a text of one block', async () => {
    const text = 'abcdefghijkl';
    const { bed, whole } = await cut(text, ...new Array<number>(10).fill(1));
    const { result: found } = await bed.run(appending(bed, [user(text)], { parentId: bed.rootId }));
    expect(found.reused).toEqual([whole]);
  });

  test('[P11] a real child wins over a split one', async () => {
    const { bed } = await cut('one two', 4);
    const { result: made } = await bed.run(appending(bed, [user('one two')], { parentId: bed.rootId, merge: false }));
    const { result: found } = await bed.run(appending(bed, [user('one two')], { parentId: bed.rootId }));
    expect(found.reused).toEqual(made.added);
  });

  test('[P11] pieces that were edited, moved or taken apart no longer stand for the old text', async () => {
    const edited = await cut('one two', 4);
    const left = first(childIds(edited.bed.tree, edited.bed.rootId));
    const { bed, whole } = edited;
    await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: left, content: 'uno ', mode: 'in-place' });
    const { result: found } = await bed.run(appending(bed, [user('one two')], { parentId: bed.rootId }));
    expect(found.added).toHaveLength(1);
    const moved = await cut('one two', 4);
    await moved.bed.run({ type: 'move', treeId: moved.bed.treeId, nodeId: moved.whole, parentId: moved.bed.rootId });
    const { result: apart } = await moved.bed.run(
      appending(moved.bed, [user('one two')], { parentId: moved.bed.rootId }),
    );
    expect(apart.added).toHaveLength(1);
    expect(whole).not.toBe(apart.nodeId);
  });

  test('[P11] an undone split leaves nothing behind, a redone one is found again', async () => {
    const { bed, whole } = await cut('one two', 4);
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect((await bed.run(appending(bed, [user('one two')], { parentId: bed.rootId }))).result.reused).toEqual([whole]);
    await bed.run({ type: 'redo', treeId: bed.treeId });
    expect((await bed.run(appending(bed, [user('one two')], { parentId: bed.rootId }))).result.reused).toEqual([whole]);
  });

  test('[P10, P11] a split below a marker is found from the marker, and beside it is not', async () => {
    const { bed, hi, marker } = await marked();
    const [text] = await bed.grow([user('one two')], marker);
    await bed.run({ type: 'split', treeId: bed.treeId, nodeId: text ?? hi, position: 4 });
    const from = async (parentId: NodeId) =>
      (await bed.run(appending(bed, [user('one two')], { parentId, select: false }))).result.reused;
    expect(await from(marker)).toEqual([text]);
    expect(await from(hi)).toEqual([text]);
    const other = await bed.run({ type: 'branch', treeId: bed.treeId, nodeId: hi, summary: 'another' });
    const nothing = appending(bed, [user('one two')], { parentId: other.result.nodeId });
    // An index of aliases knows the message above the marker, not the marker: what it finds beside it does not count.
    const around = { ...nowhere, completing: () => [text ?? hi] };
    const context = { treeId: bed.treeId, now: 1, newId: () => uuid(90), kit: testKit, actor: 'me', stale: false };
    const { steps } = drive(planOf(nothing, context), (read) => answer(bed.tree, read, around));
    expect(steps[0]?.type).toBe('insert');
    expect(await from(other.result.nodeId)).toEqual([]);
  });
});
