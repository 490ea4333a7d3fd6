// @module-tag full
import { afterAll, beforeAll } from 'vitest';
import { startOwnServer } from '../../../test/postgres.ts';
import type { PostgresServer } from '../../../test/postgres-server.ts';
import { bucketSubject } from '../../../test/postgres-subject.ts';
import { runStoreConformance } from '../../conformance/index.ts';

let other: PostgresServer;
beforeAll(async () => {
  other = await startOwnServer();
});
afterAll(() => other.close());

// [L195] The owners of tests about ids are in one bucket. The owners of all other tests are in both.
runStoreConformance(bucketSubject('two buckets on two servers', () => other));
