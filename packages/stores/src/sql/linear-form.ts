/** Stores conversations as lists. A list has the same rows as a tree, and its tree row has the format `linear`. */
import { ask, refuse, type StoredLinearConversation, type TreeId, textMessage } from '@coppice/core';
import { insertedNodes } from '@coppice/core/tree';
import { addBlobHashesInJson } from '../attachments.ts';
import { buildLinearTree, isUnchangedLinearConversation, type LinearTree } from '../linear.ts';
import type { UploadClaim } from '../waiting-uploads.ts';
import { countDownWaitingUploads, lockBlobs } from './attachments.ts';
import { driveReads } from './change.ts';
import { execute, queryRows, readTextColumn, type SqlDialect, type SqlTask } from './query.ts';
import { readTreeRow, type TreeScope, takenIdsSql } from './scope.ts';
import { appendCommitToLog, writeCommit, writeCommitRows } from './write.ts';

/**
 * Stores a list as a chain of nodes. Storing the same list again changes nothing; it is refused if the stored chat was
 * changed since.
 */
export function* storeLinearConversationAsTree(
  owner: string,
  dialect: SqlDialect,
  record: StoredLinearConversation,
  linear: LinearTree,
  claim: UploadClaim,
): SqlTask<void> {
  const { treeId: id } = record;
  const there = yield* readTreeRow(owner, id);
  if (there !== null) {
    if (
      there.format === 'linear' &&
      there.version === 1 &&
      (yield* isSame({ dialect, owner, treeId: id, tree: there }, linear))
    )
      return;
    refuse('tree/exists', `There is a chat ${id} already.`, { treeId: id });
  }
  const ids = insertedNodes(linear.applied.commit.steps).map((node) => node.id);
  const [taken] = yield* queryRows(`${takenIdsSql(dialect)} LIMIT 1`, JSON.stringify(ids));
  if (taken !== undefined)
    refuse('id/taken', `The id ${readTextColumn(taken, 'id')} is taken by another node.`, {
      nodeId: readTextColumn(taken, 'id'),
    });
  const named = new Set<string>();
  addBlobHashesInJson(JSON.stringify(record), named);
  yield* lockBlobs(dialect, owner, named);
  yield* countDownWaitingUploads(dialect, owner, claim.take(named));
  yield* writeCommit({ dialect, owner, treeId: id, tree: null }, linear.applied);
  yield* execute("UPDATE tree SET format = 'linear' WHERE id = $1", id);
}

/** Whether a tree still equals the list that it was stored from. */
function* isSame(scope: TreeScope, linear: LinearTree): SqlTask<boolean> {
  const stored = yield* driveReads(scope, ask('rows', {}));
  if (stored === null) return false;
  return isUnchangedLinearConversation(linear, { attributes: scope.tree?.attributes ?? {}, nodes: stored.nodes });
}

/** A list that an earlier version stored as one JSON text. */
export interface FormerLinearConversation {
  readonly id: TreeId;
  readonly owner: string;
  readonly form: string;
}

/** Inserts the rows of lists that an earlier version stored as JSON texts. */
export function* storeFormerLinearConversations(
  dialect: SqlDialect,
  lists: Iterable<FormerLinearConversation>,
): SqlTask<void> {
  for (const { id, owner, form } of lists) {
    const { linear, whole } = readList(id, owner, form);
    const tree = yield* readTreeRow(owner, id);
    if (tree === null) continue;
    const scope: TreeScope = { dialect, owner, treeId: id, tree };
    if (!whole) {
      yield* execute('DELETE FROM change WHERE tree_id = $1', id);
      yield* appendCommitToLog(scope, linear.applied.commit);
    }
    yield* writeCommitRows(scope, linear.applied, tree.base);
  }
}

/** Converts a stored list to a tree. An unreadable list becomes one message with the raw text, and `whole` is false. */
function readList(id: TreeId, owner: string, form: string): { readonly linear: LinearTree; readonly whole: boolean } {
  try {
    return { linear: buildLinearTree(JSON.parse(form) as StoredLinearConversation, owner), whole: true };
  } catch {
    const messages = [{ message: textMessage('user', form) }];
    return { linear: buildLinearTree({ treeId: id, createdAt: 0, messages }, owner), whole: false };
  }
}
