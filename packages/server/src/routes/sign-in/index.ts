/** The routes for signing in and out. The token is stored only in a cookie that scripts cannot read. */
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import { findCallerByToken, makeSessionCookie, makeSignOutCookie } from '../../middleware/auth.ts';
import { defineRoute, toReply } from '../define.ts';

const role = z.enum(['admin', 'member', 'viewer']);

const getSignIn = defineRoute({
  method: 'get',
  path: '/api/sign-in',
  name: 'getSignIn',
  summary: 'Returns how users sign in: with the one token of this server, or each with a personal token.',
  needs: { access: 'open' },
  answer: z.object({ mode: z.enum(['token', 'users']) }),
  handle: ({ services }) => toReply({ mode: services.auth.mode }),
});

const enter = defineRoute({
  method: 'post',
  path: '/api/sign-in',
  name: 'signIn',
  summary: 'Signs a browser in: checks a token and stores it in a cookie.',
  needs: { access: 'open' },
  body: z.strictObject({ token: z.string().min(1).max(4096) }),
  answer: z.object({ id: z.string(), name: z.string(), role, mode: z.enum(['token', 'users']) }),
  async handle(call) {
    const { services, body } = call;
    const token = body.token.trim();
    const caller = await findCallerByToken(services, { token, by: 'cookie' });
    if (caller === null) return throwHttpError('http/unauthorized', 'This is not a token of this server.');
    return toReply(
      { id: caller.owner, name: caller.name, role: caller.role, mode: services.auth.mode },
      { headers: { 'Set-Cookie': makeSessionCookie(call, token) } },
    );
  },
});

const leave = defineRoute({
  method: 'post',
  path: '/api/sign-out',
  name: 'signOut',
  summary: 'Signs this browser out by deleting its cookie. The token itself stays valid.',
  needs: { access: 'open' },
  answer: z.object({ signedOut: z.boolean() }),
  handle: (call) => toReply({ signedOut: true }, { headers: { 'Set-Cookie': makeSignOutCookie(call) } }),
});

const leaveEverywhere = defineRoute({
  method: 'post',
  path: '/api/sign-out-everywhere',
  name: 'signOutEverywhere',
  summary:
    'Ends all your other sessions: replaces the token of this server, or revokes your other tokens. This session stays signed in.',
  needs: { access: 'read' },
  answer: z.object({ ended: z.number().nullable() }),
  async handle(call) {
    const { services, caller } = call;
    const { auth, streams } = services;
    if (auth.mode === 'token') {
      if (auth.renew === undefined)
        return throwHttpError(
          'http/forbidden',
          'The token is set by COPPICE_TOKEN. Change that variable where Coppice is started.',
        );
      const token = await auth.renew();
      await streams.closeRevoked();
      const cookie = caller.by === 'cookie' ? { 'Set-Cookie': makeSessionCookie(call, token) } : {};
      return toReply({ ended: null }, { headers: cookie });
    }
    const { accounts } = services.store;
    const now = services.now();
    let ended = 0;
    for (const token of await accounts.tokens(caller.owner)) {
      const isOver = token.revokedAt !== null || (token.expiresAt !== null && token.expiresAt <= now);
      if (isOver || token.id === caller.credential?.key) continue;
      await accounts.putToken({ ...token, revokedAt: now });
      ended++;
    }
    await streams.closeRevoked();
    return toReply({ ended });
  },
});

export const signInRoutes = [getSignIn, enter, leave, leaveEverywhere];
