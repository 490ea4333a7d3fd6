/** Linear conversations in a database: rows like those of any tree, with the format as a flag. */
import { ask, type LinearRecord, refuse, type TreeId, textMessage, treeId } from '@coppice/core';
import { insertedNodes } from '@coppice/core/tree';
import { addHashes } from '../attachments.ts';
import { isSameList, type LinearTree, treeOfLinear } from '../linear.ts';
import type { UploadClaim } from '../waiting-uploads.ts';
import { endWaiting, holdBlobs } from './attachments.ts';
import { driveReads } from './change.ts';
import { execute, queryRow, queryRows, type SqlDialect, type SqlTask, sqlText } from './query.ts';
import { type TreeScope, takenIds, treeRow } from './scope.ts';
import { writeCommit, writeLog, writeRows } from './write.ts';

/** Stores a list as a chain of nodes. Storing the same list again changes nothing while nobody has written to it. */
export function* putLinear(
  owner: string,
  dialect: SqlDialect,
  record: LinearRecord,
  linear: LinearTree,
  claim: UploadClaim,
): SqlTask<void> {
  const { treeId: id } = record;
  const there = yield* treeRow(owner, id);
  if (there !== null) {
    if (
      there.format === 'linear' &&
      there.version === 1 &&
      (yield* isSame({ dialect, owner, treeId: id, tree: there }, linear))
    )
      return;
    refuse('tree/exists', `There is a tree ${id} already.`, { treeId: id });
  }
  const ids = insertedNodes(linear.settled.commit.steps).map((node) => node.id);
  const [taken] = yield* queryRows(`${takenIds(dialect)} LIMIT 1`, JSON.stringify(ids));
  if (taken !== undefined)
    refuse('id/taken', `The id ${sqlText(taken, 'id')} is taken by another node.`, { nodeId: sqlText(taken, 'id') });
  const named = new Set<string>();
  addHashes(JSON.stringify(record), named);
  yield* holdBlobs(dialect, owner, named);
  yield* endWaiting(dialect, owner, claim.take(named));
  yield* writeCommit({ dialect, owner, treeId: id, tree: null }, linear.settled);
  yield* execute("UPDATE tree SET format = 'linear' WHERE id = $1", id);
}

/** Whether a tree equals what a list reads as. */
function* isSame(scope: TreeScope, linear: LinearTree): SqlTask<boolean> {
  const stored = yield* driveReads(scope, ask('rows', {}));
  if (stored === null) return false;
  return isSameList(linear, { attributes: scope.tree?.attributes ?? {}, nodes: stored.nodes });
}

/** Writes the rows of lists that an earlier version stored as one JSON text each, and drops the old storage. */
export function* storeListsAsRows(dialect: SqlDialect): SqlTask<void> {
  for (const one of yield* queryRows('SELECT id, owner FROM tree WHERE linear_form IS NOT NULL ORDER BY id')) {
    const id = treeId(sqlText(one, 'id'));
    const owner = sqlText(one, 'owner');
    const found = yield* queryRow('SELECT linear_form FROM tree WHERE id = $1', id);
    const { linear, whole } = readList(id, owner, sqlText(found ?? { linear_form: '' }, 'linear_form'));
    const scope: TreeScope = { dialect, owner, treeId: id, tree: yield* treeRow(owner, id) };
    if (!whole) {
      yield* execute('DELETE FROM change WHERE tree_id = $1', id);
      yield* writeLog(scope, linear.settled.commit);
    }
    yield* writeRows(scope, linear.settled);
  }
  for (const statement of [
    'DROP TABLE linear_node',
    'DROP INDEX tree_linear',
    'DROP VIEW v_conversation',
    'ALTER TABLE tree DROP COLUMN linear_form',
    'CREATE VIEW v_conversation AS SELECT id, version, active_node_id FROM tree',
  ])
    yield* execute(statement);
}

/** Converts a stored list to a tree; an unreadable one becomes a message with its raw content. */
function readList(id: TreeId, owner: string, form: string): { readonly linear: LinearTree; readonly whole: boolean } {
  try {
    return { linear: treeOfLinear(JSON.parse(form) as LinearRecord, owner), whole: true };
  } catch {
    const messages = [{ message: textMessage('user', form) }];
    return { linear: treeOfLinear({ treeId: id, createdAt: 0, messages }, owner), whole: false };
  }
}
