import { ask, type NodeId, nodeId, run, textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../events.ts';
import { LoomEngine } from '../forest/loom-engine.ts';
import { noBudgets } from '../generate/budget.ts';
import type { ProviderEvent, ProviderRequest } from '../providers/contract.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import {
  makeTextEvents,
  makeToolEvents,
  makeUsageEvent,
  type ScriptedEvent,
  type ScriptedReply,
} from '../testing/scripted.ts';
import {
  collectEvents,
  openTurnFixture,
  type TurnFixture,
  type TurnFixtureOptions,
  waitUntil,
} from '../testing/turn-fixture.ts';
import { createTools, defineTool } from '../tools/index.ts';

let fixture: TurnFixture;
afterEach(() => fixture.close());

function isNotes(request: ProviderRequest): boolean {
  return request.systemPrompt?.startsWith('You keep the notes') === true;
}

/** Returns the replies one after the other; a request for a summary gets a summary instead. */
function repliesInOrder(...replies: readonly (readonly ScriptedEvent[])[]): readonly ScriptedReply[] {
  let next = 0;
  return [(request) => (isNotes(request) ? makeTextEvents('In short.') : (replies[next++] ?? replies.at(-1) ?? []))];
}

function replyWithUsage(text: string, tokens: number): ProviderEvent[] {
  return [{ type: 'text-delta', text }, makeUsageEvent(tokens, 5), { type: 'end', finishReason: 'stop', raw: null }];
}

/** A reply without a usage report, so that estimates count. */
function replyWithoutUsage(text: string): ProviderEvent[] {
  return makeTextEvents(text).filter((event) => event.type !== 'usage');
}

const overflow = [makeErrorEvent('provider/context-overflow', 'Too long.')];
const config = ['scripted/one', 'scripted/two', 'other/two']
  .map((id) => `[models."${id}"]\nwindow = 8000\nmax_output = 1000\nthinking = false\n`)
  .join('');

async function open(replies: readonly ScriptedReply[], options: TurnFixtureOptions = {}): Promise<void> {
  fixture = await openTurnFixture('sqlite', replies, { config, ...options });
}

async function readActiveNode(): Promise<NodeId | null> {
  return (await fixture.store.read(fixture.treeId, () => ask('tree', {})))?.activeNodeId ?? null;
}

async function parentOf(id: NodeId | undefined) {
  return fixture.node((await fixture.node(id)).parentId ?? undefined);
}

/** Counts the compaction markers in the tree. */
async function countCompactions(): Promise<number> {
  const nodes = await fixture.store.read(fixture.treeId, () => ask('topology', { of: fixture.rootId }));
  return nodes.filter((node) => node.kind === 'compaction').length;
}

const long = (name: string, words = 1_500) => `${name} ${'word '.repeat(words)}`;

function notesOf(): readonly ProviderRequest[] {
  return [...fixture.provider.requests, ...fixture.other.requests].filter(isNotes);
}

