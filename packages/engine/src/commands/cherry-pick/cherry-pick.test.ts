import { run, treeId } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../new-id.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[E20] copies a message to the end of the branch, with its origin, and undo removes it', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.say(['q3'], a1);
    const result = await fixture.run(`/cherry-pick ${a2}`);
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'a2']);
    expect(result.said).toBe('Copied assistant “a2” to the end of this branch.');
    expect((await fixture.node(result.place?.activeNodeId)).meta.pickedFrom).toEqual({
      treeId: fixture.treeId,
      nodeId: a2,
    });
    await fixture.run(result.undo ?? '');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3']);
  });

  test('[E20] copies a range', async () => {
    const [, a1, q2, a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.say(['q3'], a1);
    expect((await fixture.run(`/cherry-pick ${q2} ${a2}`)).said).toBe('Copied 2 messages to the end of this branch.');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q3', 'q2', 'a2']);
    expect(await fixture.refusal(`/cherry-pick ${a2} ${q2}`)).toBe('tree/not-on-path');
  });

  test('[E20] copies from another tree', async () => {
    const there = treeId(newId());
    await run(fixture.store, { type: 'create', treeId: there, attributes: {} }, fixture.context);
    const [q1] = await fixture.say(['q1', 'a1']);
    const from = { store: fixture.store, treeId: there };
    const { place } = await fixture.commands.run(
      { name: 'cherry-pick', args: { node: `${q1}`, from: fixture.treeId } },
      from,
    );
    expect(place?.treeId).toBe(there);
    expect(await fixture.refusal(`/cherry-pick ${place?.activeNodeId}`)).toBe('command/no-such-node');
  });

  test('[E30] copies to the current position of the view, even before the first message', async () => {
    const [, a1, , a2] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.run(`/cherry-pick ${a2}`, { activeNodeId: a1 ?? null });
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'a2']);
    await fixture.run(`/cherry-pick ${a2}`, { activeNodeId: null });
    expect(await fixture.thread()).toEqual(['a2']);
  });
});
