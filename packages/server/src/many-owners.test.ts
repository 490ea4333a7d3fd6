import { textMessage, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterEach, expect, test } from 'vitest';
import { createTree, EventReader, openTestServer, type TestServer } from './testing/index.ts';

let server: TestServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

test('[A332] the services of users that have left are dropped, and those of a turn and a feed stay', async () => {
  server = await openTestServer({ replies: [[{ type: 'hang' }]] });
  const { services } = server.server;
  const { ownerServicesOf } = services;
  const use = (owner: string) => {
    const own = ownerServicesOf(owner);
    own.engineOf(own.store);
    own.engineOf(own.temporary.store);
    return own;
  };
  // The user of the test server has an open feed.
  const { id } = await createTree(server, []);
  const feed = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  const busy = use('busy');
  const tree = await TestTree.make({ store: busy.store, treeId: treeId(testUuid(1)) });
  const question = { type: 'send', treeId: tree.treeId, messages: [{ message: textMessage('user', 'Hi') }] } as const;
  const live = await services.turns.begin(busy, busy.store, question, { models: ['scripted/one'] });
  const first = use('first');
  const made = await first.store.trees();
  expect(made.items).toEqual([]);
  const visitors = Array.from({ length: 3_000 }, (_, n) => new WeakRef(use(`visitor ${n}`)));
  expect(ownerServicesOf('first')).not.toBe(first);
  expect(ownerServicesOf('busy')).toBe(busy);
  live.turn.abort();
  await live.turn.done;
  const newest = visitors.at(-1)?.deref();
  expect(newest).toBeDefined();
  expect(ownerServicesOf('visitor 2999')).toBe(newest);
  // The feed still gets what is written, and its user has the same stores.
  const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
  await server.ask('POST', `/api/trees/${id}/messages`, {
    version,
    body: { messages: [{ role: 'user', content: 'still here' }] },
  });
  await feed.until((all) => all.some(({ event }) => event === 'commit'));
  expect(services.engine.forStore(newest?.store ?? services.store)).toBe(newest?.engineOf(newest.store));
});
