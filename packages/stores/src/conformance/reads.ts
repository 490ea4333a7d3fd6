/** Tests that a store answers every read like the tree value of core. */
import {
  type ActId,
  type Answer,
  ask,
  type CrossTreeAnswers,
  type NodeId,
  nodeId,
  type Read,
  type Result,
  readPage,
  readPath,
  readPathThrough,
  readRecentLeaves,
  readTopology,
  readTreeAsOf,
  type Store,
  type Tree,
  type TreeId,
  treeId,
} from '@coppice/core';
import { findRedoableAct, findUndoableAct } from '@coppice/core/history';
import { answerFromTree as answerFrom } from '@coppice/core/store';
import { arbitraryCommands, ReferenceStore, runCommands, testUuid } from '@coppice/core/testing';
import {
  allNodes,
  branchPage,
  findAnyNode,
  findNode,
  path,
  pathThrough,
  recentLeaves,
  topology,
} from '@coppice/core/tree';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { createTestTree, expectRefusalCode, isLongRun, type StoreSubject, testStoreRule } from './subject.ts';

// A walk is long enough that every kind of read finds something in its tree.
const walks = isLongRun ? 40 : 4;

export function registerReadRules(subject: StoreSubject): void {
  describe('reading', () => {
    for (let seed = 1; seed <= walks; seed++)
      testStoreRule(
        subject,
        '[K30] every read gives the same result as the tree value, after random commands',
        (store) => compareReads(store, seed),
      );

    testStoreRule(subject, '[K31] a read program sees one state of its tree while others write', async (store) => {
      const fixture = await createTestTree(store);
      await fixture.addMessages(['a', 'b', 'c']);
      const versions = await store.read(fixture.treeId, function* () {
        const seen: (number | undefined)[] = [];
        for (let at = 0; at < 20; at++) seen.push((yield* ask('tree', {}))?.version);
        return seen;
      });
      const writing = Promise.all([fixture.addMessages(['d']), fixture.addMessages(['e'])]);
      const during = await store.read(fixture.treeId, function* () {
        const row = yield* ask('tree', {});
        const rows = yield* ask('rows', {});
        const log = yield* ask('log', { since: 0 });
        return [row?.version, rows?.row.version, log.length];
      });
      await writing;
      expect(new Set(versions)).toEqual(new Set([2]));
      expect(new Set(during).size).toBe(1);
    });

    testStoreRule(subject, '[K32] page, path, leaves and topology equal those of the tree value', async (store) => {
      const { tree } = await walked(store, 7);
      const ids = [...allNodes(tree).map((node) => node.id), nodeId(testUuid(0xdead))];
      for (const [at, id] of ids.entries()) {
        const before = ids[(at * 5 + 1) % ids.length] ?? id;
        await same(() => store.read(tree.id, () => readPath({ to: id })), path(tree, { to: id }));
        await same(() => store.read(tree.id, () => readPathThrough(id)), pathThrough(tree, id));
        for (const request of [
          { nodeId: id, limit: 3 },
          { nodeId: id, limit: 2, before, siblings: true },
        ])
          await same(() => store.read(tree.id, () => readPage(tree.id, request)), branchPage(tree, request));
      }
      expect(await store.read(tree.id, () => readTopology(tree.id))).toEqual(topology(tree));
      expect(await store.read(tree.id, () => readTopology(tree.id, { depth: 2 }))).toEqual(
        topology(tree, { depth: 2 }),
      );
      expect(await store.read(tree.id, () => readRecentLeaves(4))).toEqual(recentLeaves(tree, 4));
    });

    testStoreRule(subject, '[K32] previews of long and unusual texts equal those of the tree value', async (store) => {
      const fixture = await createTestTree(store);
      const odd = ['"', '\\', '\n', '\u0000', '\ud83c\udf33', '\ud800', 'é', '\u001a', 'a', 'e\u0301', '👩‍👩‍👧'];
      const texts = odd.flatMap((unit) => [1, 79, 320, 1_944, 5_000].map((times) => `x${unit.repeat(times)}y`));
      // Stores examine only the beginning of a text for previews, and skip leading spaces. These spaces move the
      // graphemes across that limit.
      for (let space = 0; space < 9; space++) texts.push(`${' '.repeat(320 - space)}👩‍👩‍👧${'e\u0301'.repeat(9)}`);
      await fixture.addMessages(texts);
      const tree = await valueOf(store, fixture.treeId);
      expect(await store.read(tree.id, () => readTopology(tree.id))).toEqual(topology(tree));
    });

    testStoreRule(subject, '[K33] reads of an unknown tree and of unknown nodes give nothing', async (store) => {
      const fixture = await createTestTree(store);
      await fixture.addMessages(['a']);
      const nowhere = treeId(testUuid(0xbad));
      for (const id of [nowhere, fixture.treeId])
        for (const read of readsAbout(nodeId(testUuid(0xdead)), nodeId('__proto__'), nowhere)) {
          const tree = id === nowhere ? undefined : await valueOf(store, id);
          const expected = answerFrom(tree, read, surroundings(new Map(), [], id));
          expect([read, await answered(store, id, read)]).toEqual([read, plain(read, expected)]);
        }
      expect(await expectRefusalCode(store.read(nowhere, () => readTreeAsOf(nowhere, 1)))).toBe('tree/unknown-tree');
    });
  });
}

