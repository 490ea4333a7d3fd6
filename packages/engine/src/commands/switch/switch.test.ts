import { type NodeId, run, textMessage } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEvents } from '../../events.ts';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  let ids: NodeId[];
  beforeEach(async () => {
    desk = await openDesk(kind);
    ids = await desk.say(['q1', 'a1', 'q2', 'a2']);
  });
  afterEach(() => desk.close());

  test('[E10] going to a reply makes it active; going to a message of the user takes it back', async () => {
    const [, a1, q2, a2] = ids;
    const back = await desk.run(`/switch ${a1}`);
    expect(back.place).toEqual({ treeId: desk.treeId, activeNodeId: a1 });
    expect(back.selectedText).toBeUndefined();
    expect(back.data).toEqual({ from: a2, to: a1, moved: true, summaryId: null });
    expect(await desk.active()).toBe(a1);
    await desk.run(`/switch ${a2}`);
    const again = await desk.run(`/switch ${q2}`);
    expect(again.selectedText).toBe('q2');
    expect(again.place?.activeNodeId).toBe(a1);
    expect(again.said).toContain('its text is there to be changed');
  });

  test('[E10] with --exact the very message of the user becomes active', async () => {
    const result = await desk.run(`/switch ${ids[2]} --exact`);
    expect(result.selectedText).toBeUndefined();
    expect(await desk.active()).toBe(ids[2]);
  });

  test("[E11] one's own place is no change and no commit", async () => {
    const { version } = (await desk.store.history(desk.treeId))[0] ?? {};
    const same = await desk.run('/switch @here');
    expect(same).toMatchObject({ said: 'You are there already.', data: { moved: false } });
    expect(same.undo).toBeUndefined();
    expect(same.place).toBeUndefined();
    await desk.run(`/switch ${ids[2]} --exact`);
    expect((await desk.run(`/switch ${ids[2]}`)).selectedText).toBeUndefined();
    await desk.run(`/switch ${ids[1]}`);
    // Right above a message of the user already: the text comes back, and nothing moves.
    expect(await desk.run(`/switch ${ids[2]}`)).toMatchObject({ selectedText: 'q2', data: { moved: false } });
    expect((await desk.store.history(desk.treeId))[0]?.version).toBe((version ?? 0) + 2);
  });

  test('[E12] taking the first message back goes before it: the view does, the pointer cannot', async () => {
    const result = await desk.run(`/switch ${ids[0]}`);
    expect(result.place).toEqual({ treeId: desk.treeId, activeNodeId: null });
    expect(result.selectedText).toBe('q1');
    expect(await desk.active()).toBe(ids[3]);
    const at = { activeNodeId: null };
    expect((await desk.run('/switch @start', at)).said).toBe('You are there already.');
    const back = await desk.run(`${result.undo}`, at);
    expect(back.place?.activeNodeId).toBe(ids[3]);
    expect(back.undo).toBe('/switch @start --exact');
  });

  test('[E13] a summary covers what is left since the fork, hangs on the new place and is active', async () => {
    const [, a1, , a2] = ids;
    const [q3 = desk.rootId] = await desk.say(['q3'], a1);
    await desk.run(`/switch ${a2}`);
    const result = await desk.run(`/switch ${q3} --exact --summarize what failed`);
    expect(desk.summed).toMatchObject([{ above: a1, leaf: a2, focus: 'what failed' }]);
    const node = await desk.node(result.place?.activeNodeId);
    expect(node).toMatchObject({
      kind: 'branch-summary',
      parentId: q3,
      marker: { from: a2 },
      meta: { source: { type: 'extract' } },
    });
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3', 'Sum of q2, a2']);
    expect(result.undo).toBe('/undo');
    await desk.run('/undo');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q2', 'a2']);
  });

  test('[E13] the way further down leaves nothing behind, so that there is nothing to sum up', async () => {
    await desk.run(`/switch ${ids[1]}`);
    const result = await desk.run(`/switch ${ids[3]} --summarize`);
    expect(desk.summed).toEqual([]);
    expect(result.place?.activeNodeId).toBe(ids[3]);
  });

  test('[E13] before the first message a summary hangs on the root', async () => {
    const result = await desk.run(`/switch ${ids[0]} --summarize`);
    expect(desk.summed).toMatchObject([{ above: null, leaf: ids[3], focus: undefined }]);
    expect((await desk.node(result.place?.activeNodeId)).parentId).toBe(desk.rootId);
    expect(result.selectedText).toBe('q1');
  });

  test('[E15] the undo of a move leads back to the very place, also to a message of the user', async () => {
    await desk.run(`/switch ${ids[2]} --exact`);
    const { undo } = await desk.run(`/switch ${ids[1]}`);
    expect(await desk.active()).toBe(ids[1]);
    await desk.run(undo ?? '');
    expect(await desk.active()).toBe(ids[2]);
  });

  test('[E30] the place is that of the view, wherever the pointer is', async () => {
    const [, a1, , a2] = ids;
    const [other] = await desk.say(['elsewhere'], a1);
    expect(await desk.active()).toBe(other);
    const result = await desk.run(`/switch ${ids[0]} --exact --summarize`, { activeNodeId: a2 ?? null });
    expect(desk.summed).toMatchObject([{ above: ids[0], leaf: a2 }]);
    expect((await desk.node(result.place?.activeNodeId)).marker?.from).toBe(a2);
  });

  test('[E10] from far down the fork is found', async () => {
    const messages = Array.from({ length: 3_000 }, (_, at) => ({ message: textMessage('user', `m${at}`) }));
    await run(desk.store, { type: 'append', treeId: desk.treeId, messages }, desk.context);
    const result = await desk.run(`/switch ${ids[1]} --summarize`);
    expect(desk.summed).toMatchObject([{ above: ids[1] }]);
    expect((await desk.node(result.place?.activeNodeId)).parentId).toBe(ids[1]);
  });
});