describe('before a call', () => {
  test('[Y30] a nearly full window is compacted without configuration, as part of the turn', async () => {
    await open(repliesInOrder(replyWithoutUsage('Yes.')));
    for (const name of ['a', 'b', 'c']) await fixture.send(long(name)).done;
    expect(notesOf()).toEqual([]);
    const before = await readActiveNode();
    const turn = fixture.send(long('d', 1_000));
    const events = await collectEvents(turn);
    const end = await turn.done;
    expect(end.type).toBe('end');
    const marker = await parentOf(end.nodeIds[0]);
    expect(marker).toMatchObject({ kind: 'compaction', text: expect.stringMatching(/^In short\./) });
    expect(marker.marker?.details).toMatchObject({ reason: 'due' });
    expect(events).toContainEqual({
      type: 'node',
      nodeId: marker.id,
      parentId: marker.parentId,
      role: 'system',
      status: 'success',
    });
    expect(JSON.stringify(fixture.provider.requests.at(-1)?.messages)).not.toContain('a word');
    expect(await countCompactions()).toBe(1);
    await run(
      fixture.store,
      { type: 'undo', treeId: fixture.treeId },
      { ...fixture.context, actor: fixture.store.owner },
    );
    expect(await readActiveNode()).toBe(before);
    expect(await fixture.children(before ?? nodeId(''))).toEqual([]);
  });

  test('[M44] the usage of a summary counts for the budget of its turn, and not for the next one', async () => {
    const dear = [{ type: 'text-delta', text: 'In short.' } as const, makeUsageEvent(9_000, 750)];
    const notes: ScriptedReply = (request) =>
      isNotes(request) ? [...dear, { type: 'end', finishReason: 'stop', raw: null }] : replyWithoutUsage('Yes.');
    await open([notes], { budgets: { ...noBudgets, turnTokens: 20_000 } });
    for (const name of ['a', 'b', 'c']) await fixture.send(long(name)).done;
    const end = await fixture.send(long('d', 1_000)).done;
    expect(end).toMatchObject({ code: 'generate/budget', message: expect.stringContaining('(19500 spent)') });
    // One summary covers the earlier messages, the other the first part of the request that was too long.
    expect(notesOf()).toHaveLength(2);
    expect(await countCompactions()).toBe(1);
    expect((await fixture.send('Go on').done).type).toBe('end');
  });

  test('[M44] a summary that the budget of the turn cannot pay for is made from excerpts', async () => {
    await open(repliesInOrder(replyWithoutUsage('Yes.')));
    for (const name of ['a', 'b', 'c']) await fixture.send(long(name)).done;
    const poor = await fixture.beside({ budgets: { ...noBudgets, turnTokens: 2_000 } });
    const said = { message: textMessage('user', long('d', 1_000)) };
    const end = await poor.generator.generate(
      { type: 'send', treeId: fixture.treeId, messages: [said] },
      { models: ['scripted/one'] },
    ).done;
    expect(end).toMatchObject({ code: 'generate/budget', message: expect.stringContaining('(0 spent)') });
    expect(notesOf()).toEqual([]);
    const marker = await fixture.node((await readActiveNode()) ?? undefined);
    expect(marker).toMatchObject({
      kind: 'compaction',
      meta: { source: { type: 'extract', reason: 'generate/budget' } },
    });
  });

  test('[Y30] one summary serves all replies of a turn, and the smallest window decides', async () => {
    const small = config.replace('"other/two"]\nwindow = 8000', '"other/two"]\nwindow = 4000');
    await open(repliesInOrder(replyWithoutUsage('Yes.')), {
      other: repliesInOrder(replyWithoutUsage('Also.')),
      config: small,
    });
    for (const name of ['a', 'b']) await fixture.send(long(name)).done;
    const end = await fixture.send('c', { models: ['scripted/one', 'other/two'], n: 2 }).done;
    expect(end.nodeIds).toHaveLength(4);
    const parents = new Set(await Promise.all(end.nodeIds.map(async (id) => (await parentOf(id)).id)));
    expect(parents.size).toBe(1);
    expect((await parentOf(end.nodeIds[0])).kind).toBe('compaction');
    expect(await countCompactions()).toBe(1);
  });

  test('[Y30] a long tool loop compacts repeatedly', async () => {
    const tools = createTools({
      tools: [
        defineTool({
          name: 'log',
          description: 'A log.',
          parameters: { type: 'object', properties: {} },
          sideEffects: false,
          run: () => long('line', 2_500),
        }),
      ],
    });
    const calls = Array.from({ length: 6 }, (_, at) =>
      makeToolEvents({ id: `c${at}`, name: 'log', parameters: {} }).filter((event) => event.type !== 'usage'),
    );
    await open(repliesInOrder(...calls, makeTextEvents('Done.')), { tools });
    const options = { tools: ['log'], requestId: 'logs' };
    const end = await fixture.send('Read the logs', options).done;
    expect(end.type).toBe('end');
    const asked = fixture.provider.requests.length;
    // Repeating the request finds its existing reply below the summaries and calls no model.
    const [first] = await fixture.children(fixture.rootId);
    const start = { type: 'reply', treeId: fixture.treeId, parentId: first?.id ?? nodeId('') } as const;
    const again = await fixture.generator.generate(start, { models: ['scripted/one'], ...options }).done;
    expect(again.nodeIds).toEqual(end.nodeIds);
    expect(fixture.provider.requests).toHaveLength(asked);
    expect(notesOf().length).toBeGreaterThan(1);
    for (const request of fixture.provider.requests)
      expect(JSON.stringify(request.messages).length).toBeLessThan(8_000 * 5);
  });

  test('[Y30] a stopped summary ends the turn, and a hook that forbids it leaves the window full', async () => {
    await open([(request) => (isNotes(request) ? [{ type: 'hang' }] : replyWithoutUsage('Yes.'))]);
    for (const name of ['a', 'b']) await fixture.send(long(name, 1_900)).done;
    const turn = fixture.send(long('c', 1_900));
    await waitUntil(() => fixture.provider.running > 0);
    turn.abort();
    expect(await turn.done).toMatchObject({ type: 'error', kind: 'aborted' });
    fixture.generator.events.before('compact', () => ({ cancel: 'Not here.' }));
    expect(await fixture.send(long('d', 1_500)).done).toMatchObject({ type: 'error', code: 'event/cancelled' });
  });
});

