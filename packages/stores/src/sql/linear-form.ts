/** Conversations that are still lists, in a database: one row that holds the list, and its first commit in the log. */
import {
  type Answer,
  answerFromTree,
  type LinearRecord,
  type NodeId,
  type OutsideTree,
  type Read,
  refuse,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { addHashes } from '../attachments.ts';
import { type LinearTree, linearNodeId, linearRootId } from '../linear.ts';
import { answerRead } from './answers.ts';
import { holdBlobs } from './attachments.ts';
import { execute, queryRow, queryRows, type SqlDialect, type SqlTask, sqlNumber, sqlText } from './query.ts';
import { type TreeScope, takenIds, treeRow } from './scope.ts';
import { insertTree, writeLog } from './write.ts';

/** Stores a list as it is. Storing the same list again changes nothing. */
export function* putLinear(
  owner: string,
  dialect: SqlDialect,
  record: LinearRecord,
  linear: LinearTree,
): SqlTask<void> {
  const { treeId: id } = record;
  const form = JSON.stringify(record);
  const there = yield* treeRow(owner, id);
  if (there?.linear === form) return;
  if (there !== null) refuse('tree/exists', `There is a tree ${id} already.`, { treeId: id });
  const ids = linear.settled.commit.steps.flatMap((step) => (step.type === 'insert' ? [step.node.id] : []));
  const [taken] = yield* queryRows(`${takenIds(dialect)} LIMIT 1`, JSON.stringify(ids));
  if (taken !== undefined)
    refuse('id/taken', `The id ${sqlText(taken, 'id')} is taken by another node.`, { nodeId: sqlText(taken, 'id') });
  const scope: TreeScope = { dialect, owner, treeId: id, tree: null };
  const named = new Set<string>();
  addHashes(form, named);
  yield* holdBlobs(dialect, owner, named);
  yield* insertTree(scope, linear.settled);
  const { version, structureVersion, nextSeq, updatedAt } = linear.tree;
  // The active node stays null here: its row is not there yet.
  yield* execute(
    "UPDATE tree SET format = 'linear', linear_form = $2, version = $3, structure_version = $4, next_seq = $5, updated_at = $6 WHERE id = $1",
    id,
    form,
    version,
    structureVersion,
    nextSeq,
    updatedAt,
  );
  yield* writeLog(scope, linear.settled.commit);
  yield* execute(enterIds(dialect), pairsOf(id, ids));
}

function enterIds({ pairs }: SqlDialect): string {
  return `INSERT INTO linear_node (id, tree_id) SELECT p.a, p.b FROM ${pairs('$1')} AS p WHERE true`;
}

function pairsOf(tree: TreeId, ids: readonly NodeId[]): string {
  return JSON.stringify(ids.map((id) => [id, tree]));
}

/** Enters the ids of lists that were stored before there was a place for them. */
export function* enterLists(dialect: SqlDialect): SqlTask<void> {
  for (const one of yield* queryRows('SELECT id FROM tree WHERE linear_form IS NOT NULL')) {
    const tree = treeId(sqlText(one, 'id'));
    const found = yield* queryRow('SELECT linear_form FROM tree WHERE id = $1', tree);
    const ids = found === undefined ? [] : idsOfList(tree, sqlText(found, 'linear_form'));
    yield* execute(`${enterIds(dialect)} ON CONFLICT DO NOTHING`, pairsOf(tree, ids));
  }
}

/** The ids that a list has when it is read as a tree; none where it cannot be read, which the check tells. */
function idsOfList(tree: TreeId, form: string): NodeId[] {
  try {
    const { messages } = JSON.parse(form) as LinearRecord;
    return [linearRootId(tree), ...messages.map((_, at) => linearNodeId({ treeId: tree, messages }, at))];
  } catch {
    return [];
  }
}

/** The newest place in the log. */
export function* latestChange(): SqlTask<number> {
  const found = yield* queryRow('SELECT coalesce(max(id), 0) AS n FROM change');
  return found === undefined ? 0 : sqlNumber(found, 'n');
}

/** The row of the tree that a list reads as. */
export function summaryRow(linear: LinearTree): TreeRow {
  const { size: _, nodes: __, bookmarks: ___, ...plain } = linear.tree;
  return plain;
}

// What is outside the list's own tree is asked of the database.
const outside = {
  tree: () => undefined,
  taken: () => [],
  home: () => null,
  forest: () => null,
  undoable: () => null,
  redoable: () => null,
};

/** Answers a read about a list from the tree it reads as, and everything else from the database. */
export function* answerLinear(scope: TreeScope, linear: LinearTree, read: Read): SqlTask<Answer> {
  const elsewhere = 'treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId;
  if (elsewhere || read.ask === 'taken' || read.ask === 'forest' || read.ask === 'home')
    return yield* answerRead(scope, read);
  const around: OutsideTree = { ...outside, log: (since) => (since < 1 ? [linear.settled.commit] : []) };
  // Own tree ids are answered by the value without naming it.
  const own = 'treeId' in read ? { ...read, treeId: undefined } : read;
  return answerFromTree(linear.tree, withoutUndefined(own), around);
}

function withoutUndefined<T extends object>(read: T): Read {
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as Read;
}
