// @module-tag full
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, isAppError, type Store, type TreeListEvent, textMessage, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startBucketWriters } from '../../../test/bucket-writers.ts';
import { createTestDatabase, startOwnPostgresServer } from '../../../test/postgres.ts';
import type { PostgresServer } from '../../../test/postgres-server.ts';
import { createTestBuckets, type TestBuckets, toBucketServer } from '../../../test/postgres-subject.ts';
import { openStore } from '../../open-store.ts';
import { positionsPerEpoch } from '../feed-positions.ts';
import { open } from '../index.ts';
import { ownerGateLockKeys } from '../owner-gate.ts';
import { chooseBucketByHash } from './directory.ts';
import { type BucketAdmin, openBuckets } from './index.ts';
import { movedBlobTable, movedOwnerTables, movedTreeTables } from './moved-tables.ts';

let server: PostgresServer;
let place: TestBuckets;
let store: Store;
let buckets: BucketAdmin;
beforeAll(async () => {
  server = await startOwnPostgresServer();
  place = await createTestBuckets(toBucketServer(server));
});
afterAll(async () => {
  await place.directory.drop();
  await server.close();
});
beforeEach(async () => {
  store = await open(place.directory.url);
  buckets = await openBuckets(place.directory.url);
});
afterEach(async () => {
  await store.close();
  await buckets.close();
  await place.empty();
});

/** Returns how many trees of an owner are in each of the two buckets. */
async function treesOf(owner: string): Promise<{ readonly main: number; readonly far: number }> {
  const [main] = await place.directory.query('SELECT count(*)::int AS n FROM tree WHERE owner = $1', [owner]);
  const [far] = await place.elsewhere(`SELECT count(*)::int AS n FROM far.tree WHERE owner = '${owner}'`);
  return { main: Number(main?.['n']), far: Number(far?.['n']) };
}

/** Backs up the store. Returns the texts of an owner's only tree in the copy. */
async function textsInBackup(owner: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-buckets-'));
  await store.backup(join(folder, 'all.db'));
  const copy = await openStore(`sqlite:${join(folder, 'all.db')}`);
  const mine = copy.forOwner(owner);
  const { items } = await mine.trees();
  expect(items).toHaveLength(1);
  const rows = await mine.read(items[0]?.id ?? treeId(''), () => ask('rows', {}));
  expect((await copy.fsck()).findings).toEqual([]);
  await copy.close();
  await rm(folder, { recursive: true });
  return rows?.nodes.map(({ text }) => text ?? '') ?? [];
}

/**
 * Returns names of new owners: `main` has those that the hash assigns to the first bucket, `far` those of the second.
 */
function ownersOfBoth(count: number): { readonly main: string[]; readonly far: string[] } {
  const both = [
    { name: 'main', schema: null, url: null, state: 'open' },
    { name: 'far', schema: 'far', url: null, state: 'open' },
  ] as const;
  const found: { main: string[]; far: string[] } = { main: [], far: [] };
  for (let n = 0; found.main.length < count || found.far.length < count; n++) {
    const list = found[chooseBucketByHash(`user ${n}`, both) === 'main' ? 'main' : 'far'];
    if (list.length < count) list.push(`user ${n}`);
  }
  return found;
}

async function taken<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) === count) break;
  return found;
}

