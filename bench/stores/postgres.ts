/** Compares a store on PostgreSQL with the bare driver: one append, a path and a page, and 24 writers on 10 trees. */

import { readPage, readPath, run, type Store } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import pg from 'pg';
import { type Measurement, median } from '../measure.ts';
import { benchBranchDepth, benchContext, buildBenchTree, makeBenchMessage } from './bench-tree.ts';

const microseconds = (from: bigint) => Number(process.hrtime.bigint() - from) / 1000;

/** Returns the median times of several functions, run alternately so that noise affects all of them. */
async function inTurns(count: number, works: readonly ((n: number) => Promise<unknown>)[]): Promise<readonly number[]> {
  const found: number[][] = works.map(() => []);
  for (let n = 0; n < count + 20; n++)
    for (const [at, work] of works.entries()) {
      const from = process.hrtime.bigint();
      await work(n);
      if (n >= 20) found[at]?.push(microseconds(from));
    }
  return found.map(median);
}

/** Opens a connection for the bare driver, with a separate tree to append to. */
export async function openBareDriver(url: string, store: Store, pipeline: boolean) {
  const { id, leaf } = await buildBenchTree(store, 1_000);
  const client = new pg.Client({ connectionString: url, pipeline });
  await client.connect();
  const found = await client.query(
    'SELECT t.version, t.next_seq, n.no FROM tree t JOIN node n ON n.id = $2 WHERE t.id = $1',
    [id, leaf],
  );
  const { version, next_seq: seq, no } = found.rows[0] as Readonly<Record<string, string>>;
  const state = { version: Number(version), seq: Number(seq), parent: leaf as string, no: Number(no) };
  return { client, append: (n: number) => bareAppend(client, id, state, n, pipeline) };
}

/** Appends one message with the same rows as the store, in one transaction with prepared statements. */
async function bareAppend(
  client: pg.Client,
  tree: string,
  state: { version: number; seq: number; parent: string; no: number },
  n: number,
  pipelined = false,
): Promise<void> {
  const node = benchContext.newId();
  const { parent } = state;
  const sent: Promise<unknown>[] = [];
  const query = async (statement: string | pg.QueryConfig): Promise<void> => {
    sent.push(client.query(statement));
    if (!pipelined) await sent[sent.length - 1];
  };
  state.version++;
  // The numbers of a tree's nodes are consecutive.
  const no = Math.floor(state.no / 2 ** 26) * 2 ** 26 + state.seq++;
  await query('BEGIN');
  await query({ name: 'lock', text: 'SELECT version FROM tree WHERE id = $1 FOR UPDATE', values: [tree] });
  await sent[sent.length - 1];
  await query({
    name: 'node',
    text: `INSERT INTO node (no, id, parent_no, position, kind, role, status, group_id, created_at, match_no, equality_key, tokens, added_in, content_in, content, meta, meta_in)
      VALUES ($1, $2, $3, 'a0', 'message', 'user', 'success', 0, $4, $3, $5, 100, $6, $6, $7, '{}', $6)`,
    values: [
      no,
      node,
      state.no,
      Date.now(),
      node.slice(0, 32),
      state.version,
      JSON.stringify(makeBenchMessage(n).content),
    ],
  });
  await query({
    name: 'mark',
    text: 'UPDATE node SET last_no = $2 WHERE no = $1',
    values: [state.no, no],
  });
  await query({
    name: 'tree',
    text: 'UPDATE tree SET version = $2, structure_version = $2, next_seq = $3, updated_at = $4, active_node_id = $5 WHERE id = $1',
    values: [tree, state.version, state.seq, Date.now(), node],
  });
  await query({
    name: 'log',
    text: `INSERT INTO change (tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner) VALUES ($1, $2, $3, 'me', $4, 'do', $5, 1, 1, $6, 'local')`,
    values: [
      tree,
      state.version,
      benchContext.newId(),
      Date.now(),
      state.seq - 1,
      JSON.stringify([{ type: 'insert', id: node, parentId: parent }]),
    ],
  });
  await query('COMMIT');
  await Promise.all(sent);
  state.parent = node;
  state.no = no;
}

