/**
 * Overwrites copies of purged rows in the unused parts of table pages. SQLite zeroes deleted cells and freed pages
 * (`secure_delete = ON`). But when it rebalances a page, the bytes between the cell pointers and the first cell stay,
 * and may contain a copy of a row that was moved to another page. Such a page stays a neighbour of the purged row in
 * key order. So every row near a purged one is extended until it fills a page alone, which overwrites that page, and
 * then gets its old length back.
 */
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readTextColumn,
  type SqlRow,
  type SqlTask,
} from '../sql/query.ts';

/** The tables with texts of users, and for each a text column that can be extended temporarily, without an index if possible. */
const paddedColumns: ReadonlyMap<string, string> = new Map([
  ['node', 'meta'],
  ['node_content', 'aliases'],
  ['change', 'steps'],
  ['tree', 'attributes'],
  ['bookmark', 'title'],
  ['run', 'data'],
  ['run_chunk', 'text'],
  ['share', 'fields'],
  ['blob', 'media_type'],
  ['provenance', 'source'],
  // Each of its texts is in an index, so the indexes are built again, see `rebuildTextIndexes`.
  ['external_id', 'format'],
]);

/** The tables of which a purge also rewrites rows. */
const rewrittenTables = ['change', 'node_content'] as const;

/** How many pages on each side of a purged row are overwritten. */
const pagesAside = 4;

/** Starts to record deleted and rewritten rows, until {@link overwriteResidue} is called in the same transaction. */
export function* startRecordingDeletes(): SqlTask<void> {
  yield* execute('CREATE TEMP TABLE IF NOT EXISTS purged_row (tbl TEXT NOT NULL, place INTEGER NOT NULL)');
  yield* execute('DELETE FROM temp.purged_row');
  for (const table of paddedColumns.keys()) yield* execute(createTriggerSql(table, 'DELETE'));
  for (const table of rewrittenTables) yield* execute(createTriggerSql(table, 'UPDATE'));
}

function createTriggerSql(table: string, event: 'DELETE' | 'UPDATE'): string {
  return `CREATE TEMP TRIGGER ${watcherOf(table, event)} AFTER ${event} ON main.${table}
    BEGIN INSERT INTO purged_row (tbl, place) VALUES ('${table}', old.rowid); END`;
}

function watcherOf(table: string, event: 'DELETE' | 'UPDATE'): string {
  return `watch_${table}_${event.toLowerCase()}`;
}

/** Overwrites the pages around the rows that were deleted since {@link startRecordingDeletes}, and stops recording. */
export function* overwriteResidue(): SqlTask<void> {
  for (const table of paddedColumns.keys()) yield* execute(`DROP TRIGGER temp.${watcherOf(table, 'DELETE')}`);
  for (const table of rewrittenTables) yield* execute(`DROP TRIGGER temp.${watcherOf(table, 'UPDATE')}`);
  const pageSize = readNumberColumn((yield* queryRow('PRAGMA page_size')) ?? { page_size: 4096 }, 'page_size');
  for (const [table, column] of paddedColumns) yield* overwriteIn(table, column, pageSize);
  yield* rebuildTextIndexes();
  yield* execute('DELETE FROM temp.purged_row');
}

// Tables up to this size are indexed again by any purge, larger ones if the purge deletes at least one row for every
// twenty that remain.
const smallTable = 20_000;
const rebuildCost = 20;

/**
 * Builds the indexes of external ids again if rows of them were deleted. An index page holds at least four entries, so
 * it cannot be overwritten like a page of a table. The cost of a purge must not depend on the size of the file, so a
 * large table is left as it is unless a large part of it was deleted.
 */
function* rebuildTextIndexes(): SqlTask<void> {
  const purged = yield* queryRow("SELECT count(*) AS n FROM temp.purged_row WHERE tbl = 'external_id'");
  const count = readNumberColumn(purged ?? { n: 0 }, 'n');
  if (count === 0) return;
  const most = Math.max(smallTable, count * rebuildCost);
  const left = yield* queryRow('SELECT count(*) AS n FROM (SELECT 1 FROM external_id LIMIT $1)', most + 1);
  if (readNumberColumn(left ?? { n: 0 }, 'n') <= most) yield* execute('REINDEX external_id');
}

