import { ask } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[Z32] copies every branch and goes on at the same place there', async () => {
    const [one] = await desk.say(['one', 'two']);
    await desk.say(['another'], one, 'assistant');
    const { place } = await desk.run('/clone');
    const rows = await desk.store.read(place?.treeId ?? desk.treeId, () => ask('rows', {}));
    expect(rows?.nodes.map((node) => node.text).sort()).toEqual(['', 'another', 'one', 'two']);
    expect(rows?.nodes.find((node) => node.id === place?.activeNodeId)?.text).toBe('another');
  });
});
