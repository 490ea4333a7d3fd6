/** Authenticates the caller of a request by token, cookie or proxy header. */
import type { ApiToken, User } from '@coppice/core';
import { sha256, timingSafeEqualBytes } from '#platform/crypto';
import type { Caller, CallerCredential } from '../caller.ts';
import type { SignInProxyOptions } from '../contract.ts';
import { hostOf, readRemoteAddress, readRequestHeader, type ServerContext } from '../env.ts';
import { throwHttpError } from '../http-errors.ts';
import type { RouteAccess } from '../routes/define.ts';
import type { SharedServices } from '../services.ts';
import { isCrossSiteRequest } from './origin.ts';

/**
 * Returns the SHA-256 of a token or of the secret of a share link, in hex. Only this hash is stored. Both secrets are
 * random, so they need no salt.
 */
export function hashToken(token: string): string {
  return sha256(token, 'hex');
}

const encoder = new TextEncoder();

/** Compares two secrets in constant time, so that the duration reveals nothing but their length. */
function sameSecret(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && timingSafeEqualBytes(left, right);
}

/**
 * Returns the name of the session cookie. It contains the port, because browsers send cookies to all ports of a host,
 * and two servers on one computer would overwrite each other's cookie.
 */
function cookieName(host: string): string {
  const [, port] = /:(\d{1,5})$/.exec(host) ?? [];
  return port === undefined ? 'coppice' : `coppice-${port}`;
}

/** Returns the session cookie. Scripts cannot read it, and requests of other sites do not send it. */
export function makeSessionCookie(request: CookieRequest, token: string): string {
  const secure = request.header('x-forwarded-proto') === 'https' ? '; Secure' : '';
  return `${cookieName(request.host)}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000${secure}`;
}

/** Returns the cookie that deletes the session cookie. */
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
  // If the token has its own header, the other headers are free for the upstream service.
  const ownHeaderToken = readRequestHeader(context, 'x-coppice-token');
  if (ownHeaderToken !== undefined) return { token: ownHeaderToken, by: 'bearer' };
  const [, bearer] = /^bearer +(\S+)$/i.exec(readRequestHeader(context, 'authorization') ?? '') ?? [];
  if (bearer !== undefined) return { token: bearer, by: 'bearer' };
  // Clients of Anthropic and Google send their key in these headers. A client that is configured for Coppice sends our
  // token there.
  const key = readRequestHeader(context, 'x-api-key') ?? readRequestHeader(context, 'x-goog-api-key');
  if (key !== undefined) return { token: key, by: 'bearer' };
  // A page of another origin must send a token. With a cookie it could act as the signed-in user.
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

/** Returns the caller of a request; null if the request has no valid credentials. */
async function identify(context: ServerContext): Promise<Caller | null> {
  const services = context.get('services');
  const shown = shownToken(context);
  if (shown !== null) return findCallerByToken(services, shown);
  if (services.auth.mode === 'token') return null;
  return services.auth.proxy === undefined ? null : findUserByProxy(context, services, services.auth.proxy);
}

/** Returns the caller of a token; null if the token is unknown, revoked or expired. */
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

/** Returns the token with this hash and its user; null if the token is revoked or expired, or the user is disabled. */
async function findValidToken(
  { store, now }: SharedServices,
  hash: string,
): Promise<{ token: ApiToken; user: User } | null> {
  const token = await store.accounts.tokenByHash(hash);
  if (token === null || token.revokedAt !== null || (token.expiresAt !== null && token.expiresAt <= now())) return null;
  const user = await store.accounts.user(token.userId);
  return user === null || user.disabledAt !== null ? null : { token, user };
}

// The use of a token is stored at most this often. Storing every use would make every read a write.
const tokenUseIntervalMs = 10 * 60_000;

async function findUserByToken(services: SharedServices, { token, by }: ReceivedToken): Promise<Caller | null> {
  const hash = hashToken(token);
  const found = await findValidToken(services, hash);
  if (found === null) return null;
  const { token: storedToken, user } = found;
  const now = services.now();
  if (storedToken.usedAt === null || now - storedToken.usedAt > tokenUseIntervalMs)
    await services.store.accounts.putToken({ ...storedToken, usedAt: now }).catch((error: unknown) => {
      services.log.warn({ err: error }, 'the use of a token was not stored');
    });
  return callerOf(user, by, {
    key: storedToken.id,
    isValid: async () => (await findValidToken(services, hash)) !== null,
  });
}

/** Returns the IPv4 form of an address that is mapped into IPv6, as sockets report it. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

async function findUserByProxy(
  context: ServerContext,
  services: SharedServices,
  proxy: SignInProxyOptions,
): Promise<Caller | null> {
  const address = readRemoteAddress(context);
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

/**
 * Returns the caller of a request. Throws 401 without valid credentials, and 403 if the caller may not use the route.
 */
export async function authoriseCaller(context: ServerContext, access: RouteAccess): Promise<Caller> {
  const caller = await identify(context);
  if (caller === null)
    return throwHttpError(
      'http/unauthorized',
      'A token is needed. Send it as a bearer token in the Authorization header, or as the API key of your client.',
    );
  context.set('caller', caller);
  if (access === 'write' && caller.role === 'viewer')
    return throwHttpError('http/forbidden', 'Viewers cannot change anything. Ask an admin for another role.');
  if (access === 'admin' && caller.role !== 'admin')
    return throwHttpError('http/forbidden', 'Only admins can do this.');
  return caller;
}
