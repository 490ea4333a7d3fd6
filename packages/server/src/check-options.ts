/** Validates the operator's options before anything is opened, and reports all problems together. */
import { AppError, type OptionNames } from '@coppice/core';
import { assertOptionNames } from '@coppice/core/decode';
import { type AuthOptions, defaultQuotas, defaultServerLimits, type ServerOptions } from './contract.ts';
import type { ServeOptions } from './serve.ts';

const serverOptions: OptionNames<ServerOptions> = {
  store: true,
  storeUrl: true,
  auth: true,
  config: true,
  live: true,
  providers: true,
  tools: true,
  mcp: true,
  mcpWrites: true,
  events: true,
  titles: true,
  generateLimits: true,
  web: true,
  spool: true,
  spillFolder: true,
  computer: true,
  hosts: true,
  origins: true,
  limits: true,
  quotas: true,
  log: true,
  kit: true,
  now: true,
  newId: true,
};
const serveOptions: OptionNames<ServeOptions> = { ...serverOptions, host: true, port: true };
const tokenAuth: OptionNames<Extract<AuthOptions, { readonly mode: 'token' }>> = {
  mode: true,
  token: true,
  chosen: true,
  renew: true,
  sync: true,
};
const usersAuth: OptionNames<Extract<AuthOptions, { readonly mode: 'users' }>> = { mode: true, proxy: true };

/** Throws on an option that `createServer` or `serve` does not have, also within `auth`, `limits` and `quotas`. */
export function assertServerOptionNames(caller: 'createServer' | 'serve', options: ServerOptions): void {
  assertOptionNames(caller, options, caller === 'serve' ? serveOptions : serverOptions);
  const { auth, limits = {}, quotas = {} } = options;
  if (auth?.mode === 'token') assertOptionNames('The `auth` of a server', auth, tokenAuth);
  if (auth?.mode === 'users') assertOptionNames('The `auth` of a server', auth, usersAuth);
  assertOptionNames('The `limits` of a server', limits, defaultServerLimits);
  assertOptionNames('The `quotas` of a server', quotas, defaultQuotas);
}

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
export function assertServerOptions(options: ServeOptions): void {
  const problems = findOptionProblems(options);
  if (problems.length > 0)
    throw new AppError({ code: 'http/invalid', kind: 'invalid', message: problems.join(' '), data: { problems } });
}
