/** The store in PostgreSQL, for teams and several servers. */
import type { Store } from '@coppice/core';
import { registerNativeHash } from '../native-hash.ts';
import { defaultOwner } from '../options.ts';
import { SqlStore } from '../sql/store.ts';
import { BucketPool } from './buckets/bucket-pool.ts';
import { BucketStore } from './buckets/bucket-store.ts';
import { isBucketDirectory } from './buckets/directory.ts';
import { PostgresDatabase } from './database.ts';
import { PostgresEngine } from './engine.ts';
import { S3ObjectStore } from './objects/index.ts';
import { type PostgresOptions, parsePostgresSettings } from './options.ts';
import { preparePostgresServer } from './prepare-postgres-server.ts';
import { createTemporaryStore } from './temporary-store.ts';

export { extraOptionNames, type PostgresOptions } from './options.ts';

/**
 * Opens the store in a database, and creates its tables if necessary. `place` is a PostgreSQL URL, with or without its
 * scheme. A server that refuses writes, such as a standby, is opened read-only with a note. A directory is opened with
 * all its buckets.
 */
export async function open(place: string, options: PostgresOptions = {}): Promise<Store> {
  registerNativeHash();
  const address = /^postgres(?:ql)?:/.test(place) ? place : `postgres:${place}`;
  const settings = parsePostgresSettings(address, options);
  const objects = new S3ObjectStore(settings.attachments, process.env);
  const database = await PostgresDatabase.create(settings);
  try {
    const opened = { ...(await preparePostgresServer(database, options)), objects };
    const temporary = createTemporaryStore(opened, options);
    const engine = new PostgresEngine(opened, undefined, null, temporary);
    const store = new SqlStore(engine, options);
    if (await database.read(isBucketDirectory)) {
      const pool = new BucketPool(database, options, objects);
      await pool.reload();
      return new BucketStore({ closed: false, pool, directory: store }, options.owner ?? defaultOwner);
    }
    await engine.start();
    if (!opened.access.readOnly) await store.sweep();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}
