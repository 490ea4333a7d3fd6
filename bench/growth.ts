/**
 * Measures how the time of single operations grows with the size of a tree on SQLite: 1,000, 10,000 and 100,000
 * messages, and with `COPPICE_LONG=1` also 1,000,000. All sizes run alternately, each beside the least work on a narrow
 * table of the same size. Times are CPU times. `COPPICE_GROWTH=append,open` measures only these workloads.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type NodeId,
  nodeId,
  readPage,
  readPath,
  readTopology,
  run,
  type Store,
  type TreeId,
  textMessage,
} from '@coppice/core';
import { openStore } from '@coppice/stores';
import { buildMinimalTree, MinimalSqlite } from './limits/minimal-sqlite.ts';
import { type Measurement, measureAlternating, measureCpuTime } from './measure.ts';
import { benchBranchDepth, benchContext, buildBenchTree, makeBenchMessage } from './stores/bench-tree.ts';

const long = process.env['COPPICE_LONG'] === '1';
const sizes = long ? [1_000, 10_000, 100_000, 1_000_000] : [1_000, 10_000, 100_000];
const maxGrowth = 1.5;
const rareWord = 'zweibelfisch';
const chainLength = 1_000;

/** The nodes that the workloads use, in the tree of the store or in the narrow table. */
interface Places<Id> {
  readonly chainEnd: Id;
  /** Two variants of the last message of a branch. */
  readonly variants: readonly [Id, Id];
  /** The first node of a branch of {@link benchBranchDepth} nodes. */
  readonly branchTop: Id;
}

interface Trees {
  readonly size: number;
  readonly path: string;
  readonly leastPath: string;
  readonly store: Store;
  readonly least: MinimalSqlite;
  readonly id: TreeId;
  readonly ours: Places<NodeId>;
  readonly narrow: Places<number>;
}

async function addPlaces(store: Store, id: TreeId, rootId: NodeId): Promise<Places<NodeId>> {
  const append = async (parentId: NodeId, from: number, count: number) => {
    const messages = Array.from({ length: count }, (_, at) => ({ message: makeBenchMessage(from + at) }));
    const { result } = await run(store, { type: 'append', treeId: id, parentId, messages }, benchContext);
    return result.nodeId;
  };
  const rare = { message: textMessage('user', `a word like ${rareWord} is rare`) };
  await run(store, { type: 'append', treeId: id, parentId: rootId, messages: [rare] }, benchContext);
  const chainEnd = await append(rootId, 7_000_000, chainLength);
  const left = await append(rootId, 8_000_000, benchBranchDepth);
  const branch = await store.read(id, () => readPath({ to: left }));
  const right = await append(branch.at(-2)?.id ?? rootId, 9_000_000, 1);
  return { chainEnd, variants: [left, right], branchTop: branch[0]?.id ?? rootId };
}

function addNarrowPlaces(least: MinimalSqlite, root: number): Places<number> {
  return least.transaction(() => {
    const append = (parent: number, from: number, count: number) => {
      const made: number[] = [];
      for (let at = 0; at < count; at++) {
        const { role, content } = makeBenchMessage(from + at);
        made.push(least.insert(made.at(-1) ?? parent, role, JSON.stringify(content)));
      }
      return made;
    };
    least.insert(root, 'user', JSON.stringify([{ type: 'text', text: `a word like ${rareWord} is rare` }]));
    const chain = append(root, 7_000_000, chainLength);
    const branch = append(root, 8_000_000, benchBranchDepth);
    const [right = root] = append(branch.at(-2) ?? root, 9_000_000, 1);
    return {
      chainEnd: chain.at(-1) ?? root,
      variants: [branch.at(-1) ?? root, right],
      branchTop: branch[0] ?? root,
    };
  });
}

async function buildTrees(folder: string, size: number): Promise<Trees> {
  const path = join(folder, `ours-${size}.db`);
  const leastPath = join(folder, `least-${size}.db`);
  const store = await openStore(`sqlite:${path}`);
  const { id, rootId } = await buildBenchTree(store, size);
  const least = new MinimalSqlite(leastPath);
  const { root } = buildMinimalTree(least, size);
  const [ours, narrow] = [await addPlaces(store, id, rootId), addNarrowPlaces(least, root)];
  least.index();
  await store.search({ text: rareWord });
  return { size, path, leastPath, store, least, id, ours, narrow };
}

interface Workload {
  readonly title: string;
  readonly turns: number;
  /**
   * The largest ratio to the least work, for work that grows with the number of messages, such as a search. Without
   * `maxRatio` the growth from the smallest tree is limited instead.
   */
  readonly maxRatio?: number;
  least(trees: Trees, turn: number): unknown;
  ours(trees: Trees, turn: number): unknown;
}

