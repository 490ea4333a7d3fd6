/** Tests of changes by one writer: commits, refusals, versions and unique keys. */
import {
  actId,
  ask,
  type Command,
  isAppError,
  type MessageKit,
  type NodeId,
  nodeId,
  run,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import { createTestClock, TestTree, testKit, testUuid, user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import {
  askStore,
  awkwardTexts,
  buildMessageWithUnknownBlock,
  createTestTree,
  expectNoErrors,
  expectRefusalCode,
  readTreeJson,
  type StoreSubject,
  secondOwnerOf,
  testStoreRule,
} from './subject.ts';

export function registerChangeRules(subject: StoreSubject): void {
  describe('changing', () => {
    testStoreRule(subject, '[K10] a commit raises the version by one and is in rows and log', async (store) => {
      const fixture = await createTestTree(store);
      const outcome = await fixture.run({
        type: 'append',
        treeId: fixture.treeId,
        messages: [{ message: user('hello') }],
      });
      expect(outcome.version).toBe(2);
      expect(outcome.commit?.version).toBe(2);
      const row = await askStore(store, fixture.treeId, 'tree', {});
      expect(row?.version).toBe(2);
      expect(row?.activeNodeId).toBe(outcome.result.nodeId);
      const log = await askStore(store, fixture.treeId, 'log', { since: 1 });
      expect(log).toEqual([outcome.commit]);
      await expectNoErrors(store, fixture.treeId);
    });

    testStoreRule(
      subject,
      '[K11] what changes nothing and a retry with the same ids are acknowledged without a commit',
      async (store) => {
        const fixture = await createTestTree(store);
        const command: Command = {
          type: 'append',
          treeId: fixture.treeId,
          messages: [{ message: user('a'), id: testUuid(50) }],
        };
        await fixture.run(command);
        const again = await fixture.run(command);
        expect(again.commit).toBeNull();
        expect(again.version).toBe(2);
        expect((await askStore(store, fixture.treeId, 'log', { since: 0 })).length).toBe(2);
      },
    );

    testStoreRule(subject, '[K12] a refusal leaves everything unchanged', async (store) => {
      const fixture = await createTestTree(store);
      await fixture.addMessages(['a', 'b']);
      const before = await readTreeJson(store, fixture.treeId);
      const { rootId } = (await askStore(store, fixture.treeId, 'tree', {})) ?? { rootId: nodeId('') };
      expect(await fixture.refusal({ type: 'delete', treeId: fixture.treeId, nodeIds: [rootId] })).toBe(
        'tree/root-protected',
      );
      expect(await fixture.refusal({ type: 'select', treeId: fixture.treeId, nodeId: nodeId(testUuid(9)) })).toBe(
        'tree/unknown-node',
      );
      expect(await fixture.refusal({ type: 'append', treeId: treeId(testUuid(8)), messages: [] })).toBe(
        'tree/unknown-tree',
      );
      expect(await readTreeJson(store, fixture.treeId)).toEqual(before);
      expect((await askStore(store, fixture.treeId, 'log', { since: 0 })).length).toBe(2);
    });

    testStoreRule(
      subject,
      '[K22] objects that were handed over or given out can be changed without changing the tree',
      async (store) => {
        const fixture = await createTestTree(store);
        const block = { type: 'odd', list: [1] };
        const said = { role: 'user' as const, content: [block] };
        const meta = { customData: { deep: { n: 1 } } };
        const [id] = (
          await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: said, meta }] })
        ).result.added;
        const before = await readTreeJson(store, fixture.treeId);
        const kept = JSON.stringify(before);
        block.list.push(2);
        said.content.push({ type: 'odd', list: [] });
        meta.customData.deep.n = 2;
        expect(JSON.stringify(await readTreeJson(store, fixture.treeId))).toBe(kept);
        const spoilt = async (where: Store) => {
          const node = await askStore(where, fixture.treeId, 'node', { id: id ?? nodeId('') });
          for (const part of [node?.message?.content, node?.message?.content[0], node?.meta.customData, node?.meta])
            if (part !== undefined) Reflect.set(part, 'added', 1);
          return JSON.stringify(await readTreeJson(where, fixture.treeId));
        };
        expect(await spoilt(store)).toBe(kept);
        const again = subject.reopen === undefined ? store : await subject.reopen(store);
        expect(await spoilt(again)).toBe(kept);
        if (again !== store) await again.close();
      },
    );

    testStoreRule(
      subject,
      '[K23] a value that could not be read back is refused, and the tree opens unchanged',
      async (store) => {
        // A store with an attachment scans written messages for hashes.
        await store.blobs.put(new Uint8Array([1]), 'text/plain');
        const fixture = await createTestTree(store);
        const [id] = await fixture.addMessages(['a']);
        const before = await readTreeJson(store, fixture.treeId);
        const at = { treeId: fixture.treeId, nodeId: id ?? nodeId('') };
        for (const json of ['{"customData":"x"}', '{"tags":[1]}', '{"title":{}}', '{"source":[]}'])
          expect(await fixture.refusal({ type: 'annotate', ...at, set: JSON.parse(json) })).toBe('command/invalid');
        for (const json of ['{"pinned":"yes"}', '{"folder":{}}', '{"metadata":[]}', '{"project":7}'])
          expect(await fixture.refusal({ type: 'attributes', ...at, set: JSON.parse(json) })).toBe('command/invalid');
        expect(await fixture.refusal({ type: 'bookmark', ...at, title: JSON.parse('5') })).toBe('command/invalid');
        for (const value of [1n, () => 1, new Date(0)])
          expect(await fixture.refusal({ type: 'annotate', ...at, set: { value } })).toBe('command/invalid');
        for (const command of unreadable(fixture.treeId, at.nodeId))
          expect([command.type, await fixture.refusal(command)]).toEqual([command.type, 'command/invalid']);
        const again = subject.reopen === undefined ? store : await subject.reopen(store);
        expect(await readTreeJson(again, fixture.treeId)).toEqual(before);
        if (again !== store) await again.close();
      },
    );

    testStoreRule(
      subject,
      '[K25] changing the input of a long import while it runs has no effect on what is stored',
      async (store) => {
        const { command, kit, spoilt } = spoiltMeanwhile();
        const id = command.treeId;
        const imported = run(store, command, { ...createTestClock(), actor: 'me', kit });
        const outcome = await imported.catch((error: unknown) => error);
        await spoilt;
        if (isAppError(outcome)) {
          expect(outcome.kind).toBe('invalid');
          expect(await askStore(store, id, 'tree', {})).toBeNull();
          return;
        }
        // The store must keep its own copy, even if it converted the message to a row before the caller changed it.
        const said = (await askStore(store, id, 'rows', {}))?.nodes.slice(-2).map((node) => node.message);
        const sound = { role: 'user', content: [{ type: 'odd', list: [1] }] };
        expect(said).toEqual([sound, sound]);
      },
    );

    testStoreRule(
      subject,
      '[K24] trees stay in the order of their changes when the clock is set back',
      async (store) => {
        const early = await createTestTree(store, 1);
        const late = await createTestTree(store, 2);
        const at = (ms: number) => ({ now: () => ms });
        const append = (fixture: TestTree, text: string) =>
          ({ type: 'append', treeId: fixture.treeId, messages: [{ message: user(text) }] }) as const;
        await early.run(append(early, 'a'), at(90_000));
        await late.run(append(late, 'b'), at(95_000));
        await late.run(append(late, 'c'), at(5));
        const { items } = await store.trees();
        expect(items.map((tree) => [tree.id, tree.updatedAt])).toEqual([
          [late.treeId, 95_000],
          [early.treeId, 90_000],
        ]);
        expect((await askStore(store, late.treeId, 'leaves', { limit: 1 }))[0]?.text).toBe('c');
      },
    );

    testStoreRule(subject, '[K13] an error inside a planner leaves everything unchanged', async (store) => {
      const fixture = await createTestTree(store);
      const options = { actor: 'me', actId: actId(testUuid(5)), at: 1, additive: false };
      const failing = store.change(
        fixture.treeId,
        function* () {
          yield* ask('tree', {});
          throw new Error('a mistake in a planner');
        },
        options,
      );
      await expect(failing).rejects.toThrow('a mistake in a planner');
      await fixture.addMessages(['still works']);
      expect((await askStore(store, fixture.treeId, 'tree', {}))?.version).toBe(2);
    });

    testStoreRule(
      subject,
      '[K14] a stale structural write is refused with the version and the commits since',
      async (store) => {
        const fixture = await createTestTree(store);
        await fixture.addMessages(['a']);
        const error = await fixture
          .run({ type: 'clear', treeId: fixture.treeId }, { expectedVersion: 1 })
          .catch((reason: unknown) => reason);
        expect(isAppError(error) && error.code).toBe('tree/version-conflict');
        expect(isAppError(error) && error.data).toMatchObject({ version: 2, expectedVersion: 1 });
        const since = isAppError(error) ? error.data['since'] : null;
        expect(since).toEqual(await askStore(store, fixture.treeId, 'log', { since: 1 }));
      },
    );

    testStoreRule(subject, '[K15] a stale additive write is kept as a sibling on request', async (store) => {
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['a']);
      const version = 2;
      await fixture.addMessages(['b'], first);
      const kept = await fixture.run(
        {
          type: 'append',
          treeId: fixture.treeId,
          messages: [{ message: user('c') }],
          ...(first ? { parentId: first } : {}),
        },
        { expectedVersion: version, onConflict: 'branch' },
      );
      expect(kept.version).toBe(4);
      expect((await askStore(store, fixture.treeId, 'children', { of: first ?? nodeId('') })).length).toBe(2);
    });

    testStoreRule(subject, '[K16] selecting, titling and bookmarking make no write stale', async (store) => {
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['a', 'b']);
      const id = first ?? nodeId('');
      await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: id });
      await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: id, title: 'T' });
      await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: id, title: 'B' });
      const outcome = await fixture.run({ type: 'clear', treeId: fixture.treeId }, { expectedVersion: 2 });
      expect(outcome.version).toBe(6);
    });

    testStoreRule(subject, '[K17] texts and blocks are returned exactly as given', async (store) => {
      const fixture = await createTestTree(store, 1, awkwardTexts.join(' '));
      const messages = [...awkwardTexts.map(user), buildMessageWithUnknownBlock()];
      const ids = await fixture.addMessages(messages);
      const texts = await store.content(fixture.treeId, ids);
      for (const [index, id] of ids.entries()) {
        expect((await askStore(store, fixture.treeId, 'node', { id }))?.message).toEqual(messages[index]);
        expect(JSON.parse(texts.get(id) ?? '')).toEqual(messages[index]);
      }
      const row = await askStore(store, fixture.treeId, 'tree', {});
      expect(row?.attributes.systemPrompt).toBe(awkwardTexts.join(' '));
      // Attribute names are data too, so awkward texts are used as names.
      const set = Object.fromEntries([
        ['__proto__', 'kept'],
        ['constructor', 1],
      ]);
      await fixture.run({ type: 'annotate', treeId: fixture.treeId, nodeId: ids[0] ?? nodeId(''), set });
      const meta = (await askStore(store, fixture.treeId, 'node', { id: ids[0] ?? nodeId('') }))?.meta ?? {};
      expect(Object.entries(meta).sort()).toEqual(Object.entries(set).sort());
    });

    testStoreRule(
      subject,
      '[K18] content returns live messages of the tree and leaves everything else out',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first, second] = await fixture.addMessages(['a', 'b']);
        const other = await createTestTree(store, 2);
        const [foreign] = await other.addMessages(['c']);
        await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [second ?? nodeId('')] });
        const { rootId } = (await askStore(store, fixture.treeId, 'tree', {})) ?? { rootId: nodeId('') };
        const all = [first, second, foreign, rootId, nodeId(testUuid(99)), nodeId('__proto__')].filter(
          (id) => id !== undefined,
        );
        expect([...(await store.content(fixture.treeId, all)).keys()]).toEqual([first]);
        expect((await store.content(treeId(testUuid(98)), all)).size).toBe(0);
      },
    );

    testStoreRule(subject, '[K206] a generated id that is taken is refused, also that of the parent', async (store) => {
      const fixture = await createTestTree(store);
      const { treeId } = fixture;
      const [first = nodeId(''), second = nodeId('')] = await fixture.addMessages(['one', 'two']);
      const before = await askStore(store, treeId, 'rows', {});
      for (const id of [first, second])
        for (const command of [
          { type: 'append', treeId, messages: [{ message: user('three') }] },
          { type: 'append', treeId, messages: [{ message: user('three') }, { message: user('four') }] },
          { type: 'edit', treeId, nodeId: second, content: 'other' },
        ] as const) {
          const context = { actor: 'me', kit: testKit, now: () => 1, newId: () => id };
          await expect(run(store, command, context)).rejects.toMatchObject({ code: 'id/taken' });
        }
      expect(await askStore(store, treeId, 'rows', {})).toEqual(before);
    });

    testStoreRule(subject, '[K19] an id used in any tree is taken', async (store) => {
      const fixture = await createTestTree(store);
      await fixture.run({
        type: 'append',
        treeId: fixture.treeId,
        messages: [{ message: user('a'), id: testUuid(70) }],
      });
      const other = await createTestTree(store.forOwner(secondOwnerOf(subject)), 2);
      const taken: Command = {
        type: 'append',
        treeId: other.treeId,
        messages: [{ message: user('b'), id: testUuid(70) }],
      };
      expect(await other.refusal(taken)).toBe('id/taken');
      // The id of a removed node cannot be used again.
      await fixture.run({ type: 'clear', treeId: fixture.treeId });
      expect(await other.refusal(taken)).toBe('id/taken');
    });

    testStoreRule(
      subject,
      '[K19] a node cannot have the id of a tree, nor a tree that of a node of another one',
      async (store) => {
        const fixture = await createTestTree(store);
        await fixture.run({
          type: 'append',
          treeId: fixture.treeId,
          messages: [{ message: user('a'), id: testUuid(70) }],
        });
        const chosen = { messages: [{ message: user('b'), id: String(fixture.treeId) }] };
        for (const [at, owner] of [store.owner, secondOwnerOf(subject)].entries()) {
          const other = await createTestTree(store.forOwner(owner), 2 + at);
          const before = await readTreeJson(store.forOwner(owner), other.treeId);
          expect(await other.refusal({ type: 'append', treeId: other.treeId, ...chosen })).toBe('id/taken');
          const born = new TestTree(other.store, treeId(testUuid(70)));
          expect(await born.refusal({ type: 'create', treeId: born.treeId })).toBe('id/taken');
          const list = { treeId: born.treeId, createdAt: 1, messages: [{ message: user('c') }] };
          expect(await expectRefusalCode(store.forOwner(owner).putLinear(list))).toBe('id/taken');
          expect(await readTreeJson(store.forOwner(owner), other.treeId)).toEqual(before);
        }
        // A root may have the same id as its tree.
        const plain = new TestTree(store, treeId(testUuid(9)));
        await plain.run({ type: 'create', treeId: plain.treeId, rootId: testUuid(9) });
        expect((await askStore(store, plain.treeId, 'tree', {}))?.rootId).toBe(testUuid(9));
      },
    );

    testStoreRule(subject, '[K20] concurrent requests for one forest tree get the same one', async (store) => {
      const made = await Promise.all(Array.from({ length: 8 }, (_, at) => forest(store, at, 'You are kind.')));
      expect(new Set(made).size).toBe(1);
      expect((await store.trees({ forest: true })).items.length).toBe(1);
      const [none, empty, spaced] = [
        await forest(store, 20),
        await forest(store, 21, ''),
        await forest(store, 22, 'You are kind. '),
      ];
      expect(new Set([made[0], none, empty, spaced]).size).toBe(4);
      expect(await forest(store.forOwner('somebody else'), 23, 'You are kind.')).not.toBe(made[0]);
      const id = treeId(made[0] ?? '');
      const fixture = new TestTree(store, id);
      await fixture.run({ type: 'delete-tree', treeId: id });
      const next = await forest(store, 24, 'You are kind.');
      expect(next).not.toBe(made[0]);
      await fixture.run({ type: 'restore-tree', treeId: id });
      expect(await forest(store, 25, 'You are kind.')).toBe(next);
    });

    testStoreRule(subject, '[K21] a resent history of 200 messages with a new one writes one node', async (store) => {
      const fixture = await createTestTree(store);
      const history = Array.from({ length: 200 }, (_, index) => user(`turn ${index}`));
      const { rootId } = (await askStore(store, fixture.treeId, 'tree', {})) ?? { rootId: nodeId('') };
      await fixture.addMessages(history, rootId);
      const { result, commit } = await fixture.run({
        type: 'append',
        treeId: fixture.treeId,
        parentId: rootId,
        messages: [...history, user('new')].map((message) => ({ message })),
      });
      expect(result.reused.length).toBe(200);
      expect(commit?.steps.filter((step) => step.type === 'insert').length).toBe(1);
    });
  });
}

