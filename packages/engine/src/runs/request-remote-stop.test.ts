import { nodeId, run, textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { newId } from '../new-id.ts';
import { makeTextEvents, makeToolEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, waitUntil } from '../testing/turn-fixture.ts';
import { createTools, defineTool } from '../tools/index.ts';

let fixture: TurnFixture;
afterEach(() => fixture.close());

describe.each(['memory', 'sqlite'] as const)('from another process, on %s', (kind) => {
  test.each(['act', 'node'] as const)(
    '[Y60] a reply is stopped by its %s, and its text is kept as aborted',
    async (by) => {
      fixture = await openTurnFixture(kind, [[{ type: 'text-delta', text: 'Some text' }, { type: 'hang' }]]);
      const beside = await fixture.beside();
      const turn = fixture.send('Hello', { n: 2 });
      await waitUntil(async () => (await fixture.store.runs.list()).length === 2 && fixture.provider.running === 2);
      const [writing] = await fixture.store.runs.list();
      const writes = writing?.nodeId ?? nodeId('');
      expect(await beside.generator.abort(by === 'act' ? { actId: turn.actId } : { nodeId: writes })).toBe(true);
      // All replies of the turn stop, as if its own process had stopped it.
      expect(await turn.done).toMatchObject({ type: 'error', kind: 'aborted' });
      for (const reply of (await turn.first).replies)
        expect(await fixture.node(reply.nodeId)).toMatchObject({ status: 'aborted', text: 'Some text' });
      expect(await fixture.store.runs.list()).toEqual([]);
      expect(await beside.generator.abort({ actId: turn.actId })).toBe(false);
    },
  );

  test('[Y60] a turn whose tools run is stopped too, and their results are stored', async () => {
    let isRunning = false;
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      sideEffects: false,
      run: (_parameters, { signal }) => {
        isRunning = true;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      },
    });
    fixture = await openTurnFixture(
      kind,
      [makeToolEvents({ id: 'c', name: 'wait', parameters: {} }), makeTextEvents('Never said.')],
      {
        tools: createTools({ tools: [wait] }),
      },
    );
    const beside = await fixture.beside();
    const turn = fixture.send('Wait', { tools: ['wait'] });
    await waitUntil(() => isRunning);
    const [reply] = (await turn.first).replies;
    // The reply itself has ended.
    const seen: string[] = [];
    for await (const event of beside.generator.follow({ treeId: fixture.treeId, nodeId: reply?.nodeId ?? nodeId('') }))
      seen.push(event.type);
    expect(seen.at(-1)).toBe('end');
    expect(await beside.generator.abort({ actId: turn.actId })).toBe(true);
    expect(await turn.done).toMatchObject({ type: 'error', kind: 'aborted' });
    expect((await fixture.thread()).map((line) => line.split(':')[0])).toEqual(['user', 'assistant', 'tool']);
    expect(fixture.provider.requests).toHaveLength(1);
    expect(await fixture.store.runs.list()).toEqual([]);
  });

  test('[Y62] a follower of a reply that called tools does not wait for them', async () => {
    fixture = await openTurnFixture(kind, [makeTextEvents('Said.')]);
    const end = await fixture.send('Hello').done;
    const [reply = nodeId('')] = end.nodeIds;
    const at = Date.now();
    const data = { phase: 'tools' };
    const { treeId } = fixture;
    await fixture.store.runs.start({
      id: newId(),
      treeId,
      nodeId: reply,
      process: 'p',
      startedAt: at,
      beatAt: at,
      data,
    });
    const seen: unknown[] = [];
    for await (const event of fixture.generator.follow({ treeId, nodeId: reply })) seen.push(event);
    expect(seen.at(-1)).toMatchObject({ type: 'end', status: 'success' });
  });

  test('[Y61] the stored text of a process that died is kept', async () => {
    fixture = await openTurnFixture(kind, []);
    const { store, treeId, context } = fixture;
    const messages = [{ message: textMessage('user', 'Hello') }];
    const { result } = await run(store, { type: 'append', treeId, messages }, context);
    const id = nodeId(newId());
    const runId = newId();
    const at = Date.now() - 20_000;
    await store.runs.start({ id: runId, treeId, nodeId: id, process: 'dead', startedAt: at, beatAt: at, data: {} });
    await run(store, { type: 'reply', treeId, parentId: result.nodeId, replies: [{ id }] }, context);
    await store.runs.append(runId, { offset: 0, text: 'Half a' });
    expect(await fixture.generator.abort({ nodeId: id })).toBe(true);
    expect(await fixture.node(id)).toMatchObject({ status: 'interrupted', text: 'Half a' });
    expect(await fixture.generator.abort({ nodeId: id })).toBe(false);
  });
});
