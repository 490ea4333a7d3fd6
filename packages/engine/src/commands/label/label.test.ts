import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[E23] labels the current or another node, reports its previous label, and can be undone', async () => {
    const [q1] = await fixture.say(['q1', 'a1']);
    expect((await fixture.run('/label before the rewrite')).said).toBe('Labelled assistant “a1” “before the rewrite”.');
    expect((await fixture.run(`/label "the start" --on ${q1}`)).data).toMatchObject({ nodeId: q1, before: null });
    const again = await fixture.run('/label after it');
    expect(again.said).toBe('Changed the label of assistant “a1” from “before the rewrite” to “after it”.');
    await fixture.run(again.undo ?? '');
    expect((await fixture.run('/label --on @here')).said).toBe('assistant “a1” is labelled “before the rewrite”.');
    const list = await fixture.run('/label');
    expect(list.text).toBe('1. before the rewrite\n2. the start');
    expect(list.said).toBe('There are 2 labels.');
  });

  test('[E23] removes a label; a change without effect is reported and has nothing to undo', async () => {
    await fixture.say(['q1']);
    expect(await fixture.run('/label --remove')).toMatchObject({ said: 'Nothing to do: user “q1” has no label.' });
    await fixture.run('/label x');
    expect((await fixture.run('/label x')).undo).toBeUndefined();
    expect((await fixture.run('/label --remove')).said).toBe('Removed the label “x” from user “q1”.');
    expect((await fixture.run('/label')).said).toBe('There are no labels.');
  });

  test('[E23] refuses a text together with --remove, a reserved word, and the position before the first message', async () => {
    expect(await fixture.refusal('/label x')).toBe('command/no-such-node');
    await fixture.say(['q1']);
    expect(await fixture.refusal('/label x --remove')).toBe('command/bad-arguments');
    expect(await fixture.refusal('/label @here')).toBe('command/bad-arguments');
  });
});
