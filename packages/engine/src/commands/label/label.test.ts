import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[E23] labels where the view is or another node, says what it was called before, and can be undone', async () => {
    const [q1] = await desk.say(['q1', 'a1']);
    expect((await desk.run('/label before the rewrite')).said).toBe('Labelled assistant “a1” “before the rewrite”.');
    expect((await desk.run(`/label "the start" --on ${q1}`)).data).toMatchObject({ nodeId: q1, before: null });
    const again = await desk.run('/label after it');
    expect(again.said).toBe('Labelled assistant “a1” “after it”, before “before the rewrite”.');
    await desk.run(again.undo ?? '');
    expect((await desk.run('/label --on @here')).said).toBe('assistant “a1” is labelled “before the rewrite”.');
    const list = await desk.run('/label');
    expect(list.text).toBe('1. before the rewrite\n2. the start');
    expect(list.said).toBe('There are 2 labels.');
  });

  test('[E23] takes a label away; what changes nothing says so and has nothing to undo', async () => {
    await desk.say(['q1']);
    expect(await desk.run('/label --remove')).toMatchObject({ said: 'Nothing to do: user “q1” has no label.' });
    await desk.run('/label x');
    expect((await desk.run('/label x')).undo).toBeUndefined();
    expect((await desk.run('/label --remove')).said).toBe('Took the label “x” away from user “q1”.');
    expect((await desk.run('/label')).said).toBe('There are no labels.');
  });

  test('[E23] refuses a text together with --remove, a word that stands for a place, and a place without a message', async () => {
    expect(await desk.refusal('/label x')).toBe('command/no-such-node');
    await desk.say(['q1']);
    expect(await desk.refusal('/label x --remove')).toBe('command/bad-arguments');
    expect(await desk.refusal('/label @here')).toBe('command/bad-arguments');
  });
});
