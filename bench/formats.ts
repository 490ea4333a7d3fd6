/**
 * Compares reading and importing an export with bare JSON.parse and bare bulk inserts, and measures memory and stalls
 * of a large import.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ImportInput, readImport, wrapBytesAsFile } from '@coppice/content/formats';
import { importInto } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { makeExportText } from './formats/exports.ts';
import { collectGarbage, type Measurement, median, preventOptimisation } from './measure.ts';
import { openRawDatabase } from './stores/raw-sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-formats-'));
const long = process.env.COPPICE_LONG === '1';

async function processorTime(work: () => unknown): Promise<number> {
  collectGarbage();
  const start = process.cpuUsage();
  preventOptimisation(await work());
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Returns the median CPU times of candidates that run alternately; the first run does not count. */
async function inTurns<Name extends string>(
  works: { readonly [N in Name]: () => unknown },
  runs: number,
): Promise<{ readonly [N in Name]: number }> {
  const names = Object.keys(works).filter((name): name is Name => Object.hasOwn(works, name));
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let run = 0; run <= runs; run++)
    for (const name of names) {
      const time = await processorTime(works[name]);
      if (run > 0) times.get(name)?.push(time);
    }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as {
    readonly [N in Name]: number;
  };
}

async function readAll(input: ImportInput): Promise<number> {
  let nodes = 0;
  for await (const event of readImport(input)) if (event.type === 'tree') nodes += event.tree.nodes.length;
  return nodes;
}

let opened = 0;

async function importAll(input: ImportInput): Promise<void> {
  const store = await openStore(`sqlite:${join(folder, `ours-${opened++}.db`)}`);
  for await (const event of importInto(store, input)) preventOptimisation(event);
  await store.close();
}

interface Mapped {
  readonly id: string;
  readonly parent: string | null;
  readonly message: object | null;
}

/** The least possible import: parses everything, then one transaction per conversation and one row per message. */
function bareImport(text: string): void {
  const database = openRawDatabase(join(folder, `bare-${opened++}.db`));
  database.exec('CREATE TABLE node (id TEXT PRIMARY KEY, parent_id TEXT, seq INTEGER, content TEXT) WITHOUT ROWID');
  database.exec('CREATE INDEX node_parent ON node (parent_id)');
  const insert = database.prepare('INSERT INTO node VALUES (?1, ?2, ?3, ?4)');
  const conversations: readonly { readonly mapping: { readonly [id: string]: Mapped } }[] = JSON.parse(text);
  for (const { mapping } of conversations) {
    database.exec('BEGIN IMMEDIATE');
    let seq = 0;
    for (const { id, parent, message } of Object.values(mapping))
      insert.run(id, parent, seq++, JSON.stringify(message));
    database.exec('COMMIT');
  }
  database.close();
}

type Cell = string | number | null;

