import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[E25] brings back what was taken back last, and says what, as often as one likes', async () => {
    await desk.say(['q1', 'a1']);
    await desk.run('/label x');
    await desk.run('/undo');
    await desk.run('/undo');
    expect(await desk.thread()).toEqual([]);
    const result = await desk.run('/redo');
    expect(result).toMatchObject({ said: 'Brought back what was added.', undo: '/undo' });
    expect(await desk.thread()).toEqual(['q1', 'a1']);
    expect((await desk.run('/redo')).said).toBe('Brought back the label “x”.');
    expect((await desk.run('/undo')).said).toBe('Took back the label “x”.');
    expect((await desk.run('/undo')).said).toBe('Took back what was brought back.');
  });

  test('[E25] is over with the next act', async () => {
    await desk.say(['q1']);
    await desk.run('/undo');
    await desk.say(['q2']);
    expect(await desk.refusal('/redo')).toBe('undo/nothing');
  });
});
