import { run, textMessage } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[E19] shows where branches begin, fork and end, and folds the messages in between', async () => {
    const [, , , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2', 'q3', 'a3', 'q4', 'a4']);
    await fixture.say(['q5', 'a5', 'q6'], a2);
    const result = await fixture.run('/tree');
    expect(result.text?.split('\n')).toEqual([
      '1. • user “q1”',
      '   ⋮  2 more',
      '2. • assistant “a2”',
      '3. ├─ user “q3”',
      '   │  ⋮  2 more',
      '4. │  assistant “a4”',
      '5. └─ • user “q5”',
      '      ⋮  1 more',
      '6.    • user “q6”  ← you are here',
    ]);
    expect(result.data).toMatchObject({
      filter: 'folded',
      left: 0,
      total: 11,
      entries: [
        { parentId: null, depth: 0, forked: false, folded: 0, children: 1, preview: 'q1', onPath: true },
        { depth: 0, folded: 2, children: 2, nodeId: a2 },
        { parentId: a2, depth: 1, forked: true, last: false, folded: 0, onPath: false },
        { depth: 1, folded: 2, children: 0 },
        { parentId: a2, depth: 1, forked: true, last: true },
        { depth: 1, folded: 1, current: true },
      ],
    });
    expect(result.list).toHaveLength(6);
  });

  test('[E19] filters by user messages, labelled messages, all messages, or everything', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const [q3] = await fixture.say(['q3', 'a3'], a1);
    await fixture.run(`/label old --on ${a2}`);
    await fixture.run(`/switch ${q3} --exact`);
    const shown = async (line: string) => (await fixture.run(line)).text?.split('\n');
    expect(await shown('/tree --filter user')).toEqual([
      '1. • user “q1”',
      '2. ├─ ⋮1 user “q2”',
      '3. └─ ⋮1 • user “q3”  ← you are here',
    ]);
    expect(await shown('/tree --filter labels')).toEqual([
      '1. ├─ ⋮3 assistant [old] “a2”',
      '2. └─ ⋮2 • user “q3”  ← you are here',
    ]);
    expect(await shown('/tree --filter all')).toHaveLength(6);
    await run(
      fixture.store,
      { type: 'mark', treeId: fixture.treeId, kind: 'state', message: textMessage('system', 's') },
      fixture.context,
    );
    await fixture.run(`/switch ${q3} --exact`);
    expect(await shown('/tree --filter all')).toHaveLength(7);
    expect(await shown('/tree --filter messages')).toHaveLength(6);
  });

  test('[E19] shows the nodes below a node, and reports how many did not fit', async () => {
    const [q1, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.say(['q3', 'a3'], a1);
    await fixture.say(['another beginning'], fixture.rootId);
    expect((await fixture.run(`/tree ${a1}`)).data).toMatchObject({ total: 5 });
    const cut = await fixture.run('/tree --filter all --limit 2');
    expect(cut.data).toMatchObject({ left: 5 });
    expect(cut.said).toBe('7 nodes in the chat, 2 lines shown. 5 lines not shown: name a message, or set --limit.');
    expect(cut.text?.split('\n').at(-1)).toBe('… 5 lines more');
    expect(cut.list?.[0]).toBe(q1);
  });

  test('[E19] shows a chain of thousands in three lines', async () => {
    const messages = Array.from({ length: 5_000 }, (_, at) => ({ message: textMessage('user', `m${at}`) }));
    await run(fixture.store, { type: 'append', treeId: fixture.treeId, messages }, fixture.context);
    expect((await fixture.run('/tree')).text?.split('\n')).toHaveLength(3);
  });

  test('[E7] removes control sequences for terminals from message texts', async () => {
    await fixture.say(['\u001b[31mred\u001b[0m \u202eback\u0007 and\nforth']);
    await fixture.run('/label "\u001b]0;title\u0007x"');
    const result = await fixture.run('/tree');
    expect(result.text).toBe(
      '1. • user [[0;titlex] “[31mred[0m back and forth”  ← you are here'.replace('[[0;', '[]0;'),
    );
  });
});
