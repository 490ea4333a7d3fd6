/**
 * Shares one PostgreSQL server among all tests of a run. The process of the test runner starts the server when the
 * first test needs it, so a run without such tests only opens a socket, and no lock file can be left behind.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { TestProject } from 'vitest/node';
import { makePostgresFolder, PostgresServer, preparePostgresBinaries, startFolderGuard } from './postgres-server.ts';

/** The port of the broker, and a token that proves that a caller belongs to this test run. */
export interface PostgresBrokerAddress {
  readonly port: number;
  readonly token: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresBroker: PostgresBrokerAddress;
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('The broker has no port.'));
    });
  });
}

/** Starts the broker before the first test. The returned function stops it and the server. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const token = randomBytes(16).toString('hex');
  let takeAway: (() => Promise<void>) | undefined;
  let binaries: Promise<string> | undefined;
  let shared: Promise<PostgresServer> | undefined;
  const prepared = (): Promise<string> => {
    if (binaries === undefined) {
      const folder = makePostgresFolder();
      takeAway = startFolderGuard(folder);
      binaries = preparePostgresBinaries(folder);
    }
    return binaries;
  };
  const answers: Readonly<Record<string, () => Promise<string>>> = {
    '/binaries': prepared,
    '/database': async () => {
      shared ??= prepared().then((ready) => PostgresServer.start({ binaries: ready }));
      return (await shared).createDatabase();
    },
  };
  const broker = createServer((request, response) => {
    // Connections are not kept alive, because one could be closed at the moment at which a test reuses it.
    response.setHeader('connection', 'close');
    const answer = request.headers.authorization === token ? answers[request.url ?? ''] : undefined;
    if (answer === undefined) response.writeHead(404).end();
    else
      answer().then(
        (said) => response.end(said),
        (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
      );
  });
  project.provide('postgresBroker', { port: await listen(broker), token });
  broker.unref();
  return async () => {
    broker.close();
    await shared?.then(
      (server) => server.close(),
      () => undefined,
    );
    await takeAway?.();
  };
}
