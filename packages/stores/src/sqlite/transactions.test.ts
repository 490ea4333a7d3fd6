import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { messageKit } from '@coppice/content';
import { ask, type ImportNode, type RunContext, run, type Store, textMessage, treeId } from '@coppice/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { armFault } from '../failpoints.ts';
import { open } from './index.ts';

let place = '';
let store: Store;
let made = 0;

const idOf = (number: number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
const context: RunContext = { actor: 'me', now: () => 1, newId: () => idOf(900_000 + made++), kit: messageKit };
const [long, short] = [treeId(idOf(1)), treeId(idOf(2))];

function chain(length: number): ImportNode[] {
  return Array.from({ length }, (_, at) => ({
    id: idOf(1000 + at),
    parentId: at === 0 ? null : idOf(999 + at),
    order: 0,
    message: textMessage('user', `Line ${at}`),
  }));
}

const importing = () => run(store, { type: 'import', treeId: long, nodes: chain(800) }, context);
const rowOf = (id: typeof long) => store.read(id, () => ask('tree', {}));

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'coppice-long-'));
  store = await open(join(place, 'trees.db'), {});
});
afterEach(async () => {
  armFault(null);
  await store.close();
  rmSync(place, { recursive: true });
});

test('[L46] a change of hundreds of nodes lets readers in between, who see none of it, and writers after it', async () => {
  const order: string[] = [];
  const first = importing().then(() => order.push('long'));
  const second = run(store, { type: 'create', treeId: short }, context).then(() => order.push('short'));
  let unseen = 0;
  while (order.length === 0) {
    if ((await rowOf(long)) === null) unseen++;
    await setImmediate();
  }
  await Promise.all([first, second]);
  expect(unseen).toBeGreaterThan(1);
  expect(order).toEqual(['long', 'short']);
  expect((await rowOf(long))?.nextSeq).toBe(801);
  expect((await store.fsck()).findings).toEqual([]);
});

test.each(['write', 'before-commit'])(
  '[L46] if a long change fails at %s nothing of it is left, and it can be repeated',
  async (point) => {
    armFault({ point, nth: point === 'write' ? 400 : 1, fault: 'enospc' });
    await expect(importing()).rejects.toMatchObject({ code: 'store/full' });
    armFault(null);
    expect(await rowOf(long)).toBe(null);
    await importing();
    await run(store, { type: 'append', treeId: long, messages: [{ message: textMessage('user', 'And?') }] }, context);
    expect((await rowOf(long))?.version).toBe(2);
  },
);

test('[L46] a refusal inside a long change is passed to the caller, and leaves the store unchanged', async () => {
  await importing();
  const stranger = { ...chain(300)[0], id: idOf(5), parentId: idOf(6), order: 0, message: textMessage('user', 'Hm') };
  const nodes = [...chain(800), stranger];
  await expect(run(store, { type: 'import', treeId: long, nodes }, context)).rejects.toMatchObject({
    code: 'tree/broken-path',
  });
  expect((await rowOf(long))?.version).toBe(1);
  await run(store, { type: 'create', treeId: short }, context);
});
