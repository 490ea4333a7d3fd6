import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  actId,
  ask,
  nodeId,
  planCommand,
  type Store,
  type StoredLinearConversation,
  type Tree,
  treeId,
} from '@coppice/core';
import { createTestClock, TestTree, testKit, testUuid, user } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { expectRefusalCode } from '../conformance/subject.ts';
import { createMemoryStore } from '../memory/index.ts';
import { InProcessState } from './in-process-state.ts';
import { createStoreParts, InProcessStore, type StoreIdentity } from './in-process-store.ts';
import type { LoadedTree, PersistedEntry, Persistence } from './persistence.ts';

const plate: StoreIdentity = {
  supports: { durable: true, processes: false, search: true, crossProcessFeed: false, history: true },
  info: () => ({ kind: 'test', place: 'test:', readOnly: false, schemaVersion: 1, notes: [] }),
  backup: async () => undefined,
  close: async () => undefined,
};

function storeWith(persistence: Persistence, state = new InProcessState({ persistence })): InProcessStore {
  return new InProcessStore(createStoreParts(state, persistence), plate, 'local');
}

function versionIn(store: Store, id: TestTree['treeId']): Promise<number | undefined> {
  return store.read(id, () => ask('tree', {})).then((row) => row?.version);
}

/** A persistence that keeps its entries in memory instead of on a disk. */
class Holder implements Persistence {
  readonly entries: PersistedEntry[] = [];
  readonly loaded: string[] = [];
  readonly trees = new Map<string, { tree: Tree; log: LoadedTree['log'][number][]; sequence: number }>();
  fails = false;
  before: (entry: PersistedEntry) => Promise<void> = async () => undefined;

  async persist(entry: PersistedEntry): Promise<void> {
    await this.before(entry);
    if (this.fails) throw new Error('The disk is full.');
    this.entries.push(entry);
    if (entry.type !== 'commit') return;
    const kept = this.trees.get(entry.treeId);
    const log = [...(kept?.log ?? []), entry.applied.commit];
    this.trees.set(entry.treeId, { tree: entry.tree, log, sequence: entry.sequence });
  }

  async load(id: string): Promise<LoadedTree> {
    this.loaded.push(id);
    const kept = this.trees.get(id);
    if (kept === undefined) throw new Error(`There is no tree ${id} on the shelf.`);
    return kept;
  }

  asked: () => Promise<void> = async () => undefined;

  async findTreesOfNodes(ids: readonly ReturnType<typeof nodeId>[]) {
    await this.asked();
    const homes = new Map<ReturnType<typeof nodeId>, TestTree['treeId']>();
    for (const { log } of this.trees.values())
      for (const { steps, treeId: home } of log)
        for (const step of steps)
          if (step.type === 'insert' && ids.includes(step.node.id)) homes.set(step.node.id, home);
    return homes;
  }

  async findTreesOfAct(actId: string) {
    return [...this.trees.values()].flatMap(({ log }) =>
      log.filter((one) => one.actId === actId).map((one) => one.treeId),
    );
  }

  reopened(): InProcessStore {
    const state = new InProcessState({ persistence: this });
    state.register([...this.trees.values()].map(({ tree, sequence }) => ({ row: tree, format: 'tree', sequence })));
    return storeWith(this, state);
  }
}

/** Creates one tree with the only reference to an attachment, and a second tree to copy the message to. */
async function attached(holder: Holder) {
  const store = new InProcessStore(
    createStoreParts(new InProcessState({ persistence: holder }), holder, { attachmentGrace: 0 }),
    plate,
    'local',
  );
  const info = await store.blobs.put(new Uint8Array([1, 2, 3]), 'text/plain');
  const source = await TestTree.make({ store });
  const file = { type: 'file', source: { type: 'blob', hash: info.hash }, mediaType: 'text/plain' };
  const message = { role: 'user' as const, content: [file] };
  await source.run({ type: 'append', treeId: source.treeId, messages: [{ message }] });
  return { store, info, source, copy: new TestTree(store, treeId(testUuid(2))) };
}

function copying(source: TestTree, copy: TestTree) {
  return { type: 'duplicate', treeId: copy.treeId, from: source.treeId } as const;
}

async function purgeTree(store: Store, fixture: TestTree): Promise<void> {
  await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
  await store.purgeTree(fixture.treeId);
}

