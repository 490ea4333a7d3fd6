import { ask, type NodeId, nodeId, run, type Store, textMessage, textOf, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createTurnGenerator } from '../generate/index.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock, ProviderEvent } from '../providers/contract.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, waitUntil } from '../testing/turn-fixture.ts';

const said = (text: string): ProviderEvent => ({ type: 'text-delta', text });

let fixture: TurnFixture;
afterEach(() => fixture.close());

/** Creates what a process leaves when it dies during a reply: a run, a pending node and some stored text. */
async function createLostReply(
  store: Store,
  text: readonly string[],
  reply = true,
  tree = fixture.treeId,
): Promise<NodeId> {
  const { context } = fixture;
  const { result } = await run(
    store,
    { type: 'append', treeId: tree, messages: [{ message: textMessage('user', 'Hello') }] },
    context,
  );
  const id = nodeId(newId());
  const runId = newId();
  const at = Date.now();
  await store.runs.start({ id: runId, treeId: tree, nodeId: id, process: 'dead', startedAt: at, beatAt: at, data: {} });
  if (reply) await run(store, { type: 'reply', treeId: tree, parentId: result.nodeId, replies: [{ id }] }, context);
  let offset = 0;
  for (const piece of text) {
    await store.runs.append(runId, { offset, text: piece });
    offset += piece.length;
  }
  // The run becomes stale only at the end, so that a background recovery does not find it half created.
  await store.runs.beat(runId, at - 20_000);
  return id;
}

/** A clock that is ahead of the store's. */
function clockAhead(ms: number): Clock {
  return { ...systemClock, now: () => Date.now() + ms };
}

