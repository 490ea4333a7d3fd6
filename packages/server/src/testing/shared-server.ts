/** Opens a server with several users: an admin, two members and a viewer. */
import type { Store, User } from '@coppice/core';
import { hashToken } from '../middleware/auth.ts';
import { openTestServer, type TestServer, type TestServerOptions } from './index.ts';

/** The users of the test server, each with a token of the same name. */
export const testUsers: readonly Pick<User, 'id' | 'role'>[] = [
  { id: 'ada', role: 'admin' },
  { id: 'ben', role: 'member' },
  { id: 'cleo', role: 'member' },
  { id: 'vic', role: 'viewer' },
];

/** Adds the test users with their tokens to a store. */
export async function addTestUsers({ accounts }: Pick<Store, 'accounts'>): Promise<void> {
  for (const { id, role } of testUsers) {
    await accounts.putUser({ id, name: id, role, createdAt: 1, disabledAt: null });
    await accounts.putToken({
      id: `token-${id}`,
      userId: id,
      name: 'test',
      hash: hashToken(id),
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      usedAt: null,
    });
  }
}

/** Opens the server. `token: 'ben'` sends a request as Ben. */
export async function openSharedServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await openTestServer({ auth: { mode: 'users' }, ...options });
  await addTestUsers(server.store);
  return server;
}
