/** Who calls, and whose trees they see. Every route asks here and nowhere else. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Token, User } from '@coppice/core';
import type { Caller, CallerLimits } from '../caller.ts';
import type { ProxyOptions } from '../contract.ts';
import { hostOf, remoteAddress, requestHeader, type ServerContext } from '../env.ts';
import { refuseHttp } from '../http-errors.ts';
import type { Access } from '../routes/define.ts';
import type { Services } from '../services.ts';

/** What is kept of a token or a share's secret: its SHA-256 in hex. They are random, so no salt is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether two secrets are the same, in a time that says nothing about where they differ, but for how long they are. */
function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}

/** The cookie's name. Cookies do not tell ports apart, so two servers on one machine would sign each other out. */
function cookieName(host: string): string {
  const [, port] = /:(\d{1,5})$/.exec(host) ?? [];
  return port === undefined ? 'coppice' : `coppice-${port}`;
}

/** The cookie that keeps a browser signed in: no script sees it and no other site sends it. */
export function sessionCookie(context: ServerContext, token: string): string {
  const secure = requestHeader(context, 'x-forwarded-proto') === 'https' ? '; Secure' : '';
  return `${cookieName(hostOf(context))}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000${secure}`;
}

interface ShownToken {
  readonly token: string;
  readonly by: 'bearer' | 'cookie';
}

function shownToken(context: ServerContext): ShownToken | null {
  // In a header of its own the token leaves the others to the service that a call is passed on to.
  const apart = requestHeader(context, 'x-coppice-token');
  if (apart !== undefined) return { token: apart, by: 'bearer' };
  const [, bearer] = /^bearer +(\S+)$/i.exec(requestHeader(context, 'authorization') ?? '') ?? [];
  if (bearer !== undefined) return { token: bearer, by: 'bearer' };
  // How clients of Anthropic show a key: pointed here, they show our token.
  const key = requestHeader(context, 'x-api-key');
  if (key !== undefined) return { token: key, by: 'bearer' };
  const wanted = `${cookieName(hostOf(context))}=`;
  for (const part of (requestHeader(context, 'cookie') ?? '').split(';')) {
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

/** Whoever makes the request, or null where it does not say or says it wrongly. */
async function identify(context: ServerContext): Promise<Caller | null> {
  const services = context.get('services');
  const shown = shownToken(context);
  if (services.auth.mode === 'token') {
    if (shown === null || !sameSecret(shown.token, services.auth.token)) return null;
    const { owner } = services.store;
    return { owner, actor: owner, name: owner, role: 'admin', by: shown.by, stay: null };
  }
  if (shown !== null) return byToken(services, shown);
  return services.auth.proxy === undefined ? null : byProxy(context, services, services.auth.proxy);
}

function callerOf(user: User, by: Caller['by'], stay: CallerLimits): Caller | null {
  if (user.disabledAt !== null) return null;
  return { owner: user.id, actor: user.id, name: user.name, role: user.role, by, stay };
}

/** Whoever a token lets in now; null where it lets nobody in. */
async function isBehindProxy({ store, now }: Services, hash: string): Promise<{ token: Token; user: User } | null> {
  const token = await store.accounts.tokenByHash(hash);
  if (token === null || token.revokedAt !== null || (token.expiresAt !== null && token.expiresAt <= now())) return null;
  const user = await store.accounts.user(token.userId);
  return user === null || user.disabledAt !== null ? null : { token, user };
}

// Noting each use of a token would make every read a write.
const noteUseMs = 10 * 60_000;

async function byToken(services: Services, { token, by }: ShownToken): Promise<Caller | null> {
  const hash = hashToken(token);
  const found = await isBehindProxy(services, hash);
  if (found === null) return null;
  const { token: kept, user } = found;
  const now = services.now();
  if (kept.usedAt === null || now - kept.usedAt > noteUseMs)
    await services.store.accounts.putToken({ ...kept, usedAt: now }).catch((error: unknown) => {
      services.log.warn({ err: error }, 'the use of a token was not noted');
    });
  return callerOf(user, by, { key: kept.id, holds: async () => (await isBehindProxy(services, hash)) !== null });
}

/** Addresses as sockets spell them: an IPv4 address may come mapped into IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

async function byProxy(context: ServerContext, services: Services, proxy: ProxyOptions): Promise<Caller | null> {
  const address = remoteAddress(context);
  if (address === null || !proxy.addresses.includes(plainAddress(address))) return null;
  const id = requestHeader(context, proxy.userHeader.toLowerCase());
  if (id === undefined || !/^[\w.@+-]{1,200}$/.test(id)) return null;
  const { accounts } = services.store;
  const holds = async () => (await accounts.user(id))?.disabledAt === null;
  const stay = { key: `user ${id}`, holds };
  const user = await accounts.user(id);
  if (user !== null) return callerOf(user, 'proxy', stay);
  if (proxy.admit !== true) return null;
  const member: User = { id, name: id, role: 'member', createdAt: services.now(), disabledAt: null };
  await accounts.putUser(member);
  return callerOf(member, 'proxy', stay);
}

/** The caller, if it may do what the route does; 401 if nobody showed who it is, 403 if it is not for the likes of them. */
export async function authorise(context: ServerContext, access: Access): Promise<Caller> {
  const caller = await identify(context);
  if (caller === null)
    return refuseHttp(
      'http/unauthorized',
      'Show the token of this server: as the bearer in the header Authorization, or as the API key of your client.',
    );
  context.set('caller', caller);
  if (access === 'write' && caller.role === 'viewer')
    return refuseHttp('http/forbidden', 'A viewer reads and changes nothing.');
  if (access === 'admin' && caller.role !== 'admin') return refuseHttp('http/forbidden', 'This is for admins.');
  return caller;
}