function* overwriteIn(table: string, column: string, pageSize: number): SqlTask<void> {
  const purged = yield* queryRows('SELECT DISTINCT place FROM temp.purged_row WHERE tbl = $1 ORDER BY place', table);
  if (purged.length === 0) return;
  const columns = (yield* queryRows(`SELECT name FROM pragma_table_info('${table}')`)).map((one) =>
    readTextColumn(one, 'name'),
  );
  const near = new Set<number>();
  let reached = Number.NEGATIVE_INFINITY;
  for (const one of purged) {
    const place = readNumberColumn(one, 'place');
    // First the row itself, if it was only rewritten, then its neighbours in both directions.
    if (place > reached) {
      reached = yield* neighbours({ table, columns, pageSize, near }, place, '>=', 'ASC');
      yield* neighbours({ table, columns, pageSize, near }, place, '<', 'DESC');
    }
  }
  const index = columns.indexOf(column);
  const grown: [place: number, added: number][] = [];
  for (const place of [...near].sort((a, b) => a - b)) {
    const found = yield* queryRow(`SELECT ${measureColumnsSql(columns)} FROM ${table} WHERE rowid = $1`, place);
    if (found === undefined) continue;
    const added = paddingOf(cellsOf(found, columns.length), index, pageSize);
    if (added === 0) continue;
    yield* execute(`UPDATE ${table} SET ${column} = ${column} || printf('%*s', $2, '') WHERE rowid = $1`, place, added);
    grown.push([place, added]);
  }
  for (const [place, added] of grown)
    yield* execute(
      `UPDATE ${table} SET ${column} = substr(${column}, 1, length(${column}) - $2) WHERE rowid = $1`,
      place,
      added,
    );
}

interface Surrounding {
  readonly table: string;
  readonly columns: readonly string[];
  readonly pageSize: number;
  /** The row ids that were found. */
  readonly near: Set<number>;
}

/** Adds the rows that may be on the next pages in one direction. Returns the id of the last row that was read. */
function* neighbours(
  { table, columns, pageSize, near }: Surrounding,
  from: number,
  comparison: '<' | '>=',
  order: 'ASC' | 'DESC',
): SqlTask<number> {
  let last = from;
  for (let bytes = 0; bytes < pagesAside * pageSize; ) {
    const bound = last === from ? comparison : comparison === '<' ? '<' : '>';
    const found = yield* queryRows(
      `SELECT rowid AS place, ${measureColumnsSql(columns)} FROM ${table} WHERE rowid ${bound} $1 ORDER BY rowid ${order} LIMIT 32`,
      last,
    );
    for (const one of found) {
      last = readNumberColumn(one, 'place');
      near.add(last);
      bytes += localSize(payloadSize(cellsOf(one, columns.length)), pageSize);
    }
    if (found.length < 32) break;
  }
  return last;
}

/** The size of one value in a SQLite record. */
interface Cell {
  readonly bytes: number;
  /** The type of the value, if the record encodes its length together with the type. */
  readonly sized: 'text' | 'blob' | null;
}

function measureColumnsSql(columns: readonly string[]): string {
  return columns
    .map(
      (name, at) =>
        `typeof(${name}) AS t${at}, octet_length(${name}) AS l${at}, CASE typeof(${name}) WHEN 'integer' THEN ${name} END AS v${at}`,
    )
    .join(', ');
}

function cellsOf(found: SqlRow, count: number): Cell[] {
  return Array.from({ length: count }, (_, at): Cell => {
    const type = found[`t${at}`];
    if (type === 'null') return { bytes: 0, sized: null };
    if (type === 'integer') return { bytes: integerSize(readNumberColumn(found, `v${at}`)), sized: null };
    // SQLite may store a real as a shorter integer. Eight bytes are an upper bound.
    if (type !== 'text' && type !== 'blob') return { bytes: 8, sized: null };
    return { bytes: readNumberColumn(found, `l${at}`), sized: type };
  });
}

function integerSize(value: number): number {
  if (value === 0 || value === 1) return 0;
  const bits = Math.log2(Math.abs(value) + 1);
  return [1, 2, 3, 4, 6].find((bytes) => bits < bytes * 8 - 1) ?? 8;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) size++;
  return size;
}

function payloadSize(cells: readonly Cell[]): number {
  let types = 0;
  let content = 0;
  for (const { bytes, sized } of cells) {
    types += sized === null ? 1 : varintSize(bytes * 2 + (sized === 'text' ? 13 : 12));
    content += bytes;
  }
  const header = types + varintSize(types + 1);
  return header + content;
}

/** Returns how many bytes of a record are on the page of its row. The rest is on overflow pages. */
function localSize(payload: number, pageSize: number): number {
  const most = pageSize - 35;
  if (payload <= most) return payload;
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const local = least + ((payload - least) % (pageSize - 4));
  return local <= most ? local : least;
}

/** Returns how many characters make a row so long that no other row fits on its page. */
function paddingOf(cells: readonly Cell[], index: number, pageSize: number): number {
  const most = pageSize - 35;
  const step = pageSize - 4;
  const payload = payloadSize(cells);
  const target = payload <= most ? most : payload + ((((most - payload) % step) + step) % step);
  const cell = cells[index];
  if (cell === undefined) return 0;
  for (let added = target - payload; added > 0; added--) {
    const grown = cells.map((one, at) => (at === index ? { ...one, bytes: cell.bytes + added } : one));
    if (payloadSize(grown) <= target) return added;
  }
  return 0;
}
