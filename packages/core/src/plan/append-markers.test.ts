import { describe, expect, test } from 'vitest';
import { answerFromTree, type CrossTreeAnswers } from '../answer-from-tree.ts';
import type { NodeId } from '../ids.ts';
import { type Message, textMessage } from '../message.ts';
import { runReads } from '../reads.ts';
import { planCommand } from '../run.ts';
import { assistant, runAndCheck, TestTree, user } from '../testing/index.ts';
import { createPlanContext, noOtherTrees } from '../testing/plan-context.ts';
import { childIds } from '../tree.ts';
import type { AppendCommand } from './append.ts';

function appending(fixture: TestTree, messages: readonly Message[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: fixture.treeId, messages: messages.map((message) => ({ message })), ...rest };
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('The list is empty.');
  return one;
}

describe('markers and splits', () => {
  async function marked(): Promise<{ fixture: TestTree; hi: NodeId; marker: NodeId; below: NodeId }> {
    const fixture = await TestTree.make();
    const [hi] = await fixture.addMessages(['hi', 'hello']);
    const top = hi ?? fixture.rootId;
    const { result: made } = await fixture.run({
      type: 'branch',
      treeId: fixture.treeId,
      nodeId: top,
      summary: 'so far',
    });
    const [below] = await fixture.addMessages([assistant('below')]);
    return { fixture, hi: top, marker: made.nodeId, below: below ?? top };
  }

  test('[P10] a message below a marker is found from the message above it', async () => {
    const { fixture, hi, below } = await marked();
    const { result: found } = await fixture.run(
      appending(fixture, [user('hi'), assistant('below')], { parentId: fixture.rootId }),
    );
    expect(found.reused).toEqual([hi, below]);
  });

  test('[P10] several markers in a row are transparent', async () => {
    const { fixture, below } = await marked();
    await fixture.run({ type: 'compact', treeId: fixture.treeId, summary: 'short' });
    await fixture.run({ type: 'mark', treeId: fixture.treeId, kind: 'injected', message: user('note') });
    const [deep] = await fixture.addMessages([user('deep')]);
    const { result: found } = await fixture.run(appending(fixture, [user('deep')], { parentId: below }));
    expect(found.reused).toEqual([deep]);
  });

  test('[P10] from a marker only its own descendants are found', async () => {
    const { fixture, marker, below } = await marked();
    const { result: under } = await fixture.run(appending(fixture, [assistant('below')], { parentId: marker }));
    expect(under.reused).toEqual([below]);
    const { result: beside } = await runAndCheck(
      fixture,
      appending(fixture, [assistant('hello')], { parentId: marker }),
    );
    expect(beside.added).toHaveLength(1);
    expect(fixture.texts(marker)).toEqual(['below', 'hello']);
  });

  test('[P10] a marker itself never matches', async () => {
    const { fixture, hi } = await marked();
    const { result: found } = await fixture.run(
      appending(fixture, [textMessage('system', 'so far')], { parentId: hi }),
    );
    expect(found.reused).toEqual([]);
  });

  async function cut(
    text: string | Message,
    ...at: number[]
  ): Promise<{ fixture: TestTree; whole: NodeId; reply: NodeId }> {
    const fixture = await TestTree.make();
    const [whole, reply] = await fixture.addMessages([
      typeof text === 'string' ? user(text) : text,
      assistant('reply'),
    ]);
    if (whole === undefined || reply === undefined) throw new Error('Nothing grew.');
    for (const position of at) await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: whole, position });
    return { fixture, whole, reply };
  }

  test('[P11] after a split the old text leads to the node with its second half, and to its replies', async () => {
    const { fixture, whole, reply } = await cut('one two', 4);
    const { result: found } = await fixture.run(
      appending(fixture, [user('one two'), assistant('reply'), user('new')], { parentId: fixture.rootId }),
    );
    expect(found.reused).toEqual([whole, reply]);
    expect(found.added).toHaveLength(1);
  });

  test('[P11] each half of a split also matches its own text', async () => {
    const { fixture, whole, reply } = await cut('one two', 4);
    const { result: found } = await fixture.run(
      appending(fixture, [user('one'), user('two'), assistant('reply')], { parentId: fixture.rootId }),
    );
    expect(found.reused.slice(1)).toEqual([whole, reply]);
  });

  test('[P11] a text that was split repeatedly is still found, from either side', async () => {
    const { fixture, whole, reply } = await cut('one two three four', 4, 4);
    const left = first(childIds(fixture.tree, fixture.rootId));
    await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: left, position: 2 });
    expect(fixture.thread(reply)).toEqual(['on', 'e ', 'two ', 'three four', 'reply']);
    for (const text of ['one two three four', 'one two three four ']) {
      const { result: found } = await fixture.run(appending(fixture, [user(text)], { parentId: fixture.rootId }));
      expect(found.reused).toEqual([whole]);
    }
    const { result: half } = await fixture.run(appending(fixture, [user('one ')], { parentId: fixture.rootId }));
    expect(half.reused).toEqual([left]);
  });

  test('[P11] blocks are joined whether the cut went through one or between two', async () => {
    const blocks = ['one ', 'two ', 'three'].map((text) => ({ type: 'text', text }));
    const message: Message = { role: 'user', content: blocks };
    for (const cuts of [[4], [6], [4, 4], [2, 6], [6, 4], [2, 4, 2]]) {
      const { fixture, whole } = await cut(message, ...cuts);
      const { result: found } = await fixture.run(appending(fixture, [message], { parentId: fixture.rootId }));
      expect(found.reused).toEqual([whole]);
      const { result: joined } = await fixture.run(
        appending(fixture, [user('one two three')], { parentId: fixture.rootId }),
      );
      expect(joined.added).toHaveLength(1);
    }
  });

  test('[P11] a text of one block is found even after very many splits', async () => {
    const text = 'abcdefghijkl';
    const { fixture, whole } = await cut(text, ...new Array<number>(10).fill(1));
    const { result: found } = await fixture.run(appending(fixture, [user(text)], { parentId: fixture.rootId }));
    expect(found.reused).toEqual([whole]);
  });

  test('[P11] a child with the whole text is preferred to the halves of a split', async () => {
    const { fixture } = await cut('one two', 4);
    const { result: made } = await fixture.run(
      appending(fixture, [user('one two')], { parentId: fixture.rootId, merge: false }),
    );
    const { result: found } = await fixture.run(appending(fixture, [user('one two')], { parentId: fixture.rootId }));
    expect(found.reused).toEqual(made.added);
  });

  test('[P11] pieces that were edited, moved or separated no longer match the old text', async () => {
    const edited = await cut('one two', 4);
    const left = first(childIds(edited.fixture.tree, edited.fixture.rootId));
    const { fixture, whole } = edited;
    await fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: left, content: 'uno ', mode: 'in-place' });
    const { result: found } = await fixture.run(appending(fixture, [user('one two')], { parentId: fixture.rootId }));
    expect(found.added).toHaveLength(1);
    const moved = await cut('one two', 4);
    await moved.fixture.run({
      type: 'move',
      treeId: moved.fixture.treeId,
      nodeId: moved.whole,
      parentId: moved.fixture.rootId,
    });
    const { result: apart } = await moved.fixture.run(
      appending(moved.fixture, [user('one two')], { parentId: moved.fixture.rootId }),
    );
    expect(apart.added).toHaveLength(1);
    expect(whole).not.toBe(apart.nodeId);
  });

  test('[P11] an undone split no longer matches, a redone one matches again', async () => {
    const { fixture, whole } = await cut('one two', 4);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(
      (await fixture.run(appending(fixture, [user('one two')], { parentId: fixture.rootId }))).result.reused,
    ).toEqual([whole]);
    await fixture.run({ type: 'redo', treeId: fixture.treeId });
    expect(
      (await fixture.run(appending(fixture, [user('one two')], { parentId: fixture.rootId }))).result.reused,
    ).toEqual([whole]);
  });

  test('[P10, P11] a split below a marker is found from the marker, one beside it is not', async () => {
    const { fixture, hi, marker } = await marked();
    const [text] = await fixture.addMessages([user('one two')], marker);
    await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: text ?? hi, position: 4 });
    const from = async (parentId: NodeId) =>
      (await fixture.run(appending(fixture, [user('one two')], { parentId, select: false }))).result.reused;
    expect(await from(marker)).toEqual([text]);
    expect(await from(hi)).toEqual([text]);
    const other = await fixture.run({ type: 'branch', treeId: fixture.treeId, nodeId: hi, summary: 'another' });
    const nothing = appending(fixture, [user('one two')], { parentId: other.result.nodeId });
    // The alias index uses the message above the marker as its key, so it also finds siblings of the marker; these must
    // be ignored.
    const answers: CrossTreeAnswers = { ...noOtherTrees, nodesByAlias: () => [text ?? hi] };
    const { steps } = runReads(planCommand(nothing, createPlanContext(fixture.treeId)), (read) =>
      answerFromTree(fixture.tree, read, answers),
    );
    expect(steps[0]?.type).toBe('insert');
    expect(await from(other.result.nodeId)).toEqual([]);
  });
});
