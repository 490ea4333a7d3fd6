/**
 * Creates the tables of the first schema version, for both databases. `numbered-schema.ts` has the current node table.
 * Constraints enforce the invariants of a tree: one root, only the root has no parent, parents and the active node are
 * in the same tree, and roles, statuses and groups are valid. No foreign key of a node cascades, because SQLite cannot
 * cascade along more than 1,000 levels.
 */
import type { SqlDialect } from './query.ts';

/** Returns the statements that create the tables of schema version 1. */
export function createSchemaSql(dialect: SqlDialect): readonly string[] {
  const { integer, float, key, bytes, serial } = dialect;
  return [
    `CREATE TABLE tree (
      id ${key} NOT NULL PRIMARY KEY,
      owner ${key} NOT NULL,
      root_id ${key} NOT NULL,
      version ${integer} NOT NULL CHECK (version >= 0),
      structure_version ${integer} NOT NULL CHECK (structure_version <= version),
      active_node_id ${key},
      next_seq ${integer} NOT NULL,
      created_at ${float} NOT NULL,
      updated_at ${float} NOT NULL,
      project ${key} NOT NULL,
      folder ${key},
      title TEXT,
      pinned ${integer} NOT NULL CHECK (pinned IN (0, 1)),
      trashed_at ${float},
      forest_key ${key},
      attributes TEXT NOT NULL,
      aliases ${integer} NOT NULL DEFAULT 0,
      format ${key} NOT NULL DEFAULT 'tree' CHECK (format IN ('tree', 'linear')),
      linear_form TEXT,
      CHECK (active_node_id IS NULL OR active_node_id <> root_id),
      FOREIGN KEY (id, active_node_id) REFERENCES node (tree_id, id) DEFERRABLE INITIALLY DEFERRED
    )`,
    'CREATE UNIQUE INDEX tree_forest ON tree (owner, project, forest_key) WHERE forest_key IS NOT NULL AND trashed_at IS NULL',
    'CREATE INDEX tree_recent ON tree (owner, updated_at, id)',
    'CREATE INDEX tree_linear ON tree (owner, id) WHERE linear_form IS NOT NULL',
    `CREATE TABLE node (
      tree_id ${key} NOT NULL,
      id ${key} NOT NULL,
      parent_id ${key},
      position ${key} NOT NULL,
      seq ${integer} NOT NULL,
      kind ${key} NOT NULL CHECK (kind IN ('root', 'message', 'branch-summary', 'compaction', 'injected', 'state')),
      role ${key} NOT NULL CHECK (role IN ('root', 'system', 'user', 'assistant', 'tool')),
      status ${key} NOT NULL CHECK (status IN ('pending', 'success', 'interrupted', 'aborted', 'error')),
      group_id ${integer} NOT NULL CHECK (group_id >= 0 AND (role <> 'root' OR group_id = 0)),
      created_at ${float} NOT NULL,
      match_parent ${key},
      equality_key ${key},
      tokens ${float} NOT NULL,
      added_in ${integer} NOT NULL,
      content_in ${integer} NOT NULL,
      removed_in ${integer},
      last_child_id ${key},
      tool_call_id TEXT,
      content TEXT NOT NULL,
      search_text TEXT,
      meta TEXT NOT NULL,
      meta_in ${integer} NOT NULL,
      marker TEXT,
      PRIMARY KEY (tree_id, id),
      CHECK ((role = 'root') = (parent_id IS NULL)),
      CHECK ((role = 'root') = (kind = 'root')),
      CHECK ((role = 'tool') = (tool_call_id IS NOT NULL)),
      CHECK ((role = 'root') = (content = '[]')),
      FOREIGN KEY (tree_id) REFERENCES tree (id) DEFERRABLE INITIALLY DEFERRED,
      FOREIGN KEY (tree_id, parent_id) REFERENCES node (tree_id, id) DEFERRABLE INITIALLY DEFERRED
    )`,
    'CREATE UNIQUE INDEX node_id ON node (id)',
    'CREATE UNIQUE INDEX node_root ON node (tree_id) WHERE parent_id IS NULL AND removed_in IS NULL',
    // Two live siblings never have the same position. A removed node keeps its position for a later restore.
    'CREATE UNIQUE INDEX node_place ON node (tree_id, parent_id, position, (coalesce(removed_in, 0)))',
    'CREATE INDEX node_match ON node (tree_id, match_parent, equality_key) WHERE equality_key IS NOT NULL AND removed_in IS NULL',
    'CREATE INDEX node_seq ON node (tree_id, seq)',
    'CREATE INDEX node_group ON node (tree_id, parent_id, group_id) WHERE group_id > 0',
    `CREATE INDEX node_pending ON node (tree_id) WHERE status = 'pending' AND removed_in IS NULL`,
    'CREATE INDEX node_removed ON node (tree_id, removed_in) WHERE removed_in IS NOT NULL',
    `CREATE TABLE node_alias (
      tree_id ${key} NOT NULL,
      match_parent ${key} NOT NULL,
      equality_key ${key} NOT NULL,
      node_id ${key} NOT NULL,
      place ${integer} NOT NULL,
      PRIMARY KEY (tree_id, node_id, place)
    )`,
    'CREATE INDEX node_alias_of ON node_alias (tree_id, match_parent, equality_key)',
    `CREATE TABLE node_content (
      tree_id ${key} NOT NULL,
      node_id ${key} NOT NULL,
      version ${integer} NOT NULL,
      status ${key} NOT NULL,
      equality_key ${key},
      tokens ${float} NOT NULL,
      content TEXT NOT NULL,
      search_text TEXT,
      aliases TEXT NOT NULL,
      PRIMARY KEY (tree_id, node_id, version)
    )`,
    `CREATE TABLE change (
      id ${serial},
      tree_id ${key} NOT NULL,
      version ${integer} NOT NULL,
      act_id ${key} NOT NULL,
      actor ${key} NOT NULL,
      at ${float} NOT NULL,
      kind ${key} NOT NULL CHECK (kind IN ('do', 'undo', 'redo')),
      seq ${integer} NOT NULL,
      structural ${integer} NOT NULL CHECK (structural IN (0, 1)),
      is_act ${integer} NOT NULL CHECK (is_act IN (0, 1)),
      steps TEXT NOT NULL,
      owner ${key} NOT NULL
    )`,
    'CREATE UNIQUE INDEX change_version ON change (tree_id, version)',
    'CREATE INDEX change_act ON change (act_id)',
    `CREATE TABLE bookmark (
      tree_id ${key} NOT NULL,
      node_id ${key} NOT NULL,
      title TEXT NOT NULL,
      created_at ${float} NOT NULL,
      updated_at ${float} NOT NULL,
      PRIMARY KEY (tree_id, node_id)
    )`,
    `CREATE TABLE blob (
      owner ${key} NOT NULL,
      hash ${key} NOT NULL,
      size ${integer} NOT NULL,
      media_type TEXT NOT NULL,
      bytes ${bytes} NOT NULL,
      PRIMARY KEY (owner, hash)
    )`,
    `CREATE TABLE provenance (
      tree_id ${key} NOT NULL,
      source TEXT NOT NULL,
      first_node_id ${key} NOT NULL,
      last_node_id ${key} NOT NULL,
      count ${integer} NOT NULL,
      at ${float} NOT NULL
    )`,
    'CREATE INDEX provenance_tree ON provenance (tree_id)',
    `CREATE TABLE external_id (
      tree_id ${key} NOT NULL,
      format ${key} NOT NULL,
      scope ${key} NOT NULL,
      id ${key} NOT NULL,
      node_id ${key},
      owner ${key} NOT NULL,
      PRIMARY KEY (tree_id, format, scope, id)
    )`,
    'CREATE INDEX external_id_of ON external_id (owner, format, scope, id)',
    `CREATE TABLE run (
      id ${key} NOT NULL PRIMARY KEY,
      owner ${key} NOT NULL,
      tree_id ${key} NOT NULL,
      node_id ${key} NOT NULL,
      process TEXT NOT NULL,
      started_at ${float} NOT NULL,
      beat_at ${float} NOT NULL,
      data TEXT NOT NULL
    )`,
    `CREATE TABLE run_chunk (
      run_id ${key} NOT NULL,
      start ${integer} NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (run_id, start)
    )`,
    `CREATE TABLE account (
      id ${key} NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      role ${key} NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
      created_at ${float} NOT NULL,
      disabled_at ${float}
    )`,
    `CREATE TABLE token (
      id ${key} NOT NULL PRIMARY KEY,
      user_id ${key} NOT NULL,
      name TEXT NOT NULL,
      hash ${key} NOT NULL,
      created_at ${float} NOT NULL,
      expires_at ${float},
      revoked_at ${float},
      used_at ${float}
    )`,
    'CREATE UNIQUE INDEX token_hash ON token (hash)',
    `CREATE TABLE share (
      id ${key} NOT NULL PRIMARY KEY,
      owner ${key} NOT NULL,
      tree_id ${key} NOT NULL,
      node_ids TEXT NOT NULL,
      fields TEXT NOT NULL,
      title TEXT,
      hash ${key} NOT NULL,
      created_at ${float} NOT NULL,
      expires_at ${float},
      revoked_at ${float}
    )`,
    'CREATE UNIQUE INDEX share_hash ON share (hash)',
    'CREATE INDEX share_tree ON share (owner, tree_id)',
    'CREATE VIEW v_conversation AS SELECT id, version, active_node_id FROM tree WHERE linear_form IS NULL',
    `CREATE VIEW v_node AS SELECT id, tree_id AS conversation_id, parent_id, role, content, tool_call_id, group_id AS siblings_group_id
      FROM node WHERE removed_in IS NULL`,
  ];
}

