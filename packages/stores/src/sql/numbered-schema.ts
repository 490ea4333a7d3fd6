/**
 * Creates the node table that is used since the migration to row numbers. Integers identify, link and sort nodes, and
 * one index finds a node by its public id. Other tables refer to nodes by public ids. The contents are the last
 * columns, so that a database can read the other columns without them.
 */
import { nodeNumbersPerTree, treeNoSql } from './numbers.ts';
import type { SqlDialect } from './query.ts';

/** The columns of a node in the order of the table. */
export const nodeTableColumns =
  'no, id, parent_no, root_of, position, kind, role, status, group_id, created_at, match_no, equality_key, tokens, added_in, content_in, removed_in, last_no, tool_call_id, meta_in, meta, marker, search_text, content';

/** Returns the foreign keys of the node table. The migration passes temporary table names. */
export function buildNodeForeignKeys(nodes: string, trees: string): readonly string[] {
  return [
    `FOREIGN KEY (root_of) REFERENCES ${trees} (no) DEFERRABLE INITIALLY DEFERRED`,
    `FOREIGN KEY (parent_no) REFERENCES ${nodes} (no) DEFERRABLE INITIALLY DEFERRED`,
  ];
}

/** Returns the statement that creates the node table with a name and foreign keys. */
export function createNodeTableSql({ integer, float, key }: SqlDialect, name: string, keys: readonly string[]): string {
  return `CREATE TABLE ${name} (
      no ${integer} NOT NULL PRIMARY KEY,
      id ${key} NOT NULL,
      parent_no ${integer},
      root_of ${integer},
      position ${key} NOT NULL,
      kind ${key} NOT NULL CHECK (kind IN ('root', 'message', 'branch-summary', 'compaction', 'injected', 'state')),
      role ${key} NOT NULL CHECK (role IN ('root', 'system', 'user', 'assistant', 'tool')),
      status ${key} NOT NULL CHECK (status IN ('pending', 'success', 'interrupted', 'aborted', 'error')),
      group_id ${integer} NOT NULL CHECK (group_id >= 0 AND (role <> 'root' OR group_id = 0)),
      created_at ${float} NOT NULL,
      match_no ${integer},
      equality_key ${key},
      tokens ${float} NOT NULL,
      added_in ${integer} NOT NULL,
      content_in ${integer} NOT NULL,
      removed_in ${integer},
      last_no ${integer},
      tool_call_id TEXT,
      meta_in ${integer} NOT NULL,
      meta TEXT NOT NULL,
      marker TEXT,
      search_text TEXT,
      content TEXT NOT NULL,
      CHECK ((role = 'root') = (parent_no IS NULL)),
      CHECK ((role = 'root') = (kind = 'root')),
      CHECK ((role = 'tool') = (tool_call_id IS NOT NULL)),
      CHECK ((role = 'root') = (content = '[]')),
      CHECK ((parent_no IS NULL) = (root_of IS NOT NULL)),
      CHECK (root_of = no / ${nodeNumbersPerTree}),
      CHECK (parent_no / ${nodeNumbersPerTree} = no / ${nodeNumbersPerTree})${keys.map((one) => `,\n      ${one}`).join('')}
    )`;
}

export const nodeIndexStatements: readonly string[] = [
  'CREATE UNIQUE INDEX node_id ON node (id)',
  // Every node except the root has a parent in the same tree, so a node belongs to the tree of its root.
  'CREATE UNIQUE INDEX node_root ON node (root_of) WHERE root_of IS NOT NULL',
  // Two live siblings never have the same position. A removed node keeps its position for a later restore.
  'CREATE UNIQUE INDEX node_place ON node (parent_no, position, (coalesce(removed_in, 0)))',
  'CREATE INDEX node_match ON node (match_no, equality_key, position) WHERE equality_key IS NOT NULL',
  'CREATE INDEX node_group ON node (parent_no, group_id) WHERE group_id > 0',
  `CREATE INDEX node_pending ON node (${treeNoSql('node').replace('node.', '')}) WHERE status = 'pending' AND removed_in IS NULL`,
  `CREATE INDEX node_removed ON node (${treeNoSql('node').replace('node.', '')}, removed_in) WHERE removed_in IS NOT NULL`,
];

/** The statements that create the read-only views with public ids. */
export const publicViewStatements: readonly string[] = [
  'CREATE VIEW v_conversation AS SELECT id, version, active_node_id FROM tree',
  `CREATE VIEW v_node AS SELECT n.id, t.id AS conversation_id, (SELECT p.id FROM node p WHERE p.no = n.parent_no) AS parent_id,
      n.role, n.content, n.tool_call_id, n.group_id AS siblings_group_id
      FROM node n LEFT JOIN tree t ON t.no = ${treeNoSql('n')} WHERE n.removed_in IS NULL`,
];
