import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventBus, type EventBus } from '../../events.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  let events: EventBus;
  beforeEach(async () => {
    events = createEventBus();
    fixture = await openCommandFixture(kind, { events });
  });
  afterEach(() => fixture.close());

  test('[E21] adds a summary of the messages that the branch has since the fork', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.say(['q3', 'a3'], a1);
    const result = await fixture.run(`/merge ${a2} --focus the why`);
    expect(fixture.summed).toMatchObject([{ above: a1, leaf: a2, focus: 'the why' }]);
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'a3', 'Sum of q2, a2']);
    const node = await fixture.node(result.place?.activeNodeId);
    expect(node.marker?.mergedFrom).toEqual({ treeId: fixture.treeId, nodeId: a2 });
    expect(node.meta.source).toEqual({ type: 'extract' });
    await fixture.run(result.undo ?? '');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'a3']);
  });

  test('[E21] copies the messages of the branch', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.say(['q3'], a1);
    const result = await fixture.run(`/merge ${a2} --messages`);
    expect(result.said).toContain('as 2 messages');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'q2', 'a2']);
    expect(fixture.summed).toEqual([]);
  });

  test('[E21] refuses a branch that is already part of this one before a summary is requested', async () => {
    const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    expect(await fixture.refusal(`/merge ${a1}`)).toBe('command/bad-arguments');
    expect(fixture.summed).toEqual([]);
    expect(await fixture.refusal(`/merge ${a1} --messages`)).toBe('command/invalid');
    expect(await fixture.refusal(`/merge ${a1} --messages --focus x`)).toBe('command/bad-arguments');
  });

  test('[E14] hooks before a merge can cancel it or write the summary, and hooks after it are called', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const [q3] = await fixture.say(['q3'], a1);
    const remove = events.before('merge', (event) => ({ cancel: `Not ${event.mode}.` }));
    for (const line of [`/merge ${a2}`, `/merge ${a2} --messages`])
      expect(await fixture.refusal(line)).toBe('event/cancelled');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3']);
    remove();
    const asked: unknown[] = [];
    const reported: unknown[] = [];
    events.before('merge', (event) => {
      asked.push(event);
      return { replace: { ...event, summary: 'From a hook' } };
    });
    events.after('merge', (event) => void reported.push(event));
    const { place } = await fixture.run(`/merge ${a2}`);
    expect(asked).toEqual([{ treeId: fixture.treeId, nodeId: a2, mode: 'summary', into: q3 }]);
    const id = place?.activeNodeId;
    expect(reported).toEqual([{ treeId: fixture.treeId, nodeId: id, added: [id], mergedFrom: a2 }]);
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'From a hook']);
    expect(fixture.summed).toEqual([]);
  });

  test('[E30] merges to the current position of the view', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const [q3] = await fixture.say(['q3'], a1);
    await fixture.run(`/switch ${a2}`);
    await fixture.run(`/merge ${a2}`, { activeNodeId: q3 ?? null });
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'Sum of q2, a2']);
  });
});

test('[E21] a branch without messages is not merged', async () => {
  const fixture = await openCommandFixture('memory', { summarize: async () => null });
  const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
  await fixture.say(['q3'], a1);
  expect(await fixture.refusal(`/merge ${a2}`)).toBe('message/blank');
  await fixture.close();
});