/**
 * Returns the statement of a migration that gives share links a version. Without a version a link would show the
 * current content.
 */
export function addShareVersionSql({ integer }: SqlDialect): string {
  return `ALTER TABLE share ADD COLUMN version ${integer}`;
}

/**
 * Returns the statements of a migration that adds a table with the ids of messages in lists, which had no rows then.
 */
export function createLinearNodesSql({ key }: SqlDialect): readonly string[] {
  return [
    `CREATE TABLE linear_node (
      id ${key} NOT NULL PRIMARY KEY,
      tree_id ${key} NOT NULL
    )`,
    'CREATE INDEX linear_node_tree ON linear_node (tree_id)',
  ];
}

/**
 * Returns the statements of a migration that adds a table with the time when bytes were last added, and whether a purge
 * removed their last reference. It is a separate table, because SQLite would rewrite the bytes with every change of
 * their row. Bytes without a row in this table were added long ago.
 */
export function createBlobPutSql({ key, float, integer }: SqlDialect): readonly string[] {
  return [
    `CREATE TABLE blob_put (
      owner ${key} NOT NULL,
      hash ${key} NOT NULL,
      at ${float} NOT NULL,
      loose ${integer} NOT NULL,
      PRIMARY KEY (owner, hash)
    )`,
    'CREATE INDEX blob_put_loose ON blob_put (owner, hash) WHERE loose = 1',
  ];
}

