import { run, textMessage } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  let now = Date.now();
  beforeEach(async () => {
    now = Date.now();
    fixture = await openCommandFixture(kind, { now: () => now });
  });
  afterEach(() => fixture.close());

  test('[E18] lists the ends of branches, newest first, with label, counts and age, the current one marked', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const [q3] = await fixture.say(['q3'], a1);
    await fixture.run(`/label the first --on ${a2}`);
    now += 2 * 3_600_000 + 60_000;
    const result = await fixture.run('/branches');
    expect(result.said).toBe('There are 2 branches.');
    expect(result.data).toMatchObject({
      total: 2,
      branches: [
        { nodeId: q3, role: 'user', preview: 'q3', label: null, messages: 3, own: 1, current: true },
        { nodeId: a2, role: 'assistant', preview: 'a2', label: 'the first', messages: 4, own: 2, current: false },
      ],
    });
    expect(result.list).toEqual([q3, a2]);
    expect(result.text).toBe(
      [
        '1. * user “q3” · 3 messages, 1 of its own · 2 hours ago',
        '2.   assistant [the first] “a2” · 4 messages, 2 of its own · 2 hours ago',
      ].join('\n'),
    );
    expect(result.undo).toBeUndefined();
  });

  test('[E18] marks a branch that continues from the middle of another, and lists it even if it is old', async () => {
    const [q1, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    for (const text of ['b', 'c', 'd']) await fixture.say([text], a1);
    await fixture.run(`/switch ${a2}`);
    const result = await fixture.run('/branches --limit 2', { activeNodeId: q1 ?? null });
    expect(result.said).toBe('There are 4 branches; the newest 2 are listed.');
    expect(result.data).toMatchObject({
      branches: [
        { preview: 'd', current: false },
        { nodeId: a2, current: true },
      ],
    });
  });

  test('[E18] shows the text of a reply, not its generated title', async () => {
    const [, reply] = await fixture.say(['q1', 'Take the train.']);
    if (reply === undefined) throw new Error('There is no reply.');
    const titled = {
      type: 'title',
      treeId: fixture.treeId,
      nodeId: reply,
      title: 'How to travel',
      auto: true,
    } as const;
    await run(fixture.store, titled, fixture.context);
    expect((await fixture.run('/branches')).text).toContain('assistant “Take the train.”');
  });

  test('[E18] reports an empty chat', async () => {
    expect(await fixture.run('/branches')).toMatchObject({
      said: 'There is no branch yet: the chat is empty.',
      list: [],
    });
  });

  test('[E18] counts a chain of thousands without recursion', async () => {
    const messages = Array.from({ length: 5_000 }, (_, at) => ({ message: textMessage('user', `m${at}`) }));
    await run(fixture.store, { type: 'append', treeId: fixture.treeId, messages }, fixture.context);
    expect((await fixture.run('/branches')).data).toMatchObject({
      total: 1,
      branches: [{ messages: 5_000, own: 5_000 }],
    });
  });
});
