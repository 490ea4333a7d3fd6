/** Validates the operator's options before anything is opened, and reports all problems together. */
import { AppError } from '@coppice/core';
import type { ServeOptions } from './serve.ts';

const hostName =
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Returns the problems of the options, one sentence each; empty if they are valid. */
export function findOptionProblems(
  options: Pick<ServeOptions, 'auth' | 'hosts' | 'origins' | 'limits' | 'quotas' | 'port'>,
): string[] {
  const found: string[] = [];
  const { auth, hosts = [], origins = [], limits = {}, quotas = {}, port = 0 } = options;
  if (auth.mode === 'token' && auth.chosen === true && auth.token.length < 16)
    found.push('The token is too short. Use at least 16 characters.');
  if (auth.mode === 'token' && !/^[\x21-\x7e]+$/.test(auth.token))
    found.push('The token must consist of visible ASCII characters without spaces, because it is sent in a header.');
  if (auth.mode === 'users' && auth.proxy !== undefined && auth.proxy.addresses.length === 0)
    found.push('A proxy that signs users in needs its address. Without an address its header is not trusted.');
  for (const host of hosts)
    if (!hostName.test(host))
      found.push(`${JSON.stringify(host)} is not a host name in lower case, such as trees.example.org.`);
  for (const origin of origins)
    if (!isOrigin(origin)) found.push(`${JSON.stringify(origin)} is not an origin, such as https://notes.example.org.`);
  for (const [name, value] of [...Object.entries(limits), ...Object.entries(quotas)])
    if (value !== null && (!Number.isFinite(value) || value <= 0))
      found.push(`The limit ${name} must be a number above 0, not ${value}.`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) found.push(`${port} is no port.`);
  return found;
}

function isOrigin(text: string): boolean {
  try {
    return new URL(text).origin === text && /^https?:/.test(text);
  } catch {
    return false;
  }
}

/** Throws one error with all problems if the options are invalid. */
export function checkServerOptions(options: ServeOptions): void {
  const problems = findOptionProblems(options);
  if (problems.length > 0)
    throw new AppError({ code: 'http/invalid', kind: 'invalid', message: problems.join(' '), data: { problems } });
}
