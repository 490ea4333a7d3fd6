/** Starts a PostgreSQL server for runs outside of the test runner. */
import { randomBytes } from 'node:crypto';
import { PostgresServer } from '../../test/postgres-server.ts';
import { connectionCountSql, type DatabaseServer } from './store-locations.ts';

/** Starts a server that can be killed and restarted. */
export async function startCrashableServer(): Promise<DatabaseServer & { crash(): Promise<void> }> {
  const server = await PostgresServer.start();
  return {
    createDatabase: () => server.createDatabase(),
    async copyDatabase(url) {
      const name = `copy_${randomBytes(6).toString('hex')}`;
      await server.query(`CREATE DATABASE "${name}" TEMPLATE "${new URL(url).pathname.slice(1)}"`);
      return server.url(name);
    },
    connections: async (url) => Number((await server.query(connectionCountSql, url))[0]?.n),
    dropDatabase: (url) => server.dropDatabase(url),
    crash: () => server.restart('SIGKILL'),
    close: () => server.close(),
  };
}
