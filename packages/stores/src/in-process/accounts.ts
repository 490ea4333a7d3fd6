/** Stores users, API tokens and share links in memory. */
import type { AccountStore, ApiToken, ShareLink, TreeId, User } from '@coppice/core';
import { assertHashUnused, assertKnownRole } from '../account-rules.ts';
import type { InProcessState } from './in-process-state.ts';

/** The users, tokens and shares of a store. All owners share them. */
export class InProcessAccounts implements AccountStore {
  readonly #state: InProcessState;
  readonly #users = new Map<string, User>();
  readonly #tokens = new Map<string, ApiToken>();
  readonly #shares = new Map<string, ShareLink>();
  readonly #tokenHashes = new Map<string, string>();
  readonly #shareHashes = new Map<string, string>();

  constructor(state: InProcessState) {
    this.#state = state;
  }

  /** Adds the accounts that were read from disk when the store was opened; they are not persisted again. */
  register(kept: {
    readonly users?: readonly User[];
    readonly tokens?: readonly ApiToken[];
    readonly shares?: readonly ShareLink[];
  }): void {
    for (const user of kept.users ?? []) this.#users.set(user.id, user);
    for (const token of kept.tokens ?? []) this.#enterToken(token);
    for (const share of kept.shares ?? []) this.#enterShare(share);
  }

  #enterToken(token: ApiToken): void {
    const before = this.#tokens.get(token.id);
    if (before !== undefined) this.#tokenHashes.delete(before.hash);
    this.#tokens.set(token.id, token);
    this.#tokenHashes.set(token.hash, token.id);
  }

  #enterShare(share: ShareLink): void {
    const before = this.#shares.get(share.id);
    if (before !== undefined) this.#shareHashes.delete(before.hash);
    this.#shares.set(share.id, share);
    this.#shareHashes.set(share.hash, share.id);
  }

  /** Deletes the shares of a purged tree from memory. The caller persists the purge. */
  forget(treeId: TreeId): void {
    for (const share of [...this.#shares.values()]) {
      if (share.treeId !== treeId) continue;
      this.#shares.delete(share.id);
      this.#shareHashes.delete(share.hash);
    }
  }

  async putUser(user: User): Promise<void> {
    this.#state.assertWritable();
    assertKnownRole(user);
    await this.#state.persist({ type: 'user', user });
    this.#users.set(user.id, user);
  }

  async users(): Promise<readonly User[]> {
    this.#state.assertOpen();
    return byAge(this.#users.values());
  }

  async user(id: string): Promise<User | null> {
    this.#state.assertOpen();
    return this.#users.get(id) ?? null;
  }

  async putToken(token: ApiToken): Promise<void> {
    this.#state.assertWritable();
    assertHashUnused('token', token.id, await this.tokenByHash(token.hash));
    // A caller may have read the token before it was revoked. When it records the use, the token must stay revoked.
    const revokedAt = this.#tokens.get(token.id)?.revokedAt ?? token.revokedAt;
    const storedToken = { ...token, revokedAt };
    await this.#state.persist({ type: 'token', token: storedToken });
    this.#enterToken(storedToken);
  }

  async tokens(userId: string): Promise<readonly ApiToken[]> {
    this.#state.assertOpen();
    return byAge(this.#tokens.values()).filter((token) => token.userId === userId);
  }

  async tokenByHash(hash: string): Promise<ApiToken | null> {
    this.#state.assertOpen();
    return this.#tokens.get(this.#tokenHashes.get(hash) ?? '') ?? null;
  }

  async putShare(share: ShareLink): Promise<void> {
    this.#state.assertWritable();
    await this.#state.open(share.owner, share.treeId);
    assertHashUnused('share', share.id, await this.shareByHash(share.hash));
    await this.#state.persist({ type: 'share', share });
    this.#enterShare(share);
  }

  async shares(owner: string, treeId?: TreeId): Promise<readonly ShareLink[]> {
    this.#state.assertOpen();
    return byAge(this.#shares.values())
      .filter((share) => share.owner === owner && (treeId === undefined || share.treeId === treeId))
      .reverse();
  }

  async shareByHash(hash: string): Promise<ShareLink | null> {
    this.#state.assertOpen();
    return this.#shares.get(this.#shareHashes.get(hash) ?? '') ?? null;
  }
}

function byAge<T extends { readonly createdAt: number; readonly id: string }>(all: Iterable<T>): T[] {
  return [...all].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
