// @module-tag full
import { type ObjectServer, startObjectServer } from '@coppice/stores/testing/object-server';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCliFixture } from '../../testing/index.ts';

describe('coppice attachments', () => {
  let server: PostgresServer;
  let objects: ObjectServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
    objects = await startObjectServer({
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      sessionToken: null,
      region: 'us-east-1',
    });
  }, 60_000);
  afterAll(async () => {
    await objects.close();
    await server.close();
  });

  it('[O204] lists and moves attachments, and says where new ones go', async () => {
    const store = await server.createDatabase();
    const fixture = makeCliFixture();
    const variables = {
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_S3: objects.url,
      AWS_REGION: 'us-east-1',
    };
    const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, variables);
    try {
      expect((await fixture.run(['attachments', '--store', store])).out).toContain('stored in the database');
      expect((await fixture.run(['attachments', 'move', '--store', store])).code).toBe(2);
      await server.query(
        `INSERT INTO blob (owner, hash, size, media_type, bytes)
        SELECT 'local', encode(sha256(b), 'hex'), length(b), 'text/plain', b FROM (VALUES ('one'::bytea), ('two'::bytea)) AS v(b)`,
        store,
      );
      const withObjects = `${store}?attachments=s3://pictures/all`;
      const moved = await fixture.run(['attachments', 'move', '--store', withObjects]);
      expect(moved).toMatchObject({ code: 0, out: 'Moved 2 attachments (6 bytes) to s3://pictures/all.\n' });
      expect(objects.objects.size).toBe(2);
      expect(await fixture.json(['attachments', '--store', withObjects])).toMatchObject({
        items: [{ place: 's3://pictures/all', attachments: 2, bytes: 6 }],
        newPlace: 's3://pictures/all',
      });
      const back = await fixture.run(['attachments', 'move', '--to', 'database', '--store', withObjects]);
      expect(back.out).toContain('New attachments are still stored in s3://pictures/all');
      await server.query("UPDATE blob SET bytes = 'bad' WHERE media_type = 'text/plain' AND bytes = 'one'", store);
      const damaged = await fixture.run(['attachments', 'move', '--store', withObjects]);
      expect(damaged).toMatchObject({ code: 1, out: expect.stringContaining('is damaged in the database') });
    } finally {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      fixture.close();
    }
  });

  it('[O204] refuses other stores and unknown actions', async () => {
    const fixture = makeCliFixture();
    expect((await fixture.run(['attachments', '--store', 'memory:'])).err).toContain('PostgreSQL');
    expect((await fixture.run(['attachments', 'copy', '--store', 'memory:'])).code).toBe(2);
    fixture.close();
  });
});
