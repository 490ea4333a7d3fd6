import { describe, expect, test } from 'vitest';
import { contextOf, readContextPath } from './context.ts';
import { readContextPage } from './context-page.ts';
import { type NodeId, nodeId, treeId } from './ids.ts';
import { textOf } from './message.ts';
import { buildRequestMessages, coalesceMessages } from './request.ts';
import { assistant, TestTree, testKit, testUuid, user } from './testing/index.ts';

const usage = { inputTokens: 5000, outputTokens: 100 };
const measured = { source: { type: 'model', usage } };

/** Reads the reported tokens at the end of the active branch, both from the whole path and from a page. */
async function reportedAt(fixture: TestTree, id = fixture.treeId, to?: NodeId): Promise<number | null> {
  const tree = fixture.reference?.tree(id);
  const end = to ?? tree?.activeNodeId ?? nodeId('');
  const options = { kit: testKit, systemPrompt: tree?.attributes.systemPrompt };
  const path = await fixture.store.read(id, () => readContextPath(end));
  const page = await fixture.store.read(id, () => readContextPage(end, { ...options, limit: 10 }));
  const { estimate } = contextOf(path, options);
  expect(page.estimate).toEqual(estimate);
  return estimate.reported;
}

/** Builds a question, a reply with usage that is written in two commits, and another question. */
async function conversation(systemPrompt = 'Be brief.') {
  const fixture = await TestTree.make({ systemPrompt });
  const { treeId: id } = fixture;
  const [question = nodeId('')] = await fixture.addMessages(['question']);
  const { result } = await fixture.run({ type: 'reply', treeId: id, parentId: question, replies: [{}] });
  const [reply = nodeId('')] = result.added;
  const message = assistant('a reply of several words');
  await fixture.run({ type: 'finish', treeId: id, nodeId: reply, status: 'success', message, meta: measured });
  const [next = nodeId('')] = await fixture.addMessages(['next']);
  return { fixture, id, question, reply, next };
}

describe('usage that was reported with a reply', () => {
  test('[X21] counts while nothing above it has changed', async () => {
    const { fixture } = await conversation();
    expect(await reportedAt(fixture)).toBe(5100);
  });

  test('[X39] does not count after an edit in place above it, and counts again when that is undone', async () => {
    const { fixture, id, question } = await conversation();
    await fixture.run({ type: 'edit', treeId: id, nodeId: question, content: 'x'.repeat(40_000), mode: 'in-place' });
    expect(await reportedAt(fixture)).toBeNull();
    await fixture.run({ type: 'undo', treeId: id });
    expect(await reportedAt(fixture)).toBe(5100);
  });

  test('[X39] does not count after an edit of the reply itself', async () => {
    const { fixture, id, reply } = await conversation();
    await fixture.run({ type: 'edit', treeId: id, nodeId: reply, content: 'shorter', mode: 'in-place' });
    expect(await reportedAt(fixture)).toBeNull();
  });

  test('[X39] does not count after a move, and counts again after the move back', async () => {
    const { fixture, id, question, reply } = await conversation();
    const long = await fixture.addMessages([user('y'.repeat(40_000))], fixture.rootId);
    await fixture.run({ type: 'move', treeId: id, nodeId: reply, parentId: long[0] ?? fixture.rootId });
    await fixture.run({ type: 'select', treeId: id, nodeId: reply });
    expect(await reportedAt(fixture)).toBeNull();
    await fixture.run({ type: 'move', treeId: id, nodeId: reply, parentId: question });
    expect(await reportedAt(fixture, id, reply)).toBe(5100);
  });

  test('[X39] does not count after a splice, an exclusion or a split above', async () => {
    const spliced = await conversation();
    await spliced.fixture.run({ type: 'delete', treeId: spliced.id, nodeIds: [spliced.question] });
    expect(await reportedAt(spliced.fixture)).toBeNull();
    const excluded = await conversation();
    await excluded.fixture.run({
      type: 'annotate',
      treeId: excluded.id,
      nodeId: excluded.question,
      set: { excluded: true },
    });
    expect(await reportedAt(excluded.fixture)).toBeNull();
    const split = await conversation();
    await split.fixture.run({ type: 'split', treeId: split.id, nodeId: split.reply, position: 7 });
    expect(await reportedAt(split.fixture)).toBeNull();
  });

  test('[X39] does not count in a graft below another node', async () => {
    const { fixture, id, reply } = await conversation();
    const other = await TestTree.make({ store: fixture.store, treeId: treeId(testUuid(2)) });
    const [parentInfo = nodeId('')] = await other.addMessages(['z'.repeat(40_000)]);
    await other.run({
      type: 'graft',
      treeId: other.treeId,
      from: { treeId: id, nodeId: reply },
      parentId: parentInfo,
      select: true,
    });
    expect(await reportedAt(fixture, other.treeId)).toBeNull();
  });

  test('[X39] counts in a copy of the whole path, and not in one with another system prompt', async () => {
    const { fixture, id } = await conversation();
    const [same, other] = [treeId(testUuid(3)), treeId(testUuid(4))];
    await fixture.run({ type: 'duplicate', treeId: same, from: id });
    expect(await reportedAt(fixture, same)).toBe(5100);
    const attributes = { systemPrompt: 'p'.repeat(40_000) };
    await fixture.run({ type: 'duplicate', treeId: other, from: id, attributes });
    expect(await reportedAt(fixture, other)).toBeNull();
  });

  test('[X39] follows the same rule when it comes with an append or an import', async () => {
    const fixture = await TestTree.make();
    const { treeId: id } = fixture;
    await fixture.run({
      type: 'append',
      treeId: id,
      messages: [{ message: user('q') }, { message: assistant('r'), meta: measured }],
    });
    expect(await reportedAt(fixture)).toBe(5100);
    await fixture.run({ type: 'append', treeId: id, messages: [{ message: user('q2') }] });
    await fixture.run({ type: 'append', treeId: id, messages: [{ message: assistant('r2'), meta: measured }] });
    expect(await reportedAt(fixture)).toBe(5100);
    const first = fixture.thread().length;
    expect(first).toBe(4);
    const imported = treeId(testUuid(5));
    const nodes = [
      { id: testUuid(50), parentId: null, order: 1, message: user('iq') },
      { id: testUuid(51), parentId: testUuid(50), order: 1, message: assistant('ir'), meta: measured },
    ];
    await fixture.run({ type: 'import', treeId: imported, nodes });
    expect(await reportedAt(fixture, imported)).toBe(5100);
    await fixture.run({
      type: 'edit',
      treeId: imported,
      nodeId: nodeId(testUuid(50)),
      content: 'other',
      mode: 'in-place',
    });
    expect(await reportedAt(fixture, imported)).toBeNull();
  });

  test('[X39] without a record of what it measured, is judged by the content versions above it', async () => {
    const { fixture, id, question, reply } = await conversation();
    await fixture.run({ type: 'annotate', treeId: id, nodeId: reply, set: { measuredOver: null } });
    expect(await reportedAt(fixture)).toBe(5100);
    await fixture.run({ type: 'edit', treeId: id, nodeId: question, content: 'another', mode: 'in-place' });
    expect(await reportedAt(fixture)).toBeNull();
  });
});

