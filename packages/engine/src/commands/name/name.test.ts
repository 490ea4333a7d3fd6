import { run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[E24] sets, shows and removes the title of the chat', async () => {
    expect((await fixture.run('/name')).said).toBe('The chat has no title.');
    const named = await fixture.run("/name Don't panic");
    expect(named).toMatchObject({ said: "The chat is called “Don't panic” now.", undo: '/undo' });
    expect((await fixture.run('/name')).data).toEqual({ title: "Don't panic", before: "Don't panic" });
    expect((await fixture.run("/name Don't panic")).undo).toBeUndefined();
    await fixture.run('/name --remove');
    expect((await fixture.run('/name')).said).toBe('The chat has no title.');
    await fixture.run('/undo');
    expect((await fixture.run('/name')).said).toBe("The chat is called “Don't panic”.");
    expect(await fixture.refusal('/name x --remove')).toBe('command/bad-arguments');
  });

  test('[E24] shows the automatic title until the user sets one', async () => {
    const set = { autoTitle: 'By itself' };
    await run(fixture.store, { type: 'attributes', treeId: fixture.treeId, set }, fixture.context);
    expect((await fixture.run('/name')).data).toEqual({ title: 'By itself', before: null });
    await fixture.run('/name Mine');
    expect((await fixture.run('/name --remove')).data).toEqual({ title: 'By itself', before: 'Mine' });
  });
});
