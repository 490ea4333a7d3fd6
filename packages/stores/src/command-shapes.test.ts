import { isAppError, run } from '@coppice/core';
import { assistant, Bed, testKit, ticking, user, uuid } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import { checkCommand } from './command-shapes.ts';
import { createMemoryStore } from './memory/index.ts';

// What JSON can say of every kind, and what it cannot.
const values: readonly unknown[] = [null, 5, -1.5, '', 'message', true, {}, [], [null], [5], 5n, Symbol('s'), () => 1];

/** Every command with most of its parts, right but for the one that is spoilt. */
function commands(id: string, a: string, b: string): readonly Record<string, unknown>[] {
  const message = user('hello');
  const here = { treeId: id, nodeId: a };
  const replies = [{ message: assistant('again') }];
  return [
    { type: 'create', treeId: uuid(900), attributes: { title: 't', systemPrompt: 's' }, messages: [{ message }] },
    { type: 'append', treeId: id, parentId: a, messages: [{ message }], merge: false, select: true },
    { type: 'edit', ...here, content: 'new', mode: 'branch' },
    { type: 'split', ...here, position: 1 },
    { type: 'reply', treeId: id, parentId: a, replies, join: 1 },
    { type: 'regenerate', ...here, replies },
    { type: 'finish', ...here, status: 'success', message, meta: {} },
    { type: 'select', ...here },
    { type: 'navigate', ...here, direction: 'next' },
    { type: 'delete', treeId: id, nodeIds: [a], mode: 'cascade' },
    { type: 'move', ...here, parentId: b, before: b },
    { type: 'graft', treeId: id, from: { treeId: id, nodeId: a }, parentId: b },
    { type: 'cherry-pick', ...here, to: b, from: id },
    { type: 'merge', ...here, mode: 'summary', summary: 's', parentId: b },
    { type: 'branch', ...here, summary: 's', from: b, details: {} },
    { type: 'compact', ...here, summary: 's', firstKept: a, tokensBefore: 1 },
    { type: 'mark', treeId: id, kind: 'injected', message, details: {} },
    { type: 'duplicate', treeId: uuid(901), from: id, nodeId: a, attributes: { title: 't' } },
    { type: 'import', treeId: uuid(902), nodes: [{ id: uuid(903), parentId: null, order: 0, message, bookmark: {} }] },
    { type: 'bookmark', ...here, title: 't' },
    { type: 'tag', ...here, tags: ['t'] },
    { type: 'annotate', ...here, set: { title: 't' } },
    { type: 'group', treeId: id, nodeIds: [a, b] },
    { type: 'attributes', treeId: id, set: { title: 't' } },
    { type: 'restore', ...here },
    { type: 'restore-version', treeId: id, version: 1 },
    { type: 'undo', treeId: id, force: false, actId: uuid(904) },
  ];
}

/** The command with one part of it, at any depth, replaced or left out. */
function* spoilt(whole: unknown): Generator<unknown> {
  for (const value of values) yield value;
  yield undefined;
  if (typeof whole !== 'object' || whole === null) return;
  for (const [name, part] of Object.entries(whole))
    for (const other of spoilt(part))
      yield Array.isArray(whole) ? [...whole.slice(0, Number(name)), other] : { ...whole, [name]: other };
}

test('[K26] a command of which any part is of another kind is carried out or refused by a code', async () => {
  const store = createMemoryStore();
  const bed = await Bed.make({ store });
  const [a = '', b = ''] = await bed.grow(['a', 'b']);
  // Nothing that is carried out changes what the next one finds: a version that is past is refused at the end.
  const context = { actor: 'me', kit: testKit, ...ticking(700), expectedVersion: 0 };
  const codes = new Set<string>();
  let bare = 0;
  for (const command of commands(bed.treeId, a, b))
    for (const wrong of spoilt(command))
      try {
        await Reflect.apply(run, undefined, [store, wrong, context]);
      } catch (error) {
        if (isAppError(error)) codes.add(error.code);
        else bare += 1;
      }
  expect(bare).toBe(0);
  for (const code of ['command/invalid', 'id/invalid', 'message/invalid', 'tree/unknown-node', 'tree/unknown-tree'])
    expect(codes).toContain(code);
});

test('[K26] commands as their types want them are none of the check’s business', () => {
  for (const command of commands(uuid(1), uuid(2), uuid(3))) checkCommand(command);
});

test('[K26] a refusal names the part', () => {
  const message = user('x');
  const cases: readonly (readonly [object, string])[] = [
    [{ type: 'append', treeId: uuid(1), messages: [{ message }, null] }, 'append.messages[1] is no object.'],
    [{ type: 'mark', treeId: uuid(1), kind: 'message', message }, 'mark.kind is none of injected, state.'],
    [
      { type: 'delete', treeId: uuid(1), nodeIds: [uuid(2)], mode: 'Cascade' },
      'delete.mode is none of splice, cascade.',
    ],
    [{ type: 'append', treeId: uuid(1), messages: [], select: 0 }, 'append.select is neither true nor false.'],
    [{ type: 'select', treeId: uuid(1), nodeId: 5 }, 'There is no node 5.'],
  ];
  for (const [command, sentence] of cases) expect(() => checkCommand(command)).toThrow(sentence);
});