/** Returns the messages that are sent for the active branch, after coalescing. */
async function sentOf(fixture: TestTree): Promise<string[]> {
  const path = await fixture.store.read(fixture.treeId, () => readContextPath(fixture.active ?? nodeId('')));
  const { messages, continues } = buildRequestMessages(contextOf(path, { kit: testKit }), { systemInPlace: true });
  return coalesceMessages(messages, continues).map(textOf);
}

describe('texts that were split', () => {
  test('[X38] the parts of a message that was split repeatedly are sent as one message', async () => {
    const fixture = await TestTree.make();
    const { treeId: id } = fixture;
    const [a = nodeId('')] = await fixture.addMessages(['abcdefghij']);
    const cut = (node: NodeId, position: number) =>
      fixture.run({ type: 'split', treeId: id, nodeId: node, position }).then(({ result }) => result.nodeId);
    const left = await cut(a, 5);
    await cut(left, 2);
    await cut(left, 1);
    const right = await cut(a, 3);
    await cut(right, 1);
    expect(fixture.thread()).toHaveLength(6);
    expect(await sentOf(fixture)).toEqual(['abcdefghij']);
    await fixture.addMessages([user('second question')]);
    expect(await sentOf(fixture)).toEqual(['abcdefghij\n\nsecond question']);
  });

  test('[X38] the text added by an edit by prefix, and an edited right half, continue directly after the left half', async () => {
    const fixture = await TestTree.make();
    const { treeId: id } = fixture;
    const [a = nodeId('')] = await fixture.addMessages(['Hello there', 'Hi']);
    await fixture.run({ type: 'edit', treeId: id, nodeId: a, content: 'Hellish', mode: 'prefix' });
    expect(fixture.thread()).toEqual(['Hell', 'ish']);
    expect(await sentOf(fixture)).toEqual(['Hellish']);
    await fixture.run({ type: 'edit', treeId: id, nodeId: fixture.active ?? a, content: 'uva' });
    expect(await sentOf(fixture)).toEqual(['Helluva']);
    await fixture.run({ type: 'select', treeId: id, nodeId: a });
    await fixture.run({ type: 'edit', treeId: id, nodeId: a, content: 'o you' });
    expect(await sentOf(fixture)).toEqual(['Hello you']);
  });
});
