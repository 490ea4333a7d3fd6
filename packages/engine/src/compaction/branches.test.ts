import { messageKit } from '@coppice/content';
import { ask, type Message, type NodeId, type NodeMeta, nodeId, run, textMessage, textOf } from '@coppice/core';
import { contextOf, readContextPath } from '@coppice/core/context';
import { afterEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../events.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture } from '../testing/turn-fixture.ts';
import { branchWithSummary, createCompactor, mergeBranch } from './compactor.ts';

let fixture: TurnFixture;
afterEach(() => fixture.close());

async function appendMessages(
  texts: readonly string[],
  parentId?: NodeId,
  meta: NodeMeta = {},
): Promise<readonly NodeId[]> {
  const messages = texts.map((text, at): { message: Message; meta: NodeMeta } => ({
    message: textMessage(at % 2 === 0 ? 'user' : 'assistant', text),
    meta,
  }));
  const place = parentId === undefined ? {} : { parentId };
  const { result } = await run(
    fixture.store,
    { type: 'append', treeId: fixture.treeId, messages, merge: false, ...place },
    fixture.context,
  );
  return result.added;
}

async function active(): Promise<NodeId | null> {
  return (await fixture.store.read(fixture.treeId, () => ask('tree', {})))?.activeNodeId ?? null;
}

async function texts(to: NodeId): Promise<string[]> {
  const { entries } = await fixture.store.read(fixture.treeId, function* () {
    return contextOf(yield* readContextPath(to), { kit: messageKit });
  });
  return entries.map((entry) => textOf(entry.message).trim());
}

describe.each(['memory', 'sqlite'] as const)('on %s', (kind) => {
  test('[Y40] the messages left behind, from the fork to the old leaf, are summarised at the new position', async () => {
    fixture = await openTurnFixture(kind, [makeTextEvents('Attempted Node.js CLI with --verbose flag')]);
    const source = { source: { type: 'model', provider: 'scripted', model_name: 'one' } };
    const ids = await appendMessages(
      [
        'Build a CLI',
        "I'll create...",
        'Add --verbose flag',
        "Here's the flag...",
        'Actually use Python',
        'Converting to Python...',
      ],
      undefined,
      source,
    );
    const [, m2 = nodeId('')] = ids;
    const switched = await fixture.generator.compactor.branchWithSummary({
      treeId: fixture.treeId,
      nodeId: m2,
      focus: 'flags',
    });
    const node = await fixture.node(switched.nodeId);
    expect(node).toMatchObject({
      kind: 'branch-summary',
      parentId: m2,
      text: 'Attempted Node.js CLI with --verbose flag',
    });
    expect(node.marker).toMatchObject({ from: ids[5], details: { summarised: 4, focus: 'flags' } });
    expect(node.meta.source).toMatchObject({ type: 'model', purpose: 'summary' });
    expect(await active()).toBe(switched.nodeId);
    const asked = JSON.stringify(fixture.provider.requests[0]?.messages);
    expect(asked).toContain('Add --verbose flag');
    expect(asked).not.toContain('Build a CLI');
    const [m7 = nodeId('')] = await appendMessages(['Use Rust instead']);
    expect(await texts(m7)).toEqual([
      'Build a CLI',
      "I'll create...",
      expect.stringContaining('Attempted Node.js'),
      'Use Rust instead',
    ]);
    const owner = { ...fixture.context, actor: fixture.store.owner };
    await run(
      fixture.store,
      { type: 'delete', treeId: fixture.treeId, nodeIds: [m7], mode: 'cascade' },
      fixture.context,
    );
    await run(fixture.store, { type: 'undo', treeId: fixture.treeId }, owner);
    expect((await fixture.children(m2)).map((child) => child.id)).toEqual([ids[2]]);
  });

  test('[Y40] between two branches that share a long beginning only the messages they do not share are read', async () => {
    fixture = await openTurnFixture(kind, [makeTextEvents('Unused.')]);
    const trunk = await appendMessages(Array.from({ length: 300 }, (_, at) => `t${at};`));
    const fork = trunk[199] ?? nodeId('');
    const [, other = nodeId('')] = await appendMessages(['o1', 'o2'], fork);
    const switched = await branchWithSummary(fixture.store, {
      treeId: fixture.treeId,
      nodeId: other,
      from: trunk[299],
    });
    const node = await fixture.node(switched.nodeId);
    expect(node.marker?.details).toMatchObject({ summarised: 100 });
    expect(switched.summary).toContain('t200;');
    expect(switched.summary).not.toContain('t198;');
  });

  test('[Y41] if nothing is left behind only the active node changes; the root can be switched to with a summary', async () => {
    fixture = await openTurnFixture(kind, [makeTextEvents('Unused.')]);
    const ids = await appendMessages(['a', 'b', 'c']);
    const here = { treeId: fixture.treeId, nodeId: ids[2] ?? nodeId('') };
    expect(await branchWithSummary(fixture.store, here)).toMatchObject({ nodeId: ids[2], added: [], summary: null });
    const root = await branchWithSummary(fixture.store, { treeId: fixture.treeId, nodeId: fixture.rootId });
    expect((await fixture.node(root.nodeId)).parentId).toBe(fixture.rootId);
    expect(root.summary).toContain('## Goal\na');
    const unknown = { treeId: fixture.treeId, nodeId: nodeId('01890c2e-0000-7000-8000-000000000000') };
    await expect(branchWithSummary(fixture.store, unknown)).rejects.toMatchObject({ code: 'tree/unknown-node' });
  });

  test('[Y42] a merge is one summary that names the last node of the branch, or copies of the messages', async () => {
    fixture = await openTurnFixture(kind, [makeTextEvents('Unused.')]);
    const [q = nodeId('')] = await appendMessages(['q']);
    const side = await appendMessages(['side one', 'side two'], q);
    const [main = nodeId('')] = await appendMessages(['main'], q);
    const tip = side[1] ?? nodeId('');
    const merged = await mergeBranch(fixture.store, { treeId: fixture.treeId, nodeId: tip });
    const node = await fixture.node(merged.nodeId);
    expect(node).toMatchObject({ kind: 'branch-summary', parentId: main });
    expect(node.marker).toMatchObject({
      mergedFrom: { treeId: fixture.treeId, nodeId: tip },
      details: { summarised: 2 },
    });
    expect(node.meta.source).toEqual({ type: 'extract', reason: 'no-model' });
    expect(node.text).toContain('side one');
    expect(await active()).toBe(merged.nodeId);
    const whole = await mergeBranch(fixture.store, {
      treeId: fixture.treeId,
      nodeId: tip,
      mode: 'messages',
      into: main,
    });
    expect(await texts(whole.nodeId)).toEqual(['q', 'main', 'side one', 'side two']);
    await expect(mergeBranch(fixture.store, { treeId: fixture.treeId, nodeId: q })).rejects.toMatchObject({
      code: 'command/invalid',
    });
    await expect(mergeBranch(fixture.store, { treeId: fixture.treeId, nodeId: fixture.rootId })).rejects.toMatchObject({
      kind: 'refused',
    });
  });
});

