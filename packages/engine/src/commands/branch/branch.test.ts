import { ask } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[Z30] takes the last message back in a conversation of its own, and the old one stays', async () => {
    await desk.say(['one', 'two', 'three', 'four']);
    const before = await desk.thread();
    const result = await desk.run('/branch');
    expect(result).toMatchObject({ selectedText: 'three', data: { file: null } });
    const { treeId, activeNodeId } = result.place ?? { treeId: desk.treeId, activeNodeId: null };
    expect(treeId).not.toBe(desk.treeId);
    const path = await desk.store.read(treeId, () => ask('path', { to: activeNodeId ?? desk.rootId }));
    expect(path.nodes.map((node) => node.text)).toEqual(['one', 'two']);
    expect(await desk.thread()).toEqual(before);
  });

  test('[Z30] before the first message the new one is empty, and a hook may say no', async () => {
    const [first] = await desk.say(['one', 'two']);
    const result = await desk.run(`/branch ${first}`);
    expect(result).toMatchObject({ selectedText: 'one', place: { activeNodeId: null } });
    expect(await desk.refusal('/branch nowhere-at-all')).toBe('command/no-such-node');
  });
});
