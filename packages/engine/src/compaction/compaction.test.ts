import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import {
  ask,
  type Message,
  type NodeId,
  type NodeKind,
  nodeId,
  run,
  type ToolUseBlock,
  textMessage,
  textOf,
} from '@coppice/core';
import { contextOf, readContextPath } from '@coppice/core/context';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../events.ts';
import type { ScriptedReply } from '../testing/scripted.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, type TurnFixtureOptions, waitUntil } from '../testing/turn-fixture.ts';
import { compactBranchNow, createCompactor } from './compactor.ts';

let fixture: TurnFixture;
afterEach(() => fixture.close());

const said = (role: 'user' | 'assistant', text: string): Message => textMessage(role, text);
function callTool(id: string, name: string, parameters: Record<string, string> = {}): Message {
  const call: ToolUseBlock = { type: 'tool-use', id, name, parameters };
  return { role: 'assistant', content: [call] };
}
const result = (id: string, text: string): Message => ({ ...textMessage('tool', text), tool_call_id: id });

/** Appends messages below a node; returns their ids. */
async function appendMessages(messages: readonly Message[], parentId?: NodeId): Promise<readonly NodeId[]> {
  const { result: grown } = await run(
    fixture.store,
    {
      type: 'append',
      treeId: fixture.treeId,
      messages: messages.map((message) => ({ message })),
      merge: false,
      ...(parentId === undefined ? {} : { parentId }),
    },
    fixture.context,
  );
  return grown.added;
}

/**
 * Builds messages m1 to m<count> of about `tokens` tokens each. m1 and the even ones are from the user, the others from
 * the assistant.
 */
function conversation(count: number, tokens = 100): Message[] {
  return Array.from({ length: count }, (_, at) =>
    said(at === 0 || at % 2 === 1 ? 'user' : 'assistant', `m${at + 1} ${'word '.repeat(Math.max(0, tokens - 6))}`),
  );
}

/** Returns the context at a node: the kind of each entry and the first word of its text. */
async function describeContextAt(to: NodeId): Promise<string[]> {
  const { entries } = await fixture.store.read(fixture.treeId, function* () {
    return contextOf(yield* readContextPath(to), { kit: messageKit, systemPrompt: 'Be brief.' });
  });
  return entries.map((entry) => (entry.kind === 'message' ? (textOf(entry.message).split(' ')[0] ?? '') : entry.kind));
}

async function active(): Promise<NodeId | null> {
  return (await fixture.store.read(fixture.treeId, () => ask('tree', {})))?.activeNodeId ?? null;
}

const notes: readonly ScriptedReply[] = [(_request, call) => makeTextEvents(`Summary ${call + 1}.`)];
const one = '[models."scripted/one"]\nwindow = 8000\nmax_output = 1000\nthinking = false\n';
async function open(kind: 'memory' | 'sqlite', replies = notes, options: TurnFixtureOptions = {}): Promise<void> {
  fixture = await openTurnFixture(kind, replies, { config: one, systemPrompt: 'Be brief.', ...options });
}