test('[Y41] a given summary is used as it is, and hooks can cancel, redirect or write it', async () => {
  fixture = await openTurnFixture('memory', []);
  const ids = await appendMessages(['a', 'b', 'c']);
  const events = createEventBus();
  const reported: unknown[] = [];
  events.after('branch', (event) => void reported.push(event));
  const off = events.before('branch', () => ({ cancel: 'Stay.' }));
  const compactor = createCompactor({ store: fixture.store, events });
  const request = { treeId: fixture.treeId, nodeId: ids[0] ?? nodeId('') };
  await expect(compactor.branchWithSummary(request)).rejects.toMatchObject({ code: 'event/cancelled' });
  off();
  const given = await compactor.branchWithSummary({ ...request, summary: 'My own words.' });
  expect(await fixture.node(given.nodeId)).toMatchObject({
    text: 'My own words.',
    meta: { source: { type: 'given' } },
  });
  events.before('branch', (event) => ({
    replace: { ...event, nodeId: ids[1] ?? event.nodeId, summary: 'By a hook.' },
  }));
  const led = await compactor.branchWithSummary(request);
  expect(await fixture.node(led.nodeId)).toMatchObject({ text: 'By a hook.', parentId: ids[1] });
  expect(reported).toEqual([given, led].map(({ nodeId: id }) => ({ treeId: fixture.treeId, nodeId: id, added: [id] })));
});

test('[Y43] a part of a path is summarised for other callers: null means from the start, and an empty part gives nothing', async () => {
  fixture = await openTurnFixture('memory', []);
  const ids = await appendMessages(['a', 'b', 'c']);
  const compactor = createCompactor({ store: fixture.store });
  const leaf = ids[2] ?? nodeId('');
  const whole = await compactor.summarizeRange({ treeId: fixture.treeId, above: null, leaf });
  expect(whole?.details).toMatchObject({ summarised: 3 });
  const rest = await compactor.summarizeRange({ treeId: fixture.treeId, above: ids[1] ?? null, leaf });
  expect(rest).toMatchObject({ details: { summarised: 1 }, meta: { source: { type: 'extract' } } });
  expect(await compactor.summarizeRange({ treeId: fixture.treeId, above: leaf, leaf })).toBeNull();
});
