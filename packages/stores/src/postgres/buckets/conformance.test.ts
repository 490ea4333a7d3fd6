// @module-tag full
import { afterAll, beforeAll } from 'vitest';
import { startOwnPostgresServer } from '../../../test/postgres.ts';
import type { PostgresServer } from '../../../test/postgres-server.ts';
import { createBucketSubject, toBucketServer } from '../../../test/postgres-subject.ts';
import { runStoreConformance } from '../../conformance/index.ts';

let other: PostgresServer;
beforeAll(async () => {
  other = await startOwnPostgresServer();
});
afterAll(() => other.close());

// [L195] The two owners of tests that compare ids are in one bucket. In all other tests they are in two.
runStoreConformance(createBucketSubject('two buckets on two servers', () => toBucketServer(other)));
