import { run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { createProviders } from '../../providers/index.ts';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';
import { scriptedProvider } from '../../testing/index.ts';

const models = createProviders({
  config: parseConfig(
    { name: 'test.toml', text: 'model = "scripted/one"\n[models."scripted/one"]\nwindow = 10000\nmax_out = 1000\n' },
    {},
  ),
  extra: [scriptedProvider([])],
});

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind, { models, systemPrompt: 'Be brief.' });
  });
  afterEach(() => desk.close());

  test('[E26] shows what the model would see, with tokens for each, and how full its window is', async () => {
    const [q1, a1] = await desk.say(['What is a coppice?', 'word '.repeat(2_000)]);
    const result = await desk.run('/context');
    expect(result.data).toMatchObject({
      model: 'scripted/one',
      window: 10_000,
      compactAt: 7_500,
      compaction: null,
      flags: [],
      entries: [
        { nodeId: null, kind: 'system-prompt', role: 'system', preview: 'Be brief.' },
        { nodeId: q1, kind: 'message', role: 'user', preview: 'What is a coppice?' },
        { nodeId: a1, kind: 'message', role: 'assistant' },
      ],
    });
    expect(result.list).toEqual([q1, a1]);
    expect(result.said).toMatch(
      /^scripted\/one sees 3 messages, about [\d,]+ tokens: \d\d % of its window of 10,000, [\d,]+ until older messages are summed up\.$/,
    );
    expect(result.text).toMatch(/^\[█+░+\] \d\d %\n– {4} +\d+ {2}system-prompt: Be brief\.\n1\. +\d+ {2}user: What/);
    expect(result.text?.split('\n')).toHaveLength(4);
    expect(result.undo).toBeUndefined();
  });

  test('[E26] after a compaction the summary stands for what it covers; an overfull window says so', async () => {
    const [, , , a2] = await desk.say(['q1', 'a1', 'q2', 'word '.repeat(9_000)]);
    expect((await desk.run('/context')).said).toContain('it is time to /compact');
    await run(
      desk.store,
      { type: 'compact', treeId: desk.treeId, summary: 'In short.', ...(a2 === undefined ? {} : { firstKept: a2 }) },
      desk.context,
    );
    const { data, text } = await desk.run('/context');
    expect(data).toMatchObject({ entries: [{ kind: 'system-prompt' }, { kind: 'summary' }, { nodeId: a2 }] });
    expect(text).toContain('█'.repeat(24));
  });

  test('[E26] shows another node, another model, and a window that nobody knows', async () => {
    const [q1] = await desk.say(['q1', 'a1']);
    expect((await desk.run(`/context ${q1}`)).list).toEqual([q1]);
    expect((await desk.run('/context @start')).list).toEqual([]);
    const unknown = await desk.run('/context --model scripted/new');
    expect(unknown.data).toMatchObject({ model: 'scripted/new', window: null, used: null });
    expect(unknown.said).toContain('the window of scripted/new is not known');
    expect(await desk.refusal('/context --model nobody/x')).toBe('provider/unknown');
  });
});

test('[E26] without models it shows the messages all the same', async () => {
  const desk = await openDesk('memory');
  await desk.say(['q1']);
  expect((await desk.run('/context')).said).toMatch(/^The model sees 1 message, about \d+ tokens\.$/);
  await desk.close();
});
