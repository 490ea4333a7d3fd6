import { ask } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEvents } from '../../events.ts';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  const events = createEvents();
  beforeEach(async () => {
    desk = await openDesk(kind, { events });
  });
  afterEach(() => desk.close());

  test('[Z31] goes on after a node, itself included, in a conversation of its own', async () => {
    const [, two] = await desk.say(['one', 'two', 'three']);
    const textsIn = async (line: string) => {
      const { place } = await desk.run(line);
      const to = place?.activeNodeId ?? desk.rootId;
      return (await desk.store.read(place?.treeId ?? desk.treeId, () => ask('path', { to }))).nodes.map(
        (node) => node.text,
      );
    };
    expect(await textsIn('/fork')).toEqual(['one', 'two', 'three']);
    expect(await textsIn(`/fork ${two}`)).toEqual(['one', 'two']);
    const stop = events.before('branch', () => ({ cancel: 'Not now.' }));
    expect(await desk.refusal('/fork')).toBe('event/cancelled');
    stop();
  });

  test('[Z31] takes another message of the user back and gives its text, as going there does everywhere', async () => {
    const [, , three] = await desk.say(['one', 'two', 'three', 'four']);
    const { place, selectedText } = await desk.run(`/fork ${three}`);
    const to = place?.activeNodeId ?? desk.rootId;
    const path = await desk.store.read(place?.treeId ?? desk.treeId, () => ask('path', { to }));
    expect([path.nodes.map((node) => node.text), selectedText]).toEqual([['one', 'two'], 'three']);
  });
});
