import { ask } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[Z32] copies every branch and continues at the same message in the copy', async () => {
    const [one] = await fixture.say(['one', 'two']);
    await fixture.say(['another'], one, 'assistant');
    const { place } = await fixture.run('/clone');
    const rows = await fixture.store.read(place?.treeId ?? fixture.treeId, () => ask('rows', {}));
    expect(rows?.nodes.map((node) => node.text).sort()).toEqual(['', 'another', 'one', 'two']);
    expect(rows?.nodes.find((node) => node.id === place?.activeNodeId)?.text).toBe('another');
  });
});
