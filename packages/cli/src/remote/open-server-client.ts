/** Opens a client of a running server, with the token of this user. */
import { existsSync } from 'node:fs';
import { type CoppiceClient, createClient } from '@coppice/client';
import { type ConfigSource, localTokenPath, openLocalToken } from '@coppice/engine';
import { makeUsageError } from '../exit-codes.ts';

/**
 * Opens a client. The token comes from `COPPICE_TOKEN`, because other users of the computer can see arguments. For a
 * server on this computer, the stored token is used.
 */
export async function openServerClient(address: string, source: ConfigSource): Promise<CoppiceClient> {
  const url = serverUrl(address);
  const token = source.env?.['COPPICE_TOKEN'] || (isLoopback(url) ? await storedToken(source) : undefined);
  return createClient({ baseUrl: url.origin, ...(token === undefined ? {} : { token }) });
}

function serverUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw makeUsageError(`Invalid server ${address}. Give a URL such as http://127.0.0.1:4747.`);
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw makeUsageError(
      'Do not put a password or token into the URL of the server. Put the token into COPPICE_TOKEN.',
    );
  return url;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

async function storedToken(source: ConfigSource): Promise<string | undefined> {
  const path = localTokenPath(source);
  return existsSync(path) ? (await openLocalToken(path)).current : undefined;
}
