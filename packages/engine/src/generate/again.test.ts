import { ask, nodeId, run, textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import type { ProviderEvent } from '../providers/contract.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import { makeTextEvents, type ScriptedReply } from '../testing/scripted.ts';
import { collectEvents, openTurnFixture, type TurnFixture, type TurnFixtureOptions } from '../testing/turn-fixture.ts';

const said = (text: string): ProviderEvent => ({ type: 'text-delta', text });

let fixture: TurnFixture;
afterEach(() => fixture.close());

describe.each(['memory', 'sqlite'] as const)('another try on %s', (kind) => {
  const open = async (replies: readonly ScriptedReply[], options?: TurnFixtureOptions) => {
    fixture = await openTurnFixture(kind, replies, options);
    return fixture;
  };

  test('[H11] regenerating adds a reply beside the old one, in one group, and makes it active', async () => {
    await open([makeTextEvents('First'), makeTextEvents('Second')]);
    const before = await fixture.send('Hello').done;
    const old = await fixture.node(before.nodeIds[0]);
    const turn = fixture.generator.generate(
      { type: 'regenerate', treeId: fixture.treeId, nodeId: old.id },
      { models: ['scripted/one'] },
    );
    const end = await turn.done;
    const replies = await fixture.children(old.parentId ?? nodeId(''));
    expect(replies.map((node) => [node.text, node.groupId])).toEqual([
      ['First', 1],
      ['Second', 1],
    ]);
    expect(end.nodeIds).toEqual([replies[1]?.id]);
    expect(await fixture.thread()).toEqual(['user: Hello', 'assistant: Second']);
    expect(fixture.provider.requests[1]?.messages).toEqual([textMessage('user', 'Hello')]);
  });

  test('[H12] an interrupted reply is continued in the same node', async () => {
    await open([[said('Half a '), makeErrorEvent('provider/dropped', 'Gone.')], makeTextEvents('sentence.')]);
    const cut = await fixture.send('Hello').done;
    const id = cut.nodeIds[0] ?? nodeId('');
    const turn = fixture.generator.generate(
      { type: 'continue', treeId: fixture.treeId, nodeId: id },
      { models: ['scripted/one'] },
    );
    const events = await collectEvents(turn);
    expect(events.find((event) => event.type === 'text-delta')).toMatchObject({ offset: 7, text: 'sentence.' });
    expect(events.at(-1)).toEqual({ type: 'end', nodeIds: [id] });
    const node = await fixture.node(id);
    expect(node).toMatchObject({ status: 'success', text: 'Half a sentence.' });
    expect(node.meta.error).toBeUndefined();
    const [, asked] = fixture.provider.requests;
    expect(asked?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    const whole = fixture.generator.generate(
      { type: 'continue', treeId: fixture.treeId, nodeId: id },
      { models: ['scripted/one'] },
    );
    expect(await whole.done).toMatchObject({ type: 'error', code: 'generate/not-continuable' });
  });

  test('[H12] an empty reply is requested again, in the same node', async () => {
    await open([[makeErrorEvent('provider/failed', 'No.')], makeTextEvents('Yes')]);
    const cut = await fixture.send('Hello').done;
    const id = cut.nodeIds[0] ?? nodeId('');
    await fixture.generator.generate(
      { type: 'continue', treeId: fixture.treeId, nodeId: id },
      { models: ['scripted/one'] },
    ).done;
    expect(await fixture.node(id)).toMatchObject({ status: 'success', text: 'Yes' });
    expect(fixture.provider.requests[1]?.messages).toEqual([textMessage('user', 'Hello')]);
  });

  test('[H13] a fallback model is called if the first cannot be reached, and the source records it', async () => {
    await open([[makeErrorEvent('provider/overloaded', 'Busy.')]], { other: [makeTextEvents('Here')] });
    const end = await fixture.send('Hello', { fallbackModel: 'other/two' }).done;
    expect(end.type).toBe('end');
    expect((await fixture.node(end.nodeIds[0])).meta.source).toMatchObject({
      provider: 'other',
      instead_of: { model: 'scripted/one', code: 'provider/overloaded' },
    });
  });

  test('[H13] no fallback model is called after the first text, or if the request itself is invalid', async () => {
    await open(
      [
        [said('Some'), makeErrorEvent('provider/dropped', 'Gone.')],
        [makeErrorEvent('provider/rejected', 'Bad request.')],
      ],
      { other: [makeTextEvents('Here')] },
    );
    expect(await fixture.send('1', { fallbackModel: 'other/two' }).done).toMatchObject({ code: 'provider/dropped' });
    expect(await fixture.send('2', { fallbackModel: 'other/two' }).done).toMatchObject({ code: 'provider/rejected' });
    expect(fixture.other.requests).toEqual([]);
  });

  test('[H14] a window without space for a reply is refused as full before the model is called', async () => {
    await open([makeTextEvents('Yes')], { config: '[models."scripted/one"]\nwindow = 300\nmax_output = 300\n' });
    const turn = fixture.send('word '.repeat(200));
    expect(await turn.done).toMatchObject({ type: 'error', code: 'context/full' });
    expect(fixture.provider.requests).toEqual([]);
  });

  test('[H14] a message larger than the whole window is refused before it is stored', async () => {
    await open([makeTextEvents('Yes')], { config: '[models."scripted/one"]\nwindow = 300\nmax_output = 300\n' });
    const before = (await fixture.store.read(fixture.treeId, () => ask('rows', {})))?.nodes.length;
    const turn = fixture.send('word '.repeat(2_000));
    expect(await turn.done).toMatchObject({ type: 'error', code: 'context/full' });
    expect((await fixture.store.read(fixture.treeId, () => ask('rows', {})))?.nodes).toHaveLength(before ?? -1);
    expect(fixture.provider.requests).toEqual([]);
  });

  test('[H14] a compaction that does not free enough space is removed when the call is refused', async () => {
    await open([makeTextEvents('Yes')], {
      config: '[models."scripted/one"]\nwindow = 400\nmax_output = 300\n',
      compact: async ({ treeId, actId }) => {
        const context = { ...fixture.context, actId };
        const { result } = await run(fixture.store, { type: 'compact', treeId, summary: 'word '.repeat(300) }, context);
        return result.nodeId;
      },
    });
    expect(await fixture.send('word '.repeat(300)).done).toMatchObject({ type: 'error', code: 'context/full' });
    const rows = await fixture.store.read(fixture.treeId, () => ask('topology', { of: fixture.rootId }));
    expect(rows.map((node) => node.kind)).toEqual(['message']);
    expect(fixture.provider.requests).toEqual([]);
  });

  test('[H14] a context that can be compacted is compacted once, and the reply is a child of the summary', async () => {
    const asked: string[] = [];
    await open([makeTextEvents('Short')], {
      config: '[models."scripted/one"]\nwindow = 400\nmax_output = 300\n',
      compact: async ({ treeId, nodeId: at, reason, actId }) => {
        asked.push(reason);
        const { result } = await run(
          fixture.store,
          { type: 'compact', treeId, summary: `All before ${at.length > 0}` },
          { ...fixture.context, actId },
        );
        return result.nodeId;
      },
    });
    const end = await fixture.send('word '.repeat(300)).done;
    expect(end.type).toBe('end');
    expect(asked).toEqual(['full']);
    const node = await fixture.node(end.nodeIds[0]);
    expect((await fixture.node(node.parentId ?? undefined)).kind).toBe('compaction');
    expect(JSON.stringify(fixture.provider.requests[0]?.messages)).not.toContain('word word');
  });

  test('[H14] an overflow reported by the provider compacts once and replaces the empty reply', async () => {
    await open([[makeErrorEvent('provider/context-overflow', 'Too long.')], makeTextEvents('Fits now')], {
      compact: async ({ treeId, nodeId: at, actId }) => {
        const context = { ...fixture.context, actId };
        await run(fixture.store, { type: 'select', treeId, nodeId: at }, context);
        const { result } = await run(fixture.store, { type: 'compact', treeId, summary: 'Before' }, context);
        return result.nodeId;
      },
    });
    const reported: string[] = [];
    fixture.generator.events.before('compact', (event) => {
      reported.push(event.nodeId);
      return undefined;
    });
    fixture.generator.events.after('compact', (event) => void reported.push(event.nodeId));
    const end = await fixture.send('Hello').done;
    expect(end.type).toBe('end');
    const reply = await fixture.node(end.nodeIds[0]);
    expect(reply.text).toBe('Fits now');
    const marker = await fixture.node(reply.parentId ?? undefined);
    expect(marker.kind).toBe('compaction');
    expect(await fixture.children(marker.parentId ?? nodeId(''))).toHaveLength(1);
    expect(reported).toEqual([marker.parentId, marker.id]);
  });

  test("[H14] a failed summary leaves the refusal, or the provider's own error, unchanged", async () => {
    await open([[makeErrorEvent('provider/context-overflow', 'Too long.')]], {
      compact: () => Promise.reject(new Error('no')),
    });
    const end = await fixture.send('Hello').done;
    expect(end).toMatchObject({ code: 'provider/context-overflow' });
    expect((await fixture.node(end.nodeIds[0])).status).toBe('error');
    expect(fixture.provider.requests).toHaveLength(1);
  });
});
