// @module-tag full
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice buckets', () => {
  let server: PostgresServer;
  let fixture: CliFixture;
  beforeAll(async () => {
    server = await PostgresServer.start({ settings: { wal_level: 'logical' } });
  }, 60_000);
  afterAll(() => server.close());
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O170] divides a store, moves a user with its chats, and checks', async () => {
    const store = await server.createDatabase();
    const at = (...words: string[]) => [...words, '--store', store];
    await fixture.run(at('append', '--new', 'Hello', '--owner', 'ann'));
    expect((await fixture.run(at('buckets'))).out).toContain('not divided');
    const added = await fixture.run(at('buckets', 'add', 'second', '--url', await server.createDatabase()));
    expect(added.out).toContain('Restart every server');
    expect(await fixture.json(at('buckets'))).toMatchObject({
      items: [
        { name: 'main', owners: 1, state: 'open' },
        { name: 'second', owners: 0, state: 'open' },
      ],
    });
    expect((await fixture.run(at('buckets', 'move', 'ann', 'second'))).out).toContain(
      'Moved ann with 1 chat from main to second',
    );
    expect(await fixture.json(at('ls', '--owner', 'ann'))).toMatchObject({ items: [{}] });
    expect((await fixture.run(at('buckets', 'check'))).out).toContain('Every user is in one bucket');
    const elsewhere = await fixture.run(at('buckets', 'set-url', 'second', '--url', await server.createDatabase()));
    expect(elsewhere.err).toContain('does not have the data of the bucket second');
    expect((await fixture.run(at('buckets', 'set-url', 'second'))).code).toBe(2);
    // Both databases are on one server, as when somebody tries a move before the real one.
    const moved = await fixture.run(at('buckets', 'move-bucket', 'second', '--url', await server.createDatabase()));
    expect(moved).toMatchObject({ code: 0, out: expect.stringMatching(/Moved second from .* users waited \d+ ms/) });
    expect(await fixture.json(at('ls', '--owner', 'ann'))).toMatchObject({ items: [{}] });
    expect((await fixture.run(at('buckets', 'distribute', 'second'))).err).toContain('has no Citus');
    expect((await fixture.run(at('buckets', 'drain', 'second'))).out).toContain(
      'Moved 1 user. second gets no new users.',
    );
    expect((await fixture.run(at('buckets', 'open', 'second'))).out).toContain('gets new users again');
  });

  it('[O170] refuses other stores, unknown actions and missing names', async () => {
    expect((await fixture.run(['buckets', '--store', 'memory:'])).err).toContain('PostgreSQL');
    expect((await fixture.run(['buckets', 'split', '--store', 'memory:'])).code).toBe(2);
    const store = await server.createDatabase();
    expect((await fixture.run(['buckets', 'add', '--store', store])).code).toBe(2);
    expect((await fixture.run(['buckets', 'move-bucket', 'second', '--store', store])).err).toContain('--url');
  });
});
