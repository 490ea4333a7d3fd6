/**
 * Measures what one of many users costs on one PostgreSQL server: processor time of the server per operation, by the
 * number of users, each with a chat of nine messages. The rows of the users are copied with SQL, because commits would
 * take days. `COPPICE_OWNERS=1000000` goes on to a million users, which are ten million rows of messages and roots.
 */
import { ask, run, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import type { Measurement } from './measure.ts';
import { readServerCpu } from './server-cpu.ts';
import { benchContext } from './stores/bench-tree.ts';

const messagesEach = 9;
const nodeNumbersPerTree = 2 ** 26;
const copiedAtOnce = 20_000;
const operations = 200;

function listSizes(): readonly number[] {
  const most = Number(process.env['COPPICE_OWNERS'] ?? '10000');
  return [100, 1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= most);
}

/** The name of a user. Each has one chat, whose ids begin with the number of the user. */
const ownerOf = (number: number) => `owner ${number}`;

/** Makes messages of about 110 characters. */
function makeMessages(count: number) {
  const text = 'the quick brown fox jumps over the lazy dog and runs on along the hedge until the evening comes';
  return Array.from({ length: count }, (_, at) => ({
    message: textMessage(at % 2 === 0 ? 'user' : 'assistant', `message ${at}: ${text}`),
  }));
}

type RunSql = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Copies the chat of the first user for further users, with the texts that search has copied. */
async function copyOwners(query: RunSql, id: string, first: number, last: number): Promise<void> {
  const columnsOf = async (table: string, without: readonly string[] = []) => {
    const rows = await query(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('${table}') AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    );
    return rows.map(({ name }) => String(name)).filter((name) => !without.includes(name));
  };
  const copied = new Map<string, string>([
    ...['id', 'root_id', 'active_node_id', 'tree_id', 'act_id', 'node_id'].map(
      (name) => [name, `lpad(k::text, 8, '0') || substr(${name}, 9)`] as const,
    ),
    ...['parent_no', 'match_no', 'last_no'].map((name) => [name, `${name} + k * ${nodeNumbersPerTree}`] as const),
    ['root_of', 'root_of + k'],
    ['owner', `'owner ' || k`],
  ]);
  const insert = async (
    table: string,
    where: string,
    more: ReadonlyMap<string, string>,
    without: readonly string[] = [],
  ) => {
    const columns = await columnsOf(table, without);
    const values = columns.map((name) => more.get(name) ?? copied.get(name) ?? name);
    return `INSERT INTO ${table} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE SELECT ${values.join(', ')}
      FROM ${table}, generate_series(${first}::bigint, ${last}::bigint) AS k WHERE ${where}`;
  };
  const nodes = new Map([['no', `no + k * ${nodeNumbersPerTree}`]]);
  const statements = [
    await insert('node', `node.no / ${nodeNumbersPerTree} = (SELECT no FROM tree WHERE id = '${id}')`, nodes),
    await insert('tree', `id = '${id}'`, new Map([['no', 'no + k']])),
    await insert('change', `tree_id = '${id}'`, new Map([['id', 'id + k * 1000']]), ['place']),
    await insert('search_text', `tree_id = '${id}'`, new Map()),
    await insert('search_mark', `tree_id = '${id}'`, new Map()),
  ];
  // Triggers and foreign keys are switched off for speed; the rows of the original satisfy them.
  await query(`SET session_replication_role = replica; ${statements.join('; ')}`);
}

/** Measures the operations of users that are spread over all of them. */
async function measureAt(size: number, server: PostgresServer, url: string, id: string): Promise<Measurement[]> {
  const store = await openStore(url);
  const measures: Measurement[] = [];
  const treeOf = (number: number) => treeId(`${String(number).padStart(8, '0')}${id.slice(8)}`);
  const spread = (at: number) => 1 + Math.floor(((at + 0.5) / operations) * size);
  const works: Readonly<Record<string, (number: number) => Promise<unknown>>> = {
    append: (number) =>
      run(
        store.forOwner(ownerOf(number)),
        { type: 'append', treeId: treeOf(number), messages: makeMessages(1) },
        benchContext,
      ),
    'read a chat': (number) => store.forOwner(ownerOf(number)).read(treeOf(number), () => ask('rows', {})),
    'list of chats': (number) => store.forOwner(ownerOf(number)).trees({ limit: 50 }),
    'search, a word that every user has': (number) => store.forOwner(ownerOf(number)).search({ text: 'message' }),
    'search, a word that nobody has': (number) => store.forOwner(ownerOf(number)).search({ text: 'quixotic' }),
    'lost replies of all users': () => store.runs.claimStaleOfAll(60_000, 'bench'),
  };
  for (const [name, work] of Object.entries(works)) {
    for (let at = 0; at < 10; at++) await work(spread(at));
    const before = await readServerCpu(server);
    for (let at = 10; at < operations; at++) await work(spread(at));
    const after = await readServerCpu(server);
    const value = before === null || after === null ? Number.NaN : (after - before) / (operations - 10);
    measures.push({ work: `${name}, ${size.toLocaleString('en')} users`, by: 'coppice', value, unit: 'µs' });
  }
  await store.close();
  return measures;
}

/** Measures the operations of one user at each number of users. */
export async function benchOwners(): Promise<readonly Measurement[]> {
  const server = await PostgresServer.start({
    settings: {
      shared_buffers: '512MB',
      maintenance_work_mem: '512MB',
      max_wal_size: '4GB',
      synchronous_commit: 'off',
    },
  });
  const measures: Measurement[] = [];
  try {
    const url = await server.createDatabase();
    const store = await openStore(url);
    const first = store.forOwner(ownerOf(0));
    const id = treeId(benchContext.newId());
    await run(first, { type: 'create', treeId: id, rootId: benchContext.newId() }, benchContext);
    await run(first, { type: 'append', treeId: id, messages: makeMessages(messagesEach) }, benchContext);
    // Copies the texts for search.
    await first.search({ text: 'message' });
    await store.close();
    let there = 0;
    for (const size of listSizes()) {
      for (; there < size; there += copiedAtOnce)
        await copyOwners((sql) => server.query(sql, url), id, there + 1, Math.min(there + copiedAtOnce, size));
      there = size;
      await server.query('ANALYZE', url);
      const measured = await measureAt(size, server, url, id);
      for (const one of measured) console.error(`${one.work}: ${Math.round(one.value)} µs`);
      measures.push(...measured);
      const [disk] = await server.query('SELECT pg_database_size(current_database()) AS bytes', url);
      measures.push({
        work: `database, ${size.toLocaleString('en')} users, per message`,
        by: 'coppice',
        value: Number(disk?.['bytes']) / (size * (messagesEach + 1)),
        unit: 'bytes',
      });
    }
  } finally {
    await server.close();
  }
  return measures;
}
