import { isAppError, nodeId, textMessage, treeId } from '@coppice/core';
import { expect, test } from 'vitest';
import { createEventBus, type EventBus, type HookFailure } from './events.ts';

const tree = treeId('00000000-0000-7000-8000-000000000001');
const node = nodeId('00000000-0000-7000-8000-000000000002');
const append = { treeId: tree, parentId: node, messages: [{ message: textMessage('user', 'Hello') }] };

test('[H1] hooks before an act are called in order, each with the result of the previous one', async () => {
  const events = createEventBus();
  events.before('switch', (event) => ({ replace: { ...event, nodeId: nodeId('a') } }));
  events.before('switch', (event) => ({ replace: { ...event, nodeId: nodeId(`${event.nodeId}b`) } }));
  expect(await events.ask('switch', { treeId: tree, nodeId: node })).toEqual({ treeId: tree, nodeId: 'ab' });
});

test('[H1] a hook cancels an act with its own message, and later hooks are not called', async () => {
  const events = createEventBus();
  let asked = 0;
  events.before('append', () => ({ cancel: 'Not on Sundays.' }));
  events.before('append', () => {
    asked++;
    return undefined;
  });
  await expect(events.ask('append', append)).rejects.toMatchObject({
    code: 'event/cancelled',
    kind: 'refused',
    message: 'Not on Sundays.',
  });
  expect(asked).toBe(0);
});

test('[H2] a failing hook is reported and the act continues without it', async () => {
  const failures: HookFailure[] = [];
  const events = createEventBus((failure) => failures.push(failure));
  const broken = new Error('broken');
  events.before('append', () => Promise.reject(broken));
  events.after('append', () => {
    throw broken;
  });
  expect(await events.ask('append', append)).toBe(append);
  await events.tell('append', { treeId: tree, nodeId: node, added: [node], reused: [] });
  expect(failures).toEqual([
    { event: 'before append', error: broken },
    { event: 'after append', error: broken },
  ]);
});

test('[H2] a failing error handler is ignored as well', async () => {
  const events = createEventBus(() => {
    throw new Error('deaf');
  });
  events.before('append', () => Promise.reject(new Error('broken')));
  expect(await events.ask('append', append)).toBe(append);
});

test('a removed hook is not called any more', async () => {
  const events = createEventBus();
  const off = events.before('append', () => ({ cancel: 'No.' }));
  off();
  expect(await events.ask('append', append)).toBe(append);
});

test('[H2] an invalid result of a hook is reported, and the act continues unchanged', async () => {
  const failures: HookFailure[] = [];
  for (const given of [5, 'no', true, {}, [], { replace: null }, { replace: {} }, { replace: { treeId: tree } }]) {
    const events = createEventBus((failure) => failures.push(failure));
    untyped(events, () => given);
    const event = { treeId: tree, nodeId: node };
    expect(await events.ask('branch', event), JSON.stringify(given)).toBe(event);
  }
  expect(failures.map(({ error }) => isAppError(error) && error.code)).toEqual(Array(8).fill('hook/invalid'));
});

test('[H1] a hook can return null for no change, and cancel with or without a message', async () => {
  const said = async (given: unknown) => {
    const events = createEventBus();
    untyped(events, () => given);
    return events.ask('branch', { treeId: tree, nodeId: node }).then(
      () => 'through',
      (error) => error.message,
    );
  };
  expect([await said(null), await said({ cancel: false })]).toEqual(['through', 'through']);
  expect([await said({ cancel: 'No.' }), await said({ cancel: true })]).toEqual([
    'No.',
    'A hook cancelled this without giving a reason.',
  ]);
});

test('[H2] a hook that never returns is reported and skipped', async () => {
  const failures: HookFailure[] = [];
  const events = createEventBus((failure) => failures.push(failure), { limit: 1 });
  events.before('append', () => new Promise(() => undefined));
  events.after('append', () => new Promise(() => undefined));
  expect(await events.ask('append', append)).toBe(append);
  await events.tell('append', { treeId: tree, nodeId: node, added: [node], reused: [] });
  expect(failures.map(({ event }) => event)).toEqual(['before append', 'after append']);
});

/** Adds a hook without type checks, as a JavaScript module would. */
function untyped(events: EventBus, hook: () => unknown): void {
  Reflect.apply(events.before, events, ['branch', hook]);
}