describe.each(['memory', 'sqlite'] as const)('by hand, on %s', (kind) => {
  test('[Y20] on a chain the summary is a child of the leaf and names the first kept message', async () => {
    await open(kind);
    const ids = await appendMessages(conversation(10));
    const model = fixture.providers.model('scripted/one');
    const made = await fixture.generator.compactor.compact({ treeId: fixture.treeId, keep: 550, model });
    const marker = await fixture.node(made.nodeId);
    expect(marker).toMatchObject({ kind: 'compaction' satisfies NodeKind, parentId: ids[9], text: 'Summary 1.' });
    expect(marker.marker).toMatchObject({ firstKept: ids[5], tokensBefore: made.tokensBefore });
    expect(marker.meta.source).toMatchObject({ type: 'model', provider: 'scripted', purpose: 'summary' });
    expect(await describeContextAt(made.nodeId)).toEqual(['system-prompt', 'summary', 'm6', 'm7', 'm8', 'm9', 'm10']);
    expect(made).toMatchObject({ firstKept: ids[5], summarised: 5, summary: 'Summary 1.' });
    expect(made.tokensBefore).toBeGreaterThan(made.tokensAfter);
    expect(await active()).toBe(made.nodeId);
  });

  test('[Y20] each of two branches has its own compactions', async () => {
    await open(kind);
    const model = fixture.providers.model('scripted/one');
    const first = await appendMessages(conversation(5));
    const keep = 220;
    const { compactor } = fixture.generator;
    const one = await compactor.compact({ treeId: fixture.treeId, keep, model });
    const [, , m8] = await appendMessages([said('user', 'm6'), said('assistant', 'm7'), said('user', 'm8')]);
    const { nodeId: summary } = await compactor.branchWithSummary({
      treeId: fixture.treeId,
      nodeId: first[1] ?? nodeId(''),
    });
    await appendMessages([said('user', 'm9'), said('assistant', `m10 ${'word '.repeat(100)}`)]);
    const two = await compactor.compact({ treeId: fixture.treeId, keep: 106, model });
    const [m11] = await appendMessages([said('user', 'm11')]);
    expect(await describeContextAt(m8 ?? nodeId(''))).toEqual([
      'system-prompt',
      'summary',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
    ]);
    expect(await describeContextAt(m11 ?? nodeId(''))).toEqual(['system-prompt', 'summary', 'm10', 'm11']);
    expect(await describeContextAt(two.nodeId)).toEqual(['system-prompt', 'summary', 'm10']);
    expect((await fixture.node(summary)).parentId).toBe(first[1]);
    expect((await fixture.node(one.nodeId)).text).toBe('Summary 1.');
    // The summary of the second branch contains no word that only the first branch had.
    expect(JSON.stringify(fixture.provider.requests.slice(2))).not.toContain('m7');
  });

  test('[Y21] the second compaction starts where the first one kept from, and updates its summary', async () => {
    await open(kind);
    const model = fixture.providers.model('scripted/one');
    await appendMessages(conversation(6));
    const { compactor } = fixture.generator;
    await compactor.compact({ treeId: fixture.treeId, keep: 330, model });
    const more = (name: string) => `${name} ${'word '.repeat(90)}`;
    await appendMessages([said('assistant', more('n1')), said('user', more('n2')), said('assistant', more('n3'))]);
    const second = await compactor.compact({ treeId: fixture.treeId, keep: 220, model });
    const asked = JSON.stringify(fixture.provider.requests[1]?.messages);
    expect(asked).toContain('<earlier-summary>\\nSummary 1.');
    for (const name of ['m4 ', 'm5 ', 'm6 ', 'n1 ']) expect(asked).toContain(name);
    for (const name of ['m3 ', 'n2 ']) expect(asked).not.toContain(name);
    expect(await describeContextAt(second.nodeId)).toEqual(['system-prompt', 'summary', 'n2', 'n3']);
  });

  test('[Y22] a tool call is kept with its results, and a huge last result does not prevent compaction', async () => {
    await open(kind);
    const model = fixture.providers.model('scripted/one');
    const ids = await appendMessages([
      ...conversation(4),
      said('user', 'm5 go'),
      callTool('a', 'read', { path: '/x.ts' }),
      result('a', 'small'),
      callTool('b', 'edit', { path: '/y.ts' }),
      result('b', `huge ${'word '.repeat(3_500)}`),
    ]);
    const made = await fixture.generator.compactor.compact({ treeId: fixture.treeId, model });
    expect(made.firstKept).toBe(ids[7]);
    await expect(fixture.generator.compactor.compact({ treeId: fixture.treeId, keep: 0, model })).rejects.toMatchObject(
      {
        code: 'context/nothing-to-compact',
      },
    );
    const marker = await fixture.node(made.nodeId);
    expect(marker.marker?.details).toMatchObject({ readFiles: ['/x.ts'], modifiedFiles: [], splitTurn: true });
    expect(marker.text).toContain('## The request under way');
    expect(marker.text).toContain('## Files read\n- /x.ts');
  });

  test('[Y22] an exchange too large to keep is summarised as well, and nothing is kept', async () => {
    await open(kind);
    await appendMessages([
      said('user', 'go'),
      callTool('b', 'edit', { path: '/y.ts' }),
      result('b', 'word '.repeat(9_000)),
    ]);
    const model = fixture.providers.model('scripted/one');
    const made = await fixture.generator.compactor.compact({ treeId: fixture.treeId, model });
    expect(made.firstKept).toBeNull();
    expect((await fixture.node(made.nodeId)).marker?.details).toMatchObject({ modifiedFiles: ['/y.ts'] });
    expect(await describeContextAt(made.nodeId)).toEqual(['system-prompt', 'summary']);
  });

  test('[Y23] if everything has to be kept, the compaction is refused and nothing is written', async () => {
    await open(kind);
    const { compactor } = fixture.generator;
    const refused = { code: 'context/nothing-to-compact' };
    await expect(compactor.compact({ treeId: fixture.treeId })).rejects.toMatchObject(refused);
    const [m1] = await appendMessages(conversation(2, 20));
    await expect(compactor.compact({ treeId: fixture.treeId })).rejects.toMatchObject(refused);
    await expect(compactor.compact({ treeId: fixture.treeId, nodeId: fixture.rootId })).rejects.toMatchObject(refused);
    expect(fixture.provider.requests).toEqual([]);
    expect(await fixture.children(m1 ?? nodeId(''))).toHaveLength(1);
  });

  test('[Y24] a compaction is one act, which can be undone and redone', async () => {
    await open(kind);
    const ids = await appendMessages(conversation(10));
    const context = { ...fixture.context, actor: fixture.store.owner };
    const made = await fixture.generator.compactor.compact({ treeId: fixture.treeId, keep: 330, focus: 'boats' });
    expect((await fixture.node(made.nodeId)).marker?.details).toMatchObject({ focus: 'boats', reason: 'manual' });
    await run(fixture.store, { type: 'undo', treeId: fixture.treeId }, context);
    expect(await active()).toBe(ids[9]);
    expect(await fixture.children(ids[9] ?? nodeId(''))).toEqual([]);
    await run(fixture.store, { type: 'redo', treeId: fixture.treeId }, context);
    expect(await active()).toBe(made.nodeId);
  });

  test('[Y25] compaction works without configuration, at any node, without moving users elsewhere', async () => {
    await open(kind);
    const ids = await appendMessages(conversation(120));
    const here = ids[99] ?? nodeId('');
    const made = await compactBranchNow(fixture.store, { treeId: fixture.treeId, nodeId: here });
    expect(made.source).toEqual({ type: 'extract', reason: 'no-model' });
    expect((await fixture.node(made.nodeId)).parentId).toBe(here);
    expect(await active()).toBe(ids[119]);
    // An unknown window counts as 8,192 tokens, of which a third is kept.
    const kept = (await describeContextAt(made.nodeId)).length - 2;
    expect(kept).toBeGreaterThan(20);
    expect(kept).toBeLessThan(30);
  });
});

