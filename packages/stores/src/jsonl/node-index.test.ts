/** Tests of the node index beside a session file: its answers, and the cases in which it must not be used. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageKit } from '@coppice/content';
import {
  ask,
  type Node,
  nodeId,
  type Read,
  type ReadProgram,
  readPage,
  readPath,
  run,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import {
  arbitraryCommands,
  propertyParameters,
  propertyTimeoutMs,
  runCommands,
  TestTree,
  testUuid,
  user,
} from '@coppice/core/testing';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listSessionFiles as filesIn } from '../../test/jsonl-subject.ts';
import { armFault, countFaultPasses } from '../failpoints.ts';
import { InProcessState } from '../in-process/in-process-state.ts';
import { defaultOwner } from '../options.ts';
import { SessionStore } from './index.ts';
import { IndexedTree } from './indexed-tree.ts';
import { JsonlPersistence } from './jsonl-persistence.ts';
import { nodeIndexPathOf } from './node-index.ts';
import { openSessions } from './opening.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-index-'));
});
afterEach(() => {
  armFault(null);
  rmSync(folder, { recursive: true, force: true });
});

const id = treeId(testUuid(1));

/** Creates a session with branches, an edited and a removed message, and closes it. */
async function sample(): Promise<string> {
  const store = await SessionStore.open(folder);
  const fixture = await TestTree.make({ store, treeId: id });
  const [, second = nodeId('')] = await fixture.addMessages(['one', 'two', 'three', 'four']);
  const [other = nodeId('')] = await fixture.addMessages(['ünders', 'five'], second);
  await fixture.run({ type: 'edit', treeId: id, nodeId: other, content: 'edited', mode: 'in-place' });
  const [gone = nodeId('')] = await fixture.addMessages(['gone'], second);
  await fixture.run({ type: 'delete', treeId: id, nodeIds: [gone], mode: 'cascade' });
  await fixture.run({ type: 'bookmark', treeId: id, nodeId: second, title: 'here' });
  await store.close();
  return filesIn(folder)[0] ?? '';
}

/** Returns every read that the index can answer, about every node and an unknown id. */
function everyRead(nodes: readonly Node[]): Read[] {
  const ids = [...nodes.map((node) => node.id), nodeId(testUuid(0xffff)), nodeId('none')];
  const about = ids.flatMap((of): Read[] => [
    { ask: 'node', id: of },
    { ask: 'head', id: of },
    { ask: 'anyNode', id: of },
    { ask: 'path', to: of },
    { ask: 'path', to: of, limit: 2 },
    { ask: 'path', to: of, until: ids[2] },
    { ask: 'pathMeta', to: of },
    { ask: 'ancestors', of, limit: 3 },
    { ask: 'isAncestorOrSelf', id: ids[1] ?? of, below: of },
    { ask: 'children', of },
    { ask: 'lastVisited', from: of },
    { ask: 'bookmark', on: of },
  ]);
  return [
    ...about,
    { ask: 'tree' },
    { ask: 'nodes', ids },
    { ask: 'childIds', of: ids },
    { ask: 'bookmarks' },
    { ask: 'bookmarks', on: ids },
  ];
}

/** Runs a read whose answer has no type, because answers are only compared. */
function asks(read: Read) {
  return function* (): ReadProgram<unknown> {
    return yield read;
  };
}

function plainRow(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('nextSeq' in answer)) return answer;
  const { nodes: _, bookmarks: __, size: ___, ...row } = answer as Readonly<Record<string, unknown>>;
  return row;
}

/** Compares every answer of the index with the answer of the loaded tree. Returns the number of answers. */
async function compareAnswers(path: string, of: TreeId, store: Store): Promise<number> {
  const part = IndexedTree.open(path, messageKit);
  expect(part).not.toBeNull();
  const rows = await store.read(of, () => ask('rows', {}));
  const reads = everyRead(rows?.nodes ?? []);
  for (const read of reads) {
    const loaded = await store.read(of, asks(read));
    expect([read, plainRow(part?.answer(read))]).toEqual([read, plainRow(loaded)]);
  }
  part?.close();
  return reads.length;
}

/**
 * Returns what a store reports about the sample: the active path, a page with variants, all nodes, and the damage.
 */
async function shown(): Promise<unknown> {
  const store = await SessionStore.open(folder);
  try {
    const page = await store.read(id, () => readPage(id, { siblings: true }));
    const nodes = await store.read(id, () => ask('rows', {}));
    const path = await store.read(id, () => readPath({ to: page.activeNodeId ?? page.rootId }));
    return { page, path, nodes, damage: (await store.info()).damage };
  } catch (error) {
    return String(error);
  } finally {
    await store.close();
  }
}

