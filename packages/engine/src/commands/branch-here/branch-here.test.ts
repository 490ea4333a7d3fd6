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

  test('[E17] without an argument the view moves before the last user message, and no summary is added', async () => {
    const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const result = await fixture.run('/branch-here');
    expect(result).toMatchObject({ selectedText: 'q2', place: { activeNodeId: a1 } });
    expect(fixture.summed).toEqual([]);
    await fixture.say(['q2, otherwise']);
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q2, otherwise']);
  });

  test('[E17] with a node the branch starts there, and with a summary it covers the messages left behind', async () => {
    const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.run(`/branch-here ${a1} --summarize`);
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'Sum of q2, a2']);
  });

  test('[E14] hooks before a branch can cancel it, and hooks after it are called', async () => {
    const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const reported: unknown[] = [];
    events.after('branch', (event) => void reported.push(event));
    events.after('switch', (event) => void reported.push(event));
    await fixture.run('/branch-here');
    expect(reported).toEqual([{ treeId: fixture.treeId, nodeId: a1, added: [] }]);
    await fixture.say(['q3']);
    events.before('branch', () => ({ cancel: 'Stay.' }));
    expect(await fixture.refusal(`/branch-here ${a1}`)).toBe('event/cancelled');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3']);
  });

  test('[E16] without a user message above, the command is refused', async () => {
    expect(await fixture.refusal('/branch-here')).toBe('command/no-such-node');
    await fixture.say(['only']);
    expect(await fixture.refusal('/branch-here')).toBe('command/no-such-node');
  });
});
