import { run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEvents } from '../../events.ts';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';
import type { CompactBranchRequest } from '../contract.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  let asked: CompactBranchRequest[];
  beforeEach(async () => {
    asked = [];
    desk = await openDesk(kind, {
      async compact(request) {
        asked.push(request);
        const { store, treeId, actId, nodeId } = request;
        const { result } = await run(
          store,
          { type: 'compact', treeId, nodeId, summary: 'In short.', firstKept: nodeId, tokensBefore: 1_234 },
          { ...desk.context, actId },
        );
        return { nodeId: result.nodeId, tokensBefore: 1_234, tokensAfter: 56, summarised: 3 };
      },
    });
  });
  afterEach(() => desk.close());

  test('[E22] has the branch of the view compacted, with a focus, and undo takes it back', async () => {
    const [, a1, , a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.say(['elsewhere'], a1);
    const result = await desk.run('/compact keep the names', { activeNodeId: a2 ?? null });
    expect(asked).toMatchObject([{ nodeId: a2, focus: 'keep the names', actor: desk.store.owner }]);
    expect(result.said).toBe(
      '3 messages gave way to a summary: about 56 tokens are in force, 1,234 were before. Nothing left the tree.',
    );
    expect((await desk.node(result.place?.activeNodeId)).kind).toBe('compaction');
    await desk.run(result.undo ?? '');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'elsewhere']);
  });

  test('[E22] before the first message there is nothing to compact', async () => {
    expect(await desk.refusal('/compact')).toBe('context/nothing-to-compact');
    expect(asked).toEqual([]);
  });
});

test('[E9] without a model the summary is drawn from the messages, and hooks are asked', async () => {
  const events = createEvents();
  const asked: unknown[] = [];
  events.before('compact', (event) => void asked.push(event));
  const desk = await openDesk('sqlite', { events });
  const ids = await desk.say(['Plan the move to Lisbon.', 'word '.repeat(6_000), 'And then?', 'It is done.']);
  const result = await desk.run('/compact the boxes');
  expect(asked).toMatchObject([{ nodeId: ids[3], reason: 'manual', focus: 'the boxes' }]);
  const node = await desk.node(result.place?.activeNodeId);
  expect(node).toMatchObject({ kind: 'compaction', parentId: ids[3], meta: { source: { type: 'extract' } } });
  expect(node.text).toContain('Plan the move to Lisbon.');
  await desk.run('/undo');
  expect(await desk.active()).toBe(ids[3]);
  await desk.close();
});
