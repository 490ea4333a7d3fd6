/** Tests of users, tokens and shares. */
import type { ApiToken, ShareLink, User } from '@coppice/core';
import { describe, expect } from 'vitest';
import { createTestTree, expectRefusalCode, type StoreSubject, testStoreRule } from './subject.ts';

export function registerAccountRules(subject: StoreSubject): void {
  describe('accounts', () => {
    testStoreRule(subject, '[K108] an unknown role and a hash that is taken are refused', async (store) => {
      const { treeId: tree } = await createTestTree(store);
      const user: User = { id: 'u', name: 'Ann', role: 'admin', createdAt: 1, disabledAt: null };
      await store.accounts.putUser(user);
      expect(await expectRefusalCode(store.accounts.putUser({ ...user, id: 'v', role: JSON.parse('"god"') }))).toBe(
        'command/invalid',
      );
      expect(await store.accounts.user('v')).toBeNull();
      const times = { createdAt: 1, expiresAt: null, revokedAt: null };
      const token: ApiToken = { id: 't', userId: 'u', name: 'n', hash: 'h', ...times, usedAt: null };
      await store.accounts.putToken(token);
      expect(await expectRefusalCode(store.accounts.putToken({ ...token, id: 't2' }))).toBe('id/taken');
      expect(await store.accounts.tokenByHash('h')).toEqual(token);
      const share: ShareLink = {
        id: 's',
        owner: store.owner,
        treeId: tree,
        version: null,
        nodeIds: [],
        fields: [],
        title: null,
        hash: 'h',
        ...times,
      };
      await store.accounts.putShare(share);
      expect(await expectRefusalCode(store.accounts.putShare({ ...share, id: 's2' }))).toBe('id/taken');
    });

    testStoreRule(
      subject,
      '[K108] users, tokens and shares are stored as given and found by id and by hash',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first] = await fixture.addMessages(['a']);
        const users: User[] = ['ann', 'ben'].map((id, at) => ({
          id,
          name: `${id} \ud800`,
          role: 'member',
          createdAt: at,
          disabledAt: null,
        }));
        for (const user of users) await store.accounts.putUser(user);
        expect(await store.accounts.users()).toEqual(users);
        const [ann] = users;
        if (ann === undefined) throw new Error('There is no user.');
        await store.accounts.putUser({ ...ann, role: 'viewer', disabledAt: 9 });
        expect(await store.accounts.user('ann')).toEqual({ ...ann, role: 'viewer', disabledAt: 9 });
        expect(await store.accounts.user('nobody')).toBeNull();
        const token: ApiToken = {
          id: 't',
          userId: 'ann',
          name: 'laptop',
          hash: 'h1',
          createdAt: 1,
          expiresAt: null,
          revokedAt: null,
          usedAt: null,
        };
        await store.accounts.putToken(token);
        expect(await store.accounts.tokenByHash('h1')).toEqual(token);
        await store.accounts.putToken({ ...token, hash: 'h2', revokedAt: 5 });
        expect(await store.accounts.tokenByHash('h1')).toBeNull();
        expect(await store.accounts.tokens('ann')).toEqual([{ ...token, hash: 'h2', revokedAt: 5 }]);
        // A caller read the token before it was revoked, and records its use afterwards.
        await store.accounts.putToken({ ...token, hash: 'h2', usedAt: 7 });
        expect(await store.accounts.tokens('ann')).toEqual([{ ...token, hash: 'h2', revokedAt: 5, usedAt: 7 }]);
        expect(await store.accounts.tokens('ben')).toEqual([]);
        const share: ShareLink = {
          id: 's',
          owner: store.owner,
          treeId: fixture.treeId,
          version: 2,
          nodeIds: first === undefined ? [] : [first],
          fields: ['text'],
          title: null,
          hash: 'h3',
          createdAt: 1,
          expiresAt: null,
          revokedAt: null,
        };
        await store.accounts.putShare(share);
        await store.accounts.putShare({ ...share, id: 's2', hash: 'h4', createdAt: 2, title: 'T', version: null });
        expect((await store.accounts.shareByHash('h4'))?.version).toBeNull();
        expect(await store.accounts.shareByHash('h3')).toEqual(share);
        expect((await store.accounts.shares(store.owner)).map((one) => one.id)).toEqual(['s2', 's']);
        expect((await store.accounts.shares(store.owner, fixture.treeId)).length).toBe(2);
        expect(await store.accounts.shares('somebody else')).toEqual([]);
        await store.accounts.putShare({ ...share, revokedAt: 7 });
        expect((await store.accounts.shareByHash('h3'))?.revokedAt).toBe(7);
        // All owners share the accounts of a store.
        expect((await store.forOwner('somebody else').accounts.users()).length).toBe(2);
      },
    );

    testStoreRule(
      subject,
      '[K193] encrypted records are shared by all handles, and every change has a new version',
      async (store) => {
        const { sealed } = store;
        if (sealed === null) return;
        const versions = [await sealed.version()];
        await sealed.put('a', { data: 'one \ud800', ['__proto__']: 'kept' });
        versions.push(await sealed.version());
        await sealed.put('b', { data: 'two' });
        versions.push(await sealed.version());
        await sealed.put('b', { data: 'three' });
        versions.push(await sealed.version());
        expect(await store.forOwner('somebody else').sealed?.load()).toEqual(await sealed.load());
        expect(await sealed.remove('a')).toBe(true);
        expect(await sealed.remove('a')).toBe(false);
        versions.push(await sealed.version());
        expect(await sealed.rewrite((id, { data }) => ({ data: `${id} ${String(data)}` }))).toBe(1);
        versions.push(await sealed.version());
        expect([...(await sealed.load())]).toEqual([['b', { data: 'b three' }]]);
        expect(new Set(versions).size).toBe(versions.length);
      },
    );
  });
}