/** Builds a long import whose caller changes the last messages after planning, while the store has yielded. */
function spoiltMeanwhile() {
  const slow = {
    type: 'odd',
    // A store that yields after some time does so after each access to this slow getter.
    get slow() {
      const until = performance.now() + 11;
      while (performance.now() < until);
      return 1;
    },
  };
  const blocks = Array.from({ length: 300 }, () => ({ type: 'odd', list: [1] as unknown[] }));
  const messages = blocks.map((block, at) => ({ role: 'user' as const, content: at === 0 ? [slow, block] : [block] }));
  let planned: () => void = () => undefined;
  const spoilt = new Promise<void>((resolve) => {
    planned = () => setTimeout(() => setTimeout(spoil, 0), 0);
    const spoil = () => {
      blocks.at(-1)?.list.push(() => 1);
      Reflect.set(messages.at(-2) ?? {}, 'role', 'nobody');
      resolve();
    };
  });
  const kit: MessageKit = {
    ...testKit,
    tokens: (message) => {
      if (message === messages.at(-1)) planned();
      return 1;
    },
  };
  const id = (at: number) => testUuid(10_000 + at);
  const nodes = messages.map((message, at) => ({
    id: id(at),
    parentId: at === 0 ? null : id(at - 1),
    order: 0,
    message,
  }));
  return { command: { type: 'import', treeId: treeId(testUuid(401)), nodes } as const, kit, spoilt };
}

