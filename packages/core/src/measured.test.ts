import { describe, expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';
import { contextOf, readContextPath } from './context.ts';
import { readContextPage } from './context-page.ts';
import { type NodeId, nodeId, treeId } from './ids.ts';
import { textOf } from './message.ts';
import { requestMessages } from './request.ts';
import { assistant, Bed, testKit, user, uuid } from './testing/index.ts';

const usage = { inputTokens: 5000, outputTokens: 100 };
const measured = { source: { type: 'model', usage } };

/** What is in force at the end of a tree's active branch, by both ways to ask for it. */
async function reportedAt(bed: Bed, id = bed.treeId, to?: NodeId): Promise<number | null> {
  const tree = bed.reference?.tree(id);
  const end = to ?? tree?.activeNodeId ?? nodeId('');
  const options = { kit: testKit, systemPrompt: tree?.attributes.systemPrompt };
  const path = await bed.store.read(id, () => readContextPath(end));
  const page = await bed.store.read(id, () => readContextPage(end, { ...options, limit: 10 }));
  const { estimate } = contextOf(path, options);
  expect(page.estimate).toEqual(estimate);
  return estimate.reported;
}

/** A question, a reply with usage written in two commits, and a question after it. */
async function talk(systemPrompt = 'Be brief.') {
  const bed = await Bed.make({ systemPrompt });
  const { treeId: id } = bed;
  const [question = nodeId('')] = await bed.grow(['question']);
  const { result } = await bed.run({ type: 'reply', treeId: id, parentId: question, replies: [{}] });
  const [reply = nodeId('')] = result.added;
  const message = assistant('a reply of several words');
  await bed.run({ type: 'finish', treeId: id, nodeId: reply, status: 'success', message, meta: measured });
  const [next = nodeId('')] = await bed.grow(['next']);
  return { bed, id, question, reply, next };
}

describe('usage that was reported with a reply', () => {
  test('[X21] counts while everything above it is what it was', async () => {
    const { bed } = await talk();
    expect(await reportedAt(bed)).toBe(5100);
  });

  test('[X39] does not count after an edit in place above it, and counts again when that is undone', async () => {
    const { bed, id, question } = await talk();
    await bed.run({ type: 'edit', treeId: id, nodeId: question, content: 'x'.repeat(40_000), mode: 'in-place' });
    expect(await reportedAt(bed)).toBeNull();
    await bed.run({ type: 'undo', treeId: id });
    expect(await reportedAt(bed)).toBe(5100);
  });

  test('[X39] does not count after an edit of the reply itself', async () => {
    const { bed, id, reply } = await talk();
    await bed.run({ type: 'edit', treeId: id, nodeId: reply, content: 'shorter', mode: 'in-place' });
    expect(await reportedAt(bed)).toBeNull();
  });

  test('[X39] does not count after a move, and counts again after the move back', async () => {
    const { bed, id, question, reply } = await talk();
    const long = await bed.grow([user('y'.repeat(40_000))], bed.rootId);
    await bed.run({ type: 'move', treeId: id, nodeId: reply, parentId: long[0] ?? bed.rootId });
    await bed.run({ type: 'select', treeId: id, nodeId: reply });
    expect(await reportedAt(bed)).toBeNull();
    await bed.run({ type: 'move', treeId: id, nodeId: reply, parentId: question });
    expect(await reportedAt(bed, id, reply)).toBe(5100);
  });

  test('[X39] does not count where what was above was spliced out, excluded or split', async () => {
    const spliced = await talk();
    await spliced.bed.run({ type: 'delete', treeId: spliced.id, nodeIds: [spliced.question] });
    expect(await reportedAt(spliced.bed)).toBeNull();
    const excluded = await talk();
    await excluded.bed.run({
      type: 'annotate',
      treeId: excluded.id,
      nodeId: excluded.question,
      set: { excluded: true },
    });
    expect(await reportedAt(excluded.bed)).toBeNull();
    const split = await talk();
    await split.bed.run({ type: 'split', treeId: split.id, nodeId: split.reply, position: 7 });
    expect(await reportedAt(split.bed)).toBeNull();
  });

  test('[X39] does not count in a graft below something else', async () => {
    const { bed, id, reply } = await talk();
    const other = await Bed.make({ store: bed.store, treeId: treeId(uuid(2)) });
    const [ground = nodeId('')] = await other.grow(['z'.repeat(40_000)]);
    await other.run({
      type: 'graft',
      treeId: other.treeId,
      from: { treeId: id, nodeId: reply },
      parentId: ground,
      select: true,
    });
    expect(await reportedAt(bed, other.treeId)).toBeNull();
  });

  test('[X39] counts in a copy of the whole path, and not in one with another system prompt', async () => {
    const { bed, id } = await talk();
    const [same, other] = [treeId(uuid(3)), treeId(uuid(4))];
    await bed.run({ type: 'duplicate', treeId: same, from: id });
    expect(await reportedAt(bed, same)).toBe(5100);
    const attributes = { systemPrompt: 'p'.repeat(40_000) };
    await bed.run({ type: 'duplicate', treeId: other, from: id, attributes });
    expect(await reportedAt(bed, other)).toBeNull();
  });

  test('[X39] that comes with an append or an import is held to the same', async () => {
    const bed = await Bed.make();
    const { treeId: id } = bed;
    await bed.run({
      type: 'append',
      treeId: id,
      messages: [{ message: user('q') }, { message: assistant('r'), meta: measured }],
    });
    expect(await reportedAt(bed)).toBe(5100);
    await bed.run({ type: 'append', treeId: id, messages: [{ message: user('q2') }] });
    await bed.run({ type: 'append', treeId: id, messages: [{ message: assistant('r2'), meta: measured }] });
    expect(await reportedAt(bed)).toBe(5100);
    const first = bed.thread().length;
    expect(first).toBe(4);
    const imported = treeId(uuid(5));
    const nodes = [
      { id: uuid(50), parentId: null, order: 1, message: user('iq') },
      { id: uuid(51), parentId: uuid(50), order: 1, message: assistant('ir'), meta: measured },
    ];
    await bed.run({ type: 'import', treeId: imported, nodes });
    expect(await reportedAt(bed, imported)).toBe(5100);
    await bed.run({ type: 'edit', treeId: imported, nodeId: nodeId(uuid(50)), content: 'other', mode: 'in-place' });
    expect(await reportedAt(bed, imported)).toBeNull();
  });

  test('[X39] from before it was noted what it was measured over is judged by the versions above', async () => {
    const { bed, id, question, reply } = await talk();
    await bed.run({ type: 'annotate', treeId: id, nodeId: reply, set: { measuredOver: null } });
    expect(await reportedAt(bed)).toBe(5100);
    await bed.run({ type: 'edit', treeId: id, nodeId: question, content: 'another', mode: 'in-place' });
    expect(await reportedAt(bed)).toBeNull();
  });
});

/** What is sent of the active branch, coalesced. */
async function sentOf(bed: Bed): Promise<string[]> {
  const path = await bed.store.read(bed.treeId, () => readContextPath(bed.active ?? nodeId('')));
  const { messages, continues } = requestMessages(contextOf(path, { kit: testKit }), { systemInPlace: true });
  return coalesce(messages, continues).map(textOf);
}

describe('texts that were cut', () => {
  test('[X38] halves of a split, split again in any order, are sent as the whole', async () => {
    const bed = await Bed.make();
    const { treeId: id } = bed;
    const [a = nodeId('')] = await bed.grow(['abcdefghij']);
    const cut = (node: NodeId, position: number) =>
      bed.run({ type: 'split', treeId: id, nodeId: node, position }).then(({ result }) => result.nodeId);
    const left = await cut(a, 5);
    await cut(left, 2);
    await cut(left, 1);
    const right = await cut(a, 3);
    await cut(right, 1);
    expect(bed.thread()).toHaveLength(6);
    expect(await sentOf(bed)).toEqual(['abcdefghij']);
    await bed.grow([user('second question')]);
    expect(await sentOf(bed)).toEqual(['abcdefghij\n\nsecond question']);
  });

  test('[X38] what an edit by prefix added, and an edited right half, go on where the left half ends', async () => {
    const bed = await Bed.make();
    const { treeId: id } = bed;
    const [a = nodeId('')] = await bed.grow(['Hello there', 'Hi']);
    await bed.run({ type: 'edit', treeId: id, nodeId: a, content: 'Hellish', mode: 'prefix' });
    expect(bed.thread()).toEqual(['Hell', 'ish']);
    expect(await sentOf(bed)).toEqual(['Hellish']);
    await bed.run({ type: 'edit', treeId: id, nodeId: bed.active ?? a, content: 'uva' });
    expect(await sentOf(bed)).toEqual(['Helluva']);
    await bed.run({ type: 'select', treeId: id, nodeId: a });
    await bed.run({ type: 'edit', treeId: id, nodeId: a, content: 'o you' });
    expect(await sentOf(bed)).toEqual(['Hello you']);
  });
});