describe('the state of a tree', () => {
  it('[K136] shows no commit before it is persisted', async () => {
    const holder = new Holder();
    const store = storeWith(holder);
    const fixture = await TestTree.make({ store });
    const seen: (number | undefined)[] = [];
    holder.before = async () => {
      seen.push(await versionIn(store, fixture.treeId));
      seen.push((await store.trees()).items[0]?.version);
    };
    await fixture.addMessages(['a']);
    expect(seen).toEqual([1, 1]);
    expect(await versionIn(store, fixture.treeId)).toBe(2);
  });

  it('[K137] stays unchanged when persisting fails, and works again afterwards', async () => {
    const holder = new Holder();
    const store = storeWith(holder);
    const fixture = await TestTree.make({ store });
    holder.fails = true;
    await expect(fixture.addMessages(['a'])).rejects.toThrow('The disk is full.');
    await expect(TestTree.make({ store, treeId: treeId(testUuid(2)) })).rejects.toThrow('The disk is full.');
    await expect(store.blobs.put(new Uint8Array([1]), 'text/plain')).rejects.toThrow('The disk is full.');
    const record: StoredLinearConversation = {
      treeId: treeId(testUuid(3)),
      createdAt: 1,
      messages: [{ message: user('a') }],
    };
    await expect(store.putLinear(record)).rejects.toThrow('The disk is full.');
    expect((await store.trees()).items.map((item) => item.version)).toEqual([1]);
    expect((await store.search({ text: 'a' })).items).toEqual([]);
    holder.fails = false;
    await fixture.addMessages(['a']);
    await store.putLinear(record);
    expect((await store.search({ text: 'a' })).items.length).toBe(2);
  });

  it('[K147] reserves ids and unique keys while a commit is persisted, and releases them if that fails', async () => {
    const holder = new Holder();
    const store = storeWith(holder);
    const fixtures = [await TestTree.make({ store }), await TestTree.make({ store, treeId: treeId(testUuid(2)) })];
    holder.before = () => new Promise((resolve) => setTimeout(resolve, 5));
    const append = (fixture: TestTree) =>
      fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: user('same'), id: testUuid(77) }] });
    holder.fails = true;
    expect((await Promise.allSettled(fixtures.map(append))).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    holder.fails = false;
    const results = await Promise.allSettled(fixtures.map(append));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const made = await Promise.all(
      [30, 31].map((at) => {
        const fixture = new TestTree(store, treeId(testUuid(at)));
        return fixture.run({
          type: 'create',
          treeId: fixture.treeId,
          forest: true,
          attributes: { systemPrompt: 'Be kind.' },
        });
      }),
    );
    expect(new Set(made.map(({ result }) => result.treeId)).size).toBe(1);
  });

  it('[K161] keeps the bytes that a copy refers to while it is persisted, whatever is purged meanwhile', async () => {
    const holder = new Holder();
    const { store, info, source, copy } = await attached(holder);
    let purged: Promise<void> | undefined;
    holder.before = async (entry) => {
      if (entry.type !== 'commit' || entry.treeId !== copy.treeId) return;
      purged ??= purgeTree(store, source);
      await purged;
    };
    await copy.run(copying(source, copy));
    expect(purged).toBeDefined();
    expect((await store.blobs.read(info.hash))?.length).toBe(3);
    await purgeTree(store, copy);
    expect(await store.blobs.find(info.hash)).toBeNull();
  });

  it('[K161] copies nothing from a tree that was purged while the copy was planned', async () => {
    const holder = new Holder();
    const { store, info, source, copy } = await attached(holder);
    const options = { actor: 'me', actId: actId(testUuid(800)), at: 1, additive: false };
    const { now: _, ...context } = {
      ...createTestClock(9),
      kit: testKit,
      actor: 'me',
      treeId: copy.treeId,
      stale: false,
    };
    let purged: Promise<void> | undefined;
    holder.asked = async () => {
      purged ??= purgeTree(store, source);
      await purged;
    };
    const planning = function* () {
      const plan = yield* planCommand(copying(source, copy), { ...context, now: 1 });
      // The persistence answers this read slowly.
      yield* ask('taken', { ids: [nodeId(testUuid(801))] });
      return plan;
    };
    expect(await expectRefusalCode(store.change(copy.treeId, planning, options))).toBe('tree/unknown-tree');
    expect(await store.blobs.find(info.hash)).toBeNull();
    expect((await store.trees()).items).toEqual([]);
  });

  it('[K138] is loaded on first use, once, and listed without loading', async () => {
    const holder = new Holder();
    const first = storeWith(holder);
    const fixture = await TestTree.make({ store: first });
    const [one] = await fixture.addMessages(['a', 'b']);
    const other = await TestTree.make({ store: first, treeId: treeId(testUuid(2)) });
    const store = holder.reopened();
    expect((await store.trees()).items.length).toBe(2);
    expect(holder.loaded).toEqual([]);
    expect(await Promise.all([1, 2, 3].map(() => versionIn(store, fixture.treeId)))).toEqual([2, 2, 2]);
    expect(new Set(holder.loaded)).toEqual(new Set([fixture.treeId]));
    // Ids in a tree that is not loaded are taken too, and its nodes are found.
    const again = holder.reopened();
    const taken = { type: 'append', treeId: other.treeId, messages: [{ message: user('x'), id: one ?? '' }] } as const;
    expect(await new TestTree(again, other.treeId).refusal(taken)).toBe('id/taken');
    expect(await again.read(other.treeId, () => ask('home', { id: one ?? nodeId('') }))).toBe(fixture.treeId);
    await new TestTree(again, fixture.treeId).run({ type: 'undo', treeId: fixture.treeId });
    expect((await again.read(fixture.treeId, () => ask('children', { of: one ?? nodeId('') }))).length).toBe(0);
    expect((await again.fsck()).findings).toEqual([]);
  });

  it('[K139] continues a feed over all trees after it is reopened', async () => {
    const holder = new Holder();
    const fixture = await TestTree.make({ store: storeWith(holder) });
    const cursors: string[] = [];
    const store = holder.reopened();
    const listening = (async () => {
      for await (const event of store.feedAll(null)) {
        cursors.push(event.cursor);
        break;
      }
    })();
    await new TestTree(store, fixture.treeId).run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'T' } });
    await listening;
    const later = holder.reopened();
    await new TestTree(later, fixture.treeId).run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'U' } });
    for await (const event of holder.reopened().feedAll(cursors[0] ?? '')) {
      expect(event).toMatchObject({ treeId: fixture.treeId, version: 3 });
      break;
    }
  });
});

