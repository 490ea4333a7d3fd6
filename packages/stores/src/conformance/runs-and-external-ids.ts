/** Tests of runs, external ids and provenance. */
import { nodeId, treeId } from '@coppice/core';
import { type TestTree, testUuid } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import {
  awkwardTexts,
  createTestRun,
  createTestTree,
  expectRefusalCode,
  requireSubjectMethod,
  type StoreSubject,
  skipUnlessSupported,
  testStoreRule,
} from './subject.ts';

export function registerRunAndExternalIdRules(subject: StoreSubject): void {
  describe('runs', () => {
    testStoreRule(subject, '[K100] a run is found until it ends, and its heartbeat is updated', async (store) => {
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['a']);
      const run = createTestRun(
        { treeId: fixture.treeId, nodeId: first ?? nodeId('') },
        { process: 'host 1', startedAt: 10, beatAt: 10, data: { model: 'm', deep: { list: [1, null, 'x'] } } },
      );
      await store.runs.start(run);
      await store.runs.start(run);
      expect(await store.runs.find(run.id)).toEqual(run);
      expect(await store.runs.list()).toEqual([run]);
      expect(await store.runs.list(fixture.treeId)).toEqual([run]);
      expect(await store.runs.beat(run.id, 20)).toBe(true);
      expect(await store.runs.find(run.id)).toEqual({ ...run, beatAt: 20 });
      // Runs change neither the version nor the log of a tree.
      expect((await store.history(fixture.treeId)).length).toBe(2);
      await store.runs.end(run.id);
      await store.runs.end(run.id);
      expect(await store.runs.find(run.id)).toBeNull();
      expect(await store.runs.beat(run.id, 30)).toBe(false);
      expect(await store.runs.append(run.id, { offset: 0, text: 'late' })).toBe(false);
      expect(await store.runs.chunks(run.id)).toEqual([]);
      expect(await store.runs.list()).toEqual([]);
    });

    testStoreRule(
      subject,
      '[K164] a reply that nobody writes any more, and a run without its reply, are warnings of every check',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first] = await fixture.addMessages(['a']);
        const { result } = await fixture.run({
          type: 'reply',
          treeId: fixture.treeId,
          parentId: first ?? nodeId(''),
          replies: [{ status: 'pending' }],
        });
        const [open] = result.added;
        if (open === undefined) throw new Error('There is a reply.');
        await store.runs.start(createTestRun({ treeId: fixture.treeId, nodeId: open }));
        expect((await store.fsck()).findings).toEqual([]);
        await store.runs.end(testUuid(80));
        const warning = (code: string, id: string) => {
          const message = `${code} at ${id}.`;
          return { code, severity: 'warning', id, message, treeId: fixture.treeId };
        };
        expect((await store.fsck()).findings).toEqual([warning('J27 pending-without-run', open)]);
        // A run is recorded before its reply exists. After a crash the run may exist without the reply.
        const missing = { treeId: fixture.treeId, nodeId: nodeId(testUuid(82)) };
        await store.runs.start(createTestRun(missing, { id: testUuid(81) }));
        expect((await store.fsck()).findings).toEqual([
          warning('J27 pending-without-run', open),
          warning('run-dangling', testUuid(81)),
        ]);
      },
    );

    testStoreRule(
      subject,
      '[K101] a piece that overlaps adds what is new of it, and one that leaves a hole is refused',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first] = await fixture.addMessages(['a']);
        const id = testUuid(80);
        await store.runs.start(createTestRun({ treeId: fixture.treeId, nodeId: first ?? nodeId('') }, { id }));
        for (const [offset, text] of [
          [0, 'abc'],
          [0, 'abcd'],
          [2, 'cdef'],
          [1, 'b'],
          [6, 'g'],
        ] as const)
          expect(await store.runs.append(id, { offset, text })).toBe(true);
        expect(await expectRefusalCode(store.runs.append(id, { offset: 8, text: 'x' }))).toBe('command/invalid');
        expect((await store.runs.chunks(id)).map((chunk) => chunk.text).join('')).toBe('abcdefg');
        expect((await store.runs.chunks(id, 5)).map((chunk) => chunk.text).join('')).toBe('fg');
      },
    );

    testStoreRule(
      subject,
      '[K101] the text of a run is read gapless from any offset, and a piece sent twice is there once',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first] = await fixture.addMessages(['a']);
        const id = testUuid(80);
        await store.runs.start(createTestRun({ treeId: fixture.treeId, nodeId: first ?? nodeId('') }, { id }));
        let offset = 0;
        for (const text of awkwardTexts) {
          expect(await store.runs.append(id, { offset, text })).toBe(true);
          expect(await store.runs.append(id, { offset, text })).toBe(true);
          offset += text.length;
        }
        const whole = awkwardTexts.join('');
        for (const from of [0, 1, 7, whole.length - 1, whole.length, whole.length + 5]) {
          const chunks = await store.runs.chunks(id, from);
          expect(chunks.map((chunk) => chunk.text).join('')).toBe(whole.slice(from));
          let at = from;
          for (const chunk of chunks) {
            expect(chunk.offset).toBe(at);
            at += chunk.text.length;
          }
        }
      },
    );

    testStoreRule(subject, '[K102] a run without a heartbeat is claimed by exactly one caller', async (store) => {
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['a']);
      const base = { treeId: fixture.treeId, nodeId: first ?? nodeId(''), process: 'dead', startedAt: 1, data: {} };
      await store.runs.start({ ...base, id: testUuid(80), beatAt: 10 });
      await store.runs.start({ ...base, id: testUuid(81) });
      const claims = await Promise.all(['p', 'q', 'r'].map((process) => store.runs.claimStale(600_000, process)));
      expect(claims.flat().map((run) => run.id)).toEqual([testUuid(80)]);
      expect((await store.runs.find(testUuid(80)))?.beatAt).toBeGreaterThan(10);
      expect((await store.runs.find(testUuid(80)))?.process).not.toBe('dead');
      expect((await store.runs.find(testUuid(81)))?.process).toBe('dead');
    });

    testStoreRule(
      subject,
      '[K192] stale runs of all owners are claimed at once, each with its owner and by one',
      async (store) => {
        const owners = ['first', 'second', 'third'].map((owner) => store.forOwner(owner));
        for (const [at, own] of owners.entries()) {
          const fixture = await createTestTree(own, at + 1);
          const [first = nodeId('')] = await fixture.addMessages(['a']);
          const base = { treeId: fixture.treeId, nodeId: first, process: 'dead', startedAt: at + 1, data: {} };
          await own.runs.start({ ...base, id: testUuid(80 + at), beatAt: 10 });
          await own.runs.start({ ...base, id: testUuid(90 + at) });
        }
        const claims = await Promise.all(['p', 'q'].map((process) => store.runs.claimStaleOfAll(600_000, process)));
        const claimed = claims.flat().map(({ id, owner }) => `${owner} ${id}`);
        expect(claimed.sort()).toEqual([`first ${testUuid(80)}`, `second ${testUuid(81)}`, `third ${testUuid(82)}`]);
        for (const [at, own] of owners.entries()) {
          expect((await own.runs.find(testUuid(80 + at)))?.process).toMatch(/^[pq]$/);
          expect((await own.runs.find(testUuid(90 + at)))?.process).toBe('dead');
        }
        expect(await store.runs.list()).toEqual([]);
      },
    );

    testStoreRule(
      subject,
      '[K181] heartbeats are by the clock of the store, whatever a process takes the time for',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first = nodeId('')] = await fixture.addMessages(['a']);
        // The clock of the process that started the run is two hours ahead, so the start time is in the future.
        const startedAt = Date.now() + 7_200_000;
        await store.runs.start({
          id: testUuid(80),
          treeId: fixture.treeId,
          nodeId: first,
          process: 'ahead',
          startedAt,
          data: {},
        });
        const begun = (await store.runs.find(testUuid(80)))?.beatAt ?? 0;
        expect(Math.abs(begun - Date.now())).toBeLessThan(3_600_000);
        expect(await store.runs.beat(testUuid(80))).toBe(true);
        expect((await store.runs.find(testUuid(80)))?.beatAt).toBeGreaterThanOrEqual(begun);
        expect(await store.runs.claimStale(600_000, 'another')).toEqual([]);
        expect((await store.runs.find(testUuid(80)))?.process).toBe('ahead');
      },
    );

    testStoreRule(
      subject,
      '[K160] what is noted with a run is seen by everybody, also if two note something at once',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first = nodeId('')] = await fixture.addMessages(['a']);
        const id = testUuid(80);
        const data = { model: 'm', old: 1 };
        const at = { treeId: fixture.treeId, nodeId: first };
        await store.runs.start(createTestRun(at, { id, startedAt: 10, beatAt: 10, data }));
        const notes = [store.runs.note(id, { stop: 'now' }), store.runs.note(id, { old: 2 })];
        expect(await Promise.all(notes)).toEqual([true, true]);
        expect(await store.runs.find(id)).toMatchObject({ beatAt: 10, data: { model: 'm', old: 2, stop: 'now' } });
        const decisions = [true, false].map((decided) => store.runs.note(id, { decided }, 'decided'));
        expect((await Promise.all(decisions)).filter((isSet) => isSet)).toHaveLength(1);
        await store.runs.end(id);
        expect(await store.runs.note(id, { stop: 'late' })).toBe(false);
      },
    );

    testStoreRule(subject, '[K103] runs and their text survive the process', async (store, context) => {
      skipUnlessSupported(context, store.supports.durable, 'nothing outlives the process');
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['a']);
      const run = createTestRun({ treeId: fixture.treeId, nodeId: first ?? nodeId('') }, { beatAt: 2 });
      await store.runs.start(run);
      await store.runs.append(run.id, { offset: 0, text: 'half a re' });
      const again = await requireSubjectMethod(subject.reopen, 'reopen')(store);
      expect(await again.runs.list()).toEqual([run]);
      expect(await again.runs.chunks(run.id)).toEqual([{ offset: 0, text: 'half a re' }]);
      await subject.destroy(again);
    });
  });

  describe('other names', () => {
    testStoreRule(
      subject,
      '[K105] trees and nodes are found by their foreign ids, and a name given again points anew',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first, second] = await fixture.addMessages(['a', 'b']);
        const [a, b] = [first ?? nodeId(''), second ?? nodeId('')];
        const names = ['x', 'y\u0000', '__proto__', 'é'.repeat(256)].map((id) => ({
          treeId: fixture.treeId,
          nodeId: a,
          format: 'chat',
          scope: 'file 1',
          id,
        }));
        await store.putExternalIds([
          ...names,
          { treeId: fixture.treeId, nodeId: null, format: 'chat', scope: 'file 1', id: 'tree' },
        ]);
        for (const name of names) expect(await store.findExternalIds('chat', 'file 1', [name.id])).toEqual([name]);
        expect(await store.findExternalIds('chat', 'file 2', ['x'])).toEqual([]);
        expect(await store.findExternalIds('other', 'file 1', ['x'])).toEqual([]);
        expect(await store.findExternalIds('chat', 'file 1', [])).toEqual([]);
        expect(
          (await store.findExternalIds('chat', 'file 1', ['tree', 'x', 'none'])).map((name) => name.id).sort(),
        ).toEqual(['tree', 'x']);
        await store.putExternalIds([{ treeId: fixture.treeId, nodeId: b, format: 'chat', scope: 'file 1', id: 'x' }]);
        expect((await store.findExternalIds('chat', 'file 1', ['x'])).map((name) => name.nodeId)).toEqual([b]);
        expect((await store.externalIdsOf(fixture.treeId)).length).toBe(5);
        const bad = { treeId: fixture.treeId, nodeId: null, format: 'chat', scope: 's', id: 'é'.repeat(257) };
        expect(await expectRefusalCode(store.putExternalIds([bad]))).toBe('id/invalid');
        expect(await expectRefusalCode(store.putExternalIds([{ ...bad, id: 'z', nodeId: nodeId(testUuid(99)) }]))).toBe(
          'tree/unknown-node',
        );
        expect((await store.externalIdsOf(fixture.treeId)).length).toBe(5);
      },
    );

    testStoreRule(subject, '[K106] one external id may name nodes of two trees', async (store) => {
      const fixtures = [await createTestTree(store, 1), await createTestTree(store, 2)];
      for (const fixture of fixtures)
        await store.putExternalIds([{ treeId: fixture.treeId, nodeId: null, format: 'chat', scope: 's', id: 'same' }]);
      expect((await store.findExternalIds('chat', 's', ['same'])).map((name) => name.treeId).sort()).toEqual(
        fixtures.map((fixture) => fixture.treeId),
      );
    });

    testStoreRule(subject, '[K105] external ids of several trees are stored together or not at all', async (store) => {
      const fixtures = [await createTestTree(store, 1), await createTestTree(store, 2)];
      const names = fixtures.flatMap(({ treeId: id }) =>
        ['file 1', 'file 2'].flatMap((scope) =>
          Array.from({ length: 300 }, (_, at) => ({
            treeId: id,
            nodeId: null,
            format: 'chat',
            scope,
            id: `${scope} ${at}`,
          })),
        ),
      );
      const [first] = names;
      if (first === undefined) throw new Error('There are no names.');
      const stranger = { ...first, id: 'z', nodeId: nodeId(testUuid(99)) };
      expect(await expectRefusalCode(store.putExternalIds([...names, stranger]))).toBe('tree/unknown-node');
      expect(
        await expectRefusalCode(store.putExternalIds([...names, { ...first, treeId: treeId(testUuid(98)) }])),
      ).toBe('tree/unknown-tree');
      for (const fixture of fixtures) expect(await store.externalIdsOf(fixture.treeId)).toEqual([]);
      // If the same external id is written twice, the second one is kept.
      const [grown] = (await fixtures[0]?.addMessages(['a'])) ?? [];
      await store.putExternalIds([...names, { ...first, nodeId: grown ?? null }]);
      for (const fixture of fixtures) expect((await store.externalIdsOf(fixture.treeId)).length).toBe(600);
      expect((await store.findExternalIds('chat', first.scope, [first.id])).map((name) => name.nodeId).sort()).toEqual(
        [grown, null].sort(),
      );
    });

    testStoreRule(
      subject,
      '[K163] external ids are found by tree, format, scope and id, however they were given',
      async (store) => {
        const fixtures = [await createTestTree(store, 2), await createTestTree(store, 1)];
        // Sorted by bytes, the last two ids would have the opposite order.
        const ids = ['a', 'b', '\u{1f44d}', '\uffee'];
        const names = (of: TestTree) =>
          ids.map((id) => ({ treeId: of.treeId, nodeId: null, format: 'chat', scope: 's', id }));
        for (const fixture of fixtures)
          await store.putExternalIds([
            ...names(fixture).reverse(),
            { treeId: fixture.treeId, nodeId: null, format: 'api', scope: 'z', id: 'z' },
            { treeId: fixture.treeId, nodeId: null, format: 'chat', scope: 'r', id: 'z' },
          ]);
        const [later, sooner] = fixtures;
        if (later === undefined || sooner === undefined) throw new Error('There are two.');
        expect(await store.findExternalIds('chat', 's', ['\uffee', 'b', 'a', '\u{1f44d}', 'b'])).toEqual([
          ...names(sooner),
          ...names(later),
        ]);
        expect((await store.externalIdsOf(later.treeId)).map(({ format, scope, id }) => [format, scope, id])).toEqual([
          ['api', 'z', 'z'],
          ['chat', 'r', 'z'],
          ...ids.map((id) => ['chat', 's', id]),
        ]);
      },
    );

    testStoreRule(subject, '[K107] provenance is stored outside version and log', async (store) => {
      const fixture = await createTestTree(store);
      const [first, second] = await fixture.addMessages(['a', 'b']);
      const rows = [1, 2].map((at) => ({
        treeId: fixture.treeId,
        source: 'proxy \u0000',
        firstNodeId: first ?? nodeId(''),
        lastNodeId: second ?? nodeId(''),
        count: 2,
        at,
      }));
      await store.addProvenance(rows);
      await store.addProvenance([]);
      expect([...(await store.provenanceOf(fixture.treeId))].sort((a, b) => a.at - b.at)).toEqual(rows);
      expect((await store.history(fixture.treeId)).length).toBe(2);
    });
  });
}