/** Checks that a store reports the same data with and without the files beside the session file. */
async function expectSameWithoutIndex(): Promise<void> {
  const withIndex = await shown();
  const beside = join(folder, '.coppice');
  renameSync(beside, `${folder}-aside`);
  expect(withIndex).toEqual(await shown());
  rmSync(beside, { recursive: true, force: true });
  renameSync(`${folder}-aside`, beside);
}

describe('the node index', () => {
  test('[J50] gives the same results as the loaded tree after any commands, however often the session is closed', {
    tags: ['full'],
    timeout: propertyTimeoutMs(process.env),
  }, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryCommands({ minLength: 5, maxLength: 30 }), fc.nat(5), async (commands, every) => {
        const place = mkdtempSync(join(tmpdir(), 'coppice-index-any-'));
        let store = await SessionStore.open(place);
        const current: Store = new Proxy<Store>(store, { get: (_, name) => bound(store, name) });
        let turns = 0;
        let trees: readonly TreeId[] = [];
        for await (const turn of runCommands(current, commands)) {
          trees = turn.treeIds;
          if (++turns % (every + 2) !== 0) continue;
          await store.close();
          store = await SessionStore.open(place);
        }
        await store.close();
        store = await SessionStore.open(place);
        for (const path of filesIn(place)) {
          const own = trees.find((one) => path.includes(one));
          if (own !== undefined && existsSync(nodeIndexPathOf(path)))
            compared += await compareAnswers(path, own, store);
        }
        await store.close();
        rmSync(place, { recursive: true, force: true });
      }),
      propertyParameters(12, process.env),
    );
    expect(compared).toBeGreaterThan(1000);
  });

  test('[J50] lets a store read a thread, a page and variants without loading the tree', async () => {
    await sample();
    const { holdings, known } = openSessions(folder, {});
    const persistence = new JsonlPersistence(holdings);
    const state = new InProcessState({ persistence });
    state.register(known);
    const page = await state.read(defaultOwner, id, () => readPage(id, { siblings: true }));
    expect(page.nodes.map((node) => node.text)).toEqual(['one', 'two', 'edited', 'five']);
    expect(Object.isFrozen(page.nodes[0]?.message)).toBe(true);
    const path = await state.read(defaultOwner, id, () => readPath({ to: page.activeNodeId ?? '' }));
    expect(path).toEqual(page.nodes);
    expect(state.slots.get(id)?.loaded).toBeNull();
    // A read that the index cannot answer loads the tree; all later reads use the loaded tree.
    expect(await state.read(defaultOwner, id, () => ask('count', { of: page.rootId }))).toBe(7);
    expect(state.slots.get(id)?.loaded).not.toBeNull();
    expect(await state.read(defaultOwner, id, () => readPage(id, { siblings: true }))).toEqual(page);
    persistence.close();
  });

  test('[J50] is written again after each change, even if only a few nodes changed', async () => {
    const path = await sample();
    for (let n = 0; n < 4; n++) {
      const store = await SessionStore.open(folder);
      await run(store, { type: 'append', treeId: id, messages: [{ message: user(`more ${n}`) }] }, context(n));
      await store.close();
      const again = await SessionStore.open(folder);
      await compareAnswers(path, id, again);
      await again.close();
    }
  });
});

