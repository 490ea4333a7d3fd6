/** Compares stores on SQLite and PostgreSQL with their bare drivers, at equal durability. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { ask, type NodeId, readPage, readPath, readTree, run, type Store, type TreeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { collectGarbage, type Measurement, measureAlternating, measureWallTime } from './measure.ts';
import { benchBranchDepth, benchContext, buildBenchTree, makeBenchMessage } from './stores/bench-tree.ts';
import { openRawDatabase, RawSqliteAppender } from './stores/raw-sqlite.ts';

const sizes = [1_000, 10_000, 100_000] as const;
const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-'));
const microseconds = (from: bigint) => Number(process.hrtime.bigint() - from) / 1000;

function rawAppends(
  path: string,
  id: TreeId,
  row: { readonly version: number; readonly nextSeq: number; readonly active: NodeId },
) {
  const database = openRawDatabase(path);
  const appender = new RawSqliteAppender(database);
  let { version, nextSeq: seq } = row;
  let parent: string = row.active;
  const [found] = database.prepare('SELECT no FROM node WHERE id = ?1').all(parent);
  let parentNo = Number(found?.['no']);
  const base = Math.floor(parentNo / 2 ** 26) * 2 ** 26;
  return {
    database,
    append(n: number) {
      const node = benchContext.newId();
      const said = makeBenchMessage(n);
      // The bare driver does not compute a hash or count tokens; it gets a prepared key.
      const steps = JSON.stringify([
        {
          type: 'insert',
          id: node,
          parentId: parent,
          position: 'a0',
          groupId: 0,
          matchParent: parent,
          kind: 'message',
          role: 'user',
          status: 'success',
          createdAt: Date.now(),
        },
        { type: 'select', after: node, before: parent },
      ]);
      appender.append({
        treeId: id,
        id: node,
        base,
        parentNo,
        seq,
        version: version + 1,
        content: JSON.stringify(said.content),
        key: node.slice(0, 32),
        at: Date.now(),
        steps,
        act: benchContext.newId(),
      });
      parentNo = base + seq;
      version++;
      seq++;
      parent = node;
    },
  };
}

async function appends(measures: Measurement[], size: number): Promise<void> {
  // Each side has its own file, because two connections that write one file alternately would mainly reload pages.
  const store = await openStore(`sqlite:${join(folder, `append-${size}.db`)}`);
  const ours = await buildBenchTree(store, size);
  const barePath = join(folder, `bare-${size}.db`);
  const maker = await openStore(`sqlite:${barePath}`);
  const bare = await buildBenchTree(maker, size);
  const row = await maker.read(bare.id, () => readTree(bare.id));
  await maker.close();
  const raw = rawAppends(barePath, bare.id, { version: row.version, nextSeq: row.nextSeq, active: bare.leaf });
  const times = await measureAlternating(
    {
      raw: (n) => raw.append(1_000_000 + n),
      ours: (n) =>
        run(
          store,
          { type: 'append', treeId: ours.id, messages: [{ message: makeBenchMessage(2_000_000 + n) }] },
          benchContext,
        ),
    },
    400,
    // Warms the code up, because in a server it is already compiled.
    2_000,
  );
  raw.database.close();
  const ratio = times.ours / times.raw;
  measures.push(
    { work: `durable append, ${size.toLocaleString('en')} messages`, by: 'bare SQLite', value: times.raw, unit: 'µs' },
    {
      work: `durable append, ${size.toLocaleString('en')} messages`,
      by: 'coppice',
      value: times.ours,
      unit: 'µs',
      ratio,
      budget: '≤ 1.3× bare',
      kept: ratio <= 1.3,
    },
  );
  if (size === 10_000) await resent(measures, store, ours.id, times.ours);
  await store.close();
}

/** Resends a stored history with one more message, which writes one row however long the history is. */
async function resent(measures: Measurement[], store: Store, id: TreeId, single: number): Promise<void> {
  const { rootId } = await store.read(id, () => readTree(id));
  const history = Array.from({ length: 200 }, (_, index) => ({ message: makeBenchMessage(5_000_000 + index) }));
  await run(store, { type: 'append', treeId: id, parentId: rootId, messages: history }, benchContext);
  const times = await measureAlternating(
    {
      hashing: () => history.map((item) => messageKit.key(item.message)),
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
    60,
  );
  const limit = 2 * single + times.hashing;
  const ratio = times.ours / limit;
  measures.push({
    work: 'known history of 200 + 1 new',
    by: 'coppice',
    value: times.ours,
    unit: 'µs',
    ratio,
    budget: '≤ 2 appends + hashing',
    kept: ratio <= 1,
  });
}

async function opening(measures: Measurement[]): Promise<void> {
  const places = new Map<number, { readonly path: string; readonly id: TreeId }>();
  for (const size of [1_000, 100_000]) {
    const path = join(folder, `open-${size}.db`);
    const store = await openStore(`sqlite:${path}`);
    places.set(size, { path, id: (await buildBenchTree(store, size)).id });
    await store.close();
  }
  const openAndRead = async (size: number) => {
    const { path, id } = places.get(size) ?? { path: '', id: '' as TreeId };
    const store = await openStore(`sqlite:${path}`);
    const page = await store.read(id, () => readPage(id, { limit: benchBranchDepth }));
    if (page.nodes.length !== benchBranchDepth) throw new Error(`The thread has ${page.nodes.length} messages.`);
    await store.close();
  };
  const times = await measureAlternating({ small: () => openAndRead(1_000), large: () => openAndRead(100_000) }, 30);
  const ratio = times.large / times.small;
  measures.push(
    { work: 'open and get the thread, 1,000 messages', by: 'coppice', value: times.small, unit: 'µs' },
    {
      work: 'open and get the thread, 100,000 messages',
      by: 'coppice',
      value: times.large,
      unit: 'µs',
      ratio,
      budget: '≤ 1.5× that of 1,000',
      kept: ratio <= 1.5,
    },
  );
}

async function paths(measures: Measurement[]): Promise<void> {
  const path = join(folder, 'path.db');
  const store = await openStore(`sqlite:${path}`);
  const { id } = await buildBenchTree(store, 10_000);
  const chain = Array.from({ length: 1_000 }, (_, index) => ({ message: makeBenchMessage(7_000_000 + index) }));
  const { rootId } = await store.read(id, () => readTree(id));
  const { result } = await run(store, { type: 'append', treeId: id, parentId: rootId, messages: chain }, benchContext);
  const database = openRawDatabase(path);
  const walk = database.prepare(
    `WITH RECURSIVE up AS (SELECT *, 1 AS level FROM node WHERE id = ?1 UNION ALL
    SELECT n.*, up.level + 1 FROM up JOIN node n ON n.no = up.parent_no) SELECT * FROM up`,
  );
  const times = await measureAlternating(
    {
      raw: () => (walk.all(result.nodeId) as { content: string }[]).map((row) => JSON.parse(row.content)),
      ours: () => store.read(id, () => readPath({ to: result.nodeId })),
    },
    40,
  );
  database.close();
  const ratio = times.ours / times.raw;
  measures.push(
    { work: 'path of depth 1,000', by: 'bare recursive query', value: times.raw, unit: 'µs' },
    {
      work: 'path of depth 1,000',
      by: 'coppice',
      value: times.ours,
      unit: 'µs',
      ratio,
      budget: '≤ 1.5× bare',
      kept: ratio <= 1.5,
    },
  );
  await store.close();
}

async function deletes(measures: Measurement[]): Promise<void> {
  const path = join(folder, 'delete.db');
  const store = await openStore(`sqlite:${path}`);
  const { id, rootId } = await buildBenchTree(store, 1_000);
  const chain = (from: number) =>
    Array.from({ length: 10_000 }, (_, index) => ({ message: makeBenchMessage(from + index) }));
  const first = await run(
    store,
    { type: 'append', treeId: id, parentId: rootId, messages: chain(8_000_000), select: false },
    benchContext,
  );
  const second = await run(
    store,
    { type: 'append', treeId: id, parentId: rootId, messages: chain(9_000_000), select: false },
    benchContext,
  );
  const top = first.result.added[0] ?? rootId;
  const other = second.result.added[0] ?? rootId;
  const database = openRawDatabase(path);
  const mark = database.prepare(
    `WITH RECURSIVE below(no) AS (SELECT no FROM node WHERE id = ?1 UNION ALL SELECT n.no FROM below JOIN node n ON n.parent_no = below.no)
    UPDATE node SET removed_in = ?2 WHERE no IN (SELECT no FROM below)`,
  );
  const times = await measureAlternating(
    {
      rawDelete: () => mark.run(other, 1),
      rawRestore: () => mark.run(other, null),
      ours: () => run(store, { type: 'delete', treeId: id, nodeIds: [top], mode: 'cascade' }, benchContext),
      undo: () => run(store, { type: 'undo', treeId: id }, benchContext),
    },
    8,
  );
  database.close();
  const raw = times.rawDelete + times.rawRestore;
  const ratio = (times.ours + times.undo) / raw;
  measures.push(
    { work: 'delete 10,000 below a node, and back', by: 'bare recursive statement', value: raw, unit: 'µs' },
    {
      work: 'delete 10,000 below a node, and undo',
      by: 'coppice',
      value: times.ours + times.undo,
      unit: 'µs',
      ratio,
      budget: '≤ 1.5× bare',
      kept: ratio <= 1.5,
    },
  );
  await store.close();
}

async function searches(measures: Measurement[]): Promise<void> {
  const path = join(folder, 'search.db');
  const store = await openStore(`sqlite:${path}`);
  const { id } = await buildBenchTree(store, 100_000);
  for (let n = 0; n < 20; n++)
    await run(
      store,
      {
        type: 'append',
        treeId: id,
        messages: [
          {
            message: {
              role: 'user',
              content: [{ type: 'text', text: `a rare zweibelfisch swims by, number ${n}` } as never],
            },
          },
        ],
      },
      benchContext,
    );
  const indexing = await measureWallTime(() => store.search({ text: 'zweibelfisch' }));
  const database = openRawDatabase(path);
  const bare = database.prepare(
    'SELECT n.id, n.content FROM node_text f JOIN node n ON n.no = f.rowid WHERE node_text MATCH ?1 ORDER BY n.created_at DESC LIMIT 21',
  );
  const times = await measureAlternating(
    { raw: () => bare.all('"zweibelfisch"'), ours: () => store.search({ text: 'zweibelfisch', limit: 20 }) },
    60,
  );
  database.close();
  const ratio = times.ours / times.raw;
  measures.push(
    { work: 'index 100,000 messages at the first search', by: 'coppice', value: indexing, unit: 'µs' },
    { work: 'search 100,000 messages', by: 'bare FTS5', value: times.raw, unit: 'µs' },
    {
      work: 'search 100,000 messages',
      by: 'coppice',
      value: times.ours,
      unit: 'µs',
      ratio,
      budget: '≤ 2× bare',
      kept: ratio <= 2,
    },
  );
  await store.close();
}

/** Stores a million messages through the library, 1,000 per commit, and measures the growth of the process. */
async function million(measures: Measurement[]): Promise<void> {
  const store = await openStore(`sqlite:${join(folder, 'million.db')}`);
  collectGarbage();
  const before = process.memoryUsage().rss;
  let highest = before;
  const from = process.hrtime.bigint();
  const { id, rootId } = await buildBenchTree(store, 0);
  for (let n = 0; n < 1_000_000; n += 1_000) {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({ message: makeBenchMessage(n + index) }));
    await run(store, { type: 'append', treeId: id, parentId: rootId, messages, merge: false }, benchContext);
    highest = Math.max(highest, process.memoryUsage().rss);
  }
  measures.push(
    { work: 'import 1,000,000 messages, each', by: 'coppice', value: microseconds(from) / 1_000_000, unit: 'µs' },
    { work: 'import 1,000,000 messages, memory above idle', by: 'coppice', value: highest - before, unit: 'bytes' },
  );
  const active = await store.read(id, function* () {
    return yield* ask('tree', {});
  });
  const times = await measureAlternating(
    { ours: () => store.read(id, () => readPage(id, { limit: benchBranchDepth })) },
    30,
  );
  measures.push({
    work: `a page of ${active?.nextSeq.toLocaleString('en')} messages`,
    by: 'coppice',
    value: times.ours,
    unit: 'µs',
  });
  await store.close();
}

/** Measures all workloads of the stores. `COPPICE_LONG=1` adds a million messages. */
export async function benchStores(): Promise<readonly Measurement[]> {
  const measures: Measurement[] = [];
  try {
    for (const size of sizes) await appends(measures, size);
    await opening(measures);
    await paths(measures);
    await deletes(measures);
    await searches(measures);
    if (process.env['COPPICE_LONG'] === '1') await million(measures);
    if (process.env['COPPICE_BENCH_POSTGRES'] !== 'off')
      await (await import('./stores/postgres.ts')).benchPostgres(measures);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measures;
}