describe('a directory of buckets', () => {
  test('[L190] each owner is in one bucket, chosen by hash, and another server finds it there', async () => {
    const owners = ownersOfBoth(3);
    let n = 0;
    for (const owner of [...owners.main, ...owners.far])
      await TestTree.make({ store: store.forOwner(owner), treeId: treeId(testUuid(++n)) });
    for (const owner of owners.main) expect(await treesOf(owner)).toEqual({ main: 1, far: 0 });
    for (const owner of owners.far) expect(await treesOf(owner)).toEqual({ main: 0, far: 1 });
    const beside = await open(place.directory.url);
    for (const owner of [...owners.main, ...owners.far])
      expect((await beside.forOwner(owner).trees()).items).toHaveLength(1);
    expect((await beside.info()).notes.join()).toContain('2 buckets in 2 databases');
    expect(await buckets.list()).toMatchObject([
      { name: 'far', schema: 'far', state: 'open', owners: 3 },
      { name: 'main', schema: null, state: 'open', owners: 3 },
    ]);
    expect(await buckets.check()).toEqual([]);
    await beside.close();
  });

  test('[L241] a bucket is given to Citus only where its database has it, and only a schema of its own', async () => {
    await expect(buckets.distribute('main')).rejects.toThrow(/not in a schema of their own/);
    await expect(buckets.distribute('far')).rejects.toThrow(/has no Citus/);
    await expect(buckets.distribute('nowhere')).rejects.toThrow(/no bucket nowhere/);
  });

  test('[L190] the existing tables become the first bucket, and a server that does not know it is refused', async () => {
    const database = await createTestDatabase();
    const before = await open(database.url);
    const fixture = await TestTree.make({ store: before.forOwner('early'), treeId: treeId(testUuid(1)) });
    const admin = await openBuckets(database.url);
    expect(await admin.list()).toEqual([]);
    await admin.add('second');
    const late = await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 't' } }).catch((e) => e);
    expect(isAppError(late) && late.code).toBe('store/unavailable');
    expect(String(late)).toContain('restart');
    const after = await open(database.url);
    const early = new TestTree(after.forOwner('early'), fixture.treeId);
    await early.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'goes on' } });
    expect((await after.forOwner('early').trees()).items).toHaveLength(1);
    // Both buckets are schemas of the same database, so this checks that no query reads both schemas.
    for (let n = 2; n < 12; n++)
      await TestTree.make({ store: after.forOwner(`later ${n}`), treeId: treeId(testUuid(n)) });
    const counts = (await admin.list()).map(({ owners }) => owners);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(11);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    for (const one of [before, after]) await one.close();
    await admin.close();
    await database.drop();
  });

  test('[L191] accounts, tokens and shares are in the directory; stale runs are claimed in all buckets', async () => {
    const { main, far } = ownersOfBoth(1);
    const [near, distant] = [main[0] ?? '', far[0] ?? ''];
    await store.accounts.putUser({ id: 'u1', name: 'Ann', role: 'member', createdAt: 1, disabledAt: null });
    expect(await place.directory.query('SELECT id FROM account')).toEqual([{ id: 'u1' }]);
    let n = 0;
    for (const owner of [near, distant]) {
      const fixture = await TestTree.make({ store: store.forOwner(owner), treeId: treeId(testUuid(++n)) });
      const [node] = await fixture.addMessages(['asked']);
      if (node === undefined) throw new Error('There is a node.');
      await store.forOwner(owner).runs.start({
        id: `run ${owner}`,
        treeId: fixture.treeId,
        nodeId: node,
        process: 'gone',
        startedAt: 1,
        beatAt: 1,
        data: {},
      });
    }
    const claimed = await store.runs.claimStaleOfAll(1_000, 'me');
    expect(claimed.map(({ owner }) => owner).sort()).toEqual([near, distant].sort());
  });

  test('[L191] a share of a tree in another bucket than the shares is no finding, and one without a tree is', async () => {
    const { far } = ownersOfBoth(1);
    const owner = far[0] ?? '';
    const { treeId: shared } = await TestTree.make({ store: store.forOwner(owner), treeId: treeId(testUuid(1)) });
    const share = { owner, version: null, nodeIds: [], fields: [], title: null, createdAt: 1, expiresAt: null };
    await store.accounts.putShare({ ...share, id: 's1', hash: 'h1', treeId: shared, revokedAt: null });
    expect((await store.fsck()).findings).toEqual([]);
    await store.accounts.putShare({ ...share, id: 's2', hash: 'h2', treeId: treeId(testUuid(2)), revokedAt: null });
    expect((await store.fsck()).findings.map(({ code, id }) => [code, id])).toEqual([['share-dangling', 's2']]);
  });

  test('[L191] a backup contains all buckets', async () => {
    const { main, far } = ownersOfBoth(2);
    let n = 0;
    for (const owner of [...main, ...far])
      await (await TestTree.make({ store: store.forOwner(owner), treeId: treeId(testUuid(++n)) })).addMessages([
        `of ${owner}`,
      ]);
    const folder = await mkdtemp(join(tmpdir(), 'coppice-buckets-'));
    await store.backup(`${folder}/all.db`);
    const copy = await openStore(`sqlite:${folder}/all.db`);
    for (const owner of [...main, ...far]) expect((await copy.forOwner(owner).trees()).items).toHaveLength(1);
    expect((await copy.fsck()).findings).toEqual([]);
    await copy.close();
    await rm(folder, { recursive: true });
  });
});