describe('a feed over all trees, while the persistence delays a commit', () => {
  /** A store with two trees; the persistence delays the next commits of the first one. */
  async function openDelayed() {
    const holder = new Holder();
    const store = storeWith(holder);
    const slow = await TestTree.make({ store });
    const fast = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    const gate = new EventTarget();
    const begun = once(gate, 'begun');
    const delay = once(gate, 'go');
    holder.before = async (entry) => {
      if (entry.type !== 'commit' || entry.treeId !== slow.treeId) return;
      gate.dispatchEvent(new Event('begun'));
      await delay;
    };
    return { holder, store, slow, fast, begun, go: () => gate.dispatchEvent(new Event('go')) };
  }

  /** Follows all trees of a store up to a version of one tree. */
  async function followUntil(store: Store, { treeId: id }: TestTree, version: number): Promise<[string, number][]> {
    const seen: [string, number][] = [];
    for await (const event of store.feedAll(null)) {
      seen.push([event.treeId, event.version]);
      if (event.treeId === id && event.version === version) break;
    }
    return seen;
  }

  it('[K293] delivers the slow change before the later ones, to followers from before and from meanwhile', async () => {
    const { store, slow, fast, begun, go } = await openDelayed();
    const before = followUntil(store, fast, 3);
    const appended = slow.addMessages(['slow']);
    await begun;
    const meanwhile = followUntil(store, fast, 3);
    await fast.addMessages(['fast']);
    // Both followers have looked for changes when a feed of the tree has delivered this one.
    for await (const commit of store.feed(fast.treeId, 1)) if (commit.version === 2) break;
    go();
    await appended;
    await fast.addMessages(['faster']);
    const all = [
      [slow.treeId, 2],
      [fast.treeId, 2],
      [fast.treeId, 3],
    ];
    expect([await before, await meanwhile]).toEqual([all, all]);
  });

  it('[K293] does not delay the changes of other owners', async () => {
    const { store, slow, begun, go } = await openDelayed();
    const other = store.forOwner('ben');
    const theirs = new TestTree(other, treeId(testUuid(3)));
    const following = followUntil(other, theirs, 1);
    const appended = slow.addMessages(['slow']);
    await begun;
    await TestTree.make({ store: other, treeId: theirs.treeId });
    expect(await following).toEqual([[theirs.treeId, 1]]);
    go();
    await appended;
  });

  it('[K293] delivers the later changes when the slow one fails', async () => {
    const { holder, store, slow, fast, begun, go } = await openDelayed();
    const following = followUntil(store, fast, 2);
    const appended = slow.addMessages(['slow']);
    await begun;
    await fast.addMessages(['fast']);
    holder.fails = true;
    go();
    await expect(appended).rejects.toThrow('The disk is full.');
    expect(await following).toEqual([[fast.treeId, 2]]);
  });
});

/** Returns the source file of a package entry, as `package.json` names it. */
function entryOf(folder: string, entry: string): string {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return exports[`.${entry}`];
}

describe('the memory store', () => {
  it('[K140] shares nothing with another store of the same name', async () => {
    const [one, two] = [createMemoryStore({}, 'same'), createMemoryStore({}, 'same')];
    await TestTree.make({ store: one });
    expect((await two.trees()).items).toEqual([]);
    expect((await one.forOwner('local').trees()).items.length).toBe(1);
  });

  it('[K141] needs nothing of Node, not even through its imports', () => {
    const packages = resolve(import.meta.dirname, '../../..');
    const open = [join(import.meta.dirname, '../memory/index.ts')];
    const seen = new Set<string>();
    const outside = new Set<string>();
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport ?\(?)'([^'\s]+)'/g)) {
        const [, own, entry = ''] = /^@coppice\/(\w+)((?:\/[\w-]+)*)$/.exec(name) ?? [];
        if (own !== undefined) open.push(join(packages, own, entryOf(join(packages, own), entry)));
        else if (name.startsWith('.')) open.push(resolve(dirname(file), name));
        else outside.add(name);
      }
    }
    expect([...outside]).toEqual(['tokenx']);
    expect(seen.size).toBeGreaterThan(readdirSync(import.meta.dirname).length);
  });
});