const workloads: { readonly [name: string]: Workload } = {
  append: {
    title: 'durable append',
    turns: 150,
    least: ({ least, narrow }, turn) => {
      const { role, content } = makeBenchMessage(10_000_000 + turn);
      least.transaction(() => least.select(least.insert(narrow.variants[0], role, JSON.stringify(content))));
    },
    ours: ({ store, id, ours }, turn) =>
      run(
        store,
        {
          type: 'append',
          treeId: id,
          parentId: ours.variants[0],
          messages: [{ message: makeBenchMessage(10_000_000 + turn) }],
        },
        benchContext,
      ),
  },
  open: {
    title: 'open and get the thread',
    turns: 40,
    least: ({ leastPath, narrow }) => {
      const least = new MinimalSqlite(leastPath);
      least.path(narrow.variants[0], benchBranchDepth);
      least.close();
    },
    ours: async ({ path, id }) => {
      const store = await openStore(`sqlite:${path}`);
      await store.read(id, () => readPage(id, { limit: benchBranchDepth }));
      await store.close();
    },
  },
  path: {
    title: `path of ${chainLength.toLocaleString('en')}`,
    turns: 60,
    least: ({ least, narrow }) => least.path(narrow.chainEnd, chainLength + 1),
    ours: ({ store, id, ours }) => store.read(id, () => readPath({ to: ours.chainEnd })),
  },
  switch: {
    title: 'switch a variant and get the thread',
    turns: 150,
    least: ({ least, narrow }, turn) => {
      const to = narrow.variants[turn % 2 === 0 ? 0 : 1];
      least.transaction(() => least.select(to));
      return least.path(to, benchBranchDepth);
    },
    ours: async ({ store, id, ours }, turn) => {
      const to = ours.variants[turn % 2 === 0 ? 0 : 1];
      await run(store, { type: 'select', treeId: id, nodeId: to }, benchContext);
      return store.read(id, () => readPage(id, { limit: benchBranchDepth }));
    },
  },
  search: {
    title: 'search for a rare word',
    turns: 150,
    maxRatio: 2,
    least: ({ least }) => least.search(rareWord),
    ours: ({ store }) => store.search({ text: rareWord, limit: 20 }),
  },
  topology: {
    title: `topology of one branch, ${benchBranchDepth} levels`,
    turns: 150,
    least: ({ least, narrow }) => least.shapeBelow(narrow.branchTop, benchBranchDepth),
    ours: ({ store, id, ours }) =>
      store.read(id, () => readTopology(id, { from: nodeId(ours.branchTop), depth: benchBranchDepth })),
  },
};

async function measureGrowth(workload: Workload, all: readonly Trees[]): Promise<readonly Measurement[]> {
  const candidates: { [name: string]: (turn: number) => unknown } = {};
  for (const trees of all) {
    candidates[`least ${trees.size}`] = (turn) => workload.least(trees, turn);
    candidates[`ours ${trees.size}`] = (turn) => workload.ours(trees, turn);
  }
  const times = await measureAlternating(candidates, workload.turns, undefined, measureCpuTime);
  const timeOf = (by: 'least' | 'ours', size: number) => times[`${by} ${size}`] ?? Number.NaN;
  const smallest = all[0]?.size ?? 0;
  return all.flatMap(({ size }): Measurement[] => {
    const work = `${workload.title}, ${size.toLocaleString('en')} messages`;
    const [least, ours] = [timeOf('least', size), timeOf('ours', size)];
    const { maxRatio } = workload;
    const ratio = ours / least;
    const growth = ours / timeOf('ours', smallest);
    const limited = (limit: number, value: number) => ({ budget: `≤ ${limit}×`, kept: value <= limit });
    const toLeast = maxRatio === undefined || size === smallest ? {} : limited(maxRatio, ratio);
    const rows: Measurement[] = [
      { work, by: 'least', value: least, unit: 'µs' },
      { work, by: 'coppice, to least', value: ours, unit: 'µs', ratio, ...toLeast },
    ];
    if (size === smallest) return rows;
    const toSmallest = maxRatio === undefined ? limited(maxGrowth, growth) : {};
    const by = `coppice, to ${smallest.toLocaleString('en')} messages`;
    return [...rows, { work, by, value: ours, unit: 'µs', ratio: growth, ...toSmallest }];
  });
}

/** Builds a tree of each size and measures all workloads, or those of `COPPICE_GROWTH`. */
export async function benchGrowth(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-growth-'));
  const wanted = process.env['COPPICE_GROWTH']?.split(',') ?? Object.keys(workloads);
  const measures: Measurement[] = [];
  try {
    const all: Trees[] = [];
    for (const size of sizes) all.push(await buildTrees(folder, size));
    for (const name of wanted) {
      const workload = workloads[name];
      if (workload !== undefined) measures.push(...(await measureGrowth(workload, all)));
    }
    for (const { store, least } of all) {
      least.close();
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measures;
}