/** The rows of one table that a conversation consists of. */
interface Rows {
  readonly insert: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const tables = [
  ['tree', 'id = ?1', 'rowid'],
  ['node', 'no / 67108864 = (SELECT no FROM tree WHERE id = ?1)', 'no'],
  ['change', 'tree_id = ?1', 'version'],
  ['external_id', 'tree_id = ?1', 'rowid'],
] as const;

/** Returns the rows that an import creates, by conversation: tree, nodes, log and external ids. */
async function rowsOf(input: ImportInput): Promise<readonly (readonly Rows[])[]> {
  const path = join(folder, `rows-${opened++}.db`);
  const store = await openStore(`sqlite:${path}`);
  for await (const event of importInto(store, input)) preventOptimisation(event);
  await store.close();
  const database = openRawDatabase(path);
  const trees = database.prepare('SELECT id FROM tree ORDER BY rowid').all();
  const found = trees.map(({ id }) =>
    tables.map(([table, which, order]): Rows => {
      const rows = database.prepare(`SELECT * FROM ${table} WHERE ${which} ORDER BY ${order}`).all(String(id));
      const columns = Object.keys(rows[0] ?? {});
      const places = columns.map((_, index) => `?${index + 1}`).join(', ');
      return {
        insert: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
        columns,
        rows: rows.map((row) => columns.map((column) => cellOf(row[column]))),
      };
    }),
  );
  database.close();
  return found;
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value === null ? null : Number(value);
}

/**
 * Parses everything and inserts the same rows as an import, into the same tables, one transaction per conversation. The
 * rows were prepared before, so the parsed data is not used.
 */
async function sameRows(text: string, trees: readonly (readonly Rows[])[]): Promise<void> {
  preventOptimisation(JSON.parse(text));
  const path = join(folder, `same-${opened++}.db`);
  await (await openStore(`sqlite:${path}`)).close();
  const database = openRawDatabase(path);
  const statements = new Map<string, ReturnType<typeof database.prepare>>();
  const select = database.prepare('UPDATE tree SET active_node_id = ?2 WHERE id = ?1');
  for (const tree of trees) {
    database.exec('BEGIN IMMEDIATE');
    // A tree can only refer to an active node that exists, so that reference is written last.
    const active = new Map<Cell, Cell>();
    for (const { insert, columns, rows } of tree) {
      const statement = statements.get(insert) ?? database.prepare(insert);
      statements.set(insert, statement);
      const at = columns.indexOf('active_node_id');
      for (const row of rows) {
        if (at !== -1) active.set(row[columns.indexOf('id')] ?? null, row[at] ?? null);
        statement.run(...(at === -1 ? row : row.with(at, null)));
      }
    }
    for (const [id, node] of active) select.run(id, node);
    database.exec('COMMIT');
  }
  database.close();
}

async function compare(measures: Measurement[], conversations: number, runs: number): Promise<void> {
  const text = makeExportText(conversations, 100);
  const bytes = Buffer.from(text);
  const input: ImportInput = { files: [wrapBytesAsFile('conversations.json', bytes)] };
  const messages = conversations * 100;
  const size = `${messages.toLocaleString('en')} messages`;
  const trees = await rowsOf(input);
  const times = await inTurns(
    {
      parse: () => JSON.parse(text),
      read: () => readAll(input),
      bare: () => bareImport(text),
      same: () => sameRows(text, trees),
      ours: () => importAll(input),
    },
    runs,
  );
  const per = (time: number) => time / messages;
  const ratio = times.ours / times.bare;
  measures.push(
    { work: `read an export, ${size}`, by: 'JSON.parse', value: per(times.parse), unit: 'µs' },
    {
      work: `read an export, ${size}`,
      by: 'coppice',
      value: per(times.read),
      unit: 'µs',
      ratio: times.read / times.parse,
    },
    { work: `import into SQLite, ${size}`, by: 'JSON.parse and bare inserts', value: per(times.bare), unit: 'µs' },
    {
      work: `import into SQLite, ${size}`,
      by: 'JSON.parse and the same rows',
      value: per(times.same),
      unit: 'µs',
      ratio: times.same / times.bare,
    },
    {
      work: `import into SQLite, ${size}`,
      by: 'coppice, to the same rows',
      value: per(times.ours),
      unit: 'µs',
      ratio: times.ours / times.same,
      budget: '≤ 2× parse and the same rows',
      kept: times.ours <= 2 * times.same,
    },
    {
      work: `import into SQLite, ${size}`,
      by: 'coppice',
      value: per(times.ours),
      unit: 'µs',
      ratio,
      budget: '≤ 2× parse and inserts',
      kept: ratio <= 2,
    },
  );
}

interface Flow {
  /** Resident memory, including pages of the mapped database file. */
  readonly memory: number;
  readonly own: number;
  readonly stall: number;
  /** The longest stall while the process only waited: the noise of the machine. */
  readonly still: number;
  /** The longest CPU time between two iterations of the event loop. */
  readonly turn: number;
}

/** Runs a separate process that reads a stream of a given size, and returns its measurements. */
function flow(bytes: number, messages = 100, way = 'here'): Flow {
  const script = join(import.meta.dirname, 'formats', 'flow.ts');
  const options = ['--expose-gc', '--import', 'tsx', script, String(bytes), String(messages), way];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
}

const mega = 1024 * 1024;

/** Measures reading, importing, memory and stalls. */
export async function benchFormats(): Promise<readonly Measurement[]> {
  const measures: Measurement[] = [];
  try {
    await compare(measures, 100, 3);
    await compare(measures, 1000, 1);
    for (const size of long ? [16, 64, 1024] : [16, 64]) {
      const { memory, own, stall, still, turn } = flow(size * mega);
      measures.push(
        {
          work: `memory above idle, a stream of ${size} MB`,
          by: 'coppice, mapped database included',
          value: memory,
          unit: 'bytes',
          budget: '≤ 256 MB',
          kept: memory <= 256 * mega,
        },
        { work: `memory above idle, a stream of ${size} MB`, by: 'coppice, its own', value: own, unit: 'bytes' },
        { work: `longest stall, a stream of ${size} MB`, by: 'a process that waits', value: still, unit: 'µs' },
        {
          work: `longest stall, a stream of ${size} MB`,
          by: 'coppice, with neighbours and disk',
          value: stall,
          unit: 'µs',
        },
        {
          work: `longest stall, a stream of ${size} MB`,
          by: 'coppice, processor time',
          value: turn,
          unit: 'µs',
          budget: '≤ 100 ms',
          kept: turn <= 100_000,
        },
      );
    }
    // Each conversation is one transaction, however long it is.
    for (const messages of [1_000, 10_000]) {
      const each = `conversations of ${messages.toLocaleString('en')} messages`;
      const work = `most processor time between two turns, ${each}`;
      measures.push({ work, by: 'importInto', value: flow(24 * mega, messages).turn, unit: 'µs' });
      const { memory, stall, still, turn } = flow(24 * mega, messages, 'thread');
      measures.push(
        { work, by: 'a server', value: turn, unit: 'µs', budget: '≤ 100 ms', kept: turn <= 100_000 },
        { work: `longest stall, ${each}`, by: 'a process that waits', value: still, unit: 'µs' },
        { work: `longest stall, ${each}`, by: 'a server, with neighbours and disk', value: stall, unit: 'µs' },
        { work: `memory above idle, ${each}`, by: 'a server, mapped database included', value: memory, unit: 'bytes' },
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measures;
}
