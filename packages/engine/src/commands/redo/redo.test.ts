import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[E25] restores what was undone last, reports it, and can be repeated', async () => {
    await fixture.say(['q1', 'a1']);
    await fixture.run('/label x');
    await fixture.run('/undo');
    await fixture.run('/undo');
    expect(await fixture.thread()).toEqual([]);
    const result = await fixture.run('/redo');
    expect(result).toMatchObject({ said: 'Redid what was added.', undo: '/undo' });
    expect(await fixture.thread()).toEqual(['q1', 'a1']);
    expect((await fixture.run('/redo')).said).toBe('Redid the label “x”.');
    expect((await fixture.run('/undo')).said).toBe('Undid the label “x”.');
    expect((await fixture.run('/undo')).said).toBe('Undid a restored part.');
  });

  test('[E25] is not possible after the next act', async () => {
    await fixture.say(['q1']);
    await fixture.run('/undo');
    await fixture.say(['q2']);
    expect(await fixture.refusal('/redo')).toBe('undo/nothing');
  });
});
