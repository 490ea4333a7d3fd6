/**
 * Tests of callers without type checks. A store refuses their mistakes with a code, never with a TypeError or a driver
 * error.
 */
import { ask, nodeId, run, type Store, treeId as treeIdOf } from '@coppice/core';
import { assistant, createTestClock, testKit, testUuid, user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import {
  createTestTree,
  expectRefusalCode,
  readTreeJson,
  requireSubjectMethod,
  type StoreSubject,
  testStoreRule,
} from './subject.ts';

/** Runs a command that TypeScript would reject, and returns the code of the refusal. */
function tried(store: Store, command: unknown): Promise<string> {
  return expectRefusalCode(() =>
    Reflect.apply(run, undefined, [store, command, { actor: 'me', kit: testKit, ...createTestClock(700) }]),
  );
}

/** Calls a method with arguments that TypeScript would reject, and returns the code of the refusal. */
function called(of: object, name: string, ...values: readonly unknown[]): Promise<string> {
  return expectRefusalCode(async () => Reflect.apply(Reflect.get(of, name), of, values));
}

export function registerUntypedCallerRules(subject: StoreSubject): void {
  describe('callers without types', () => {
    testStoreRule(subject, '[K26] an invalid command is refused with a code', async (store) => {
      const fixture = await createTestTree(store);
      const [a] = await fixture.addMessages(['a', 'b']);
      const here = { treeId: fixture.treeId, nodeId: a };
      const before = await readTreeJson(store, fixture.treeId);
      const message = user('m');
      expect(await tried(store, null)).toBe('command/invalid');
      expect(await tried(store, { type: 'append', ...here, messages: null })).toBe('command/invalid');
      expect(await tried(store, { type: 'import', treeId: testUuid(90) })).toBe('command/invalid');
      expect(await tried(store, { type: 'mark', ...here, kind: 'message', message })).toBe('command/invalid');
      expect(await tried(store, { type: 'delete', ...here, nodeIds: [a], mode: 'Cascade' })).toBe('command/invalid');
      expect(await tried(store, { type: 'branch', ...here, summary: 5 })).toBe('command/invalid');
      expect(await tried(store, { type: 'append', messages: [{ message }] })).toBe('tree/unknown-tree');
      expect(await tried(store, { type: 'select', treeId: fixture.treeId, nodeId: 5 })).toBe('tree/unknown-node');
      expect(await tried(store, { type: 'create', treeId: 5 })).toBe('id/invalid');
      expect(await readTreeJson(store, fixture.treeId)).toEqual(before);
    });

    testStoreRule(
      subject,
      '[K172] an unknown field of the options of a check or a backup is refused',
      async (store) => {
        await createTestTree(store);
        expect(await called(store, 'fsck', { repar: true })).toBe('command/invalid');
        if (!store.supports.durable) return;
        const { to } = await requireSubjectMethod(subject.backup, 'backup')(store);
        expect(await called(store, 'backup', to, { onprogress: () => undefined })).toBe('command/invalid');
      },
    );

    testStoreRule(
      subject,
      '[K171] a number or a list that JSON cannot express is refused by every method',
      async (store) => {
        const fixture = await createTestTree(store);
        const [a = nodeId('')] = await fixture.addMessages(['a', 'b']);
        const { treeId } = fixture;
        const before = await readTreeJson(store, treeId);
        const odd: readonly unknown[] = [Number.NaN, Number.NEGATIVE_INFINITY, [undefined], { deep: [1, undefined] }];
        for (const value of odd) {
          const meta = { value };
          const commands: readonly object[] = [
            { type: 'annotate', treeId, nodeId: a, set: meta },
            { type: 'annotate', treeId, nodeId: a, set: { customData: meta } },
            { type: 'attributes', treeId, set: { metadata: meta } },
            { type: 'append', treeId, messages: [{ message: user('c'), meta }] },
            { type: 'reply', treeId, parentId: a, replies: [{ message: assistant('r'), meta }] },
            { type: 'mark', treeId, kind: 'injected', message: user('m'), meta },
            { type: 'create', treeId: testUuid(91), attributes: { metadata: meta } },
            { type: 'duplicate', treeId: testUuid(92), from: treeId, attributes: { metadata: meta } },
            {
              type: 'import',
              treeId: testUuid(93),
              nodes: [{ id: testUuid(94), parentId: null, order: 1, message: user('i'), meta }],
            },
          ];
          for (const command of commands)
            expect([command, await tried(store, command)]).toEqual([command, 'command/invalid']);
          const list = { treeId: testUuid(95), createdAt: 1, messages: [{ message: user('l'), meta }] };
          expect(await called(store, 'putLinear', list)).toBe('command/invalid');
        }
        expect(await readTreeJson(store, treeId)).toEqual(before);
        for (const id of [91, 92, 93, 95]) expect(await store.formatOf(treeIdOf(testUuid(id)))).toBeNull();
      },
    );

    testStoreRule(subject, '[K27] invalid arguments are refused with a code', async (store) => {
      const { treeId: id } = await createTestTree(store);
      const asking = (name: string, args: object) => () => Reflect.apply(ask, undefined, [name, args]);
      expect(await called(store, 'read', id, asking('node', { id: 5 }))).toBe('id/invalid');
      expect(await called(store, 'read', id, asking('nodes', { ids: null }))).toBe('command/invalid');
      expect(await called(store, 'read', id, asking('path', { to: id, limit: 1.5 }))).toBe('command/invalid');
      expect(await store.read(id, asking('tree', {}))).not.toBeNull();
      expect(await called(store, 'content', id, null)).toBe('command/invalid');
      expect(await called(store, 'trees', { title: 5 })).toBe('command/invalid');
      expect(await called(store, 'trees', { cursor: 5 })).toBe('cursor/invalid');
      expect(await called(store, 'search', { text: null })).toBe('command/invalid');
      expect(await called(store, 'history', id, { before: 'now' })).toBe('command/invalid');
      expect(await called(store, 'purge', id, null)).toBe('command/invalid');
      expect(await called(store, 'putExternalIds', [{ treeId: id, format: 'f', scope: 's', id: 5 }])).toMatch(
        /^tree|^command/,
      );
      // A missing owner must not give access to the trees of the store's default owner.
      for (const nobody of [undefined, null, 5])
        expect(await called(store, 'forOwner', nobody)).toBe('command/invalid');
      // The cursor of the last page is null, and a query with that cursor returns the first page.
      const first = await Reflect.apply(store.trees, store, [{ cursor: null }]);
      expect(first).toEqual(await store.trees());
    });
  });
}