async function valueOf(store: Store, id: TreeId): Promise<Tree> {
  return store.read(id, () => readTreeAsOf(id, 2));
}

async function same<T>(work: () => Promise<T>, expected: Result<T>): Promise<void> {
  if (expected.ok) expect(await work()).toEqual(expected.value);
  else expect(await expectRefusalCode(work)).toBe(expected.refusal.code);
}

/** Runs the same random commands on a store and on the reference store, whose answers are the expected ones. */
async function walked(
  store: Store,
  seed: number,
): Promise<{ readonly reference: ReferenceStore; readonly tree: Tree }> {
  const [commands = []] = fc.sample(arbitraryCommands({ minLength: 60, maxLength: 60 }), { seed, numRuns: 1 });
  const reference = new ReferenceStore(store.owner);
  for await (const _ of runCommands(reference, commands));
  for await (const _ of runCommands(store, commands));
  const tree = reference.trees.get(treeId(testUuid(1)));
  if (tree === undefined) throw new Error('The walk made no tree.');
  return { reference, tree };
}

async function compareReads(store: Store, seed: number): Promise<void> {
  const { reference, tree } = await walked(store, seed);
  const nodes = allNodes(tree);
  const pick = (at: number) => nodes[(at * 17 + seed) % nodes.length]?.id ?? tree.rootId;
  const [other] = [...reference.trees.keys()].filter((id) => id !== tree.id);
  const around = surroundings(reference.trees, reference.commits.get(tree.id) ?? [], tree.id, reference);
  const reads: Read[] = [
    { ask: 'tree' },
    { ask: 'rows' },
    { ask: 'leaves', limit: 5 },
    ...[0, 1, tree.version - 1, tree.version].map((since): Read => ({ ask: 'log', since })),
    ...['ann', 'ben', 'cem', 'nobody'].flatMap((actor): Read[] => [
      { ask: 'undoable', actor },
      { ask: 'redoable', actor },
      ...[...new Set((reference.commits.get(tree.id) ?? []).map((commit) => commit.actId))].map(
        (actId: ActId): Read => ({ ask: 'undoable', actor, actId }),
      ),
    ]),
  ];
  for (const [at, node] of nodes.entries()) for (const read of readsAbout(node.id, pick(at), other)) reads.push(read);
  for (const read of reads) {
    const expected = answerFrom(tree, read, around);
    expect([read, await answered(store, tree.id, read)]).toEqual([read, plain(read, expected)]);
  }
}

/** Returns every kind of read about two nodes. */
function readsAbout(id: NodeId, also: NodeId, other: TreeId | undefined): Read[] {
  const elsewhere = other === undefined ? {} : { treeId: other };
  return [
    { ask: 'tree', ...elsewhere },
    { ask: 'node', id },
    { ask: 'node', id, ...elsewhere },
    { ask: 'head', id },
    { ask: 'head', id, ...elsewhere },
    { ask: 'anyNode', id },
    { ask: 'taken', ids: [id, also, nodeId(testUuid(0xfee))] },
    { ask: 'path', to: id },
    { ask: 'path', to: id, limit: 2 },
    { ask: 'path', to: id, limit: 9, until: also },
    { ask: 'pathMeta', to: id, until: also },
    { ask: 'path', to: id, ...elsewhere },
    { ask: 'ancestors', of: id, limit: 2 },
    { ask: 'ancestors', of: id, limit: 100 },
    { ask: 'sharedMatch', of: id },
    { ask: 'isAncestorOrSelf', id, below: also },
    { ask: 'isAncestorOrSelf', id: also, below: id },
    { ask: 'withoutDescendants', ids: [id, also] },
    { ask: 'children', of: id },
    { ask: 'children', of: id, ...elsewhere },
    { ask: 'childIds', of: [id, also, nodeId(testUuid(0xfee))] },
    { ask: 'childIds', of: [id], ...elsewhere },
    { ask: 'nodes', ids: [also, nodeId(testUuid(0xfee)), id] },
    { ask: 'nodes', ids: [id], ...elsewhere },
    { ask: 'bookmarks', on: [also, nodeId(testUuid(0xfee)), id] },
    { ask: 'bookmarks' },
    { ask: 'links' },
    { ask: 'links', ...elsewhere },
    { ask: 'pathMeta', to: id },
    { ask: 'pathMeta', to: id, limit: 2 },
    { ask: 'pathMeta', to: id, ...elsewhere },
    { ask: 'subtree', of: id },
    { ask: 'subtree', of: id, depth: 1 },
    { ask: 'topology', of: id },
    { ask: 'topology', of: id, depth: 1 },
    { ask: 'count', of: id },
    { ask: 'subtreeInfo', of: id },
    { ask: 'addedByOthers', of: id, versions: [1, 3, 5, 8], since: 0, without: [also] },
    { ask: 'addedByOthers', of: id, versions: [2], since: 4, without: [] },
    { ask: 'newestLeaf', below: id, without: [] },
    { ask: 'newestLeaf', below: id, without: [also] },
    { ask: 'lastVisited', from: id },
    { ask: 'lastPosition', of: id },
    { ask: 'groupMax', of: id },
    { ask: 'neighbourPositions', of: id, position: 'V' },
    { ask: 'childAt', of: id, position: 'V' },
    { ask: 'bookmark', on: id },
    { ask: 'home', id },
  ];
}

