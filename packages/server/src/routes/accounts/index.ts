/** The routes of accounts: the caller, and on a shared server all users and their tokens. */

import { type ApiToken, AppError, type User } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { type ModelUse, sumModelUse, utcDayOf } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { randomText } from '#platform/crypto';
import { requireFutureExpiry } from '../../expiry.ts';
import { throwHttpError } from '../../http-errors.ts';
import { hashToken } from '../../middleware/auth.ts';
import type { SharedServices } from '../../services.ts';
import { listOfSchema, shortTextSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const role = z.enum(['admin', 'member', 'viewer']);

const user = z
  .object({ id: z.string(), name: z.string(), role, createdAt: z.number(), disabledAt: z.number().nullable() })
  .openapi('User');

const token = z
  .object({
    id: z.string(),
    userId: z.string(),
    name: z.string(),
    createdAt: z.number(),
    expiresAt: z.number().nullable(),
    revokedAt: z.number().nullable(),
    usedAt: z.number().nullable(),
  })
  .openapi('Token');

/** Returns a token without its hash, which no response may contain. */
function toTokenView({ hash: _, ...rest }: ApiToken): Omit<ApiToken, 'hash'> {
  return rest;
}

/** Throws on a single-user server, which has one token and no accounts. */
function requireUsers(services: SharedServices): void {
  if (services.auth.mode !== 'users')
    throwHttpError('http/not-found', 'This server has a single user: there are no accounts and no further tokens.');
}

const me = defineRoute({
  method: 'get',
  path: '/api/me',
  name: 'getMe',
  summary: 'Returns the signed-in user, and whether the server has several users.',
  answer: z.object({ id: z.string(), name: z.string(), role, mode: z.enum(['token', 'users']) }),
  handle: ({ caller, services }) =>
    toReply({ id: caller.owner, name: caller.name, role: caller.role, mode: services.auth.mode }),
});

const listUsers = defineRoute({
  method: 'get',
  path: '/api/users',
  name: 'listUsers',
  summary: 'Lists the users of a shared server.',
  needs: { access: 'admin' },
  answer: z.object({ items: listOfSchema(user) }),
  async handle({ services }) {
    requireUsers(services);
    return toReply({ items: await services.store.accounts.users() });
  },
});

const createUser = defineRoute({
  method: 'post',
  path: '/api/users',
  name: 'createUser',
  summary: 'Adds a user, with a first token that is shown only once.',
  needs: { access: 'admin' },
  body: z.strictObject({
    id: z
      .string()
      .regex(/^[\w.@+-]{1,200}$/, 'letters, digits and . @ + - _ are allowed')
      .optional(),
    name: shortTextSchema,
    role: role.optional(),
  }),
  answer: z.object({ user, token: z.string() }),
  status: 201,
  async handle({ services, body }) {
    requireUsers(services);
    const { accounts } = services.store;
    const id = body.id ?? services.newId();
    if ((await accounts.user(id)) !== null)
      throw new AppError({ code: 'id/taken', kind: 'conflict', message: `The user ${id} already exists.` });
    const made: User = {
      id,
      name: body.name,
      role: body.role ?? 'member',
      createdAt: services.now(),
      disabledAt: null,
    };
    await accounts.putUser(made);
    const { secret } = await makeToken(services, id, 'first', null);
    return toReply({ user: made, token: secret });
  },
});

const patchUser = defineRoute({
  method: 'patch',
  path: '/api/users/{id}',
  name: 'patchUser',
  summary: 'Changes the name or role of a user, or disables and enables the account.',
  needs: { access: 'admin' },
  body: z.strictObject({ name: shortTextSchema.optional(), role: role.optional(), disabled: z.boolean().optional() }),
  answer: z.object({ user }),
  async handle({ services, params, body, caller }) {
    requireUsers(services);
    const { accounts } = services.store;
    const known = await accounts.user(params.id);
    if (known === null) return throwHttpError('http/not-found', `There is no user ${params.id}.`);
    const { disabled, ...rest } = body;
    if (known.id === caller.owner && (disabled === true || (rest.role !== undefined && rest.role !== 'admin')))
      return throwHttpError('http/forbidden', 'You cannot disable your own account.');
    const disabledAt = disabled === undefined ? known.disabledAt : disabled ? services.now() : null;
    const changed: User = { ...known, ...omitUndefined(rest), disabledAt };
    await accounts.putUser(changed);
    await services.streams.closeRevoked();
    return toReply({ user: changed });
  },
});

async function makeToken(services: SharedServices, userId: string, name: string, expiresAt: number | null) {
  const secret = `cop_${randomText(32, 'base64url')}`;
  const made: ApiToken = {
    id: services.newId(),
    userId,
    name,
    hash: hashToken(secret),
    createdAt: services.now(),
    expiresAt,
    revokedAt: null,
    usedAt: null,
  };
  await services.store.accounts.putToken(made);
  return { secret, made };
}

const listTokens = defineRoute({
  method: 'get',
  path: '/api/tokens',
  name: 'listTokens',
  summary: 'Lists your tokens, without their secrets.',
  answer: z.object({ items: listOfSchema(token) }),
  async handle({ services, caller }) {
    requireUsers(services);
    return toReply({ items: (await services.store.accounts.tokens(caller.owner)).map(toTokenView) });
  },
});

const createToken = defineRoute({
  method: 'post',
  path: '/api/tokens',
  name: 'createToken',
  summary:
    'Creates a token for yourself, which is shown only once. Even an admin cannot create a token for another user.',
  // Viewers may create tokens for themselves too, because that changes no tree.
  needs: { access: 'read' },
  body: z.strictObject({
    name: shortTextSchema,
    expiresAt: z.number().int().nullable().optional(),
    userId: z.string().optional(),
  }),
  answer: z.object({ token, secret: z.string() }),
  status: 201,
  async handle({ services, caller, body }) {
    requireUsers(services);
    const { userId = caller.owner, name } = body;
    // A token acts as its user. With a token for another user, an admin could read that user's trees.
    if (userId !== caller.owner)
      return throwHttpError('http/forbidden', 'Only users themselves can create their tokens: sign in as that user.');
    const expiresAt = requireFutureExpiry(body.expiresAt, services.now());
    const { secret, made } = await makeToken(services, caller.owner, name, expiresAt);
    return toReply({ token: toTokenView(made), secret });
  },
});

const revokeToken = defineRoute({
  method: 'delete',
  path: '/api/tokens/{id}',
  name: 'revokeToken',
  summary: 'Revokes one of your tokens.',
  needs: { access: 'read' },
  answer: z.object({ token }),
  async handle({ services, caller, params }) {
    requireUsers(services);
    const { accounts } = services.store;
    const known = (await accounts.tokens(caller.owner)).find((one) => one.id === params.id);
    if (known === undefined) return throwHttpError('http/not-found', `You have no token ${params.id}.`);
    const revoked: ApiToken = { ...known, revokedAt: known.revokedAt ?? services.now() };
    await accounts.putToken(revoked);
    await services.streams.closeRevoked();
    return toReply({ token: toTokenView(revoked) });
  },
});

const listUserTokens = defineRoute({
  method: 'get',
  path: '/api/users/{id}/tokens',
  name: 'listUserTokens',
  summary: 'Lists the tokens of a user, without their secrets.',
  needs: { access: 'admin' },
  answer: z.object({ items: listOfSchema(token) }),
  async handle({ services, params }) {
    requireUsers(services);
    const { accounts } = services.store;
    if ((await accounts.user(params.id)) === null)
      return throwHttpError('http/not-found', `There is no user ${params.id}.`);
    return toReply({ items: (await accounts.tokens(params.id)).map(toTokenView) });
  },
});

const revokeUserToken = defineRoute({
  method: 'delete',
  path: '/api/users/{id}/tokens/{token}',
  name: 'revokeUserToken',
  summary: 'Revokes a token of a user.',
  needs: { access: 'admin' },
  answer: z.object({ token }),
  async handle({ services, params }) {
    requireUsers(services);
    const { accounts } = services.store;
    const known = (await accounts.tokens(params.id)).find((one) => one.id === params.token);
    if (known === undefined) return throwHttpError('http/not-found', `${params.id} has no token ${params.token}.`);
    const revoked: ApiToken = { ...known, revokedAt: known.revokedAt ?? services.now() };
    await accounts.putToken(revoked);
    await services.streams.closeRevoked();
    return toReply({ token: toTokenView(revoked) });
  },
});

const modelUse = z.object({ calls: z.number(), tokens: z.number(), usd: z.number() });
const usageDays = 30;
const noUse: ModelUse = { calls: 0, tokens: 0, usd: 0 };

const usage = defineRoute({
  method: 'get',
  path: '/api/usage',
  name: 'getUsage',
  summary: 'Returns the tokens and cost of each user on this server, today and in the last 30 days.',
  needs: { access: 'admin' },
  answer: z.object({
    days: z.number(),
    items: listOfSchema(z.object({ userId: z.string(), today: modelUse, period: modelUse })),
  }),
  async handle({ services }) {
    requireUsers(services);
    const { spending } = services.engine;
    const [today, period] = [new Map<string, ModelUse>(), new Map<string, ModelUse>()];
    for (let back = 0; back < usageDays; back++)
      for (const [owner, use] of await spending.byOwner(utcDayOf(services.now() - back * 86_400_000))) {
        period.set(owner, sumModelUse(period.get(owner), use));
        if (back === 0) today.set(owner, use);
      }
    const items = [...period].map(([userId, use]) => ({ userId, today: today.get(userId) ?? noUse, period: use }));
    return toReply({ days: usageDays, items });
  },
});

const limit = z.number().int().positive().nullable();
const dollars = z.number().positive().nullable();
const limitChoices = z.object({
  dayUsd: dollars,
  requestsPerMinute: limit,
  uploadBytesPerDay: limit,
  generations: limit,
});
const limitsBody = z.strictObject({
  dayUsd: dollars.optional(),
  requestsPerMinute: limit.optional(),
  uploadBytesPerDay: limit.optional(),
  generations: limit.optional(),
});
const limitsAnswer = z.object({
  chosen: limitChoices,
  inForce: limitChoices,
  editable: z.boolean(),
});

const noLimits = { dayUsd: null, requestsPerMinute: null, uploadBytesPerDay: null, generations: null };

function limitsReply({ live, config, quotas }: SharedServices): z.infer<typeof limitsAnswer> {
  const { requestsPerMinute, uploadBytesPerDay, generations } = quotas;
  return {
    chosen: live?.limitChoices ?? noLimits,
    inForce: { dayUsd: config.budgets.dayUsd, requestsPerMinute, uploadBytesPerDay, generations },
    editable: live !== null,
  };
}

const getLimits = defineRoute({
  method: 'get',
  path: '/api/settings/limits',
  name: 'getLimits',
  summary: 'Returns the daily budget of a shared server and the limits that apply to each user.',
  needs: { access: 'admin' },
  answer: limitsAnswer,
  handle({ services }) {
    requireUsers(services);
    return toReply(limitsReply(services));
  },
});

const chooseLimits = defineRoute({
  method: 'put',
  path: '/api/settings/limits',
  name: 'chooseLimits',
  summary:
    'Sets the daily budget and the limits of each user, at most to the limits of the operator. Null removes a limit.',
  needs: { access: 'admin' },
  body: limitsBody,
  answer: limitsAnswer,
  async handle({ services, body }) {
    requireUsers(services);
    const { live } = services;
    if (live === null) return throwHttpError('http/forbidden', 'Limits are set in the configuration of this server.');
    await live.chooseLimits(omitUndefined(body));
    return toReply(limitsReply(services));
  },
});

async function personLimitsReply(services: SharedServices, id: string): Promise<z.infer<typeof limitsAnswer>> {
  requireUsers(services);
  if ((await services.store.accounts.user(id)) === null)
    return throwHttpError('http/not-found', `There is no user ${id}.`);
  const { requestsPerMinute, uploadBytesPerDay, generations } = services.quotasOf(id);
  const chosen = services.live?.limitsOf(id) ?? noLimits;
  return {
    chosen,
    inForce: { dayUsd: chosen.dayUsd, requestsPerMinute, uploadBytesPerDay, generations },
    editable: services.live !== null,
  };
}

const getUserLimits = defineRoute({
  method: 'get',
  path: '/api/users/{id}/limits',
  name: 'getUserLimits',
  summary: 'Returns the limits of one user, which replace the general limits.',
  needs: { access: 'admin' },
  answer: limitsAnswer,
  handle: async ({ services, params }) => toReply(await personLimitsReply(services, params.id)),
});

const chooseUserLimits = defineRoute({
  method: 'put',
  path: '/api/users/{id}/limits',
  name: 'chooseUserLimits',
  summary: 'Sets the limits of one user, at most to the limits of the operator. Null removes a limit.',
  needs: { access: 'admin' },
  body: limitsBody,
  answer: limitsAnswer,
  async handle({ services, params, body }) {
    await personLimitsReply(services, params.id);
    const { live } = services;
    if (live === null) return throwHttpError('http/forbidden', 'Limits are set in the configuration of this server.');
    await live.chooseLimitsOf(params.id, omitUndefined(body));
    return toReply(await personLimitsReply(services, params.id));
  },
});

export const accountRoutes = [
  me,
  listUsers,
  createUser,
  patchUser,
  listTokens,
  createToken,
  revokeToken,
  listUserTokens,
  revokeUserToken,
  usage,
  getLimits,
  chooseLimits,
  getUserLimits,
  chooseUserLimits,
];
