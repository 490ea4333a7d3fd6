import { run, textMessage } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { createProviders } from '../../providers/index.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';
import { createScriptedProvider } from '../../testing/index.ts';

const models = createProviders({
  config: parseConfig({ name: 'test.toml', text: 'model = "scripted/one"' }, {}),
  extra: [createScriptedProvider([])],
});

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind, { models });
  });
  afterEach(() => fixture.close());

  test('[E27] sets the model of this branch alone, and the setting is stored', async () => {
    const [, a1] = await fixture.say(['q1', 'a1']);
    expect((await fixture.run('/model')).said).toBe('This branch uses scripted/one: it is the default.');
    await fixture.say(['left']);
    const set = await fixture.run('/model scripted/two');
    expect(set.said).toBe('This branch uses scripted/two.');
    await fixture.say(['more', 'and more']);
    expect((await fixture.run('/model')).said).toBe('This branch uses scripted/two: it was set on this branch.');
    await fixture.say(['right'], a1);
    expect((await fixture.run('/model')).data).toMatchObject({ model: 'scripted/one', by: 'default' });
    expect((await fixture.store.history(fixture.treeId)).length).toBeGreaterThan(4);
  });

  test('[E27] undo restores the previous model, and a command without effect has nothing to undo', async () => {
    await fixture.say(['q1']);
    await fixture.run('/model scripted/two');
    expect((await fixture.run('/model scripted/two')).undo).toBeUndefined();
    expect((await fixture.run('/undo')).said).toBe('Undid the model of the branch.');
    expect((await fixture.run('/model')).data).toMatchObject({ by: 'default' });
  });

  test('[E27] continues with the model chosen for the last reply, not with its fallback', async () => {
    const source = (more: object) => ({ source: { type: 'model', provider: 'scripted', model_name: 'two', ...more } });
    const reply = async (meta: { source: { [key: string]: string | { model: string } } }) =>
      run(
        fixture.store,
        {
          type: 'append',
          treeId: fixture.treeId,
          messages: [{ message: textMessage('assistant', 'a'), meta }],
          merge: false,
        },
        fixture.context,
      );
    await fixture.say(['q1']);
    await reply(source({}));
    expect((await fixture.run('/model')).said).toBe('This branch uses scripted/two: it wrote the last reply here.');
    await reply(source({ instead_of: { model: 'scripted/one' } }));
    expect((await fixture.run('/model')).data).toMatchObject({ model: 'scripted/one', by: 'reply' });
    const [q2] = await fixture.say(['q2'], fixture.rootId);
    await fixture.run(`/switch ${q2} --exact`);
    // A cherry-picked reply was generated on another branch.
    const { list } = await fixture.run('/branches');
    await fixture.run(`/cherry-pick ${list?.[1]}`);
    expect((await fixture.run('/model')).data).toMatchObject({ by: 'default' });
  });

  test('[E27] before the first message it is set for the whole chat', async () => {
    const set = await fixture.run('/model scripted/two', { activeNodeId: null });
    expect(set.data).toEqual({ model: 'scripted/two', by: 'tree', before: null });
    await fixture.say(['q1']);
    expect((await fixture.run('/model')).said).toContain('it was set for the whole chat');
  });

  test('[E27] refuses an unknown model, and names what is missing for one without a key', async () => {
    await fixture.say(['q1']);
    expect(await fixture.refusal('/model nobody/x')).toBe('provider/unknown');
    expect((await fixture.run('/model openai/gpt-5')).said).toContain(
      'It is not ready yet. Add a key with coppice keys set openai, or on the page under Settings, Models, or set OPENAI_API_KEY.',
    );
  });
});

test('[E9] without models the command is refused', async () => {
  const fixture = await openCommandFixture('memory');
  await fixture.say(['q1']);
  expect((await fixture.run('/model')).said).toBe('No model was chosen, and none is known here.');
  expect(await fixture.refusal('/model scripted/one')).toBe('command/unavailable');
  await fixture.close();
});
