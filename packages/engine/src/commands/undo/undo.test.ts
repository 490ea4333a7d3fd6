import { type ActId, run } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandDesk, deskStores, openDesk } from '../../testing/command-desk.ts';
import { textBeats } from '../../testing/index.ts';
import { openWorkshop, until } from '../../testing/workshop.ts';
import { createCommands } from '../registry.ts';

describe.each(deskStores)('on %s', (kind) => {
  let desk: CommandDesk;
  beforeEach(async () => {
    desk = await openDesk(kind);
  });
  afterEach(() => desk.close());

  test('[E25] takes the last act back, says what it was and where the view is, and how it comes back', async () => {
    const [q1, a1] = await desk.say(['q1', 'a1']);
    await desk.say(['another one', 'and its answer']);
    const result = await desk.run('/undo');
    expect(result).toMatchObject({
      said: 'Took back 2 messages (“another one”).',
      undo: '/redo',
      place: { treeId: desk.treeId, activeNodeId: a1 },
      data: { what: ['2 messages (“another one”)'] },
    });
    await desk.run(`/label x --on ${q1}`);
    expect((await desk.run('/undo')).said).toBe('Took back the label “x”.');
    await desk.run('/name A name');
    expect((await desk.run('/undo')).said).toBe('Took back the name.');
    await run(desk.store, { type: 'delete', treeId: desk.treeId, nodeIds: [a1 ?? desk.rootId] }, desk.context);
    expect((await desk.run('/undo')).said).toBe('Took back a deletion.');
    expect((await desk.run('/undo')).said).toBe('Took back 2 messages (“q1”).');
    expect(await desk.refusal('/undo')).toBe('undo/nothing');
  });

  test("[E25] is refused where others went on, unless it is forced, and is nobody else's", async () => {
    const [q1] = await desk.say(['q1']);
    await run(
      desk.store,
      {
        type: 'append',
        treeId: desk.treeId,
        parentId: q1 ?? desk.rootId,
        messages: [{ message: (await desk.node(q1)).message ?? { role: 'user', content: [] } }],
      },
      { ...desk.context, actor: 'other' },
    );
    expect(await desk.refusal('/undo')).toBe('undo/overtaken');
    expect(await desk.refusal('/undo', { actor: 'nobody' })).toBe('undo/nothing');
    expect((await desk.run('/undo --force')).place?.activeNodeId).toBeNull();
  });
});

test('[E25] a turn that still runs is stopped first', async () => {
  const shop = await openWorkshop('memory', [[...textBeats('One two').slice(0, 2), { type: 'hang' }]]);
  const aborted: ActId[] = [];
  const commands = createCommands({
    abort: (which) => {
      aborted.push(which.actId);
      return shop.generator.abort(which);
    },
  });
  const turn = shop.send('Count.');
  await until(async () => (await shop.store.runs.list(shop.treeId)).length === 1);
  const result = await commands.run('/undo', { store: shop.store, treeId: shop.treeId });
  expect(aborted).toEqual([turn.actId]);
  expect(result.said).toContain('Took back 2 messages (“Count.”)');
  expect(result.place?.activeNodeId).toBeNull();
  expect(await turn.done).toMatchObject({ type: 'error', code: 'generate/aborted' });
  await shop.close();
});
