import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[E21] brings a branch back as a summary of what it has since the fork', async () => {
    const [, a1, , a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.say(['q3', 'a3'], a1);
    const result = await desk.run(`/merge ${a2} --focus the why`);
    expect(desk.summed).toMatchObject([{ above: a1, leaf: a2, focus: 'the why' }]);
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3', 'a3', 'Sum of q2, a2']);
    const node = await desk.node(result.place?.activeNodeId);
    expect(node.marker?.mergedFrom).toEqual({ treeId: desk.treeId, nodeId: a2 });
    expect(node.meta.source).toEqual({ type: 'extract' });
    await desk.run(result.undo ?? '');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3', 'a3']);
  });

  test('[E21] brings a branch back as its messages', async () => {
    const [, a1, , a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.say(['q3'], a1);
    const result = await desk.run(`/merge ${a2} --messages`);
    expect(result.said).toContain('as 2 messages');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3', 'q2', 'a2']);
    expect(desk.summed).toEqual([]);
  });

  test('[E21] refuses what is on this branch already before anybody is asked for a summary', async () => {
    const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    expect(await desk.refusal(`/merge ${a1}`)).toBe('command/bad-arguments');
    expect(desk.summed).toEqual([]);
    expect(await desk.refusal(`/merge ${a1} --messages`)).toBe('command/invalid');
    expect(await desk.refusal(`/merge ${a1} --messages --focus x`)).toBe('command/bad-arguments');
  });

  test('[E30] brings it back to where the view is', async () => {
    const [, a1, , a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    const [q3] = await desk.say(['q3'], a1);
    await desk.run(`/switch ${a2}`);
    await desk.run(`/merge ${a2}`, { activeNodeId: q3 ?? null });
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3', 'Sum of q2, a2']);
  });
});

test('[E21] a branch on which nothing was said is not merged', async () => {
  const desk = await openDesk('memory', { summarize: async () => null });
  const [, a1, , a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
  await desk.say(['q3'], a1);
  expect(await desk.refusal(`/merge ${a2}`)).toBe('message/blank');
  await desk.close();
});
