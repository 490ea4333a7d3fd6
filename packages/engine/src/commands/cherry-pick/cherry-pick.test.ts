import { run, treeId } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../new-id.ts';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[E20] copies a message to the end of the branch, with where it came from, and undo takes it back', async () => {
    const [, a1, , a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.say(['q3'], a1);
    const result = await desk.run(`/cherry-pick ${a2}`);
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3', 'a2']);
    expect(result.said).toBe('Copied assistant “a2” to the end of this branch.');
    expect((await desk.node(result.place?.activeNodeId)).meta.pickedFrom).toEqual({ treeId: desk.treeId, nodeId: a2 });
    await desk.run(result.undo ?? '');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3']);
  });

  test('[E20] copies a range', async () => {
    const [, a1, q2, a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.say(['q3'], a1);
    expect((await desk.run(`/cherry-pick ${q2} ${a2}`)).said).toBe('Copied 2 messages to the end of this branch.');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3', 'q2', 'a2']);
    expect(await desk.refusal(`/cherry-pick ${a2} ${q2}`)).toBe('tree/not-on-path');
  });

  test('[E20] copies from another tree', async () => {
    const there = treeId(newId());
    await run(desk.store, { type: 'create', treeId: there, attributes: {} }, desk.context);
    const [q1] = await desk.say(['q1', 'a1']);
    const from = { store: desk.store, treeId: there };
    const { place } = await desk.commands.run(
      { name: 'cherry-pick', args: { node: `${q1}`, from: desk.treeId } },
      from,
    );
    expect(place?.treeId).toBe(there);
    expect(await desk.refusal(`/cherry-pick ${place?.activeNodeId}`)).toBe('command/no-such-node');
  });

  test('[E30] goes to where the view is, also before the first message', async () => {
    const [, a1, , a2] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.run(`/cherry-pick ${a2}`, { activeNodeId: a1 ?? null });
    expect(await desk.thread()).toEqual(['q1', 'a1', 'a2']);
    await desk.run(`/cherry-pick ${a2}`, { activeNodeId: null });
    expect(await desk.thread()).toEqual(['a2']);
  });
});