test.each(['files', 'jsonl'])(
  '[Y25] works on %s as well, and the context is the same after the store is reopened',
  async (kind) => {
    await open('memory');
    const place = mkdtempSync(join(tmpdir(), 'coppice-compaction-'));
    try {
      const store = await openStore(`${kind}:${place}`);
      const { treeId, context } = fixture;
      await run(store, { type: 'create', treeId }, context);
      const messages = conversation(60).map((message) => ({ message }));
      await run(store, { type: 'append', treeId, messages, merge: false }, context);
      const made = await compactBranchNow(store, { treeId });
      await store.close();
      const again = await openStore(`${kind}:${place}`);
      const found = await again.read(treeId, function* () {
        return contextOf(yield* readContextPath(made.nodeId), { kit: messageKit });
      });
      expect(found.compaction).toEqual({ nodeId: made.nodeId, summary: made.summary });
      expect(found.entries[1]?.nodeId).toBe(made.firstKept);
      expect(found.flags).toEqual([]);
      await again.close();
    } finally {
      rmSync(place, { recursive: true });
    }
  },
);

describe('concurrent compactions', () => {
  test('[Y26] two equal requests share one compaction; a different one waits', async () => {
    await open('memory', [[{ type: 'wait', ms: 20 }, ...makeTextEvents('Once.')]]);
    const ids = await appendMessages(conversation(10));
    const model = fixture.providers.model('scripted/one');
    const { compactor } = fixture.generator;
    const request = { treeId: fixture.treeId, keep: 330, model };
    const elsewhere = { ...request, nodeId: ids[7] ?? nodeId('') };
    const [a, b, c] = await Promise.all([
      compactor.compact(request),
      compactor.compact(request),
      compactor.compact(elsewhere),
    ]);
    expect(b.nodeId).toBe(a.nodeId);
    expect(c.nodeId).not.toBe(a.nodeId);
    expect(fixture.provider.requests).toHaveLength(2);
    expect(await fixture.children(ids[9] ?? nodeId(''))).toHaveLength(1);
  });

  test('[Y26] a compaction that one caller cancels continues for another who waits for the same one', async () => {
    await open('memory', [[{ type: 'hang' }], makeTextEvents('Second try.')]);
    await appendMessages(conversation(10));
    const model = fixture.providers.model('scripted/one');
    const { compactor } = fixture.generator;
    const controller = new AbortController();
    const request = { treeId: fixture.treeId, keep: 330, model };
    const first = compactor.compact({ ...request, signal: controller.signal });
    const second = compactor.compact(request);
    const refused = expect(first).rejects.toMatchObject({ kind: 'aborted' });
    await waitUntil(() => fixture.provider.running === 1);
    controller.abort();
    await refused;
    expect((await second).summary).toBe('Second try.');
  });

  test('[Y26] if others continued from the leaf meanwhile, no summary is added beside their messages', async () => {
    const gate = new AbortController();
    await open('memory', [
      async function* () {
        await new Promise((resolve) => gate.signal.addEventListener('abort', resolve));
        yield* makeTextEvents('Late.');
      },
    ]);
    const ids = await appendMessages(conversation(10));
    const model = fixture.providers.model('scripted/one');
    const making = fixture.generator.compactor.compact({ treeId: fixture.treeId, keep: 330, model });
    await waitUntil(() => fixture.provider.running === 1);
    const [next] = await appendMessages([said('user', 'next')]);
    gate.abort();
    await expect(making).rejects.toMatchObject({ code: 'tree/version-conflict', kind: 'conflict' });
    expect((await fixture.children(ids[9] ?? nodeId(''))).map((node) => node.id)).toEqual([next]);
    expect(await active()).toBe(next);
  });
});

describe('hooks', () => {
  test('[Y27] can cancel a compaction, move it, focus it or write it, and are called after it', async () => {
    await open('memory');
    const ids = await appendMessages(conversation(10));
    const events = createEventBus();
    const reported: unknown[] = [];
    events.after('compact', (event) => void reported.push(event));
    const compactor = createCompactor({ store: fixture.store, events });
    const off = events.before('compact', () => ({ cancel: 'Not now.' }));
    const request = { treeId: fixture.treeId, keep: 330 };
    await expect(compactor.compact(request)).rejects.toMatchObject({ code: 'event/cancelled', message: 'Not now.' });
    expect(reported).toEqual([]);
    off();
    events.before('compact', (event) => ({
      replace: { ...event, nodeId: ids[7] ?? event.nodeId, summary: `Mine, ${event.reason}, ${event.focus}.` },
    }));
    const made = await compactor.compact({ ...request, focus: 'boats' });
    expect(made).toMatchObject({ summary: 'Mine, manual, boats.', source: { type: 'given' }, parentId: ids[7] });
    expect(reported).toEqual([{ treeId: fixture.treeId, nodeId: made.nodeId, reason: 'manual' }]);
  });
});