describe.each(['memory', 'sqlite'] as const)('recovery on %s', (kind) => {
  test('[H30] a run that was silent for 15 seconds is recovered: its chunks are the text, the status interrupted', async () => {
    fixture = await openTurnFixture(kind, []);
    const id = await createLostReply(fixture.store, ['Half ', 'a ']);
    expect(await fixture.generator.recover()).toEqual([{ treeId: fixture.treeId, nodeId: id, status: 'interrupted' }]);
    const node = await fixture.node(id);
    expect(node).toMatchObject({ status: 'interrupted', text: 'Half a ' });
    expect(node.meta.error).toMatchObject({ code: 'generate/lost', retryable: true });
    expect(await fixture.store.runs.list()).toEqual([]);
    expect(await fixture.generator.recover()).toEqual([]);
  });

  test('[H30] a run without text becomes an error, and one whose node was never written is removed', async () => {
    fixture = await openTurnFixture(kind, []);
    const silent = await createLostReply(fixture.store, []);
    await createLostReply(fixture.store, ['text'], false);
    expect(await fixture.generator.recover()).toEqual([{ treeId: fixture.treeId, nodeId: silent, status: 'error' }]);
    expect(await fixture.store.runs.list()).toEqual([]);
  });

  test('[H31] a run with heartbeats is left alone, however long it takes, and only one of two processes recovers a lost one', async () => {
    fixture = await openTurnFixture(kind, [[said('Slow'), { type: 'hang' }]]);
    const turn = fixture.send('Hello');
    for await (const event of turn.events()) if (event.type === 'text-delta') break;
    const [one] = await fixture.store.runs.list();
    const began = one?.beatAt ?? 0;
    await waitUntil(async () => ((await fixture.store.runs.list())[0]?.beatAt ?? 0) > began);
    expect(await fixture.generator.recover()).toEqual([]);
    turn.abort();
    await turn.done;
    await createLostReply(fixture.store, ['x']);
    const beside = await fixture.beside();
    const both = await Promise.all([fixture.generator.recover(), beside.generator.recover()]);
    expect(both.flat()).toHaveLength(1);
  });

  test('[H138] the lost replies of all owners are recovered at once, and a failing one does not prevent the others', async () => {
    fixture = await openTurnFixture(kind, []);
    const all = await Promise.all(
      ['ada', 'ben', 'cleo'].map(async (owner) => {
        const store = fixture.store.forOwner(owner);
        const tree = treeId(newId());
        await run(store, { type: 'create', treeId: tree }, fixture.context);
        const reply = await createLostReply(store, [`for ${owner}`], true, tree);
        return { node: () => store.read(tree, () => ask('node', { id: reply })), runs: store.runs };
      }),
    );
    const forOwner = fixture.store.forOwner.bind(fixture.store);
    const failing = vi.spyOn(fixture.store, 'forOwner').mockImplementation((owner) => {
      if (owner === 'ada') throw new Error('not now');
      return forOwner(owner);
    });
    await expect(fixture.generator.recoverAll()).rejects.toThrow('not now');
    failing.mockRestore();
    const statuses = async () => Promise.all(all.map(async ({ node }) => (await node())?.status));
    expect(await statuses()).toEqual(['pending', 'interrupted', 'interrupted']);
    const [left] = (await all[0]?.runs.list()) ?? [];
    await all[0]?.runs.beat(left?.id ?? '', Date.now() - 20_000);
    expect(await fixture.generator.recoverAll()).toHaveLength(1);
    expect(await statuses()).toEqual(['interrupted', 'interrupted', 'interrupted']);
    expect(await Promise.all(all.map(async ({ node }) => (await node())?.text))).toEqual([
      'for ada',
      'for ben',
      'for cleo',
    ]);
  });

  test('[H135] a process whose clock is a minute ahead leaves the running replies of another alone', async () => {
    fixture = await openTurnFixture(kind, [[said('Slow'), { type: 'hang' }]]);
    const turn = fixture.send('Hello');
    for await (const event of turn.events()) if (event.type === 'text-delta') break;
    const beside = await fixture.beside({ clock: clockAhead(60_000) });
    expect(await beside.generator.recover()).toEqual([]);
    turn.abort();
    expect(await turn.done).toMatchObject({ kind: 'aborted' });
  });

  test('[H32] a process that was taken for dead notices, stops, and does not overwrite the recovered reply', async () => {
    fixture = await openTurnFixture(kind, [[said('Some text.'), { type: 'hang' }]]);
    const turn = fixture.send('Hello');
    await waitUntil(async () => {
      const [one] = await fixture.store.runs.list();
      return one !== undefined && (await fixture.store.runs.chunks(one.id)).length > 0;
    });
    const beside = await fixture.beside();
    const [one] = await fixture.store.runs.list();
    const recovered = fixture.store.runs
      .beat(one?.id ?? '', Date.now() - 60_000)
      .then(() => beside.generator.recover());
    expect(await recovered).toHaveLength(1);
    const end = await turn.done;
    expect(end).toMatchObject({ type: 'error', code: 'generate/lost' });
    expect(await fixture.node(end.nodeIds[0])).toMatchObject({ status: 'interrupted', text: 'Some text.' });
    expect(fixture.provider.running).toBe(0);
  });

  test('[H33] a reply that was being continued keeps its earlier text and all other blocks', async () => {
    fixture = await openTurnFixture(kind, []);
    const id = await createLostReply(fixture.store, []);
    const thinking = { type: 'thinking', thinking: 'Hm.' };
    const before = { role: 'assistant', content: [thinking, ...textMessage('assistant', 'Half ').content] } as const;
    await run(
      fixture.store,
      { type: 'finish', treeId: fixture.treeId, nodeId: id, status: 'interrupted', message: before },
      fixture.context,
    );
    await fixture.generator.recover();
    await run(
      fixture.store,
      { type: 'finish', treeId: fixture.treeId, nodeId: id, status: 'pending' },
      fixture.context,
    );
    const runId = newId();
    const { treeId: tree } = fixture;
    await fixture.store.runs.start({
      id: runId,
      treeId: tree,
      nodeId: id,
      process: 'dead',
      startedAt: 1,
      beatAt: 1,
      data: {},
    });
    await fixture.store.runs.append(runId, { offset: 0, text: 'Half a sen' });
    await fixture.generator.recover();
    const node = await fixture.node(id);
    expect(node.message?.content[0]).toEqual(thinking);
    expect(node.message === null ? '' : textOf(node.message)).toBe('Half a sen');
  });

  test('[H34] following a reply whose run no longer exists, or an unknown node, ends with an error and does not hang', async () => {
    fixture = await openTurnFixture(kind, []);
    const id = await createLostReply(fixture.store, ['x']);
    for (const one of await fixture.store.runs.list()) await fixture.store.runs.end(one.id);
    const received: unknown[] = [];
    for await (const event of fixture.generator.follow({ treeId: fixture.treeId, nodeId: id })) received.push(event);
    expect(received).toEqual([expect.objectContaining({ type: 'error', code: 'generate/lost' })]);
    const nowhere: unknown[] = [];
    for await (const event of fixture.generator.follow({ treeId: fixture.treeId, nodeId: nodeId(newId()) }))
      nowhere.push(event);
    expect(nowhere).toEqual([expect.objectContaining({ type: 'error', code: 'tree/unknown-node' })]);
  });

  test('[H34] a follower stops on request', async () => {
    fixture = await openTurnFixture(kind, [[said('Yes.'), { type: 'hang' }]]);
    const turn = fixture.send('Hello');
    for await (const event of turn.events()) if (event.type === 'text-delta') break;
    const [one] = await fixture.store.runs.list();
    const stop = new AbortController();
    const received: string[] = [];
    const followed = { treeId: fixture.treeId, nodeId: one?.nodeId ?? nodeId('') };
    for await (const event of fixture.generator.follow(followed, stop.signal)) {
      received.push(event.type);
      stop.abort();
    }
    expect(received).toEqual(['text-delta', 'error']);
  });

  test('[H31] recovery continues in the background until it is stopped', async () => {
    fixture = await openTurnFixture(kind, []);
    const stop = new AbortController();
    const keeping = fixture.generator.keepRecovering(stop.signal);
    const id = await createLostReply(fixture.store, ['x']);
    await waitUntil(async () => (await fixture.node(id)).status === 'interrupted');
    stop.abort();
    await keeping;
  });
});

