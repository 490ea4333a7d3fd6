import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEvents, type Events } from '../../events.ts';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  let events: Events;
  beforeEach(async () => {
    events = createEvents();
    desk = await openDesk(kind, { events });
  });
  afterEach(() => desk.close());

  test('[E17] without a node takes the last message of the user back, and leaves no summary', async () => {
    const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    const result = await desk.run('/branch-here');
    expect(result).toMatchObject({ selectedText: 'q2', place: { activeNodeId: a1 } });
    expect(desk.summed).toEqual([]);
    await desk.say(['q2, otherwise']);
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q2, otherwise']);
  });

  test('[E17] with a node begins there, and with a summary takes along what is left', async () => {
    const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.run(`/branch-here ${a1} --summarize`);
    expect(await desk.thread()).toEqual(['q1', 'a1', 'Sum of q2, a2']);
  });

  test('[E14] hooks before a branch can cancel it, and after it are told', async () => {
    const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    const told: unknown[] = [];
    events.after('branch', (event) => void told.push(event));
    events.after('switch', (event) => void told.push(event));
    await desk.run('/branch-here');
    expect(told).toEqual([{ treeId: desk.treeId, nodeId: a1, added: [] }]);
    await desk.say(['q3']);
    events.before('branch', () => ({ cancel: 'Stay.' }));
    expect(await desk.refusal(`/branch-here ${a1}`)).toBe('event/cancelled');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q3']);
  });

  test('[E16] where the user has said nothing above, there is nothing to take back', async () => {
    expect(await desk.refusal('/branch-here')).toBe('command/no-such-node');
    await desk.say(['only']);
    expect(await desk.refusal('/branch-here')).toBe('command/no-such-node');
  });
});