describe('ids', () => {
  test('[L195] are unique within a bucket, so that two owners in two buckets may have the same', async () => {
    const { main, far } = ownersOfBoth(2);
    const same = treeId(testUuid(1));
    await TestTree.make({ store: store.forOwner(main[0] ?? ''), treeId: same });
    await TestTree.make({ store: store.forOwner(far[0] ?? ''), treeId: same });
    const taken = new TestTree(store.forOwner(main[1] ?? ''), same);
    expect(await taken.refusal({ type: 'create', treeId: same }, { newId: () => testUuid(901) })).toBe('id/taken');
    // Two owners have a tree with the same id. Moving one to the bucket of the other is refused and changes nothing.
    await expect(buckets.moveOwner(main[0] ?? '', 'far')).rejects.toThrow();
    expect(await treesOf(main[0] ?? '')).toEqual({ main: 1, far: 0 });
    expect((await store.forOwner(main[0] ?? '').trees()).items).toHaveLength(1);
  });
});

describe('moving an owner', () => {
  test('[L192] every table is moved with its owner or stays for a reason', async () => {
    const rows = await place.elsewhere(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace('far') AND relkind = 'r' ORDER BY 1",
    );
    const moved = [...movedTreeTables, ...movedOwnerTables].map(([name]) => name as string);
    // These tables belong to the directory or to a bucket as a whole, so a move does not copy them.
    const stays = ['account', 'token', 'share', 'sealed_record', 'coppice_schema', 'feed_epoch', 'owner_gone'];
    // All servers share these, so they are in the directory only.
    const shared = ['shared_record', 'shared_counter', 'spending', 'spending_reserved'];
    // The objects that this bucket still has to delete from the object store.
    const left = ['blob_object'];
    const all = ['tree', 'node', ...moved, movedBlobTable, ...stays, ...shared, ...left];
    expect(rows.map(({ name }) => String(name))).toEqual(all.sort());
  });

  test('[L192] a moved owner keeps all its data, its feed continues, and nothing stays behind', async () => {
    const mine = store.forOwner('mover');
    await buckets.moveOwner('mover', 'main');
    const fixture = await TestTree.make({ store: mine, treeId: treeId(testUuid(1)) });
    const [first = ''] = await fixture.addMessages(['a question', 'an answer \ud800 ü']);
    const { hash } = await mine.blobs.put(new TextEncoder().encode('attached'), 'text/plain');
    await mine.putExternalIds([{ treeId: fixture.treeId, nodeId: null, format: 'x', scope: 's', id: 'foreign' }]);
    await mine.search({ text: 'answer' });
    const rows = await mine.read(fixture.treeId, () => ask('rows', {}));
    const start = await taken(mine.feedAll((await listStart(mine)) ?? null), 2);
    const followed = taken(mine.feed(fixture.treeId, 2), 1);
    const listed = taken(mine.feedAll(start[1]?.cursor ?? null), 1);
    const report = await buckets.moveOwner('mover', 'far');
    expect(report).toMatchObject({ from: 'main', to: 'far', trees: 1 });
    expect(await treesOf('mover')).toEqual({ main: 0, far: 1 });
    expect(await mine.read(fixture.treeId, () => ask('rows', {}))).toEqual(rows);
    expect(new TextDecoder().decode((await mine.blobs.read(hash)) ?? new Uint8Array())).toBe('attached');
    expect(await mine.findExternalIds('x', 's', ['foreign'])).toHaveLength(1);
    expect((await mine.search({ text: 'answer' })).items).toHaveLength(1);
    await fixture.addMessages(['after the move']);
    expect((await followed).map(({ version }) => version)).toEqual([3]);
    expect((await listed).map(({ version }) => version)).toEqual([3]);
    expect(await mine.newestAct('me', 'undoable')).toMatchObject({ treeId: fixture.treeId });
    expect(first).not.toBe('');
    expect(await buckets.check()).toEqual([]);
    // Moving the owner back must clear the record by which the first bucket refuses the owner.
    await buckets.moveOwner('mover', 'main');
    await fixture.addMessages(['back']);
    const all: TreeListEvent[] = await taken(mine.feedAll(start[1]?.cursor ?? null), 2);
    expect(all.map(({ version }) => version)).toEqual([3, 4]);
    expect((await mine.fsck({ treeId: fixture.treeId })).findings).toEqual([]);
  });

  test('[L193] moving owners back and forth while they write loses and repeats no acknowledged write', {
    tags: ['full'],
    timeout: 120_000,
  }, async () => {
    const owners = ['ann', 'ben', 'cem'];
    const other = await open(place.directory.url);
    const trees = new Map(owners.map((owner, at) => [owner, treeId(testUuid(at + 1))]));
    const feeds = new Map<string, number[]>();
    const stop = new AbortController();
    const following: Promise<void>[] = [];
    for (const [owner, id] of trees) {
      await TestTree.make({ store: store.forOwner(owner), treeId: id });
      const seen: number[] = [];
      feeds.set(owner, seen);
      const cursor = await listStart(other.forOwner(owner));
      following.push(
        (async () => {
          for await (const event of other.forOwner(owner).feedAll(cursor, stop.signal)) seen.push(event.version);
        })(),
      );
    }
    const writers = startBucketWriters([store, other], trees, 150);
    for (let turn = 0; turn < 3; turn++)
      for (const owner of owners) {
        const { main } = await treesOf(owner);
        await buckets.moveOwner(owner, main > 0 ? 'far' : 'main');
      }
    await writers.stop();
    await writers.expectNothingLost(store);
    for (const owner of owners) {
      const last = writers.count(owner) + 1;
      while (feeds.get(owner)?.at(-1) !== last) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(feeds.get(owner)).toEqual(Array.from({ length: last }, (_, version) => version + 1));
    }
    expect(await buckets.check()).toEqual([]);
    stop.abort();
    await Promise.all(following);
    await other.close();
  });

  test('[L196] an owner is moved to a bucket where another one has the same log position, and each feed has its own commits', async () => {
    const [resident, mover] = [store.forOwner('resident'), store.forOwner('mover')];
    await buckets.moveOwner('resident', 'main');
    await buckets.moveOwner('mover', 'far');
    const first = await TestTree.make({ store: resident, treeId: treeId(testUuid(1)) });
    const second = await TestTree.make({ store: mover, treeId: treeId(testUuid(2)) });
    // Both buckets now assign the same position to their next commit.
    const [main] = await place.directory.query('SELECT epoch FROM feed_epoch');
    const [far] = await place.elsewhere('SELECT epoch FROM far.feed_epoch');
    const epoch = Math.max(Number(main?.['epoch']), Number(far?.['epoch'])) + 1;
    await place.directory.query(`UPDATE feed_epoch SET epoch = ${epoch}`);
    await place.elsewhere(`UPDATE far.feed_epoch SET epoch = ${epoch}`);
    await place.directory.query("SELECT setval('change_number', 1000)");
    await place.elsewhere("SELECT setval('far.change_number', 1000)");
    await first.addMessages(['of the resident']);
    await second.addMessages(['of the mover']);
    const same = `SELECT id FROM change WHERE id > ${epoch} * ${positionsPerEpoch}::bigint`;
    const position = { id: String(epoch * positionsPerEpoch + 1001) };
    expect(await place.directory.query(same)).toEqual([position]);
    expect(await place.elsewhere(same.replace('change', 'far.change'))).toEqual([position]);
    expect(await buckets.moveOwner('mover', 'main')).toMatchObject({ from: 'far', to: 'main', trees: 1 });
    expect(await place.directory.query(same)).toEqual([position, position]);
    await first.addMessages(['later']);
    await second.addMessages(['later']);
    for (const [one, { treeId: id }] of [
      [resident, first],
      [mover, second],
    ] as const) {
      const events = await taken(one.feedAll(await listStart(one)), 3);
      expect(events.map(({ treeId: of, version }) => [of, version])).toEqual([1, 2, 3].map((version) => [id, version]));
    }
    expect(await buckets.check()).toEqual([]);
  });

  test('[L194, L295] a move that was interrupted after the old bucket was closed is found by the check, backed up, and finished by repeating it', async () => {
    const mine = store.forOwner('broken');
    await buckets.moveOwner('broken', 'main');
    const fixture = await TestTree.make({ store: mine, treeId: treeId(testUuid(1)) });
    await buckets.moveOwner('broken', 'far');
    // A crashed move: the owner is already in the new bucket, but the directory still names the old one.
    await place.directory.query("UPDATE coppice_owner SET bucket = 'main' WHERE owner = 'broken'");
    expect((await buckets.check()).join()).toContain('interrupted move from main to far');
    expect(await textsInBackup('broken')).toEqual(['']);
    expect(await buckets.moveOwner('broken', 'far')).toMatchObject({ from: 'main', to: 'far' });
    expect(await buckets.check()).toEqual([]);
    expect((await mine.trees()).items.map(({ id }) => id)).toEqual([fixture.treeId]);
  });

  test('[L194, L295] a move that was interrupted while it deleted the old rows is found by the check, left out of a backup, and finished by repeating it', async () => {
    const mine = store.forOwner('broken');
    await buckets.moveOwner('broken', 'main');
    const fixture = await TestTree.make({ store: mine, treeId: treeId(testUuid(1)) });
    await fixture.addMessages(['one', 'two']);
    await place.directory.query(`CREATE FUNCTION refuse_delete() RETURNS TRIGGER LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'the server is away'; END $$`);
    await place.directory.query(
      'CREATE TRIGGER refuses BEFORE DELETE ON tree FOR EACH ROW EXECUTE FUNCTION refuse_delete()',
    );
    await expect(buckets.moveOwner('broken', 'far')).rejects.toThrow();
    await place.directory.query('DROP TRIGGER refuses ON tree');
    await place.directory.query('DROP FUNCTION refuse_delete');
    expect((await buckets.check()).join()).toContain('repeat the move to far');
    await fixture.addMessages(['after the move']);
    expect(await textsInBackup('broken')).toEqual(['', 'one', 'two', 'after the move']);
    await buckets.moveOwner('broken', 'far');
    expect(await buckets.check()).toEqual([]);
    expect(await treesOf('broken')).toEqual({ main: 0, far: 1 });
    const rows = await mine.read(fixture.treeId, () => ask('rows', {}));
    expect(rows?.nodes.map(({ text }) => text)).toEqual(['', 'one', 'two', 'after the move']);
  });

  test('[L296] after a move back that failed at its end, a server that has not noticed the first move writes to the owner’s bucket', async () => {
    await buckets.moveOwner('returning', 'main');
    const mine = store.forOwner('returning');
    await TestTree.make({ store: mine, treeId: treeId(testUuid(1)) });
    await buckets.moveOwner('returning', 'far');
    await place.elsewhere(`CREATE FUNCTION far.refuse_insert() RETURNS TRIGGER LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'the server is away'; END $$`);
    await place.elsewhere(
      'CREATE TRIGGER refuses BEFORE INSERT ON far.owner_gone FOR EACH ROW EXECUTE FUNCTION far.refuse_insert()',
    );
    await expect(buckets.moveOwner('returning', 'main')).rejects.toThrow();
    await place.elsewhere('DROP FUNCTION far.refuse_insert CASCADE');
    await TestTree.make({ store: mine, treeId: treeId(testUuid(2)) });
    expect(await treesOf('returning')).toEqual({ main: 0, far: 2 });
    expect(await buckets.check()).toEqual([]);
    await buckets.moveOwner('returning', 'main');
    expect(await treesOf('returning')).toEqual({ main: 2, far: 0 });
  });

  test('[L194] draining a bucket moves all its owners, and new ones go elsewhere until it is reopened', async () => {
    const { far } = ownersOfBoth(4);
    let n = 0;
    for (const owner of far.slice(0, 3))
      await store.forOwner(owner).putLinear({
        treeId: treeId(testUuid(++n)),
        createdAt: 1,
        messages: [{ message: textMessage('user', owner) }],
      });
    const reports = await buckets.drain('far');
    expect(reports.map(({ to }) => to)).toEqual(['main', 'main', 'main']);
    const late = far[3] ?? '';
    await TestTree.make({ store: store.forOwner(late), treeId: treeId(testUuid(50)) });
    expect(await treesOf(late)).toEqual({ main: 1, far: 0 });
    expect(await buckets.list()).toMatchObject([{ name: 'far', state: 'closed', owners: 0 }, { owners: 4 }]);
    await buckets.open('far');
    expect(await buckets.list()).toMatchObject([{ name: 'far', state: 'open' }, { name: 'main' }]);
  });
});