/**
 * Returns the statements of a migration that adds a counter of uploads that wait for a message. The counter starts at
 * one, because an upload may still wait for each existing row.
 */
export function addBlobWaitingSql({ integer }: SqlDialect): readonly string[] {
  return [`ALTER TABLE blob_put ADD COLUMN waiting ${integer} NOT NULL DEFAULT 1`];
}

/**
 * Returns the statements of a migration that adds a table of copied nodes, so that a purge can report copies in other
 * trees.
 */
export function createNodeCopiesSql({ key }: SqlDialect): readonly string[] {
  return [
    `CREATE TABLE node_copy (
      node_id ${key} NOT NULL PRIMARY KEY,
      tree_id ${key} NOT NULL,
      from_node_id ${key} NOT NULL
    )`,
    'CREATE INDEX node_copy_from ON node_copy (from_node_id)',
  ];
}

/**
 * Returns the statements of a migration: a table with the first version in the log of each tree whose older commits
 * were deleted. `checked` is the version of the tree when nothing was left to delete.
 */
export function createLogStartSql({ key, integer }: SqlDialect): readonly string[] {
  return [
    `CREATE TABLE log_start (
      tree_id ${key} NOT NULL PRIMARY KEY,
      version ${integer} NOT NULL,
      checked ${integer} NOT NULL
    )`,
  ];
}

/** Returns the statements of a migration that adds a table of encrypted records. `stamp` changes with every write. */
export function createSealedRecordsSql({ key }: SqlDialect): readonly string[] {
  return [
    `CREATE TABLE sealed_record (
      id ${key} NOT NULL PRIMARY KEY,
      stamp ${key} NOT NULL,
      record TEXT NOT NULL
    )`,
  ];
}
