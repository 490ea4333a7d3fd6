import { type ActId, run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';
import { makeTextEvents } from '../../testing/index.ts';
import { openTurnFixture, waitUntil } from '../../testing/turn-fixture.ts';
import { createCommands } from '../registry.ts';

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
  });
  afterEach(() => fixture.close());

  test('[E25] undoes the last act, reports it with the current position, and how to redo it', async () => {
    const [q1, a1] = await fixture.say(['q1', 'a1']);
    await fixture.say(['another one', 'and its answer']);
    const result = await fixture.run('/undo');
    expect(result).toMatchObject({
      said: 'Undid 2 messages (“another one”).',
      undo: '/redo',
      place: { treeId: fixture.treeId, activeNodeId: a1 },
      data: { what: ['2 messages (“another one”)'] },
    });
    await fixture.run(`/label x --on ${q1}`);
    expect((await fixture.run('/undo')).said).toBe('Undid the label “x”.');
    await fixture.run('/name A name');
    expect((await fixture.run('/undo')).said).toBe('Undid the title.');
    await run(
      fixture.store,
      { type: 'delete', treeId: fixture.treeId, nodeIds: [a1 ?? fixture.rootId] },
      fixture.context,
    );
    expect((await fixture.run('/undo')).said).toBe('Undid a deletion.');
    expect((await fixture.run('/undo')).said).toBe('Undid 2 messages (“q1”).');
    expect(await fixture.refusal('/undo')).toBe('undo/nothing');
  });

  test('[E25] is refused after changes by others, unless forced, and never undoes acts of others', async () => {
    const [q1] = await fixture.say(['q1']);
    await run(
      fixture.store,
      {
        type: 'append',
        treeId: fixture.treeId,
        parentId: q1 ?? fixture.rootId,
        messages: [{ message: (await fixture.node(q1)).message ?? { role: 'user', content: [] } }],
      },
      { ...fixture.context, actor: 'other' },
    );
    expect(await fixture.refusal('/undo')).toBe('undo/overtaken');
    expect(await fixture.refusal('/undo', { actor: 'nobody' })).toBe('undo/nothing');
    expect((await fixture.run('/undo --force')).place?.activeNodeId).toBeNull();
  });
});

test('[E25] first stops a turn that is still running', async () => {
  const fixture = await openTurnFixture('memory', [[...makeTextEvents('One two').slice(0, 2), { type: 'hang' }]]);
  const aborted: ActId[] = [];
  const commands = createCommands({
    abort: (which) => {
      aborted.push(which.actId);
      return fixture.generator.abort(which);
    },
  });
  const turn = fixture.send('Count.');
  await waitUntil(async () => (await fixture.store.runs.list(fixture.treeId)).length === 1);
  const result = await commands.run('/undo', { store: fixture.store, treeId: fixture.treeId });
  expect(aborted).toEqual([turn.actId]);
  expect(result.said).toContain('Undid 2 messages (“Count.”)');
  expect(result.place?.activeNodeId).toBeNull();
  expect(await turn.done).toMatchObject({ type: 'error', code: 'generate/aborted' });
  await fixture.close();
});
