/** Authenticates callers and chooses their trees, for every route. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiToken, User } from '@coppice/core';
import type { Caller, CallerCredential } from '../caller.ts';
import type { ProxyOptions } from '../contract.ts';
import { hostOf, readRequestHeader, remoteAddress, type ServerContext } from '../env.ts';
import { throwHttpError } from '../http-errors.ts';
import type { RouteAccess } from '../routes/define.ts';
import type { SharedServices } from '../services.ts';
import { isCrossSiteRequest } from './origin.ts';

/** The stored form of a token or of a share's secret: its SHA-256 in hex. Both are random, so no salt is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares two secrets in constant time; only their length can leak. */
function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}

/**
 * The name of the cookie. It contains the port: browsers send cookies to all ports of a host, so two servers on one
 * machine would sign each other out.
 */
function cookieName(host: string): string {
  const [, port] = /:(\d{1,5})$/.exec(host) ?? [];
  return port === undefined ? 'coppice' : `coppice-${port}`;
}

/** The session cookie: not readable by scripts and not sent by other sites. */
export function makeSessionCookie(request: CookieRequest, token: string): string {
  const secure = request.header('x-forwarded-proto') === 'https' ? '; Secure' : '';
  return `${cookieName(request.host)}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000${secure}`;
}

/** The cookie that signs a browser out. */
export function makeSignOutCookie({ host }: Pick<CookieRequest, 'host'>): string {
  return `${cookieName(host)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

/** The parts of a request that a cookie depends on. */
export interface CookieRequest {
  readonly host: string;
  header(name: string): string | undefined;
}

/** A token and the header or cookie that it was sent in. */
export interface ReceivedToken {
  readonly token: string;
  readonly by: 'bearer' | 'cookie';
}

function shownToken(context: ServerContext): ReceivedToken | null {
  // If the token has its own header, the other headers are forwarded to the upstream service.
  const apart = readRequestHeader(context, 'x-coppice-token');
  if (apart !== undefined) return { token: apart, by: 'bearer' };
  const [, bearer] = /^bearer +(\S+)$/i.exec(readRequestHeader(context, 'authorization') ?? '') ?? [];
  if (bearer !== undefined) return { token: bearer, by: 'bearer' };
  // Anthropic's and Google's clients send their key in these headers. When they are configured for Coppice, this key is
  // our token.
  const key = readRequestHeader(context, 'x-api-key') ?? readRequestHeader(context, 'x-goog-api-key');
  if (key !== undefined) return { token: key, by: 'bearer' };
  // A page of another origin must send a token; a cookie would let it act as the signed-in user.
  if (context.get('cors') !== undefined && isCrossSiteRequest(context)) return null;
  const wanted = `${cookieName(hostOf(context))}=`;
  for (const part of (readRequestHeader(context, 'cookie') ?? '').split(';')) {
    const pair = part.trim();
    if (!pair.startsWith(wanted)) continue;
    try {
      return { token: decodeURIComponent(pair.slice(wanted.length)), by: 'cookie' };
    } catch {
      return null;
    }
  }
  return null;
}

/** The caller of a request; null if the request has no valid credentials. */
async function identify(context: ServerContext): Promise<Caller | null> {
  const services = context.get('services');
  const shown = shownToken(context);
  if (shown !== null) return findCallerByToken(services, shown);
  if (services.auth.mode === 'token') return null;
  return services.auth.proxy === undefined ? null : findUserByProxy(context, services, services.auth.proxy);
}

/** The caller that a token identifies; null if the token is not valid now. */
export async function findCallerByToken(services: SharedServices, shown: ReceivedToken): Promise<Caller | null> {
  const { auth } = services;
  if (auth.mode === 'users') return findUserByToken(services, shown);
  const { token, by } = shown;
  if (!sameSecret(token, auth.token)) return null;
  const { owner } = services.store;
  const isValid = async () => {
    await auth.sync?.();
    return sameSecret(token, auth.token);
  };
  // A token that can be replaced is checked again while a stream is open.
  const credential = auth.renew === undefined ? null : { key: hashToken(token), isValid };
  return { owner, actor: owner, name: owner, role: 'admin', by, credential };
}

function callerOf(user: User, by: Caller['by'], credential: CallerCredential): Caller | null {
  if (user.disabledAt !== null) return null;
  return { owner: user.id, actor: user.id, name: user.name, role: user.role, by, credential };
}

/** The token with a hash and its user; null if the token is not valid now. */
async function findValidToken(
  { store, now }: SharedServices,
  hash: string,
): Promise<{ token: ApiToken; user: User } | null> {
  const token = await store.accounts.tokenByHash(hash);
  if (token === null || token.revokedAt !== null || (token.expiresAt !== null && token.expiresAt <= now())) return null;
  const user = await store.accounts.user(token.userId);
  return user === null || user.disabledAt !== null ? null : { token, user };
}

// Storing every use of a token would turn every read into a write.
const tokenUseIntervalMs = 10 * 60_000;

async function findUserByToken(services: SharedServices, { token, by }: ReceivedToken): Promise<Caller | null> {
  const hash = hashToken(token);
  const found = await findValidToken(services, hash);
  if (found === null) return null;
  const { token: storedToken, user } = found;
  const now = services.now();
  if (storedToken.usedAt === null || now - storedToken.usedAt > tokenUseIntervalMs)
    await services.store.accounts.putToken({ ...storedToken, usedAt: now }).catch((error: unknown) => {
      services.log.warn({ err: error }, 'the use of a token was not noted');
    });
  return callerOf(user, by, {
    key: storedToken.id,
    isValid: async () => (await findValidToken(services, hash)) !== null,
  });
}

/** Normalises socket addresses: an IPv4 address may be mapped into IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

async function findUserByProxy(
  context: ServerContext,
  services: SharedServices,
  proxy: ProxyOptions,
): Promise<Caller | null> {
  const address = remoteAddress(context);
  if (address === null || !proxy.addresses.includes(plainAddress(address))) return null;
  const id = readRequestHeader(context, proxy.userHeader.toLowerCase());
  if (id === undefined || !/^[\w.@+-]{1,200}$/.test(id)) return null;
  const { accounts } = services.store;
  const isValid = async () => (await accounts.user(id))?.disabledAt === null;
  const credential = { key: `user ${id}`, isValid };
  const user = await accounts.user(id);
  if (user !== null) return callerOf(user, 'proxy', credential);
  if (proxy.admit !== true) return null;
  const member: User = { id, name: id, role: 'member', createdAt: services.now(), disabledAt: null };
  await accounts.putUser(member);
  return callerOf(member, 'proxy', credential);
}

/** Returns the caller if it may use the route; throws 401 without credentials, 403 without permission. */
export async function authoriseCaller(context: ServerContext, access: RouteAccess): Promise<Caller> {
  const caller = await identify(context);
  if (caller === null)
    return throwHttpError(
      'http/unauthorized',
      'Show the token of this server: as the bearer in the header Authorization, or as the API key of your client.',
    );
  context.set('caller', caller);
  if (access === 'write' && caller.role === 'viewer')
    return throwHttpError('http/forbidden', 'Viewers cannot change anything. Ask an admin for another role.');
  if (access === 'admin' && caller.role !== 'admin')
    return throwHttpError('http/forbidden', 'Only admins can do this.');
  return caller;
}
