/**
 * Compares each workload with the least work that its medium needs: a narrow table with integer keys, a file of lines
 * with an index of offsets, or a Map. `COPPICE_LIMITS=append,path` measures only these workloads.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type NodeId, nodeId, readPage, readPath, readTopology, run, type Store, treeId } from '@coppice/core';
import { contextOf, readContextPath } from '@coppice/core/context';
import { newId } from '@coppice/engine/new-id';
import { openStore } from '@coppice/stores';
import { measureImportTimes } from './limits/import.ts';
import { MinimalLineFile, MinimalMap, readLastLines } from './limits/minimal-files.ts';
import { buildMinimalTree, MinimalSqlite } from './limits/minimal-sqlite.ts';
import { measurePeers } from './limits/peers.ts';
import { measureStartTimes } from './limits/start.ts';
import { type Measurement, measureAlternating, measureRetainedBytes } from './measure.ts';
import {
  benchBranchDepth,
  benchContext,
  buildBenchTree,
  makeBenchMessage,
  makeParsedBenchMessage,
} from './stores/bench-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-limits-'));
let files = 0;
const newPath = (ending = 'db') => join(folder, `${++files}.${ending}`);

interface Row {
  readonly work: string;
  readonly least: number;
  readonly ours: number;
  readonly aim: number;
  readonly unit?: Measurement['unit'];
}

function pushRow(measures: Measurement[], { work, least, ours, aim, unit = 'µs' }: Row): void {
  const ratio = ours / least;
  measures.push(
    { work, by: 'least', value: least, unit },
    { work, by: 'coppice', value: ours, unit, ratio, budget: `≤ ${aim}× least`, kept: ratio <= aim },
  );
}

const count = (n: number) => n.toLocaleString('en');

async function appendSqlite(measures: Measurement[]): Promise<void> {
  for (const size of [10_000, 100_000]) {
    const [ourPath, leastPath] = [newPath(), newPath()];
    const store = await openStore(`sqlite:${ourPath}`);
    const { id } = await buildBenchTree(store, size);
    const least = new MinimalSqlite(leastPath);
    let { leaf } = buildMinimalTree(least, size);
    const bytes = { least: [] as number[], ours: [] as number[] };
    const walBytes = (path: string) => (existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0);
    const work = {
      least: (n: number) => {
        const { role, content } = makeBenchMessage(1_000_000 + n);
        least.transaction(() => {
          leaf = least.insert(leaf, role, JSON.stringify(content));
          least.select(leaf);
        });
      },
      ours: (n: number) =>
        run(
          store,
          { type: 'append', treeId: id, messages: [{ message: makeBenchMessage(2_000_000 + n) }] },
          benchContext,
        ),
    };
    const times = await measureAlternating(work, 300, 1_200);
    const title = `durable append, SQLite, ${count(size)} messages`;
    pushRow(measures, { work: title, least: times.least, ours: times.ours, aim: 2 });
    await store.close();
    // The write-ahead log starts empty, so its size is the number of bytes that the appends wrote.
    least.emptyLog();
    const again = await openStore(`sqlite:${ourPath}`);
    const appended = 20;
    const sizes = { least: walBytes(leastPath), ours: walBytes(ourPath) };
    for (let n = 0; n < appended; n++) {
      work.least(n);
      await run(
        again,
        { type: 'append', treeId: id, messages: [{ message: makeBenchMessage(3_000_000 + n) }] },
        benchContext,
      );
    }
    bytes.least.push((walBytes(leastPath) - sizes.least) / appended);
    bytes.ours.push((walBytes(ourPath) - sizes.ours) / appended);
    pushRow(measures, {
      work: `bytes to the log for an append, ${count(size)} messages`,
      least: bytes.least[0] ?? 0,
      ours: bytes.ours[0] ?? 0,
      aim: 2.4,
      unit: 'bytes',
    });
    await again.close();
    least.close();
  }
}

async function appendWide(measures: Measurement[]): Promise<void> {
  const store = await openStore(`sqlite:${newPath()}`);
  const id = treeId(crypto.randomUUID());
  const rootId = nodeId(crypto.randomUUID());
  await run(store, { type: 'create', treeId: id, rootId }, benchContext);
  const least = new MinimalSqlite(newPath());
  const root = least.insert(null, 'root', '[]');
  least.transaction(() => {
    for (let n = 0; n < 10_000; n++) least.insert(root, 'user', JSON.stringify(makeBenchMessage(n).content));
  });
  for (let n = 0; n < 10_000; n++)
    await run(
      store,
      { type: 'append', treeId: id, parentId: rootId, messages: [{ message: makeBenchMessage(n) }] },
      benchContext,
    );
  const times = await measureAlternating(
    {
      least: (n) =>
        least.transaction(() => least.insert(root, 'user', JSON.stringify(makeBenchMessage(1_000_000 + n).content))),
      ours: (n) =>
        run(
          store,
          { type: 'append', treeId: id, parentId: rootId, messages: [{ message: makeBenchMessage(2_000_000 + n) }] },
          benchContext,
        ),
    },
    200,
    100,
  );
  pushRow(measures, { work: 'durable append below 10,000 children', ...times, aim: 2 });
  least.close();
  await store.close();
}

async function memory(measures: Measurement[]): Promise<void> {
  const store = await openStore('memory:');
  const { id, rootId } = await buildBenchTree(store, 10_000);
  const map = new MinimalMap();
  let last: string | null = null;
  const add = (n: number) => {
    const { role, content } = makeBenchMessage(n);
    const own = crypto.randomUUID();
    map.add({ id: own, parentId: last, role, content });
    last = own;
  };
  for (let n = 0; n < 10_000; n++) add(n);
  const appends = await measureAlternating(
    {
      least: (n) => add(1_000_000 + n),
      ours: (n) =>
        run(
          store,
          { type: 'append', treeId: id, messages: [{ message: makeBenchMessage(2_000_000 + n) }] },
          benchContext,
        ),
    },
    2_000,
    4_000,
  );
  pushRow(measures, { work: 'append, memory, 10,000 messages', ...appends, aim: 30 });
  const shapes = await measureAlternating(
    { least: () => map.shape(), ours: () => store.read(id, () => readTopology(id)) },
    15,
    3,
  );
  pushRow(measures, { work: 'topology of 10,000, memory', ...shapes, aim: 54 });
  pushRow(measures, {
    work: 'known history of 200 + 1 new, memory',
    ...(await resent(store, id, rootId, map)),
    aim: 17,
  });
  const messages = 20_000;
  const least = measureRetainedBytes(() => {
    const own = new MinimalMap();
    for (let n = 0; n < messages; n++) own.add({ id: newId(), parentId: null, ...makeParsedBenchMessage(n) });
    return own;
  }, 1);
  const before = await openStore('memory:');
  globalThis.gc?.();
  const start = process.memoryUsage().heapUsed;
  await buildBenchTree(before, messages, makeParsedBenchMessage);
  globalThis.gc?.();
  const ours = process.memoryUsage().heapUsed - start;
  pushRow(measures, {
    work: 'heap for a loaded message',
    least: least / messages,
    ours: ours / messages,
    aim: 1.3,
    unit: 'bytes',
  });
  await before.close();
  await store.close();
}

async function resent(store: Store, id: ReturnType<typeof treeId>, rootId: NodeId, map: MinimalMap | MinimalSqlite) {
  const said = Array.from({ length: 200 }, (_, index) => makeBenchMessage(5_000_000 + index));
  const history = said.map((one) => ({ message: one }));
  await run(store, { type: 'append', treeId: id, parentId: rootId, messages: history }, benchContext);
  const own: {
    add: (parent: number | string, n: number) => number | string;
    find: (p: number | string, c: string) => number | string | undefined;
  } =
    map instanceof MinimalMap
      ? {
          add: (parent, n) => {
            const made = crypto.randomUUID();
            const { role, content } = makeBenchMessage(n);
            map.addFound({ id: made, parentId: String(parent), role, content }, JSON.stringify(content));
            return made;
          },
          find: (parent, content) => map.find(String(parent), content),
        }
      : {
          add: (parent, n) =>
            map.transaction(() => map.insert(Number(parent), 'user', JSON.stringify(makeBenchMessage(n).content))),
          find: (parent, content) => map.find(Number(parent), content),
        };
  const top = own.add(map instanceof MinimalMap ? 'top' : 1, 4_000_000);
  let at = top;
  for (let index = 0; index < 200; index++) at = own.add(at, 5_000_000 + index);
  return measureAlternating(
    {
      least: (n) => {
        let parent = top;
        for (const one of said) parent = own.find(parent, JSON.stringify(one.content)) ?? parent;
        own.add(parent, 7_000_000 + n);
      },
      ours: (n) =>
        run(
          store,
          {
            type: 'append',
            treeId: id,
            parentId: rootId,
            messages: [...history, { message: makeBenchMessage(6_000_000 + n) }],
          },
          benchContext,
        ),
    },
    100,
    100,
  );
}

async function readSqlite(measures: Measurement[]): Promise<void> {
  const store = await openStore(`sqlite:${newPath()}`);
  const { id, rootId } = await buildBenchTree(store, 100_000);
  const least = new MinimalSqlite(newPath());
  const { root, leaf } = buildMinimalTree(least, 100_000);
  const chain = Array.from({ length: 1_000 }, (_, index) => ({ message: makeBenchMessage(7_000_000 + index) }));
  const { result } = await run(store, { type: 'append', treeId: id, parentId: rootId, messages: chain }, benchContext);
  const end = least.transaction(() =>
    chain.reduce((at, one) => least.insert(at, one.message.role, JSON.stringify(one.message.content)), root),
  );
  const paths = await measureAlternating(
    {
      least: () => least.path(end, 1_000_000),
      ours: () => store.read(id, () => readPath({ to: result.nodeId })),
    },
    60,
  );
  pushRow(measures, { work: 'path of 1,000', ...paths, aim: 3.2 });
  // Two variants of a last message, sixty levels deep.
  const branch = Array.from({ length: benchBranchDepth }, (_, index) => ({
    message: makeBenchMessage(8_000_000 + index),
  }));
  const left = await run(store, { type: 'append', treeId: id, parentId: rootId, messages: branch }, benchContext);
  const parent = (await store.read(id, () => readPath({ to: left.result.nodeId }))).at(-2)?.id ?? rootId;
  const right = await run(
    store,
    { type: 'append', treeId: id, parentId: parent, messages: [{ message: makeBenchMessage(9_000_000) }] },
    benchContext,
  );
  const other = least.transaction(() => {
    const made = least.insert(leaf, 'user', '[]');
    return [leaf, made] as const;
  });
  const variants = [left.result.nodeId, right.result.nodeId] as const;
  const switches = await measureAlternating(
    {
      least: (n) => {
        const to = other[n % 2] ?? leaf;
        least.transaction(() => least.select(to));
        return least.path(to, benchBranchDepth);
      },
      ours: async (n) => {
        await run(store, { type: 'select', treeId: id, nodeId: variants[n % 2] ?? left.result.nodeId }, benchContext);
        return store.read(id, () => readPage(id, { limit: benchBranchDepth }));
      },
    },
    200,
  );
  pushRow(measures, { work: 'switch a variant and get the thread, 100,000 messages', ...switches, aim: 3.5 });
  const texts = await measureAlternating(
    {
      least: () => Buffer.from(least.pathText(leaf, benchBranchDepth)),
      ours: async () =>
        Buffer.from(JSON.stringify(await store.read(id, () => readPage(id, { limit: benchBranchDepth })))),
    },
    200,
  );
  pushRow(measures, { work: 'current thread of 60 as JSON bytes', ...texts, aim: 3 });
  // The context has 71 entries: a compaction, the 10 messages that it keeps, and 60 after it.
  const kept = await store.read(id, () => readPath({ to: result.nodeId }));
  await run(store, { type: 'select', treeId: id, nodeId: result.nodeId }, benchContext);
  const firstKept = kept.at(-10)?.id;
  await run(
    store,
    { type: 'compact', treeId: id, summary: 'What was said.', ...(firstKept === undefined ? {} : { firstKept }) },
    benchContext,
  );
  const after = Array.from({ length: 60 }, (_, index) => ({ message: makeBenchMessage(9_500_000 + index) }));
  const compacted = await run(store, { type: 'append', treeId: id, messages: after }, benchContext);
  const last = least.transaction(() => {
    let at = end;
    for (const one of [chain[0], ...after]) at = least.insert(at, 'user', JSON.stringify(one?.message.content));
    return at;
  });
  const contexts = await measureAlternating(
    {
      least: () => least.path(last, 71),
      ours: async () =>
        contextOf(await store.read(id, () => readContextPath(compacted.result.nodeId)), { kit: messageKit }),
    },
    200,
  );
  pushRow(measures, { work: 'context of 71 after a compaction', ...contexts, aim: 4 });
  least.close();
  await store.close();
}

async function topologySqlite(measures: Measurement[]): Promise<void> {
  const store = await openStore(`sqlite:${newPath()}`);
  const { id } = await buildBenchTree(store, 10_000);
  const least = new MinimalSqlite(newPath());
  buildMinimalTree(least, 10_000);
  const times = await measureAlternating(
    { least: () => least.shape(), ours: () => store.read(id, () => readTopology(id)) },
    15,
    3,
  );
  pushRow(measures, { work: 'topology of 10,000, SQLite', ...times, aim: 5 });
  least.close();
  await store.close();
}

async function resentSqlite(measures: Measurement[]): Promise<void> {
  const store = await openStore(`sqlite:${newPath()}`);
  const { id, rootId } = await buildBenchTree(store, 10_000);
  const least = new MinimalSqlite(newPath());
  buildMinimalTree(least, 10_000);
  pushRow(measures, {
    work: 'known history of 200 + 1 new, SQLite',
    ...(await resent(store, id, rootId, least)),
    aim: 1.4,
  });
  least.close();
  await store.close();
}

async function openSqlite(measures: Measurement[]): Promise<void> {
  for (const size of [1_000, 100_000]) {
    const [ourPath, leastPath] = [newPath(), newPath()];
    const made = await openStore(`sqlite:${ourPath}`);
    const { id } = await buildBenchTree(made, size);
    await made.close();
    const maker = new MinimalSqlite(leastPath);
    const { leaf } = buildMinimalTree(maker, size);
    maker.close();
    const times = await measureAlternating(
      {
        least: () => {
          const least = new MinimalSqlite(leastPath);
          least.path(leaf, benchBranchDepth);
          least.close();
        },
        ours: async () => {
          const store = await openStore(`sqlite:${ourPath}`);
          await store.read(id, () => readPage(id, { limit: benchBranchDepth }));
          await store.close();
        },
      },
      40,
    );
    pushRow(measures, { work: `open and get the thread, SQLite, ${count(size)} messages`, ...times, aim: 4 });
  }
}

async function sessionFolders(measures: Measurement[]): Promise<void> {
  for (const [size, aim] of [
    [1_000, 15],
    [20_000, 60],
  ] as const) {
    const [ourPath, leastPath] = [newPath('jsonl-folder'), newPath('lines')];
    const made = await openStore(`jsonl:${ourPath}`);
    const { id } = await buildBenchTree(made, size);
    const least = new MinimalLineFile(leastPath);
    const add = (n: number, sync: boolean) =>
      least.append({ id: crypto.randomUUID(), parentId: crypto.randomUUID(), ...makeBenchMessage(n) }, sync);
    for (let n = 0; n < size; n++) add(n, false);
    const appends = await measureAlternating(
      {
        least: (n) => add(1_000_000 + n, true),
        ours: (n) =>
          run(
            made,
            { type: 'append', treeId: id, messages: [{ message: makeBenchMessage(2_000_000 + n) }] },
            benchContext,
          ),
      },
      200,
      300,
    );
    pushRow(measures, { work: `durable append, session folder, ${count(size)} messages`, ...appends, aim: 1.6 });
    await made.close();
    least.close();
    const times = await measureAlternating(
      {
        least: () => readLastLines(leastPath, benchBranchDepth),
        ours: async () => {
          const store = await openStore(`jsonl:${ourPath}`);
          await store.read(id, () => readPage(id, { limit: benchBranchDepth }));
          await store.close();
        },
      },
      40,
    );
    pushRow(measures, { work: `open and get the thread, session folder, ${count(size)} messages`, ...times, aim });
  }
}

async function deletes(measures: Measurement[]): Promise<void> {
  const store = await openStore(`sqlite:${newPath()}`);
  const { id, rootId } = await buildBenchTree(store, 90_000);
  const chain = Array.from({ length: 10_000 }, (_, index) => ({ message: makeBenchMessage(8_000_000 + index) }));
  const { result } = await run(
    store,
    { type: 'append', treeId: id, parentId: rootId, messages: chain, select: false },
    benchContext,
  );
  const firstId = (await store.read(id, () => readPath({ to: result.nodeId })))[0]?.id ?? result.nodeId;
  const least = new MinimalSqlite(newPath());
  const { root } = buildMinimalTree(least, 90_000);
  const top = least.transaction(() => {
    const first = least.insert(root, 'user', '[]');
    chain.slice(1).reduce((at, one) => least.insert(at, 'user', JSON.stringify(one.message.content)), first);
    return first;
  });
  const times = await measureAlternating(
    {
      least: (n) => least.transaction(() => least.remove(top, n % 2 === 0 ? 1 : null)),
      ours: (n) =>
        n % 2 === 0
          ? run(store, { type: 'delete', treeId: id, nodeIds: [firstId], mode: 'cascade' }, benchContext)
          : run(store, { type: 'undo', treeId: id }, benchContext),
    },
    12,
    2,
  );
  pushRow(measures, { work: 'delete 10,000 of 100,000, or undo it', ...times, aim: 3 });
  least.close();
  await store.close();
}

async function search(measures: Measurement[]): Promise<void> {
  const store = await openStore(`sqlite:${newPath()}`);
  const { id, rootId } = await buildBenchTree(store, 100_000);
  const rare = {
    role: 'user' as const,
    content: [{ type: 'text' as const, text: 'a word like zweibelfisch is rare' }],
  };
  await run(store, { type: 'append', treeId: id, parentId: rootId, messages: [{ message: rare }] }, benchContext);
  const least = new MinimalSqlite(newPath());
  buildMinimalTree(least, 100_000);
  least.insert(1, 'user', JSON.stringify(rare.content));
  least.index();
  await store.search({ text: 'zweibelfisch' });
  const times = await measureAlternating(
    { least: () => least.search('zweibelfisch'), ours: () => store.search({ text: 'zweibelfisch', limit: 20 }) },
    200,
  );
  pushRow(measures, { work: 'search for a rare word among 100,000', ...times, aim: 4 });
  least.close();
  await store.close();
}

async function processStart(measures: Measurement[]): Promise<void> {
  const work = "process start to the first thread, 1,000 messages, Node's own start included";
  pushRow(measures, { work, ...(await measureStartTimes(folder)), aim: 1.7 });
}

async function importing(measures: Measurement[]): Promise<void> {
  const work = "import of 10,000 messages, ChatGPT's format, SQLite";
  pushRow(measures, { work, ...(await measureImportTimes(folder)), aim: 2.6 });
}

/** Adds the other programs to the rows of the same work, with their ratios to the least work. */
async function peers(measures: Measurement[]): Promise<void> {
  const rows = new Map(measures.filter(({ by }) => by === 'least').map((row) => [row.work, row]));
  for (const { work, by, value } of await measurePeers(folder)) {
    const least = rows.get(work);
    measures.push({
      work,
      by,
      value,
      unit: least?.unit ?? 'µs',
      ...(least === undefined ? {} : { ratio: value / least.value }),
    });
  }
}

const parts: { readonly [name: string]: (measures: Measurement[]) => Promise<void> } = {
  append: appendSqlite,
  wide: appendWide,
  memory,
  reads: readSqlite,
  topology: topologySqlite,
  open: openSqlite,
  start: processStart,
  resent: resentSqlite,
  sessions: sessionFolders,
  delete: deletes,
  search,
  import: importing,
  peers,
};

/** Measures all workloads, or those of `COPPICE_LIMITS`. */
export async function benchLimits(): Promise<readonly Measurement[]> {
  const measures: Measurement[] = [];
  const wanted = process.env['COPPICE_LIMITS']?.split(',') ?? Object.keys(parts);
  try {
    for (const name of wanted) await parts[name]?.(measures);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measures;
}
