import { type NodeId, run, textMessage } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../../events.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  let ids: NodeId[];
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
    ids = await fixture.say(['q1', 'a1', 'q2', 'a2']);
  });
  afterEach(() => fixture.close());

  test('[E10] switching to a reply makes it active; switching to a user message moves before it', async () => {
    const [, a1, q2, a2] = ids;
    const back = await fixture.run(`/switch ${a1}`);
    expect(back.place).toEqual({ treeId: fixture.treeId, activeNodeId: a1 });
    expect(back.selectedText).toBeUndefined();
    expect(back.data).toEqual({ from: a2, to: a1, moved: true, summaryId: null });
    expect(await fixture.active()).toBe(a1);
    await fixture.run(`/switch ${a2}`);
    const again = await fixture.run(`/switch ${q2}`);
    expect(again.selectedText).toBe('q2');
    expect(again.place?.activeNodeId).toBe(a1);
    expect(again.said).toContain('its text is in the editor');
  });

  test('[E10] with --exact a user message itself becomes active', async () => {
    const result = await fixture.run(`/switch ${ids[2]} --exact`);
    expect(result.selectedText).toBeUndefined();
    expect(await fixture.active()).toBe(ids[2]);
  });

  test('[E11] switching to the current position changes and commits nothing', async () => {
    const { version } = (await fixture.store.history(fixture.treeId))[0] ?? {};
    const same = await fixture.run('/switch @here');
    expect(same).toMatchObject({ said: 'You are already there.', data: { moved: false } });
    expect(same.undo).toBeUndefined();
    expect(same.place).toBeUndefined();
    await fixture.run(`/switch ${ids[2]} --exact`);
    expect((await fixture.run(`/switch ${ids[2]}`)).selectedText).toBeUndefined();
    await fixture.run(`/switch ${ids[1]}`);
    // The view is already right above the user's message: the text is returned, and nothing moves.
    expect(await fixture.run(`/switch ${ids[2]}`)).toMatchObject({ selectedText: 'q2', data: { moved: false } });
    expect((await fixture.store.history(fixture.treeId))[0]?.version).toBe((version ?? 0) + 2);
  });

  test('[E12] switching to the first message moves the view before it; the active node cannot move there', async () => {
    const result = await fixture.run(`/switch ${ids[0]}`);
    expect(result.place).toEqual({ treeId: fixture.treeId, activeNodeId: null });
    expect(result.selectedText).toBe('q1');
    expect(await fixture.active()).toBe(ids[3]);
    const at = { activeNodeId: null };
    expect((await fixture.run('/switch @start', at)).said).toBe('You are already there.');
    const back = await fixture.run(`${result.undo}`, at);
    expect(back.place?.activeNodeId).toBe(ids[3]);
    expect(back.undo).toBe('/switch @start --exact');
  });

  test('[E13] a summary covers the messages left behind since the fork, is a child of the new position and active', async () => {
    const [, a1, , a2] = ids;
    const [q3 = fixture.rootId] = await fixture.say(['q3'], a1);
    await fixture.run(`/switch ${a2}`);
    const result = await fixture.run(`/switch ${q3} --exact --summarize what failed`);
    expect(fixture.summed).toMatchObject([{ above: a1, leaf: a2, focus: 'what failed' }]);
    const node = await fixture.node(result.place?.activeNodeId);
    expect(node).toMatchObject({
      kind: 'branch-summary',
      parentId: q3,
      marker: { from: a2 },
      meta: { source: { type: 'extract' } },
    });
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'Sum of q2, a2']);
    expect(result.undo).toBe('/undo');
    await fixture.run('/undo');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q2', 'a2']);
  });

  test('[E13] moving further down leaves nothing behind, so that no summary is made', async () => {
    await fixture.run(`/switch ${ids[1]}`);
    const result = await fixture.run(`/switch ${ids[3]} --summarize`);
    expect(fixture.summed).toEqual([]);
    expect(result.place?.activeNodeId).toBe(ids[3]);
  });

  test('[E13] before the first message a summary is a child of the root', async () => {
    const result = await fixture.run(`/switch ${ids[0]} --summarize`);
    expect(fixture.summed).toMatchObject([{ above: null, leaf: ids[3], focus: undefined }]);
    expect((await fixture.node(result.place?.activeNodeId)).parentId).toBe(fixture.rootId);
    expect(result.selectedText).toBe('q1');
  });

  test('[E15] undo of a switch returns to the exact position, even to a user message', async () => {
    await fixture.run(`/switch ${ids[2]} --exact`);
    const { undo } = await fixture.run(`/switch ${ids[1]}`);
    expect(await fixture.active()).toBe(ids[1]);
    await fixture.run(undo ?? '');
    expect(await fixture.active()).toBe(ids[2]);
  });

  test('[E30] the command uses the position of the view, whatever node is active', async () => {
    const [, a1, , a2] = ids;
    const [other] = await fixture.say(['elsewhere'], a1);
    expect(await fixture.active()).toBe(other);
    const result = await fixture.run(`/switch ${ids[0]} --exact --summarize`, { activeNodeId: a2 ?? null });
    expect(fixture.summed).toMatchObject([{ above: ids[0], leaf: a2 }]);
    expect((await fixture.node(result.place?.activeNodeId)).marker?.from).toBe(a2);
  });

  test('[E10] finds the fork from far down', async () => {
    const messages = Array.from({ length: 3_000 }, (_, at) => ({ message: textMessage('user', `m${at}`) }));
    await run(fixture.store, { type: 'append', treeId: fixture.treeId, messages }, fixture.context);
    const result = await fixture.run(`/switch ${ids[1]} --summarize`);
    expect(fixture.summed).toMatchObject([{ above: ids[1] }]);
    expect((await fixture.node(result.place?.activeNodeId)).parentId).toBe(ids[1]);
  });
});

