import { run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../../events.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';
import type { CompactBranchRequest } from '../contract.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  let asked: CompactBranchRequest[];
  beforeEach(async () => {
    asked = [];
    fixture = await openCommandFixture(kind, {
      async compact(request) {
        asked.push(request);
        const { store, treeId, actId, nodeId } = request;
        const { result } = await run(
          store,
          { type: 'compact', treeId, nodeId, summary: 'In short.', firstKept: nodeId, tokensBefore: 1_234 },
          { ...fixture.context, actId },
        );
        return { nodeId: result.nodeId, tokensBefore: 1_234, tokensAfter: 56, summarised: 3 };
      },
    });
  });
  afterEach(() => fixture.close());

  test('[E22] compacts the branch of the view, with a focus, and undo removes the summary', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.say(['elsewhere'], a1);
    const result = await fixture.run('/compact keep the names', { activeNodeId: a2 ?? null });
    expect(asked).toMatchObject([{ nodeId: a2, focus: 'keep the names', actor: fixture.store.owner }]);
    expect(result.said).toBe(
      '3 messages replaced by a summary: the model now gets about 56 tokens instead of 1,234. Nothing was deleted.',
    );
    expect((await fixture.node(result.place?.activeNodeId)).kind).toBe('compaction');
    await fixture.run(result.undo ?? '');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'elsewhere']);
  });

  test('[E22] is refused before the first message', async () => {
    expect(await fixture.refusal('/compact')).toBe('context/nothing-to-compact');
    expect(asked).toEqual([]);
  });
});

test('[E9] without a model the summary is made from excerpts, and hooks are called', async () => {
  const events = createEventBus();
  const asked: unknown[] = [];
  events.before('compact', (event) => void asked.push(event));
  const fixture = await openCommandFixture('sqlite', { events });
  const ids = await fixture.say(['Plan the move to Lisbon.', 'word '.repeat(6_000), 'And then?', 'It is done.']);
  const result = await fixture.run('/compact the boxes');
  expect(asked).toMatchObject([{ nodeId: ids[3], reason: 'manual', focus: 'the boxes' }]);
  const node = await fixture.node(result.place?.activeNodeId);
  expect(node).toMatchObject({ kind: 'compaction', parentId: ids[3], meta: { source: { type: 'extract' } } });
  expect(node.text).toContain('Plan the move to Lisbon.');
  await fixture.run('/undo');
  expect(await fixture.active()).toBe(ids[3]);
  await fixture.close();
});