describe('after a turn', () => {
  test('[Y31] the context is compacted if the next turn would have to wait for it', async () => {
    await open(
      repliesInOrder(
        replyWithUsage(long('one', 3_000), 3_000),
        replyWithUsage('Two.', 6_500),
        replyWithUsage('Three.', 100),
      ),
    );
    await fixture.send('a').done;
    const turn = fixture.send('b');
    const end = await turn.done;
    const [marker] = await fixture.children(end.nodeIds[0] ?? nodeId(''));
    expect(marker).toMatchObject({ kind: 'compaction', marker: { details: { reason: 'after' } } });
    expect(await readActiveNode()).toBe(marker?.id);
    await run(
      fixture.store,
      { type: 'undo', treeId: fixture.treeId },
      { ...fixture.context, actor: fixture.store.owner },
    );
    expect((await fixture.thread()).length).toBe(2);
    await run(
      fixture.store,
      { type: 'redo', treeId: fixture.treeId },
      { ...fixture.context, actor: fixture.store.owner },
    );
    await fixture.send('c').done;
    expect(await countCompactions()).toBe(1);
    expect(JSON.stringify(fixture.provider.requests.at(-1)?.messages)).toContain('In short.');
  });

  test('[Y31] no compaction follows if the context fits, for several replies, or if it is forbidden', async () => {
    await open(repliesInOrder(replyWithUsage(long('one', 3_000), 500), replyWithUsage('Two.', 6_500)), {});
    const first = await fixture.send('a').done;
    expect(await fixture.children(first.nodeIds[0] ?? nodeId(''))).toEqual([]);
    const several = await fixture.send('b', { n: 2 }).done;
    for (const id of several.nodeIds) expect(await fixture.children(id)).toEqual([]);
    fixture.generator.events.before('compact', () => ({ cancel: 'No.' }));
    const end = await fixture.send('c').done;
    expect(end.type).toBe('end');
    expect(notesOf()).toEqual([]);
  });

  test('[Y31] a compaction is aborted when a turn starts meanwhile', async () => {
    let asked = 0;
    await open([
      (request) => {
        if (isNotes(request)) return asked++ === 0 ? [{ type: 'hang' }] : makeTextEvents('In short.');
        return request.messages.length > 2 ? replyWithUsage('Two.', 6_500) : replyWithUsage(long('one', 3_000), 3_000);
      },
    ]);
    await fixture.send('a').done;
    const slow = fixture.send('b');
    await waitUntil(() => asked === 1);
    const next = await fixture.send('c').done;
    expect(next.type).toBe('end');
    const end = await slow.done;
    expect(end.type).toBe('end');
    // A message was added meanwhile, so no summary was added next to it.
    expect(await fixture.children(end.nodeIds[0] ?? nodeId(''))).toHaveLength(1);
    expect((await parentOf(next.nodeIds[0])).kind).toBe('compaction');
  });
});

describe('an overflow reported by the provider', () => {
  test('[Y32] n replies that overflowed are requested again together below one summary', async () => {
    await open(repliesInOrder(makeTextEvents('Yes.'), overflow, overflow, overflow, makeTextEvents('Fits.')));
    await fixture.send('a').done;
    const end = await fixture.send('b', { n: 3 }).done;
    expect(end.type).toBe('end');
    const nodes = await Promise.all(end.nodeIds.map((id) => fixture.node(id)));
    expect(nodes.map((node) => [node.text, node.status])).toEqual(Array(3).fill(['Fits.', 'success']));
    expect(new Set(nodes.map((node) => node.groupId)).size).toBe(1);
    const marker = await parentOf(end.nodeIds[0]);
    expect(marker).toMatchObject({ kind: 'compaction', marker: { details: { reason: 'overflow' } } });
    expect((await fixture.children(marker.parentId ?? nodeId(''))).map((node) => node.id)).toEqual([marker.id]);
    expect(await countCompactions()).toBe(1);
    expect(await readActiveNode()).toBe(end.nodeIds[2]);
  });

  test('[Y32] with several models only those that overflowed are called again, with one summary for all', async () => {
    await open(repliesInOrder(makeTextEvents('Yes.'), overflow, overflow, makeTextEvents('Fits.')), {
      other: repliesInOrder(makeTextEvents('Large.')),
    });
    await fixture.send('a').done;
    const end = await fixture.send('b', { models: ['scripted/one', 'scripted/two', 'other/two'] }).done;
    const nodes = await Promise.all(end.nodeIds.map((id) => fixture.node(id)));
    expect(nodes.map((node) => node.text)).toEqual(['Fits.', 'Fits.', 'Large.']);
    expect(fixture.other.requests.filter((request) => !isNotes(request))).toHaveLength(1);
    expect(await countCompactions()).toBe(1);
    expect((await parentOf(nodes[0]?.id)).kind).toBe('compaction');
    expect((await parentOf(nodes[2]?.id)).kind).toBe('message');
    expect(await readActiveNode()).toBe(nodes[2]?.id);
  });

  test('[Y32] a second overflow is reported, and not retried', async () => {
    await open(repliesInOrder(makeTextEvents('Yes.'), overflow));
    await fixture.send('a').done;
    const end = await fixture.send('b').done;
    expect(end).toMatchObject({ type: 'error', code: 'provider/context-overflow' });
    expect(fixture.provider.requests.filter((request) => !isNotes(request))).toHaveLength(3);
  });

  test('[Y32] repeating the request finds the replies made after the compaction', async () => {
    await open(repliesInOrder(makeTextEvents('Yes.'), overflow, overflow, makeTextEvents('Fits.')));
    await fixture.send('a').done;
    const options = { n: 2, requestId: 'again' };
    const end = await fixture.send('b', options).done;
    const parentId = (await readActiveNode()) ?? nodeId('');
    expect(end.nodeIds).toContain(parentId);
    const marker = await parentOf(end.nodeIds[0]);
    const start = { type: 'reply', treeId: fixture.treeId, parentId: marker.parentId ?? nodeId('') } as const;
    const calls = fixture.provider.requests.length;
    const first = await fixture.generator.generate(start, { models: ['scripted/one'], ...options }).done;
    expect(first.nodeIds).toEqual(end.nodeIds);
    expect(fixture.provider.requests).toHaveLength(calls);
  });
});

