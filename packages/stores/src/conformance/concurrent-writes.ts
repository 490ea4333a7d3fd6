/** Tests of several writers on one tree and on several trees. */
import {
  type AppendCommand,
  type NodeId,
  nodeId,
  type RunContext,
  run,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import {
  type AbstractCommand,
  arbitraryCommands,
  maxNodeNumber,
  runCommands,
  TestTree,
  testKit,
  testUuid,
  user,
} from '@coppice/core/testing';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  askStore,
  createTestTree,
  expectNoErrors,
  expectRefusalCode,
  type StoreSubject,
  testStoreRule,
} from './subject.ts';

/** Opens the store a second time: as another process if the store supports that, else as another handle. */
async function besides(subject: StoreSubject, store: Store): Promise<Store> {
  return subject.openSecond === undefined ? store.forOwner(store.owner) : subject.openSecond(store);
}

function appending(id: TreeId, text: string, parentId?: NodeId): AppendCommand {
  return {
    type: 'append',
    treeId: id,
    messages: [{ message: user(text) }],
    ...(parentId === undefined ? {} : { parentId }),
  };
}

/** Returns a context with random ids, so that two writers never choose the same id. */
function freshContext(actor: string): RunContext {
  return { actor, kit: testKit, now: Date.now, newId: () => crypto.randomUUID() };
}

const inVain: AbstractCommand = {
  type: 'select',
  actor: 0,
  tree: 0,
  nodes: [maxNodeNumber],
  texts: [''],
  choice: 0,
  behind: 0,
};

