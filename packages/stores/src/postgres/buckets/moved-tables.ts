/** Which tables a move of an owner or a bucket copies, and the lock that moves and backups take. */

/** The tables with rows of a tree, except `tree` and `node`, and for each the column with the tree's id. */
export const movedTreeTables = [
  ['node_alias', 'tree_id'],
  ['node_content', 'tree_id'],
  ['node_copy', 'tree_id'],
  ['change', 'tree_id'],
  ['bookmark', 'tree_id'],
  ['provenance', 'tree_id'],
  ['external_id', 'tree_id'],
  ['search_text', 'tree_id'],
  ['search_mark', 'tree_id'],
  ['log_start', 'tree_id'],
] as const;

/** The tables with rows that belong to an owner but to no tree. In their conditions `$1` is the owner. */
export const movedOwnerTables = [
  ['run', 'owner = $1'],
  ['run_chunk', 'run_id IN (SELECT r.id FROM run r WHERE r.owner = $1)'],
  ['blob_put', 'owner = $1'],
] as const;

/** The table of attachments. They are copied by hash, because they are large and their bytes never change. */
export const movedBlobTable = 'blob';

/**
 * The keys of an advisory lock in the directory. A move of an owner takes it shared, a move of a bucket and a backup
 * exclusively. Otherwise rows of an owner could be written to a bucket whose last changes have been replicated, and a
 * backup could have an owner twice or not at all.
 */
export const bucketMoveLock = "hashtext('move bucket'), 0";