// Reads the stored rows of a path from the end upwards.
const walk = `WITH RECURSIVE up AS (SELECT *, 1 AS level FROM node WHERE id = $1 UNION ALL
  SELECT n.*, up.level + 1 FROM up JOIN node n ON n.no = up.parent_no WHERE up.level < $2) SELECT * FROM up`;

/**
 * Reads a path of 1,000 messages and the current page of 60, and compares each with the bare recursive query and the
 * parsing of its contents.
 */
async function reads(measures: Measurement[], url: string, store: Store): Promise<void> {
  const { id, rootId, leaf } = await buildBenchTree(store, 10_000);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const bare = async (to: string, limit: number) => {
    const { rows } = await client.query({ name: 'walk', text: walk, values: [to, limit] });
    return rows.map((row: { readonly content: string }) => JSON.parse(row.content) as unknown);
  };
  const chain = Array.from({ length: 1_000 }, (_, index) => ({ message: makeBenchMessage(7_000_000 + index) }));
  const appended = { type: 'append', treeId: id, parentId: rootId, messages: chain, select: false } as const;
  const end = (await run(store, appended, benchContext)).result.nodeId;
  const works = {
    'path of depth 1,000, PostgreSQL': [() => bare(end, 1_001), () => store.read(id, () => readPath({ to: end }))],
    'page of 60, PostgreSQL': [
      () => bare(leaf, benchBranchDepth),
      () => store.read(id, () => readPage(id, { limit: benchBranchDepth })),
    ],
  };
  for (const [work, both] of Object.entries(works)) {
    const [raw = 0, own = 0] = await inTurns(60, both);
    const ratio = own / raw;
    measures.push(
      { work, by: 'bare recursive query', value: raw, unit: 'µs' },
      { work, by: 'coppice', value: own, unit: 'µs', ratio, budget: '≤ 1.5× bare', kept: ratio <= 1.5 },
    );
  }
  await client.end();
}

/** Measures appends, reads and concurrent writers on PostgreSQL. */
export async function benchPostgres(measures: Measurement[]): Promise<void> {
  const server = await PostgresServer.start();
  try {
    const url = await server.createDatabase();
    const store = await openStore(url);
    const ours = await buildBenchTree(store, 1_000);
    const waiting = await openBareDriver(url, store, false);
    const pipelined = await openBareDriver(url, store, true);
    const [raw = 0, piped = 0, own = 0] = await inTurns(300, [
      (n) => waiting.append(1_000_000 + n),
      (n) => pipelined.append(3_000_000 + n),
      (n) =>
        run(
          store,
          { type: 'append', treeId: ours.id, messages: [{ message: makeBenchMessage(2_000_000 + n) }] },
          benchContext,
        ),
    ]);
    await waiting.client.end();
    await pipelined.client.end();
    const ratio = own / raw;
    measures.push(
      { work: 'durable append, PostgreSQL', by: 'bare driver', value: raw, unit: 'µs' },
      {
        work: 'durable append, PostgreSQL',
        by: 'bare driver that waits twice only',
        value: piped,
        unit: 'µs',
        ratio: piped / raw,
      },
      {
        work: 'durable append, PostgreSQL',
        by: 'coppice',
        value: own,
        unit: 'µs',
        ratio,
        budget: '≤ 1.3× bare',
        kept: ratio <= 1.3,
      },
    );
    await reads(measures, url, store);
    const trees = await Promise.all(Array.from({ length: 10 }, () => buildBenchTree(store, 0)));
    const from = process.hrtime.bigint();
    const each = 100;
    await Promise.all(
      Array.from({ length: 24 }, async (_, writer) => {
        for (let n = 0; n < each; n++) {
          const tree = trees[(writer + n) % trees.length];
          if (tree !== undefined)
            await run(
              store,
              { type: 'append', treeId: tree.id, messages: [{ message: makeBenchMessage(writer * 10_000 + n) }] },
              benchContext,
            );
        }
      }),
    );
    measures.push({
      work: 'append by 24 writers over 10 trees, each',
      by: 'coppice',
      value: microseconds(from) / (24 * each),
      unit: 'µs',
    });
    await store.close();
  } finally {
    await server.stop();
  }
}
