/** Tests of attachments, which are stored by hash and deleted with the last message that refers to them. */
import type { Store } from '@coppice/core';
import { describe, expect } from 'vitest';
import {
  createTestTree,
  requireSubjectMethod,
  type StoreSubject,
  skipUnlessSupported,
  testStoreRule,
} from './subject.ts';

export function registerAttachmentRules(subject: StoreSubject): void {
  describe('attachments', () => {
    testStoreRule(subject, '[K104] existing bytes keep their first media type', async (store) => {
      const bytes = new Uint8Array([1, 2, 3]);
      const first = await store.blobs.put(bytes, 'image/png');
      expect(await store.blobs.put(bytes, 'text/html')).toEqual(first);
      expect(await store.blobs.find(first.hash)).toEqual(first);
    });

    testStoreRule(
      subject,
      '[K104] attachments are found and read by their hash, completely or in part',
      async (store) => {
        const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31) % 256);
        const info = await store.blobs.put(bytes, 'image/png');
        expect(info).toEqual({
          hash: '7a836ea47392ee545204762dcbd4c7c80481fd0a0f8bc06c10ab8e5dabbe9c16',
          size: 70_000,
          mediaType: 'image/png',
        });
        expect(await store.blobs.put(bytes, 'image/png')).toEqual(info);
        expect(await store.blobs.find(info.hash)).toEqual(info);
        const read = await store.blobs.read(info.hash);
        expect(read !== null && Buffer.compare(read, bytes)).toBe(0);
        expect(await store.blobs.read(info.hash, { start: 10, end: 14 })).toEqual(bytes.slice(10, 14));
        expect((await store.blobs.read(info.hash, { start: 69_990, end: 80_000 }))?.length).toBe(10);
        expect((await store.blobs.read(info.hash, { start: 5, end: 5 }))?.length).toBe(0);
        expect(await store.blobs.find('0'.repeat(64))).toBeNull();
        expect(await store.blobs.read('0'.repeat(64))).toBeNull();
        const empty = await store.blobs.put(new Uint8Array(0), 'text/plain');
        expect(empty.hash).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
        expect((await store.blobs.read(empty.hash))?.length).toBe(0);
      },
    );
  });

  describe('attachments of what was purged', () => {
    const text = (words: string) => new TextEncoder().encode(words);
    const says = (info: { readonly hash: string }) => ({
      role: 'user' as const,
      content: [{ type: 'file', source: { type: 'blob', hash: info.hash }, mediaType: 'text/plain' }],
    });
    const isThere = async (store: Store, ...infos: readonly { readonly hash: string }[]) => {
      const found = await Promise.all(infos.map(({ hash }) => store.blobs.find(hash)));
      return found.map((info) => info !== null);
    };
    /** Creates a tree that refers to attachments, then deletes and purges the tree. */
    const passing = async (store: Store, n: number, ...infos: readonly { readonly hash: string }[]) => {
      const fixture = await createTestTree(store, n);
      for (const info of infos)
        await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: says(info) }] });
      await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
      await store.purgeTree(fixture.treeId);
    };

    testStoreRule(
      subject,
      '[K109] go with the last thing that names them, and not before',
      async (store) => {
        const put = (words: string) => store.blobs.put(text(words), 'text/plain');
        const [shared, lone, unsent] = [await put('shared'), await put('lone'), await put('unsent')];
        const first = await createTestTree(store, 1);
        const other = await createTestTree(store, 2);
        await first.run({ type: 'append', treeId: first.treeId, messages: [{ message: says(shared) }] });
        const { result } = await first.run({
          type: 'append',
          treeId: first.treeId,
          messages: [{ message: says(lone) }],
        });
        const [kept] = await other.addMessages(['begins']);
        await other.run({ type: 'append', treeId: other.treeId, messages: [{ message: says(shared) }] });
        expect(kept).toBeDefined();
        await first.run({ type: 'delete', treeId: first.treeId, nodeIds: [result.nodeId], mode: 'cascade' });
        expect(await isThere(store, shared, lone, unsent)).toEqual([true, true, true]);
        await store.purge(first.treeId, { nodeId: result.nodeId });
        expect(await isThere(store, shared, lone, unsent)).toEqual([true, false, true]);
        expect(await store.blobs.read(lone.hash)).toBeNull();
        await first.run({ type: 'delete-tree', treeId: first.treeId });
        await store.purgeTree(first.treeId);
        expect(await isThere(store, shared, unsent)).toEqual([true, true]);
        await other.run({ type: 'delete-tree', treeId: other.treeId });
        await store.purgeTree(other.treeId);
        expect(await isThere(store, shared, unsent)).toEqual([false, true]);
        expect(await put('lone')).toEqual(lone);
        expect(await isThere(store, lone)).toEqual([true]);
      },
      { attachmentGrace: 0 },
    );

    testStoreRule(
      subject,
      '[K161] bytes are deleted with their message, however recently they were added',
      async (store) => {
        const info = await store.blobs.put(text('once'), 'text/plain');
        await passing(store, 1, info);
        expect(await isThere(store, info)).toEqual([false]);
      },
    );

    testStoreRule(subject, '[K161] bytes with a pending second upload survive a purge of the first', async (store) => {
      const info = await store.blobs.put(text('twice'), 'text/plain');
      expect(await store.blobs.put(text('twice'), 'text/plain')).toEqual(info);
      const fixture = await createTestTree(store, 1);
      await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: says(info) }] });
      await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
      expect((await store.purgeTree(fixture.treeId)).waitingAttachments).toBe(1);
      expect(await store.blobs.read(info.hash)).toEqual(text('twice'));
      await passing(store, 2, info);
      expect(await isThere(store, info)).toEqual([false]);
    });

    testStoreRule(
      subject,
      '[K161] a copy, an edit and an undo take no upload from the message that it is for',
      async (store) => {
        const info = await store.blobs.put(text('sent'), 'text/plain');
        const fixture = await createTestTree(store, 1);
        const { treeId } = fixture;
        const { result } = await fixture.run({ type: 'append', treeId, messages: [{ message: says(info) }] });
        // The same bytes are uploaded again, and the message for the second upload is not written yet.
        await store.blobs.put(text('sent'), 'text/plain');
        await fixture.run({ type: 'cherry-pick', treeId, nodeId: result.nodeId });
        await fixture.run({
          type: 'edit',
          treeId,
          nodeId: result.nodeId,
          content: [...says(info).content, { type: 'text', text: 'changed' }],
        });
        await fixture.run({ type: 'undo', treeId });
        await fixture.run({ type: 'redo', treeId });
        await fixture.run({ type: 'delete-tree', treeId });
        await store.purgeTree(treeId);
        expect(await isThere(store, info)).toEqual([true]);
        await passing(store, 2, info);
        expect(await isThere(store, info)).toEqual([false]);
      },
    );

    testStoreRule(
      subject,
      '[K161] after the store was closed, an upload that may still wait is kept until its time is over',
      async (store, context) => {
        skipUnlessSupported(context, store.supports.durable, 'nothing outlives this store');
        const reopen = requireSubjectMethod(subject.reopen, 'reopen');
        const [again, lone] = [
          await store.blobs.put(text('again'), 'text/plain'),
          await store.blobs.put(text('lone'), 'text/plain'),
        ];
        let open = await reopen(store);
        try {
          await passing(open, 1, again, lone);
          expect(await isThere(open, again, lone)).toEqual([true, true]);
          const fixture = await createTestTree(open, 2);
          await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: says(again) }] });
          open = await reopen(open, { attachmentGrace: 0 });
          await open.blobs.put(text('something else'), 'text/plain');
          expect(await isThere(open, again, lone)).toEqual([true, false]);
          expect(await open.blobs.read(again.hash)).toEqual(text('again'));
        } finally {
          await subject.destroy(open);
        }
      },
    );

    testStoreRule(subject, '[K161] a purge keeps bytes that another process just added', async (store, context) => {
      skipUnlessSupported(context, store.supports.processes, 'one process at a time writes to this store');
      const other = await requireSubjectMethod(subject.openSecond, 'openSecond')(store);
      try {
        const info = await other.blobs.put(text('the same bytes'), 'text/plain');
        await passing(store, 1, info);
        // The other handle stores the same bytes again and is about to refer to them.
        expect(await other.blobs.put(text('the same bytes'), 'text/plain')).toEqual(info);
        await passing(store, 2, info);
        const fixture = await createTestTree(other, 3);
        await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: says(info) }] });
        expect(await store.blobs.read(info.hash)).toEqual(text('the same bytes'));
      } finally {
        await other.close();
      }
    });
  });
}
