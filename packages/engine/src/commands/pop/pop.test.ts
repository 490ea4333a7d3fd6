import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[E16] moves before the previous user message and adds a summary of the messages since', async () => {
    await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const result = await fixture.run('/pop');
    expect(result.selectedText).toBe('q2');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'Sum of q2, a2']);
    expect(result.said).toContain('A summary of the branch you left');
    // The second pop summarises the summary of the first one too.
    expect((await fixture.run('/pop')).selectedText).toBe('q1');
    expect(await fixture.thread()).toEqual(['Sum of q1, a1, Sum of q2, a2']);
    await fixture.run('/undo');
    await fixture.run('/undo');
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'q2', 'a2']);
  });

  test('[E16] passes on a focus', async () => {
    await fixture.say(['q1', 'a1', 'q2', 'a2']);
    await fixture.run('/pop --focus the files that changed');
    expect(fixture.summed.at(-1)?.focus).toBe('the files that changed');
  });

  test('[E16] two pops give the context in the drawing of the session format', async () => {
    const [, , c] = await fixture.say(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], undefined, 'assistant');
    await fixture.run(`/pop ${c}`);
    const [, , k] = await fixture.say(['i', 'j', 'k', 'l'], undefined, 'assistant');
    await fixture.run(`/pop ${k}`);
    await fixture.say(['n'], undefined, 'assistant');
    expect(await fixture.thread()).toEqual(['a', 'b', 'c', 'Sum of d, e, f, g, h', 'i', 'j', 'k', 'Sum of l', 'n']);
  });

  test('[E16] moves before the user message above if the view is at a user message', async () => {
    await fixture.say(['q1', 'a1', 'q2']);
    expect((await fixture.run('/pop --plain')).selectedText).toBe('q1');
  });

  test('[E16] with a node that is not a user message moves to that node', async () => {
    const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    const result = await fixture.run(`/pop ${a1}`);
    expect(result.selectedText).toBeUndefined();
    expect(await fixture.thread()).toEqual(['q1', 'a1', 'Sum of q2, a2']);
  });

  test('[E16] --plain adds no summary, and then accepts no focus', async () => {
    const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
    expect(await fixture.refusal('/pop --plain --focus x')).toBe('command/bad-arguments');
    await fixture.run('/pop --plain');
    expect(await fixture.active()).toBe(a1);
    expect(fixture.summed).toEqual([]);
  });
});

test('[E9] without a model the summary is made from excerpts of the messages left behind', async () => {
  const fixture = await openCommandFixture('sqlite', { summarize: undefined });
  const [, a1] = await fixture.say(['Which tree?', 'An oak.', 'Try a hazel instead.', 'It grows fast.']);
  const result = await fixture.run('/pop');
  expect(result.selectedText).toBe('Try a hazel instead.');
  const node = await fixture.node(result.place?.activeNodeId);
  expect(node).toMatchObject({ kind: 'branch-summary', parentId: a1, meta: { source: { type: 'extract' } } });
  expect(node.text).toContain('Try a hazel instead.');
  expect(node.text).not.toContain('Which tree?');
  await fixture.close();
});

test('[E13] moves back without a summary if there is nothing to summarise', async () => {
  const fixture = await openCommandFixture('memory', { summarize: async () => null });
  const [, a1] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
  const result = await fixture.run('/pop');
  expect(result.place?.activeNodeId).toBe(a1);
  expect(result.undo).toContain('/switch');
  await fixture.close();
});
