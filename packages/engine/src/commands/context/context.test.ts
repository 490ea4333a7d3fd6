import { run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { createProviders } from '../../providers/index.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';
import { createScriptedProvider } from '../../testing/index.ts';

const models = createProviders({
  config: parseConfig(
    { name: 'test.toml', text: 'model = "scripted/one"\n[models."scripted/one"]\nwindow = 10000\nmax_out = 1000\n' },
    {},
  ),
  extra: [createScriptedProvider([])],
});

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind, { models, systemPrompt: 'Be brief.' });
  });
  afterEach(() => fixture.close());

  test('[E26] shows what the model would see, with tokens for each message, and how full its window is', async () => {
    const [q1, a1] = await fixture.say(['What is a coppice?', 'word '.repeat(2_000)]);
    const result = await fixture.run('/context');
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
      /^scripted\/one sees 3 messages, about [\d,]+ tokens: \d\d % of its window of 10,000, [\d,]+ until older messages are summarised\.$/,
    );
    expect(result.text).toMatch(/^\[█+░+\] \d\d %\n– {4} +\d+ {2}system-prompt: Be brief\.\n1\. +\d+ {2}user: What/);
    expect(result.text?.split('\n')).toHaveLength(4);
    expect(result.undo).toBeUndefined();
  });

  test('[E26] after a compaction shows the summary instead of the messages it covers, and reports an overfull window', async () => {
    const [, , , a2] = await fixture.say(['q1', 'a1', 'q2', 'word '.repeat(9_000)]);
    expect((await fixture.run('/context')).said).toContain('it is time to /compact');
    await run(
      fixture.store,
      { type: 'compact', treeId: fixture.treeId, summary: 'In short.', ...(a2 === undefined ? {} : { firstKept: a2 }) },
      fixture.context,
    );
    const { data, text } = await fixture.run('/context');
    expect(data).toMatchObject({ entries: [{ kind: 'system-prompt' }, { kind: 'summary' }, { nodeId: a2 }] });
    expect(text).toContain('█'.repeat(24));
  });

  test('[E26] shows another node, another model, and an unknown window', async () => {
    const [q1] = await fixture.say(['q1', 'a1']);
    expect((await fixture.run(`/context ${q1}`)).list).toEqual([q1]);
    expect((await fixture.run('/context @start')).list).toEqual([]);
    const unknown = await fixture.run('/context --model scripted/new');
    expect(unknown.data).toMatchObject({ model: 'scripted/new', window: null, used: null });
    expect(unknown.said).toContain('the window of scripted/new is not known');
    expect(await fixture.refusal('/context --model nobody/x')).toBe('provider/unknown');
  });
});

test('[E26] shows the messages even without a model', async () => {
  const fixture = await openCommandFixture('memory');
  await fixture.say(['q1']);
  expect((await fixture.run('/context')).said).toMatch(/^The model sees 1 message, about \d+ tokens\.$/);
  await fixture.close();
});