function surroundings(
  trees: ReadonlyMap<TreeId, Tree>,
  log: Parameters<typeof findUndoableAct>[0],
  here: TreeId,
  reference?: ReferenceStore,
): CrossTreeAnswers {
  const all = [...trees.values()];
  const elsewhere = (found: ReturnType<typeof findUndoableAct>) =>
    found === null
      ? null
      : {
          ...found,
          elsewhere: [...(reference?.commits ?? [])].flatMap(([id, commits]) =>
            id !== here && commits.some((commit) => commit.actId === found.actId) ? [id] : [],
          ),
          purged: false,
        };
  return {
    tree: (id) => trees.get(id),
    taken: (ids) =>
      ids.filter((id) => all.some((tree) => String(tree.id) === id || findAnyNode(tree, id) !== undefined)),
    home: (id) => all.find((tree) => findNode(tree, id) !== undefined)?.id ?? null,
    forest: () => null,
    log: (since) => log.filter((commit) => commit.version > since),
    undoable: (actor, actId) => elsewhere(findUndoableAct(log, actor, actId)),
    redoable: (actor, actId) => elsewhere(findRedoableAct(log, actor, actId)),
  };
}

async function answered(store: Store, id: TreeId, read: Read): Promise<unknown> {
  return plain(read, await store.read(id, () => one(read)));
}

function* one(read: Read): Generator<Read, Answer, unknown> {
  return (yield read) as Answer;
}

/** Normalises an answer for comparison: removes fields that the contract does not name, and sorts sets. */
function plain(read: Read, found: unknown): unknown {
  switch (read.ask) {
    case 'tree':
      return rowFields(found);
    case 'rows':
      return isObject(found) ? { ...found, row: rowFields(found['row']) } : found;
    case 'head':
      return fieldsOf(found, headFields);
    case 'children':
    case 'addedByOthers':
      return Array.isArray(found) ? found.map((head) => fieldsOf(head, headFields)) : found;
    case 'ancestors':
      return Array.isArray(found) ? found.map((link) => fieldsOf(link, linkFields)) : found;
    case 'sharedMatch':
    case 'taken':
    case 'withoutDescendants':
      return Array.isArray(found) ? [...found].sort() : found;
    case 'subtreeInfo':
      return isObject(found)
        ? { ...found, pending: sorted(found['pending']), bookmarks: sorted(found['bookmarks']) }
        : found;
    case 'undoable':
    case 'redoable':
      return isObject(found) ? { ...found, elsewhere: sorted(found['elsewhere']) } : found;
    default:
      return found;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function sorted(list: unknown): unknown {
  return Array.isArray(list) ? [...list].map((item) => JSON.stringify(item)).sort() : list;
}

function fieldsOf(value: unknown, fields: readonly string[]): unknown {
  return isObject(value) ? Object.fromEntries(fields.map((field) => [field, value[field]])) : value;
}

function rowFields(value: unknown): unknown {
  const fields = ['id', 'owner', 'rootId', 'version', 'structureVersion', 'activeNodeId', 'nextSeq'];
  return fieldsOf(value, [...fields, 'createdAt', 'updatedAt', 'attributes']);
}

const linkFields = ['id', 'parentId', 'kind', 'lastChildId'];
const headFields = [
  ...['id', 'parentId', 'position', 'seq', 'kind', 'role', 'status', 'groupId', 'createdAt', 'matchParent', 'key'],
  ...['tokens', 'addedIn', 'contentIn', 'removedIn', 'lastChildId'],
];
