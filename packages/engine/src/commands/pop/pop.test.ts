import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[E16] takes the previous message of the user back and leaves a summary of what came since', async () => {
    await desk.say(['q1', 'a1', 'q2', 'a2']);
    const result = await desk.run('/pop');
    expect(result.selectedText).toBe('q2');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'Sum of q2, a2']);
    expect(result.said).toContain('A summary of the branch you left');
    // Again: the summary of the first is part of what the second leaves.
    expect((await desk.run('/pop')).selectedText).toBe('q1');
    expect(await desk.thread()).toEqual(['Sum of q1, a1, Sum of q2, a2']);
    await desk.run('/undo');
    await desk.run('/undo');
    expect(await desk.thread()).toEqual(['q1', 'a1', 'q2', 'a2']);
  });

  test('[E16] a focus goes along', async () => {
    await desk.say(['q1', 'a1', 'q2', 'a2']);
    await desk.run('/pop --focus the files that changed');
    expect(desk.summed.at(-1)?.focus).toBe('the files that changed');
  });

  test('[E16] two pops give the context that the seed draws', async () => {
    const [, , c] = await desk.say(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], undefined, 'assistant');
    await desk.run(`/pop ${c}`);
    const [, , k] = await desk.say(['i', 'j', 'k', 'l'], undefined, 'assistant');
    await desk.run(`/pop ${k}`);
    await desk.say(['n'], undefined, 'assistant');
    expect(await desk.thread()).toEqual(['a', 'b', 'c', 'Sum of d, e, f, g, h', 'i', 'j', 'k', 'Sum of l', 'n']);
  });

  test('[E16] takes the one before where the view is at a message of the user', async () => {
    await desk.say(['q1', 'a1', 'q2']);
    expect((await desk.run('/pop --plain')).selectedText).toBe('q1');
  });

  test('[E16] to a node that is no message of the user goes to that node', async () => {
    const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    const result = await desk.run(`/pop ${a1}`);
    expect(result.selectedText).toBeUndefined();
    expect(await desk.thread()).toEqual(['q1', 'a1', 'Sum of q2, a2']);
  });

  test('[E16] --plain leaves no summary, and then has no focus', async () => {
    const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
    expect(await desk.refusal('/pop --plain --focus x')).toBe('command/bad-arguments');
    await desk.run('/pop --plain');
    expect(await desk.active()).toBe(a1);
    expect(desk.summed).toEqual([]);
  });
});

test('[E9] without a model the summary is drawn from the messages that were left', async () => {
  const desk = await openDesk('sqlite', { summarize: undefined });
  const [, a1] = await desk.say(['Which tree?', 'An oak.', 'Try a hazel instead.', 'It grows fast.']);
  const result = await desk.run('/pop');
  expect(result.selectedText).toBe('Try a hazel instead.');
  const node = await desk.node(result.place?.activeNodeId);
  expect(node).toMatchObject({ kind: 'branch-summary', parentId: a1, meta: { source: { type: 'extract' } } });
  expect(node.text).toContain('Try a hazel instead.');
  expect(node.text).not.toContain('Which tree?');
  await desk.close();
});

test('[E13] where nothing was said there is nothing to sum up, and the view goes back all the same', async () => {
  const desk = await openDesk('memory', { summarize: async () => null });
  const [, a1] = await desk.say(['q1', 'a1', 'q2', 'a2']);
  const result = await desk.run('/pop');
  expect(result.place?.activeNodeId).toBe(a1);
  expect(result.undo).toContain('/switch');
  await desk.close();
});