describe('a node index that does not describe the file', () => {
  const changes: Readonly<Record<string, (path: string) => void>> = {
    'gets a line of another tool': (path) =>
      appendFileSync(path, `{"type":"message","uuid":"x","message":{"role":"user","content":"theirs"}}\n`),
    'gets half a line': (path) => appendFileSync(path, '{"type":"message","uu'),
    'loses its last line': (path) =>
      truncateSync(path, readFileSync(path).lastIndexOf('\n', statSync(path).size - 2) + 1),
    'gets another text of the same length at the same time': (path) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, readFileSync(path, 'utf8').replace('"two"', '"owt"'));
      utimesSync(path, atime, mtime);
    },
    'gets another parent in a line of the same length': (path) => {
      const { atime, mtime } = statSync(path);
      const lines = readFileSync(path, 'utf8').split('\n');
      const [second, fourth] = [lines[2] ?? '', lines[4] ?? ''];
      lines[4] = fourth.replace(/"parentUuid":"[^"]+"/, second.match(/"parentUuid":"[^"]+"/)?.[0] ?? '');
      writeFileSync(path, lines.join('\n'));
      utimesSync(path, atime, mtime);
    },
    'is replaced by a copy': (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
    'has two lines swapped': (path) => {
      const lines = readFileSync(path, 'utf8').split('\n');
      [lines[2], lines[3]] = [lines[3] ?? '', lines[2] ?? ''];
      writeFileSync(path, lines.join('\n'));
    },
  };

  test.each(Object.keys(changes))('[J51] is not used when the file %s', async (name) => {
    const path = await sample();
    changes[name]?.(path);
    expect(IndexedTree.open(path, messageKit)).toBeNull();
    await expectSameWithoutIndex();
  });

  test.each(Object.keys(changes))('[J51] is not written when, while it is open, the file %s', async (name) => {
    const path = await sample();
    rmSync(nodeIndexPathOf(path));
    const store = await SessionStore.open(path);
    await store.read(id, () => ask('rows', {}));
    changes[name]?.(path);
    await store.close();
    expect(IndexedTree.open(path, messageKit)).toBeNull();
    await expectSameWithoutIndex();
  });

  test('[J51] is not written by a store that read the tree before another one purged it', async () => {
    const path = await sample();
    const [one, other] = [await SessionStore.open(folder), await SessionStore.open(folder)];
    const rows = await other.read(id, () => ask('rows', {}));
    const gone = rows?.nodes.find((node) => node.removedIn !== null);
    await one.purge(id, { nodeId: gone?.id ?? nodeId('') });
    expect(existsSync(nodeIndexPathOf(path))).toBe(false);
    await other.close();
    expect(existsSync(nodeIndexPathOf(path))).toBe(false);
    await one.close();
    const part = IndexedTree.open(path, messageKit);
    expect(part?.answer({ ask: 'anyNode', id: gone?.id ?? nodeId('') })).toBeNull();
    part?.close();
    await expectSameWithoutIndex();
  });

  test('[J51] is ignored if it is damaged at any byte, truncated, or of another session', async () => {
    const path = await sample();
    const [good, right] = [readFileSync(nodeIndexPathOf(path)), await shown()];
    for (let at = 0; at < good.length; at += 47) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 0x15;
      writeFileSync(nodeIndexPathOf(path), bad);
      expect(await shown()).toEqual(right);
    }
    for (const length of [0, 1, 87, 88, good.length >> 1, good.length - 1]) {
      writeFileSync(nodeIndexPathOf(path), good.subarray(0, length));
      expect(await shown()).toEqual(right);
    }
    writeFileSync(nodeIndexPathOf(path), Buffer.concat([good, good]));
    expect(await shown()).toEqual(right);
    const store = await SessionStore.open(folder);
    const another = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    await another.addMessages(['of another']);
    await store.close();
    const theirs = filesIn(folder).find((one) => one !== path) ?? '';
    copyFileSync(nodeIndexPathOf(theirs), nodeIndexPathOf(path));
    expect(await shown()).toEqual(right);
  });

  test('[J51] is missing or ignored if a step of writing it fails', async () => {
    const path = await sample();
    for (let nth = 1; ; nth++) {
      const store = await SessionStore.open(folder);
      await run(store, { type: 'append', treeId: id, messages: [{ message: user(`more ${nth}`) }] }, context(nth));
      armFault({ point: '*', nth, fault: 'eio' });
      await store.close().catch(() => undefined);
      const passed = countFaultPasses();
      armFault(null);
      await expectSameWithoutIndex();
      if (passed < nth) break;
      rmSync(nodeIndexPathOf(path), { force: true });
    }
    expect(existsSync(nodeIndexPathOf(path))).toBe(true);
  });

  test('[J51] is ignored after a process was killed at any step', {
    tags: ['full'],
    timeout: 240_000,
  }, async () => {
    const path = await sample();
    const worker = fileURLToPath(new URL('../../test/jsonl-folder-worker.ts', import.meta.url));
    let kills = 0;
    for (let nth = 1; ; nth++) {
      const { signal, status } = spawnSync(
        process.execPath,
        ['--import', 'tsx', worker, folder, 'more', id, `more ${nth}`],
        { env: { ...process.env, COPPICE_TEST_FAULTS: '1', COPPICE_FAULT: `*:${nth}:kill` } },
      );
      await expectSameWithoutIndex();
      if (signal !== 'SIGKILL') {
        expect(status).toBe(0);
        break;
      }
      kills++;
    }
    expect(kills).toBeGreaterThan(5);
    const store = await SessionStore.open(folder);
    await compareAnswers(path, id, store);
    await store.close();
  });
});

function context(n: number) {
  let next = 0x10_000 * (n + 1);
  return { actor: 'me', kit: messageKit, now: () => 5_000_000 + n, newId: () => testUuid(0xaaaa_0000 + ++next) };
}

function bound(store: Store, name: string | symbol): unknown {
  const member: unknown = Reflect.get(store, name, store);
  return typeof member === 'function' ? member.bind(store) : member;
}