describe('replies of owners in several buckets', () => {
  test('[L211] share one transaction per bucket, and wait for no owner that is being moved', async () => {
    const { main, far } = ownersOfBoth(3);
    const replies = await Promise.all(
      [...main, ...far].map(async (owner, at) => {
        const { runs } = await startRun(owner, 100 + at);
        return { owner, runs, id: `run ${at + 100}` };
      }),
    );
    const sent = vi.spyOn(Client.prototype, 'query');
    const append = (offset: number) => replies.map(({ id, runs }) => runs.append(id, { offset, text: 'abc' }));
    expect(await Promise.all(append(0))).toEqual(replies.map(() => true));
    const begun = sent.mock.calls.filter(([sql]) => typeof sql === 'string' && sql.startsWith('BEGIN'));
    vi.restoreAllMocks();
    expect(begun).toHaveLength(2);
    // Takes the lock that a move holds while the old bucket starts to refuse the owner.
    const mover = new Client({ connectionString: place.directory.url });
    await mover.connect();
    await mover.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('${main[0]}'), ${ownerGateLockKeys.owner})`);
    const [moving, ...others] = append(3);
    let isMoving = true;
    const ended = moving?.then((done) => ({ done, isMoving }));
    expect(await Promise.all(others)).toEqual(others.map(() => true));
    isMoving = false;
    await mover.query('COMMIT');
    await mover.end();
    expect(await ended).toEqual({ done: true, isMoving: false });
    // The moved owner writes to its new bucket while the other owners write to theirs.
    await buckets.moveOwner(main[1] ?? '', 'far');
    expect(await Promise.all(append(6))).toEqual(replies.map(() => true));
    for (const { id, runs } of replies)
      expect((await runs.chunks(id)).map(({ text }) => text).join('')).toBe('abcabcabc');
  });
});

/** Starts a run of an owner in a new tree. */
async function startRun(owner: string, number: number): Promise<Store> {
  const mine = store.forOwner(owner);
  const fixture = await TestTree.make({ store: mine, treeId: treeId(testUuid(number)) });
  const [nodeId] = await fixture.addMessages(['question']);
  if (nodeId === undefined) throw new Error('There is no message.');
  const { treeId: of } = fixture;
  await mine.runs.start({ id: `run ${number}`, treeId: of, nodeId, process: 'here', startedAt: 1, data: {} });
  return mine;
}

/** Returns the cursor before the first change of an owner. */
async function listStart(of: Store): Promise<string | null> {
  const { encodeCursor } = await import('../../cursor.ts');
  return of === undefined ? null : encodeCursor('changes', [0]);
}
