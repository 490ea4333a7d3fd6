/** Records which messages are copies of others, so that a purge can report copies in other trees. */
import { type NodeMeta, type PurgeReport, type TreeId, treeId } from '@coppice/core';
import { treeNoSql } from './numbers.ts';
import {
  type Query,
  queryRows,
  readNumberColumn,
  readTextColumn,
  readTextColumnOrNull,
  type SqlDialect,
  type SqlTask,
} from './query.ts';

// The copy of a copy is stored with the first original, so that it is found even after the copy in between was purged.
const insertCopy = `INSERT INTO node_copy (tree_id, node_id, from_node_id)
  SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), coalesce(max(c.from_node_id), CAST($3 AS TEXT)) FROM node_copy c
  WHERE c.node_id = CAST($3 AS TEXT) ON CONFLICT (node_id) DO NOTHING`;

/** Returns the query that records the origin of a copied node; null if the node is not a copy. */
export function buildCopyOriginQuery(tree: string, id: string, meta: NodeMeta): Query | null {
  const origin = meta.copiedFrom ?? meta.pickedFrom;
  if (origin === undefined) return null;
  return { sql: insertCopy, params: [tree, id, origin.nodeId], want: 'count' };
}

/** Records the copies that were made before the table `node_copy` existed. */
export function* backfillNodeCopies({ name }: SqlDialect): SqlTask<void> {
  const like = '(meta LIKE \'%"copiedFrom"%\' OR meta LIKE \'%"pickedFrom"%\')';
  const place = name === 'sqlite' ? 'rowid' : 'id';
  for (let after: string | number = name === 'sqlite' ? 0 : ''; ; ) {
    const found = yield* queryRows(
      `SELECT ${place} AS place, tree_id, id, meta FROM node WHERE ${place} > $1 AND ${like} ORDER BY ${place} LIMIT 500`,
      after,
    );
    for (const one of found) {
      after = name === 'sqlite' ? readNumberColumn(one, 'place') : readTextColumn(one, 'place');
      const query = buildCopyOriginQuery(
        readTextColumn(one, 'tree_id'),
        readTextColumn(one, 'id'),
        metaIn(readTextColumn(one, 'meta')),
      );
      if (query !== null) yield query;
    }
    if (found.length < 500) return;
  }
}

/** Returns the metadata of a row; empty if it is damaged. A check of the store reports the damage. */
function metaIn(json: string): NodeMeta {
  try {
    return JSON.parse(json) as NodeMeta;
  } catch {
    return {};
  }
}

/** Returns the other trees of an owner with copies or originals of these nodes, and how many each has. */
export function* findCopiesInTables(
  { list }: SqlDialect,
  owner: string,
  tree: TreeId,
  ids: string,
): SqlTask<PurgeReport['copies']> {
  const origins = new Set(JSON.parse(ids) as readonly string[]);
  for (const one of yield* queryRows(`SELECT from_node_id FROM node_copy WHERE node_id IN ${list('$1')}`, ids))
    origins.add(readTextColumn(one, 'from_node_id'));
  const first = JSON.stringify([...origins]);
  const kin = new Set(origins);
  for (const one of yield* queryRows(`SELECT node_id FROM node_copy WHERE from_node_id IN ${list('$1')}`, first))
    kin.add(readTextColumn(one, 'node_id'));
  const found = yield* queryRows(
    `SELECT t.id AS tree_id, t.title, count(*) AS n FROM node n JOIN tree t ON t.no = ${treeNoSql('n')}
    WHERE n.id IN ${list('$3')} AND t.owner = $1 AND t.id <> $2 GROUP BY t.id, t.title ORDER BY t.id`,
    owner,
    tree,
    JSON.stringify([...kin]),
  );
  return found.map((one) => ({
    treeId: treeId(readTextColumn(one, 'tree_id')),
    title: readTextColumnOrNull(one, 'title'),
    nodes: readNumberColumn(one, 'n'),
  }));
}
