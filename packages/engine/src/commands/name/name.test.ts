import { run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[E24] names the conversation, says its name, and takes it away', async () => {
    expect((await desk.run('/name')).said).toBe('The conversation has no name.');
    const named = await desk.run("/name Don't panic");
    expect(named).toMatchObject({ said: "The conversation is called “Don't panic” now.", undo: '/undo' });
    expect((await desk.run('/name')).data).toEqual({ title: "Don't panic", before: "Don't panic" });
    expect((await desk.run("/name Don't panic")).undo).toBeUndefined();
    await desk.run('/name --remove');
    expect((await desk.run('/name')).said).toBe('The conversation has no name.');
    await desk.run('/undo');
    expect((await desk.run('/name')).said).toBe("The conversation is called “Don't panic”.");
    expect(await desk.refusal('/name x --remove')).toBe('command/bad-arguments');
  });

  test('[E24] a name that was found by itself shows until one is given', async () => {
    const set = { autoTitle: 'By itself' };
    await run(desk.store, { type: 'attributes', treeId: desk.treeId, set }, desk.context);
    expect((await desk.run('/name')).data).toEqual({ title: 'By itself', before: null });
    await desk.run('/name Mine');
    expect((await desk.run('/name --remove')).data).toEqual({ title: 'By itself', before: 'Mine' });
  });
});
