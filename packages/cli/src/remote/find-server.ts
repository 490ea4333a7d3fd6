/** Finds the server whose page is opened: the one that the option names, or the one that runs on this computer. */
import type { CoppiceClient } from '@coppice/client';
import { AppError } from '@coppice/core';
import type { CliContext } from '../cli-context.ts';
import { defaultPort } from '../default-port.ts';
import { openServerClient } from './open-server-client.ts';

/** A reachable server with its URL. */
export interface FoundServer {
  readonly client: CoppiceClient;
  readonly url: string;
}

// Enough time for a server on this computer, which responds within milliseconds.
const longestMs = 2_000;

/**
 * Returns a client of the server in `--server`, by default the one on this computer. Throws if the default server does
 * not respond; a server that was named is not checked here.
 */
export async function findServer(at: CliContext): Promise<FoundServer> {
  const named = at.options.server;
  const { env, home } = at.host;
  const url = new URL(named ?? `http://127.0.0.1:${defaultPort}`).origin;
  const client = (await at.server()) ?? (await openServerClient(url, { env, home }));
  if (named === undefined && !(await isRunning(client))) throw noServer();
  return { client, url };
}

async function isRunning(client: CoppiceClient): Promise<boolean> {
  try {
    return (await client.send('/healthz', { signal: AbortSignal.timeout(longestMs) })).ok;
  } catch {
    return false;
  }
}

function noServer(): AppError {
  return new AppError({
    code: 'cli/no-server',
    kind: 'unavailable',
    message: `No server runs at http://127.0.0.1:${defaultPort}. Start it in another terminal with coppice serve, or name one with --server.`,
  });
}
