// @module-tag full
import { type Store, type TreeListEvent, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startOwnPostgresServer } from '../../test/postgres.ts';
import type { PostgresServer } from '../../test/postgres-server.ts';
import { encodeCursor } from '../cursor.ts';
import { open } from './index.ts';

let primary: PostgresServer;
let standby: PostgresServer;
let database: string;
let store: Store | undefined;
beforeEach(async () => {
  primary = await startOwnPostgresServer();
  database = new URL(await primary.createDatabase()).pathname.slice(1);
  await (await open(primary.url(database))).close();
  standby = await primary.copy({ standby: true });
}, 120_000);
afterEach(async () => {
  await store?.close();
  store = undefined;
  await standby.close();
  await primary.close();
}, 60_000);

/** Returns a URL that names the servers in this order. */
function urlOf(servers: readonly PostgresServer[], target: string): string {
  const url = new URL(primary.url(database));
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return `postgres://${url.username}:${url.password}@${hosts}/${database}?target_session_attrs=${target}`;
}

/** Waits until the standby has every commit of the primary. */
async function replicated(): Promise<void> {
  const [at] = await primary.query('SELECT pg_current_wal_flush_lsn()::text AS lsn');
  const arrived = `SELECT pg_last_wal_replay_lsn() >= '${String(at?.['lsn'])}'::pg_lsn AS yes`;
  await expect.poll(() => standby.query(arrived)).toEqual([{ yes: true }]);
}

test('[L197] a store with several hosts writes to the one that accepts writes, and continues on the other after a promotion', async () => {
  store = await open(urlOf([standby, primary], 'read-write'));
  expect(await store.info()).toMatchObject({ readOnly: false });
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  const seen: TreeListEvent[] = [];
  const stop = new AbortController();
  const following = (async (of: Store) => {
    for await (const event of of.feedAll(encodeCursor('changes', [0]), stop.signal)) seen.push(event);
  })(store).catch((error: unknown) => error);
  await fixture.addMessages(['before']);
  await expect.poll(() => seen.map(({ version }) => version)).toEqual([1, 2]);
  await replicated();
  await primary.kill();
  // While no server accepts writes, a write fails with a retryable error.
  const late = fixture.addMessages(['while none takes writes']).catch((error: unknown) => error);
  expect(await late).toMatchObject({ code: 'store/unavailable', retryable: true });
  await standby.promote();
  await fixture.addMessages(['after']);
  expect(await standby.query('SELECT max(version)::int AS n FROM change', standby.url(database))).toEqual([{ n: 3 }]);
  stop.abort();
  await following;
  const all: number[] = [];
  for await (const event of store.feedAll(encodeCursor('changes', [0]))) if (all.push(event.version) === 3) break;
  expect(all).toEqual([1, 2, 3]);
}, 120_000);

test('[L198] a store that was opened on a standby accepts writes after its promotion, without being opened again', async () => {
  store = await open(standby.url(database));
  expect(await store.info()).toMatchObject({ readOnly: true });
  expect((await store.info()).notes.join()).toContain('takes no writes');
  const refused = await TestTree.make({ store, treeId: treeId(testUuid(1)) }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'tree/read-only' });
  await standby.promote();
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages(['after the promotion']);
  expect(await store.info()).toMatchObject({ readOnly: false });
  expect((await store.info()).notes.join()).not.toContain('takes no writes');
}, 120_000);

test('[L197] without a requested kind the first host is used, even a standby; if no server is of the requested kind, each is named', async () => {
  store = await open(urlOf([standby, primary], 'any'));
  expect(await store.info()).toMatchObject({ readOnly: true });
  await store.close();
  store = await open(urlOf([primary, standby], 'standby'));
  expect(await store.info()).toMatchObject({ readOnly: true });
  await store.close();
  await primary.stop();
  store = await open(urlOf([primary, standby], 'prefer-standby'));
  expect(await store.info()).toMatchObject({ readOnly: true });
  const none = open(urlOf([primary, standby], 'primary'));
  await expect(none).rejects.toThrow(
    `127.0.0.1:${primary.port} cannot be reached; 127.0.0.1:${standby.port} is a standby`,
  );
}, 120_000);
