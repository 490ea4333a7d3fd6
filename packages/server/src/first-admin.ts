/** Creates the first admin of a shared server. */
import { randomBytes } from 'node:crypto';
import type { Store } from '@coppice/core';
import { hashToken } from './middleware/auth.ts';

/**
 * Creates an admin with a token if the store has no user, and returns the token; otherwise returns null. Only the hash
 * of the token is stored.
 */
export async function makeFirstAdmin(
  store: Pick<Store, 'accounts'>,
  given: { readonly now: () => number; readonly newId: () => string },
): Promise<string | null> {
  const { accounts } = store;
  if ((await accounts.users()).length > 0) return null;
  const token = randomBytes(32).toString('base64url');
  const createdAt = given.now();
  await accounts.putUser({ id: 'admin', name: 'admin', role: 'admin', createdAt, disabledAt: null });
  await accounts.putToken({
    id: given.newId(),
    userId: 'admin',
    name: 'first',
    hash: hashToken(token),
    createdAt,
    expiresAt: null,
    revokedAt: null,
    usedAt: null,
  });
  return token;
}