describe('hooks', () => {
  test('[E14] before a switch can cancel or redirect it, and after it are called', async () => {
    const events = createEventBus();
    const fixture = await openCommandFixture('memory', { events });
    const [q1, a1, q2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const reported: unknown[] = [];
    events.after('switch', (event) => void reported.push(event));
    const stop = events.before('switch', () => ({ cancel: 'Not now.' }));
    expect(await fixture.refusal(`/switch ${a1}`)).toBe('event/cancelled');
    expect(reported).toEqual([]);
    stop();
    events.before('switch', ({ treeId }) => ({ replace: { treeId, nodeId: a1 ?? fixture.rootId } }));
    const from = await fixture.active();
    const result = await fixture.run(`/switch ${q1} --exact`);
    expect(result.place?.activeNodeId).toBe(a1);
    expect(result.said).toContain('A hook moved you to assistant “a1” instead');
    expect(reported).toEqual([{ treeId: fixture.treeId, nodeId: a1, from }]);
    // A hook that redirects the move also suppresses the text of the original target.
    await fixture.run('/switch @start', { activeNodeId: q2 ?? null });
    expect((await fixture.run(`/switch ${q1}`, { activeNodeId: q2 ?? null })).selectedText).toBeUndefined();
    await fixture.close();
  });

  test('[E14] before a branch can write the summary themselves', async () => {
    const events = createEventBus();
    const fixture = await openCommandFixture('memory', { events });
    const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    events.before('branch', (event) => ({ replace: { ...event, summary: 'From the hook.' } }));
    const reported: unknown[] = [];
    events.after('branch', (event) => void reported.push(event));
    const { place } = await fixture.run(`/switch ${a1} --summarize`);
    expect(fixture.summed).toEqual([]);
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'From the hook.']);
    expect(reported).toEqual([{ treeId: fixture.treeId, nodeId: place?.activeNodeId, added: [place?.activeNodeId] }]);
    await fixture.close();
  });
});
