import { textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import type { ProviderEvent } from '../providers/contract.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import type { FollowEvent } from '../runs/follow.ts';
import { makeTextEvents, type ScriptedReply } from '../testing/scripted.ts';
import {
  collectEvents,
  openTurnFixture,
  type TurnFixture,
  type TurnFixtureOptions,
  waitUntil,
} from '../testing/turn-fixture.ts';
import type { TurnEvent, TurnStart } from './contract.ts';

const said = (text: string): ProviderEvent => ({ type: 'text-delta', text });
const textIn = (events: readonly TurnEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

let fixture: TurnFixture;
afterEach(() => fixture.close());

describe.each(['memory', 'sqlite'] as const)('a turn on %s', (kind) => {
  const open = async (replies: readonly ScriptedReply[], options?: TurnFixtureOptions) => {
    fixture = await openTurnFixture(kind, replies, options);
    return fixture;
  };

  test('[H3] a message gets a reply: both are in the tree, the reply is active and has its source', async () => {
    await open([makeTextEvents('Hello to you')], { systemPrompt: 'Be kind.' });
    const turn = fixture.send('Hello', { temperature: 0.5, maxTokens: 300 });
    const end = await turn.done;
    expect(end).toMatchObject({ type: 'end' });
    expect(await fixture.thread()).toEqual(['user: Hello', 'assistant: Hello to you']);
    const node = await fixture.node(end.nodeIds[0]);
    expect(node).toMatchObject({ status: 'success', groupId: 0 });
    expect(node.meta.error).toBeUndefined();
    expect(node.meta.source).toMatchObject({
      type: 'model',
      provider: 'scripted',
      model_name: 'one',
      parameters: { temperature: 0.5, max_tokens: 300 },
      finish_reason: 'stop',
      usage: { inputTokens: 10, outputTokens: 3 },
      timing: { totalMs: expect.any(Number), startedAt: expect.any(Number) },
    });
    expect(fixture.provider.requests[0]).toMatchObject({ systemPrompt: 'Be kind.', maxTokens: 300, temperature: 0.5 });
    expect(await fixture.store.runs.list()).toEqual([]);
  });

  test('[H3] all commits of a turn are one act', async () => {
    await open([makeTextEvents('Yes')]);
    const turn = fixture.send('Well?');
    await turn.done;
    const commits = (await fixture.store.history(fixture.treeId)).filter((commit) => commit.actId === turn.actId);
    expect(commits).toHaveLength(3);
  });

  test('[H4] the message is durable before the model is called, and the reply is pending with its own run', async () => {
    const seen: unknown[] = [];
    await open([
      async function* () {
        const beside = await fixture.beside();
        const runs = await beside.store.runs.list(fixture.treeId);
        const thread = await fixture.thread();
        seen.push(thread, runs.length, (await fixture.node(runs[0]?.nodeId)).status);
        yield* makeTextEvents('Yes');
      },
    ]);
    await fixture.send('Are you there?').done;
    expect(seen).toEqual([['user: Are you there?', 'assistant: '], 1, 'pending']);
  });

  test('[H5] text is stored in chunks while it arrives, and can be read from any offset by another process', async () => {
    const chunks: string[] = [];
    await open([
      async function* () {
        yield said('One ');
        yield said('two ');
        await waitUntil(async () => {
          const [one] = await fixture.store.runs.list();
          const there = one === undefined ? [] : await fixture.store.runs.chunks(one.id);
          chunks.splice(0, chunks.length, ...there.map((chunk) => chunk.text));
          return chunks.join('') === 'One two ';
        });
        yield* makeTextEvents('three');
      },
    ]);
    const turn = fixture.send('Count');
    const pending = await firstPending(turn.events());
    const beside = await fixture.beside();
    const received: FollowEvent[] = [];
    for await (const event of beside.generator.follow({ treeId: fixture.treeId, nodeId: pending, from: 4 }))
      received.push(event);
    expect(received.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe('two three');
    expect(received.at(0)).toMatchObject({ type: 'text-delta', offset: 4 });
    expect(received.at(-1)).toEqual({ type: 'end', nodeId: pending, status: 'success' });
    expect(chunks.join('')).toBe('One two ');
  });

  test('[H6] events can be read by several readers and from any index, and finish with exactly one end event', async () => {
    await open([
      [
        { type: 'thinking-delta', text: 'Hm.' },
        { type: 'thinking-end', signature: 'proof' },
        ...makeTextEvents('Oh! So! You!'),
      ],
    ]);
    const turn = fixture.send('Hello');
    const [all, again] = await Promise.all([collectEvents(turn), collectEvents(turn)]);
    expect(again).toEqual(all);
    expect(await collectEvents(turn, 3)).toEqual(all.slice(3));
    expect(all.map((event) => event.type)).toEqual([
      'node',
      'node',
      'thinking-delta',
      'text-delta',
      'text-delta',
      'text-delta',
      'usage',
      'node',
      'end',
    ]);
    expect(textIn(all)).toBe('Oh! So! You!');
    const offsets = all.flatMap((event) => (event.type === 'text-delta' ? [event.offset] : []));
    expect(offsets).toEqual([0, 3, 7]);
    expect(all.at(-1)).toEqual(await turn.done);
  });

  test('[H6] a refusal before the first reply is an error event, not an exception', async () => {
    await open([]);
    const turn = fixture.send('Hello', { models: ['nobody/at-all'] });
    expect(await collectEvents(turn)).toEqual([expect.objectContaining({ type: 'error', code: 'provider/unknown' })]);
    await expect(turn.first).rejects.toMatchObject({ code: 'provider/unknown' });
    expect(await fixture.thread()).toEqual([]);
  });

  test('[G190] a turn with a model without a key stores nothing', async () => {
    await open([]);
    const turn = fixture.send('Hello', { models: ['anthropic/claude-sonnet-5'] });
    await expect(turn.first).rejects.toMatchObject({ code: 'provider/no-key' });
    expect(await fixture.thread()).toEqual([]);
  });

  test('[H7] an abort stops the model at once and keeps the text as aborted; a second abort does nothing', async () => {
    await open([[said('So far '), said('so good.'), { type: 'hang' }]]);
    const turn = fixture.send('Hello');
    for await (const event of turn.events()) if (event.type === 'text-delta' && event.text === 'so good.') break;
    turn.abort();
    turn.abort();
    const end = await turn.done;
    expect(end).toMatchObject({ type: 'error', code: 'generate/aborted', kind: 'aborted' });
    expect(fixture.provider.running).toBe(0);
    expect(await fixture.node(end.nodeIds[0])).toMatchObject({ status: 'aborted' });
    expect(await fixture.thread()).toEqual(['user: Hello', 'assistant: So far so good.']);
    turn.abort();
  });

  test("[H7] the caller's signal and the node's id stop a turn as well; a reader that leaves does not", async () => {
    await open([[said('One'), { type: 'hang' }]]);
    const controller = new AbortController();
    const first = fixture.send('A', { signal: controller.signal });
    const reader = first.events()[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    await waitUntil(() => fixture.provider.running === 1);
    controller.abort();
    expect(await first.done).toMatchObject({ code: 'generate/aborted' });
    const second = fixture.send('B');
    const pending = await firstPending(second.events());
    expect(await fixture.generator.abort({ nodeId: pending })).toBe(true);
    expect(await fixture.generator.abort({ nodeId: pending })).toBe(false);
    expect((await fixture.node(pending)).status).toBe('aborted');
  });

  test('[H8] a provider that fails after some text leaves it as interrupted, with the error beside it', async () => {
    await open([[said('Half a '), makeErrorEvent('provider/dropped', 'The line went dead.')]]);
    const end = await fixture.send('Hello').done;
    expect(end).toMatchObject({ type: 'error', code: 'provider/dropped', retryable: true });
    const node = await fixture.node(end.nodeIds[0]);
    expect(node).toMatchObject({ status: 'interrupted', message: textMessage('assistant', 'Half a ') });
    expect(node.meta.error).toMatchObject({ code: 'provider/dropped', message: 'The line went dead.' });
  });

  test('[H8] a provider that fails before any text leaves an empty node of status error, without an apology as text', async () => {
    await open([[makeErrorEvent('provider/failed', 'It said 500.', { status: 500, excerpt: 'oops' })]]);
    const end = await fixture.send('Hello').done;
    const node = await fixture.node(end.nodeIds[0]);
    expect(node.status).toBe('error');
    expect(node.text).toBe('');
    expect(node.meta.error).toMatchObject({ code: 'provider/failed', status: 500, excerpt: 'oops' });
    expect(await fixture.thread()).toEqual(['user: Hello', 'assistant: ']);
  });

  test('[H8] a provider that throws, ends without text or never ends its stream is a failure like any other', async () => {
    await open([
      [{ type: 'throw', error: new Error('a bug') }],
      [{ type: 'end', finishReason: 'content-filter', raw: 'filtered' }],
      [said('cut')],
    ]);
    expect(await fixture.send('1').done).toMatchObject({ type: 'error', code: 'provider/internal' });
    expect(await fixture.send('2').done).toMatchObject({ type: 'error', code: 'generate/empty' });
    expect(await fixture.send('3').done).toMatchObject({ type: 'error', code: 'provider/dropped' });
  });

  test('[H9] several replies are generated at the same time, in one group, the last one active, each with its own seed', async () => {
    let together = 0;
    const reply: ScriptedReply = async function* (_request, call) {
      together++;
      await waitUntil(() => together === 3);
      yield* makeTextEvents(`Answer ${call}`);
    };
    await open([reply]);
    const end = await fixture.send('Three ways?', { n: 3, seed: 7 }).done;
    const nodes = await Promise.all(end.nodeIds.map((id) => fixture.node(id)));
    expect(nodes.map((node) => node.groupId)).toEqual([1, 1, 1]);
    expect(new Set(nodes.map((node) => node.text))).toEqual(new Set(['Answer 0', 'Answer 1', 'Answer 2']));
    expect(fixture.provider.requests.map((request) => request.seed)).toEqual([7, 8, 9]);
    expect((await fixture.thread()).at(-1)).toBe(`assistant: ${nodes[2]?.text}`);
  });

  test('[H9] several models reply in one group, and one that fails keeps its position', async () => {
    await open([[makeErrorEvent('provider/overloaded', 'Too busy.')]], { other: [makeTextEvents('I am here')] });
    const events = fixture.send('Anyone?', { models: ['scripted/one', 'other/two'] });
    const end = await events.done;
    expect(end.type).toBe('end');
    const nodes = await Promise.all(end.nodeIds.map((id) => fixture.node(id)));
    expect(nodes.map((node) => [node.status, node.groupId, node.text])).toEqual([
      ['error', 1, ''],
      ['success', 1, 'I am here'],
    ]);
    expect(nodes[1]?.meta.source).toMatchObject({ provider: 'other', model_name: 'two' });
  });

  test('[H10] a request made twice at the same node is one turn, even after it ended and in another process', async () => {
    await open([makeTextEvents('Once')]);
    const again = { requestId: 'r-1' };
    const [one, two] = [fixture.send('Hello', again), fixture.send('Hello', again)];
    expect(two).toBe(one);
    const end = await one.done;
    expect(end.type).toBe('end');
    const beside = await fixture.beside();
    const late = beside.generator.generate(
      { type: 'send', treeId: fixture.treeId, messages: [{ message: textMessage('user', 'Hello') }] },
      { models: ['scripted/one'], ...again },
    );
    expect(await late.done).toEqual(end);
    expect(textIn(await collectEvents(late))).toBe('Once');
    expect(fixture.provider.requests).toHaveLength(1);
    await fixture.send('Hello', { requestId: 'r-2' }).done;
    expect(fixture.provider.requests).toHaveLength(2);
  });

  test('[H10] the same request in another process follows the running one', async () => {
    let go = false;
    await open([
      async function* () {
        yield said('One ');
        await waitUntil(() => go);
        yield* makeTextEvents('two');
      },
    ]);
    const again = { requestId: 'r-1' };
    const turn = fixture.send('Hello', again);
    await firstPending(turn.events());
    const beside = await fixture.beside();
    const late = beside.generator.generate(
      { type: 'send', treeId: fixture.treeId, messages: [{ message: textMessage('user', 'Hello') }] },
      { models: ['scripted/one'], ...again },
    );
    for await (const event of late.events()) if (event.type === 'text-delta') break;
    go = true;
    expect(textIn(await collectEvents(late))).toBe('One two');
    expect(fixture.provider.requests).toHaveLength(1);
  });

  test('[H15] prompts and replies pass the hooks, which can replace and cancel them', async () => {
    await open([makeTextEvents('Yes')]);
    const reported: unknown[] = [];
    const { events } = fixture.generator;
    events.before('append', (event) => ({
      replace: { ...event, messages: [{ message: textMessage('user', 'Hello, replaced') }] },
    }));
    events.before('generate', (event) => ({ replace: { ...event, temperature: 0.25 } }));
    events.after('append', (event) => void reported.push(event.added.length));
    events.after('generate', (event) => void reported.push(event.nodeIds.length));
    await fixture.send('Hello').done;
    expect(await fixture.thread()).toEqual(['user: Hello, replaced', 'assistant: Yes']);
    expect(fixture.provider.requests[0]?.temperature).toBe(0.25);
    expect(reported).toEqual([1, 1]);
    events.before('generate', () => ({ cancel: 'Enough for today.' }));
    expect(await fixture.send('More').done).toMatchObject({ code: 'event/cancelled', message: 'Enough for today.' });
    expect(fixture.provider.requests).toHaveLength(1);
  });

  test('[H16] closing cuts turns short as interrupted, and nothing begins afterwards', async () => {
    await open([[said('Some'), { type: 'hang' }]]);
    const turn = fixture.send('Hello');
    for await (const event of turn.events()) if (event.type === 'text-delta') break;
    await fixture.generator.close();
    const end = await turn.done;
    expect(end).toMatchObject({ code: 'generate/closed' });
    expect((await fixture.node(end.nodeIds[0])).status).toBe('interrupted');
    expect(await fixture.send('More').done).toMatchObject({ code: 'generate/closed' });
  });

  test('[H17] a blank message, no model, too many replies and a pending node are refused', async () => {
    await open([[{ type: 'hang' }]]);
    expect(await fixture.send('  ').done).toMatchObject({ code: 'message/blank' });
    expect(await fixture.send('Hello', { models: [] }).done).toMatchObject({ code: 'generate/invalid' });
    expect(await fixture.send('Hello', { n: 1000 }).done).toMatchObject({ code: 'generate/invalid' });
    const pending = await firstPending(fixture.send('Hello').events());
    const below = { type: 'reply', treeId: fixture.treeId, parentId: pending } as const;
    expect(await fixture.generator.generate(below, { models: ['scripted/one'] }).done).toMatchObject({
      code: 'tree/pending',
    });
    const root = { type: 'reply', treeId: fixture.treeId, parentId: fixture.rootId } as const;
    expect(await fixture.generator.generate(root, { models: ['scripted/one'] }).done).toMatchObject({
      code: 'generate/invalid',
    });
  });

  test('[H17] a turn with an unknown kind of target, and one without a target, are refused with a code', async () => {
    await open([]);
    const models = ['scripted/one'];
    const { treeId, rootId } = fixture;
    const begun = (start: object): TurnStart => JSON.parse(JSON.stringify(start));
    for (const [start, code] of [
      [{ type: 'sned', treeId }, 'generate/invalid'],
      [{ treeId }, 'generate/invalid'],
      [{ type: 'send', treeId }, 'generate/invalid'],
      [{ type: 'send', treeId, messages: [null] }, 'generate/invalid'],
      [{ type: 'send', messages: [] }, 'tree/unknown-tree'],
      [{ type: 'reply', treeId }, 'tree/unknown-node'],
      [{ type: 'regenerate', treeId, nodeId: 5 }, 'tree/unknown-node'],
      [{ type: 'continue', treeId, parentId: rootId }, 'tree/unknown-node'],
    ] as const)
      expect(await fixture.generator.generate(begun(start), { models }).done).toMatchObject({ code });
    for (const none of JSON.parse('[null, 5, "x", []]')) {
      expect(() => fixture.generator.generate(none, { models })).toThrow(refusal('generate/invalid'));
      expect(() => fixture.generator.generate({ type: 'reply', treeId, parentId: rootId }, none)).toThrow(
        refusal('generate/invalid'),
      );
      expect(() => fixture.generator.follow(none)).toThrow(refusal('command/invalid'));
      await expect(fixture.generator.compactor.compact(none)).rejects.toMatchObject({ code: 'command/invalid' });
    }
  });
});

const refusal = (code: string) => expect.objectContaining({ code });

async function firstPending(events: AsyncIterable<TurnEvent>) {
  for await (const event of events) if (event.type === 'node' && event.status === 'pending') return event.nodeId;
  throw new Error('No reply began.');
}