describe('hooks', () => {
  test('[E14] before a switch can cancel it or send it elsewhere, and after it are told', async () => {
    const events = createEvents();
    const desk = await openDesk('memory', { events });
    const [q1, a1, q2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    const told: unknown[] = [];
    events.after('switch', (event) => void told.push(event));
    const stop = events.before('switch', () => ({ cancel: 'Not now.' }));
    expect(await desk.refusal(`/switch ${a1}`)).toBe('event/cancelled');
    expect(told).toEqual([]);
    stop();
    events.before('switch', ({ treeId }) => ({ replace: { treeId, nodeId: a1 ?? desk.rootId } }));
    const from = await desk.active();
    const result = await desk.run(`/switch ${q1} --exact`);
    expect(result.place?.activeNodeId).toBe(a1);
    expect(result.said).toContain('A hook sent you to assistant “a1” instead');
    expect(told).toEqual([{ treeId: desk.treeId, nodeId: a1, from }]);
    // The text of a message that one was not sent to is none to change.
    await desk.run('/switch @start', { activeNodeId: q2 ?? null });
    expect((await desk.run(`/switch ${q1}`, { activeNodeId: q2 ?? null })).selectedText).toBeUndefined();
    await desk.close();
  });

  test('[E14] before a branch can give the summary themselves', async () => {
    const events = createEvents();
    const desk = await openDesk('memory', { events });
    const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    events.before('branch', (event) => ({ replace: { ...event, summary: 'From the hook.' } }));
    const told: unknown[] = [];
    events.after('branch', (event) => void told.push(event));
    const { place } = await desk.run(`/switch ${a1} --summarize`);
    expect(desk.summed).toEqual([]);
    expect(await desk.thread()).toEqual(['q1', 'a1', 'From the hook.']);
    expect(told).toEqual([{ treeId: desk.treeId, nodeId: place?.activeNodeId, added: [place?.activeNodeId] }]);
    await desk.close();
  });
});