export function registerConcurrentWriteRules(subject: StoreSubject): void {
  describe('writing at once', () => {
    testStoreRule(subject, '[K50] writers on one tree take turns, and no write is lost', async (store) => {
      const second = await besides(subject, store);
      const fixture = await createTestTree(store);
      const fixtures = [fixture, new TestTree(second, fixture.treeId)];
      const { rootId } = (await askStore(store, fixture.treeId, 'tree', {})) ?? { rootId: nodeId('') };
      const said = Array.from({ length: 40 }, (_, at) => `message ${at}`);
      const writers = said.map((text, at) =>
        (fixtures[at % 2] ?? fixture).run(
          {
            type: 'append',
            treeId: fixture.treeId,
            parentId: rootId,
            messages: [{ message: user(text), id: testUuid(500 + at) }],
          },
          { actor: `writer ${at % 4}`, newId: () => testUuid(9000 + at) },
        ),
      );
      const versions = (await Promise.all(writers)).map((outcome) => outcome.version).sort((a, b) => a - b);
      expect(versions).toEqual(said.map((_, at) => at + 2));
      const children = await askStore(second, fixture.treeId, 'children', { of: rootId });
      expect(new Set(children.map((head) => head.position)).size).toBe(said.length);
      expect(new Set(children.map((head) => head.seq)).size).toBe(said.length);
      await expectNoErrors(store, fixture.treeId);
      if (second !== store && subject.openSecond !== undefined) await second.close();
    });

    testStoreRule(
      subject,
      '[K182] alternating appends without ids from two handles continue below each other',
      async (store) => {
        const second = await besides(subject, store);
        const fixture = await createTestTree(store);
        const said: string[] = [];
        // The two handles write alternately, so that the last commit in each handle's cache is outdated.
        for (let turn = 0; turn < 12; turn++) {
          const text = `turn ${turn}`;
          said.push(text);
          await run(
            turn % 2 === 0 ? store : second,
            appending(fixture.treeId, text),
            freshContext(`writer ${turn % 2}`),
          );
          if (turn % 5 !== 4) continue;
          said.push(`${text} again`);
          await run(turn % 2 === 0 ? store : second, appending(fixture.treeId, `${text} again`), freshContext('again'));
        }
        const active = (await askStore(second, fixture.treeId, 'tree', {}))?.activeNodeId ?? nodeId('');
        const { nodes } = await askStore(store, fixture.treeId, 'path', { to: active });
        expect(nodes.map((node) => node.text)).toEqual(said);
        await expectNoErrors(store, fixture.treeId);
        if (subject.openSecond !== undefined) await second.close();
      },
    );

    testStoreRule(subject, '[K182] simultaneous appends without ids from two handles are all kept', async (store) => {
      const second = await besides(subject, store);
      const fixture = await createTestTree(store);
      const [top = nodeId('')] = await fixture.addMessages(['top']);
      for (let round = 0; round < 5; round++) {
        const texts = Array.from({ length: 8 }, (_, at) => `round ${round} message ${at}`);
        const outcomes = await Promise.all(
          texts.map((text, at) =>
            run(at % 2 === 0 ? store : second, appending(fixture.treeId, text, top), freshContext(`writer ${at}`)),
          ),
        );
        expect(new Set(outcomes.map((outcome) => outcome.version)).size).toBe(texts.length);
        // The writers append at the active node, which the other writers move.
        await Promise.all(
          [store, second].map((handle, at) =>
            run(handle, appending(fixture.treeId, `round ${round} goes on ${at}`), freshContext(`goes on ${at}`)),
          ),
        );
      }
      const rows = await askStore(store, fixture.treeId, 'rows', {});
      const texts = (rows?.nodes ?? []).map((node) => node.text).filter((text) => text.startsWith('round'));
      expect(new Set(texts).size).toBe(50);
      expect(texts).toHaveLength(50);
      await expectNoErrors(store, fixture.treeId);
      if (subject.openSecond !== undefined) await second.close();
    });

    testStoreRule(subject, '[K51] two handles see each other’s commits at once', async (store) => {
      const second = await besides(subject, store);
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['from the first']);
      const other = new TestTree(second, fixture.treeId);
      await other.run({
        type: 'append',
        treeId: fixture.treeId,
        messages: [{ message: user('from the second'), id: testUuid(700) }],
      });
      expect(
        (await askStore(store, fixture.treeId, 'path', { to: nodeId(testUuid(700)) })).nodes.map((node) => node.id),
      ).toEqual([first, testUuid(700)]);
      if (subject.openSecond !== undefined) await second.close();
    });

    testStoreRule(
      subject,
      '[K52] an append that races a splice of its parent is kept or refused, never lost',
      async (store) => {
        for (let round = 0; round < 10; round++) {
          const fixture = await createTestTree(store, 10 + round);
          const [a, b, c] = await fixture.addMessages(['a', 'b', 'c']);
          const doomed = b ?? nodeId('');
          const results = await Promise.allSettled([
            fixture.run(
              { type: 'delete', treeId: fixture.treeId, nodeIds: [doomed] },
              { newId: () => testUuid(40_000 + round) },
            ),
            fixture.run(
              {
                type: 'append',
                treeId: fixture.treeId,
                parentId: doomed,
                messages: [{ message: user('late'), id: testUuid(50_000 + round) }],
              },
              { newId: () => testUuid(60_000 + round) },
            ),
          ]);
          const late = await askStore(store, fixture.treeId, 'node', { id: nodeId(testUuid(50_000 + round)) });
          if (results[1]?.status === 'fulfilled') expect(late?.parentId).toBe(a);
          else expect(late).toBeNull();
          expect((await askStore(store, fixture.treeId, 'node', { id: c ?? nodeId('') }))?.parentId).toBe(a);
          await expectNoErrors(store, fixture.treeId);
        }
      },
    );

    testStoreRule(subject, '[K53] of two moves that would make a cycle at most one succeeds', async (store) => {
      for (let round = 0; round < 10; round++) {
        const fixture = await createTestTree(store, 10 + round);
        const [top] = await fixture.addMessages(['top']);
        const x = await fixture.variant(user('x'), top ?? nodeId(''));
        const y = await fixture.variant(user('y'), top ?? nodeId(''));
        const move = (id: NodeId, to: NodeId, n: number) =>
          fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: id, parentId: to }, { newId: () => testUuid(n) });
        const results = await Promise.allSettled([move(x, y, 41_000 + round), move(y, x, 42_000 + round)]);
        expect(results.filter((result) => result.status === 'fulfilled').length).toBe(1);
        await expectNoErrors(store, fixture.treeId);
      }
    });

    testStoreRule(subject, '[K54] two splices that both renumber groups keep the groups separate', async (store) => {
      const fixture = await createTestTree(store);
      const [top] = await fixture.addMessages(['top']);
      const parents = [
        await fixture.variant(user('p'), top ?? nodeId('')),
        await fixture.variant(user('q'), top ?? nodeId('')),
      ];
      for (const parentId of parents)
        await fixture.run({
          type: 'reply',
          treeId: fixture.treeId,
          parentId,
          replies: ['1', '2'].map((text) => ({ message: { ...user(text), role: 'assistant' as const } })),
        });
      await Promise.all(
        parents.map((id, at) =>
          fixture.run(
            { type: 'delete', treeId: fixture.treeId, nodeIds: [id] },
            { newId: () => testUuid(43_000 + at) },
          ),
        ),
      );
      const groups = (await askStore(store, fixture.treeId, 'children', { of: top ?? nodeId('') })).map(
        (head) => head.groupId,
      );
      expect(groups.length).toBe(4);
      expect(new Set(groups).size).toBe(2);
      await expectNoErrors(store, fixture.treeId);
    });

    testStoreRule(subject, '[K55] random commands of several writers at once keep every invariant', async (store) => {
      const second = await besides(subject, store);
      const samples = fc.sample(arbitraryCommands({ minLength: 25, maxLength: 25 }), { seed: 11, numRuns: 3 });
      // All players create the same two trees; later players find them. Ids depend on the index of a command, so
      // each player first runs a different number of commands without effect; otherwise two players would choose the
      // same ids.
      const players = samples.map((commands, at) => {
        const vain = Array.from({ length: 25 * at }, () => inVain);
        const own = commands.map((command) => ({ ...command, actor: at }));
        return runCommands(at % 2 === 0 ? store : second, [...vain, ...own]);
      });
      // All players must find the trees before one of them changes a tree: creating a tree that differs is refused.
      // Player 0 starts last, because only its first command has an effect.
      for (const player of players.toReversed()) await player.next();
      const finish = async (player: (typeof players)[number]) => {
        for await (const _ of player);
      };
      await Promise.all(players.map(finish));
      for (const { id } of (await store.trees()).items) await expectNoErrors(store, id);
      expect((await store.fsck()).findings.filter((finding) => finding.severity === 'error')).toEqual([]);
      if (subject.openSecond !== undefined) await second.close();
    });

    testStoreRule(subject, '[K56] with an expected version only one of several writers succeeds', async (store) => {
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['a']);
      const edits = Array.from({ length: 6 }, (_, at) =>
        fixture.run(
          { type: 'edit', treeId: fixture.treeId, nodeId: first ?? nodeId(''), content: `edit ${at}`, mode: 'branch' },
          { expectedVersion: 2, newId: () => testUuid(44_000 + at) },
        ),
      );
      const results = await Promise.allSettled(edits);
      expect(results.filter((result) => result.status === 'fulfilled').length).toBe(1);
      for (const [at, result] of results.entries())
        if (result.status === 'rejected')
          expect(await expectRefusalCode(edits[at] ?? Promise.resolve())).toBe('tree/version-conflict');
      expect((await askStore(store, treeId(fixture.treeId), 'tree', {}))?.version).toBe(3);
    });
  });
}