describe('settings', () => {
  test('[Y33] if automatic compaction is off, a full window is refused until the user compacts', async () => {
    await open(repliesInOrder(replyWithoutUsage('Yes.')), { compaction: { automatic: false } });
    for (const name of ['a', 'b', 'c']) expect((await fixture.send(long(name, 1_900)).done).type).toBe('end');
    expect(await fixture.send(long('d', 1_900)).done).toMatchObject({ type: 'error', code: 'context/full' });
    expect(notesOf()).toEqual([]);
    const made = await fixture.generator.compactor.compact({
      treeId: fixture.treeId,
      model: fixture.providers.model('scripted/one'),
    });
    expect(made.summary).toMatch(/^In short\./);
    expect((await fixture.send('f').done).type).toBe('end');
  });

  test('[Y33] the operator configures whether to compact, with which model, and which tools touch files', async () => {
    const { toGeneratorSettings: generatorSettings } = await import('../generate/settings.ts');
    const { parseConfig } = await import('../config/load.ts');
    const text = 'cheap_model = "other/one"\n[compaction]\nautomatic = false\nread_tools = ["Peek"]\n';
    const settings = generatorSettings(parseConfig({ name: 'test.toml', text }, {}));
    expect(settings.compaction.automatic).toBe(false);
    expect(settings.compaction.fileTools?.read).toContain('peek');
    expect(settings.summaries).toEqual({ model: 'other/one' });
    await open(repliesInOrder(makeTextEvents('Yes.'), overflow, makeTextEvents('Fits.')), {
      other: [makeTextEvents('Notes of another.')],
      summaries: settings.summaries,
    });
    await fixture.send('a').done;
    const end = await fixture.send('b').done;
    expect((await parentOf(end.nodeIds[0])).text).toBe('Notes of another.');
  });

  test('[Y33] generation from whole contexts compacts without changing the active node', async () => {
    await open(repliesInOrder(makeTextEvents('Yes.'), overflow, makeTextEvents('Fits.')));
    await fixture.send('mine').done;
    const here = await readActiveNode();
    const engine = new LoomEngine({ store: fixture.store, generator: fixture.generator });
    const context = ['a', 'b', 'c'].map((name, at) => textMessage(at % 2 === 0 ? 'user' : 'assistant', long(name)));
    const { childNodes } = await engine.generate(fixture.treeId, 'scripted', 'one', context);
    expect((await parentOf(nodeId(childNodes[0]?.id ?? ''))).kind).toBe('compaction');
    expect(await readActiveNode()).toBe(here);
    await engine.close();
  });

  test('[Y33] a hook can write the summary, and then no model is called for it', async () => {
    const events = createEventBus();
    events.before('compact', (event) => ({ replace: { ...event, summary: 'By a hook.' } }));
    await open(repliesInOrder(makeTextEvents('Yes.'), overflow, makeTextEvents('Fits.')), { events });
    await fixture.send('a').done;
    const end = await fixture.send('b').done;
    expect(await parentOf(end.nodeIds[0])).toMatchObject({ text: 'By a hook.', meta: { source: { type: 'given' } } });
    expect(notesOf()).toEqual([]);
  });
});
