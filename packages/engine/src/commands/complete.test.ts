import { treeId } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { newId } from '../new-id.ts';
import { createProviders } from '../providers/index.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../testing/command-fixture.ts';
import { createScriptedProvider } from '../testing/index.ts';

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

  const complete = (line: string) => fixture.commands.complete(line, { store: fixture.store, treeId: fixture.treeId });
  const values = async (line: string) => (await complete(line)).items.map((item) => item.value);

  test('[E8] completes names of commands', async () => {
    expect(await values('/bra')).toEqual(['/branch', '/branch-here', '/branches']);
    expect(await values('und')).toEqual(['/undo']);
    expect(await complete('  /und')).toMatchObject({ from: 2 });
    expect(await values('')).toHaveLength(fixture.commands.list.length);
    expect(await values('/nothing here ')).toEqual([]);
  });

  test('[E8] completes unused options, words of a choice, commands and models', async () => {
    expect(await values('/switch x --')).toEqual(['--exact', '--summarize']);
    expect(await values('/switch x --exact --')).toEqual(['--summarize']);
    expect(await values('/branches ')).toEqual(['--limit']);
    expect(await values('/tree --filter ')).toEqual(['folded', 'messages', 'user', 'labels', 'all']);
    expect(await values('/tree --filter us')).toEqual(['user']);
    expect(await values('/help sw')).toEqual(['switch']);
    expect(await values('/model scripted/')).toEqual(['scripted/one', 'scripted/two']);
    expect(await values('/context --model scripted/t')).toEqual(['scripted/two']);
    expect(await values('/compact some words ')).toEqual([]);
  });

  test('[E8] completes nodes by label, by text and by id, in quotes where needed', async () => {
    const [q1, a1, q2, a2] = await fixture.say(['Which tree?', 'An oak.', 'And why?', 'It lasts.']);
    await fixture.run(`/label "an old oak" --on ${a1}`);
    expect(await values('/switch ')).toEqual(['"an old oak"', a2, q2, a1, q1]);
    const { items, from } = await complete('/switch oak');
    expect(items).toEqual([
      { value: '"an old oak"', label: 'an old oak', about: 'assistant “An oak.”' },
      { value: a1, label: 'assistant “An oak.”', about: a1 },
    ]);
    expect(from).toBe(8);
    expect(await values('/switch "why')).toEqual([q2]);
    expect(await values(`/switch ${q1?.slice(-6)}`)).toEqual([q1]);
    expect(await values('/switch @')).toEqual(['@here', '@start']);
    expect(await values('/label x --on lasts')).toEqual([a2]);
    await fixture.run(
      (await complete('/switch "an old')).items[0]?.value === '"an old oak"' ? '/switch "an old oak"' : '/x',
    );
    expect(await fixture.active()).toBe(a1);
  });

  test('[E8] finds a node far up by its text', async () => {
    const [far] = await fixture.say(['a zweibelfisch', ...Array.from({ length: 60 }, (_, at) => `m${at}`)]);
    expect(await values('/switch zweib')).toEqual([far]);
    expect((await values('/switch m')).length).toBeLessThanOrEqual(20);
  });

  test('[E8] offers nothing where nothing can be found', async () => {
    const elsewhere = { store: fixture.store, treeId: treeId(newId()) };
    expect(await fixture.commands.complete('/switch x', elsewhere)).toEqual({ from: 9, items: [] });
  });
});
