import { ask } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[Z30] moves before the last message in a new chat, and the original is unchanged', async () => {
    await fixture.say(['one', 'two', 'three', 'four']);
    const before = await fixture.thread();
    const result = await fixture.run('/branch');
    expect(result).toMatchObject({ selectedText: 'three', data: { file: null } });
    const { treeId, activeNodeId } = result.place ?? { treeId: fixture.treeId, activeNodeId: null };
    expect(treeId).not.toBe(fixture.treeId);
    const path = await fixture.store.read(treeId, () => ask('path', { to: activeNodeId ?? fixture.rootId }));
    expect(path.nodes.map((node) => node.text)).toEqual(['one', 'two']);
    expect(await fixture.thread()).toEqual(before);
  });

  test('[Z30] before the first message the new chat is empty, and a hook can cancel', async () => {
    const [first] = await fixture.say(['one', 'two']);
    const result = await fixture.run(`/branch ${first}`);
    expect(result).toMatchObject({ selectedText: 'one', place: { activeNodeId: null } });
    expect(await fixture.refusal('/branch nowhere-at-all')).toBe('command/no-such-node');
  });
});
