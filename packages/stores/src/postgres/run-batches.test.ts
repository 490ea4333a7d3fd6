import { type Store, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TestDatabase } from '../../test/postgres.ts';
import { createPreparedDatabase } from '../../test/postgres-subject.ts';
import { open } from './index.ts';

let database: TestDatabase;
let store: Store;

beforeEach(async () => {
  database = await createPreparedDatabase();
  store = await open(database.url);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  await database.drop();
});

interface Reply {
  readonly id: string;
  readonly runs: Store['runs'];
}

/** Starts one reply for each of several owners. */
async function startReplies(count: number): Promise<readonly Reply[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const owner = store.forOwner(`owner ${at}`);
      const tree = treeId(testUuid(1_000 + at));
      const fixture = await TestTree.make({ store: owner, treeId: tree });
      const nodeId = (await fixture.addMessages([`question ${at}`])).at(-1);
      if (nodeId === undefined) throw new Error('There is no message.');
      const id = `run ${at}`;
      await owner.runs.start({ id, treeId: tree, nodeId, process: 'here', startedAt: 1, data: {} });
      return { id, runs: owner.runs };
    }),
  );
}

/** Counts the transactions that a store begins. */
function countTransactions(): () => number {
  const sent = vi.spyOn(Client.prototype, 'query');
  return () => sent.mock.calls.filter(([sql]) => typeof sql === 'string' && sql.startsWith('BEGIN')).length;
}

async function textOf({ id, runs }: Reply): Promise<string> {
  return (await runs.chunks(id)).map(({ text }) => text).join('');
}

test.each([
  ['ahead', 60_000],
  ['behind', -60_000],
])('[K181] a server whose clock is a minute %s neither ends replies of others nor loses its own', async (_, skew) => {
  const other = await open(database.url);
  const [theirs] = await startReplies(1);
  if (theirs === undefined) throw new Error('There is no reply.');
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + skew);
  expect(await other.runs.claimStaleOfAll(15_000, 'other')).toEqual([]);
  expect(await theirs.runs.append(theirs.id, { offset: 0, text: 'a' })).toBe(true);
  expect(await theirs.runs.beat(theirs.id)).toBe(true);
  expect(await other.runs.claimStaleOfAll(15_000, 'other')).toEqual([]);
  vi.mocked(Date.now).mockRestore();
  expect(await other.runs.claimStaleOfAll(15_000, 'other')).toEqual([]);
  await other.close();
});

test('[L211] the replies of a server share one transaction per tick, one reply or forty', async () => {
  const replies = await startReplies(40);
  for (const some of [replies.slice(0, 1), replies]) {
    const count = countTransactions();
    const done = await Promise.all(
      some.flatMap(({ id, runs }) => [
        runs.append(id, { offset: 0, text: `text of ${id}` }),
        runs.beat(id),
        runs.find(id).then((run) => run?.id === id),
      ]),
    );
    expect(count()).toBe(1);
    expect(done).toEqual(done.map(() => true));
    vi.restoreAllMocks();
  }
  const looks = countTransactions();
  expect(await Promise.all(replies.map(textOf))).toEqual(replies.map(({ id }) => `text of ${id}`));
  expect(looks()).toBe(1);
  const rows = await database.query('SELECT count(DISTINCT xmin::text)::int AS n FROM run_chunk');
  expect(rows[0]?.['n']).toBe(2);
});

test('[L211] an append that the database refuses fails alone, and has its own transaction until it succeeds', async () => {
  const replies = await startReplies(9);
  await database.query(`CREATE FUNCTION refuse_run() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN IF NEW.run_id = 'run 4' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END IF; RETURN NEW; END $$`);
  await database.query('CREATE TRIGGER refuses BEFORE INSERT ON run_chunk FOR EACH ROW EXECUTE FUNCTION refuse_run()');
  const append = (offset: number) =>
    Promise.allSettled(replies.map(({ id, runs }) => runs.append(id, { offset, text: 'abc' })));
  const failed = replies.map((_, at) => (at === 4 ? 'rejected' : 'fulfilled'));
  expect((await append(0)).map(({ status }) => status)).toEqual(failed);
  const count = countTransactions();
  expect((await append(3)).map(({ status }) => status)).toEqual(failed);
  expect(count()).toBe(2);
  await database.query('DROP TRIGGER refuses ON run_chunk');
  await database.query('DROP FUNCTION refuse_run');
  expect(await replies[4]?.runs.append('run 4', { offset: 0, text: 'abcabc' })).toBe(true);
  vi.restoreAllMocks();
  const together = countTransactions();
  await append(6);
  expect(together()).toBe(1);
  expect(await Promise.all(replies.map(textOf))).toEqual(replies.map(() => 'abcabcabc'));
});

test('[L211] a run that another transaction has locked delays no other reply', async () => {
  const replies = await startReplies(6);
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("BEGIN; SELECT 1 FROM run WHERE id = 'run 2' FOR UPDATE");
  let isHeld = true;
  const writes = replies.map(({ id, runs }) => runs.append(id, { offset: 0, text: 'abc' }));
  const held = writes[2]?.then((done) => ({ done, isHeld }));
  expect(await Promise.all(writes.filter((_, at) => at !== 2))).toEqual([true, true, true, true, true]);
  isHeld = false;
  await holder.query('COMMIT');
  expect(await held).toEqual({ done: true, isHeld: false });
  await holder.end();
});

test('[L211] in one transaction with others, an append answers as in its own', async () => {
  const replies = await startReplies(3);
  const [first, second, third] = replies;
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are no replies.');
  await third.runs.end(third.id);
  const outcomes = await Promise.allSettled([
    first.runs.append(first.id, { offset: 0, text: 'ab' }),
    // A repeated append, as after a lost response, here with more text. Only the new text is added.
    first.runs.append(first.id, { offset: 0, text: 'abcd' }),
    second.runs.append(first.id, { offset: 0, text: 'foreign' }),
    second.runs.append(second.id, { offset: 5, text: 'gap' }),
    third.runs.append(third.id, { offset: 0, text: 'late' }),
    third.runs.beat(third.id),
    second.runs.beat(first.id),
    second.runs.find(first.id),
    second.runs.chunks(first.id),
    third.runs.find(third.id),
  ]);
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))).toEqual([
    true,
    true,
    false,
    'command/invalid',
    false,
    false,
    false,
    null,
    [],
    null,
  ]);
  expect(await textOf(first)).toBe('abcd');
  expect(await textOf(second)).toBe('');
});

test('[L211] a read returns only new chunks, and closing waits for earlier appends', async () => {
  const [reply] = await startReplies(1);
  if (reply === undefined) throw new Error('There is no reply.');
  const { id, runs } = reply;
  for (let at = 0; at < 20; at++) await runs.append(id, { offset: at * 3, text: 'abc' });
  const sent = vi.spyOn(Client.prototype, 'query');
  expect(await runs.chunks(id, 58)).toEqual([{ offset: 58, text: 'bc' }]);
  const answers = await Promise.all(sent.mock.results.map(({ value }) => value));
  expect(
    answers
      .flat()
      .flatMap(({ rows }) => rows)
      .filter((row) => 'start' in row),
  ).toHaveLength(1);
  const last = runs.append(id, { offset: 60, text: 'end' });
  await store.close();
  expect(await last).toBe(true);
  store = await open(database.url);
  expect(await store.forOwner('owner 0').runs.chunks(id, 60)).toEqual([{ offset: 60, text: 'end' }]);
});
