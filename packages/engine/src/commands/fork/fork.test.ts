import { ask } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../../events.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  const events = createEventBus();
  beforeEach(async () => {
    fixture = await openCommandFixture(kind, { events });
  });
  afterEach(() => fixture.close());

  test('[Z31] continues after a message, which it includes, in a new chat', async () => {
    const [, two] = await fixture.say(['one', 'two', 'three']);
    const textsIn = async (line: string) => {
      const { place } = await fixture.run(line);
      const to = place?.activeNodeId ?? fixture.rootId;
      return (await fixture.store.read(place?.treeId ?? fixture.treeId, () => ask('path', { to }))).nodes.map(
        (node) => node.text,
      );
    };
    expect(await textsIn('/fork')).toEqual(['one', 'two', 'three']);
    expect(await textsIn(`/fork ${two}`)).toEqual(['one', 'two']);
    const stop = events.before('branch', () => ({ cancel: 'Not now.' }));
    expect(await fixture.refusal('/fork')).toBe('event/cancelled');
    stop();
  });

  test('[Z31] on another user message moves before it and returns its text, as switching does everywhere', async () => {
    const [, , three] = await fixture.say(['one', 'two', 'three', 'four']);
    const { place, selectedText } = await fixture.run(`/fork ${three}`);
    const to = place?.activeNodeId ?? fixture.rootId;
    const path = await fixture.store.read(place?.treeId ?? fixture.treeId, () => ask('path', { to }));
    expect([path.nodes.map((node) => node.text), selectedText]).toEqual([['one', 'two'], 'three']);
  });
});
