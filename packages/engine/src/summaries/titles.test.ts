import { ask, type NodeId, nodeId, run, type TreeAttributes } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProviderRequest } from '../providers/contract.ts';
import { makeTextEvents, type ScriptedEvent } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, waitUntil } from '../testing/turn-fixture.ts';
import type { Summarizer } from './contract.ts';
import { createTitleGenerator, type TitleGenerator, type TitleGeneratorOptions } from './titles.ts';

let fixture: TurnFixture;
let titles: TitleGenerator;
let asked: number;
let answer: readonly ScriptedEvent[];

function isTitle(request: ProviderRequest): boolean {
  return request.systemPrompt?.startsWith('You name conversations') === true;
}

function follow(options: Partial<TitleGeneratorOptions> = {}): void {
  const { store, generator, providers } = fixture;
  titles = createTitleGenerator({
    store,
    events: generator.events,
    summarizer: generator.summarizer,
    model: (id) => providers.model(id),
    ...options,
  });
}

async function attributes(): Promise<TreeAttributes> {
  return (await fixture.store.read(fixture.treeId, () => ask('tree', {})))?.attributes ?? {};
}

async function sent(text: string, options = {}): Promise<NodeId> {
  const end = await fixture.send(text, options).done;
  return end.nodeIds.at(-1) ?? nodeId('');
}

describe.each(['memory', 'sqlite'] as const)('titles on %s', (kind) => {
  beforeEach(async () => {
    asked = 0;
    answer = makeTextEvents('A red boat');
    fixture = await openTurnFixture(kind, [
      (request) => {
        if (!isTitle(request)) return makeTextEvents('Of course. It is red.');
        asked++;
        return answer;
      },
    ]);
  });
  afterEach(async () => {
    await titles.close();
    await fixture.close();
  });

  test('[Y50] a tree and its reply are titled after the first exchange, with one request', async () => {
    follow();
    const reply = await sent('Please paint the boat red.');
    await titles.idle();
    expect((await attributes()).autoTitle).toBe('A red boat');
    expect((await fixture.node(reply)).meta.autoTitle).toBe('A red boat');
    expect(asked).toBe(1);
    const next = await sent('And the sails?');
    await titles.idle();
    expect((await attributes()).autoTitle).toBe('A red boat');
    expect((await fixture.node(next)).meta.autoTitle).toBeUndefined();
    expect(asked).toBe(1);
  });

  test('[Y53] a new branch is titled, and a model is called for at most one title in ten replies of a tree', async () => {
    follow();
    const first = await sent('Please paint the boat red.');
    answer = makeTextEvents('A second branch');
    const branches: NodeId[] = [];
    for (let at = 2; at <= 21; at++) {
      const end = await fixture.generator.generate(
        { type: 'regenerate', treeId: fixture.treeId, nodeId: first },
        { models: ['scripted/one'] },
      ).done;
      branches.push(...end.nodeIds);
      await titles.idle();
      expect(asked, `after ${at} replies`).toBeLessThanOrEqual(Math.ceil(at / 10));
    }
    expect(asked).toBe(3);
    const named = await Promise.all(branches.map(async (id) => (await fixture.node(id)).meta.autoTitle));
    expect(named.filter((title) => title === 'A second branch').length).toBe(2);
  });

  test('[Y50] a title that the user set is never replaced, even if it was set meanwhile', async () => {
    follow();
    await run(fixture.store, { type: 'attributes', treeId: fixture.treeId, set: { title: 'Mine' } }, fixture.context);
    const reply = await sent('Hello there');
    await run(
      fixture.store,
      { type: 'title', treeId: fixture.treeId, nodeId: reply, title: 'My reply' },
      fixture.context,
    );
    await titles.idle();
    expect(await attributes()).toMatchObject({ title: 'Mine' });
    expect((await attributes()).autoTitle).toBeUndefined();
    expect((await fixture.node(reply)).meta).toMatchObject({ title: 'My reply' });
    expect((await fixture.node(reply)).meta.autoTitle).toBeUndefined();
  });

  test('[Y51] no turn waits for a title, and if a model hangs or fails the first sentence is used', async () => {
    answer = [{ type: 'hang' }];
    follow();
    const reply = await sent('Please paint the boat. Thanks.');
    await waitUntil(() => asked === 1);
    expect((await fixture.node(reply)).status).toBe('success');
    await titles.close();
    expect((await attributes()).autoTitle).toBeUndefined();
    answer = [{ type: 'throw', error: new Error('no') }];
    follow();
    await sent('And now?');
    await titles.idle();
    expect((await attributes()).autoTitle).toBe('Please paint the boat');
  });

  test('[Y51] past the limit of requests per minute a tree gets its first sentence as title, and a reply is shown by its own text', async () => {
    follow({ perMinute: 1 });
    await sent('One thing. More.');
    const two = await sent('Another thing. More.');
    await titles.idle();
    expect(asked).toBe(1);
    // The outline shows the reply's own text instead, which tells more than a title made from the question.
    expect((await fixture.node(two)).meta.autoTitle).toBeUndefined();
  });

  test("[Y52] the user's undo reverts the turn and not its title, and redo stays possible", async () => {
    follow();
    await sent('Please paint the boat red.');
    await titles.idle();
    const actor = { ...fixture.context, actor: fixture.store.owner };
    await run(fixture.store, { type: 'undo', treeId: fixture.treeId }, actor);
    expect(await fixture.thread()).toEqual([]);
    await run(fixture.store, { type: 'redo', treeId: fixture.treeId }, actor);
    expect(await fixture.thread()).toHaveLength(2);
  });

  test('[Y52] failed replies get no title, nor do nodes removed meanwhile, and no error is shown', async () => {
    const errors: unknown[] = [];
    const gate = new AbortController();
    const found: string[] = [];
    const slow: Summarizer = {
      ...fixture.generator.summarizer,
      async title() {
        found.push('asked');
        await new Promise((resolve) => gate.signal.addEventListener('abort', resolve));
        return { text: 'Too late', source: { type: 'extract', reason: 'no-model' } };
      },
    };
    follow({ summarizer: slow, onError: (error) => errors.push(error) });
    answer = [];
    await fixture.send('Hello', { models: ['other/one'] }).done;
    expect(found).toEqual([]);
    const reply = await sent('Please paint the boat red.');
    await waitUntil(() => found.length === 1);
    await run(
      fixture.store,
      { type: 'delete', treeId: fixture.treeId, nodeIds: [reply], mode: 'cascade' },
      fixture.context,
    );
    gate.abort();
    await titles.idle();
    expect((await attributes()).autoTitle).toBeUndefined();
    expect(errors).toEqual([]);
  });

  test('[Y52] other errors are reported to the given handler only', async () => {
    const errors: unknown[] = [];
    const broken: Summarizer = { ...fixture.generator.summarizer, title: () => Promise.reject(new Error('broken')) };
    follow({ summarizer: broken, onError: (error) => errors.push(error) });
    expect((await fixture.send('Hello').done).type).toBe('end');
    await titles.idle();
    expect(errors).toEqual([new Error('broken')]);
    await titles.close();
    await titles.close();
  });
});