async function forest(store: Store, at: number, systemPrompt?: string): Promise<string> {
  const { result } = await run(
    store,
    {
      type: 'create',
      treeId: treeId(testUuid(1000 + at)),
      forest: true,
      attributes: systemPrompt === undefined ? {} : { systemPrompt },
    },
    { actor: 'me', kit: testKit, ...createTestClock(100 + at) },
  );
  return result.treeId;
}

/** Returns malformed commands of untyped callers. If a store committed them, it could not read the commit again. */
function unreadable(id: TreeId, below: NodeId): readonly Command[] {
  const message = user('b');
  const written = {
    append: { messages: [{ message, meta: 'x' }] },
    reply: { parentId: below, replies: [{ status: 'done' }] },
    mark: { kind: 'note', message },
    branch: { nodeId: below, summary: 's', details: 'x' },
    compact: { summary: 's', tokensBefore: 'many' },
  };
  const node = { id: testUuid(80), parentId: null, order: 1, message };
  const imported = [
    { group: 0.5 },
    { kind: 'compaction', marker: { firstKept: 5 } },
    { kind: 'compaction', marker: { other: 5 } },
    { bookmark: { title: 't', createdAt: 'then' } },
  ];
  return JSON.parse(
    JSON.stringify([
      ...Object.entries(written).map(([type, rest]) => ({ type, treeId: id, ...rest })),
      ...imported.map((rest) => ({ type: 'import', treeId: testUuid(81), nodes: [{ ...node, ...rest }] })),
    ]),
  );
}
