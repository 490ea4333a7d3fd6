/** Creates schemas for tests of buckets in a database with Citus. A schema is distributed when it becomes a bucket. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { BucketServer } from './postgres-subject.ts';

/** Connects to a database with the Citus extension. The user must be allowed to create and to distribute schemas. */
export async function openCitus(url: string): Promise<BucketServer & { close(): Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const created: string[] = [];
  return {
    createPlace: async () => {
      const schema = `coppice_test_${randomBytes(6).toString('hex')}`;
      created.push(schema);
      return { url, schema };
    },
    prepare: async (buckets, name) => {
      await buckets.distribute(name);
      // All owners of the tests are in the bucket on Citus.
      await buckets.drain('main');
    },
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    empty: async ({ schema }, kept) => {
      // Citus has connections of its own, which stay.
      await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'coppice'");
      const { rows } = await client.query<{ name: string }>(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND relname <> ALL ($2)",
        [schema, kept],
      );
      await client.query(`TRUNCATE ${rows.map(({ name }) => `"${schema}"."${name}"`).join(', ')} CASCADE`);
    },
    close: async () => {
      for (const schema of created) await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await client.end();
    },
  };
}
