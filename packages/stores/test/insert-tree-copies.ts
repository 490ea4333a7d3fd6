/** Fills a PostgreSQL store with copies of one tree. Rows are copied with SQL, because commits would take hours. */

type RunSql = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const nodeNumbersPerTree = 2 ** 26;

/**
 * Adds copies of the only tree, numbered from `first` to `last`. The ids in a copy begin with the number of the copy,
 * as eight digits.
 */
export async function insertTreeCopies(query: RunSql, id: string, first: number, last: number): Promise<void> {
  const columnsOf = async (table: string) => {
    const rows = await query(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('${table}') AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    );
    return rows.map(({ name }) => String(name));
  };
  const copyId = (column: string) => `lpad(k::text, 8, '0') || substr(${column}, 9)`;
  const numbers = new Set(['no', 'parent_no', 'match_no', 'last_no']);
  const nodeColumns = await columnsOf('node');
  const nodes = nodeColumns.map((name) => {
    if (numbers.has(name)) return `${name} + k * ${nodeNumbersPerTree}`;
    if (name === 'root_of') return 'root_of + k';
    return name === 'id' ? copyId(name) : name;
  });
  const treeColumns = await columnsOf('tree');
  const trees = treeColumns.map((name) => {
    if (name === 'no') return 'no + k';
    return ['id', 'root_id', 'active_node_id'].includes(name) ? copyId(name) : name;
  });
  const changeColumns = (await columnsOf('change')).filter((name) => name !== 'id' && name !== 'place');
  const changes = changeColumns.map((name) => (name === 'tree_id' || name === 'act_id' ? copyId(name) : name));
  const copies = `generate_series(${first}::bigint, ${last}::bigint) AS k`;
  // Triggers and foreign keys are switched off for speed; the rows of the original satisfy them.
  await query(`SET session_replication_role = replica;
    INSERT INTO node (${nodeColumns.join(', ')}) SELECT ${nodes.join(', ')} FROM node, ${copies}
      WHERE node.no / ${nodeNumbersPerTree} = (SELECT no FROM tree WHERE id = '${id}');
    INSERT INTO tree (${treeColumns.join(', ')}) OVERRIDING SYSTEM VALUE SELECT ${trees.join(', ')} FROM tree, ${copies} WHERE id = '${id}';
    INSERT INTO change (id, ${changeColumns.join(', ')}) SELECT id + 1000 + k * 1000, ${changes.join(', ')} FROM change, ${copies} WHERE tree_id = '${id}';
    ANALYZE`);
}