test('[H35] after a crash in the middle of a reply a new engine on the same file recovers and continues it', async () => {
  fixture = await openTurnFixture('sqlite', [
    [said('It was a dark '), { type: 'hang' }],
    makeTextEvents('and stormy night.'),
  ]);
  const turn = fixture.send('Tell me a story');
  await waitUntil(async () => {
    const [one] = await fixture.store.runs.list();
    return one !== undefined && (await fixture.store.runs.chunks(one.id)).length > 0;
  });
  // Simulates a crash of the first process: its store is closed, and its heartbeats stop.
  await fixture.store.close();
  const store = await openStore(fixture.url);
  const tree = treeId(fixture.treeId);
  const { providers } = fixture;
  for (const { id } of await store.runs.list()) await store.runs.beat(id, Date.now() - 16_000);
  const generator = createTurnGenerator({ store, providers, limits: { flushMs: 5 } });
  const [saved] = await generator.recover();
  expect(saved).toMatchObject({ treeId: tree, status: 'interrupted' });
  const end = await generator.generate(
    { type: 'continue', treeId: tree, nodeId: saved?.nodeId ?? nodeId('') },
    { models: ['scripted/one'] },
  ).done;
  expect(end.type).toBe('end');
  const node = await store.content(tree, [saved?.nodeId ?? nodeId('')]);
  expect([...node.values()][0]).toContain('It was a dark and stormy night.');
  turn.abort();
  expect((await turn.done).type).toBe('error');
  await store.close();
});
