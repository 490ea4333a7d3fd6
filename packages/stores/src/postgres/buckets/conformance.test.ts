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

// [L195] Owners of other rules are in both buckets; those of rules about ids are in one.
runStoreConformance(bucketSubject('two buckets on two servers', () => other));
