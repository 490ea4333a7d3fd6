/** One change of a tree in a database: lock, plan, check the version, write rows and log; lists become trees on the way. */
import {
  treeId as asTreeId,
  type Changed,
  type ChangeOptions,
  type Foresight,
  isAppError,
  isStale,
  type LinearRecord,
  type Node,
  type NodeHead,
  type Plan,
  type Planning,
  type Reading,
  type Settled,
  settle,
  staleError,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import { addHashesOfPlan } from '../attachments.ts';
import { type LinearTree, linearTree, refuseBranching } from '../linear.ts';
import { mayBranch, type StoreOptions } from '../options.ts';
import { answerRead, atHand } from './answers.ts';
import { holdBlobs } from './attachments.ts';
import { answerLinear } from './linear-form.ts';
import { hydratedLog } from './log.ts';
import { type Dialect, exec, number, type Query, row, rows, rowsOfEach, text, textOrNull, type Work } from './query.ts';
import { headColumns, headOf, of, plainHead, type StoredTree, treeColumns, treeOf } from './rows.ts';
import { type Foreseen, idOf, type Scope, takenIds, treeRow } from './scope.ts';
import type { Tail, Tails } from './tails.ts';
import { leafOf, writeCommit, writeRows } from './write.ts';

/** How many commits a refused writer is told of. */
const commitsTold = 500;

/** Whose trees are kept, and how. */
export interface Keeping {
  readonly dialect: Dialect;
  readonly owner: string;
  readonly options: StoreOptions;
  readonly tails: Tails | undefined;
}

/** Locks a tree, drives the planner, and writes what it settled on; `inTurns` where others have turns in between. */
export function* change<R>(
  keeping: Keeping,
  treeId: TreeId,
  planning: Planning<R>,
  options: ChangeOptions,
  inTurns: boolean,
): Work<Changed<R>> {
  const locked = yield* lock(keeping, treeId, options.foresees);
  const linear = linearOf(keeping, locked.tree);
  const tree = linear?.tree ?? locked.tree;
  const stale = isStale(tree, options.expectedVersion);
  const branches = mayBranch(keeping.options.treeWrites, keeping.owner);
  const plan = yield* planned(keeping, locked, () => planning({ stale }), linear);
  if (inTurns) yield [];
  const settled = yield* checked(locked, tree, () => settle(treeId, tree, plan, options), options.expectedVersion ?? 0);
  if (settled === null) return { result: plan.result, commit: null, version: tree?.version ?? 0 };
  if (!branches) yield* answered(keeping, locked, refuseBranching(treeId, plan.steps), linear);
  const scope = linear === null ? locked : yield* materialised(locked, linear);
  if (inTurns) yield [];
  const leaf = leafOf(scope, settled);
  yield* writeCommit(inTurns ? { ...scope, inTurns } : scope, settled, leaf);
  keeping.tails?.left(treeId, branches ? tailOf(scope.tree, settled) : null, settled.changes);
  const format = branches ? 'tree' : (locked.tree?.format ?? 'linear');
  if (format !== (locked.tree?.format ?? 'tree'))
    yield* exec('UPDATE tree SET format = $2 WHERE id = $1', treeId, format);
  return { result: plan.result, commit: settled.commit, version: settled.commit.version };
}

/**
 * Drives a planner and holds the attachments that it names, where somebody else may be collecting at the same time. Where
 * some of them are not there, what named them may have been purged since it was read, and is then not copied.
 */
function* planned<R>(
  keeping: Keeping,
  scope: Scope,
  planning: () => Reading<Plan<R>>,
  linear: LinearTree | null,
): Work<Plan<R>> {
  const { dialect, owner } = keeping;
  for (let known = 0; ; ) {
    const plan = yield* answered(keeping, scope, planning(), linear);
    if (dialect.forUpdate === '') return plan;
    const named = new Set<string>();
    addHashesOfPlan(plan, named);
    const missing = named.size - (yield* holdBlobs(dialect, owner, named));
    // As many as before: they have been missing for longer.
    if (missing === known) return plan;
    known = missing;
  }
}

/**
 * Locks the row of a tree. What the planner is known to ask goes along in the same message, as statements of their own:
 * each sees what is committed when it begins, and it begins when the lock is held. Joined to the locking select it would
 * see the rows from before a wait for the lock.
 */
function* lock(keeping: Keeping, treeId: TreeId, foresees: Foresight | undefined): Work<Scope> {
  const { dialect, owner, tails } = keeping;
  const heads = new Map<string, NodeHead>();
  const tail = tails?.of(owner, treeId);
  // Ids may be taken by any tree: those have to be looked for.
  if (tail !== undefined && (foresees === undefined || foresees.ids.length === 0)) {
    const ground = yield* groundOf(tail, treeId, foresees);
    return { dialect, owner, treeId, tree: tail.tree, heads, ...waysOf(tails), foreseen: { ground, ...noIds } };
  }
  const locking = { sql: lockTree + dialect.forUpdate, params: [treeId, owner] };
  const [found = [], ground = [], taken = []] = yield* rowsOfEach([
    locking,
    ...(foresees === undefined ? [] : foresight(dialect, treeId, foresees)),
  ]);
  const [row] = found;
  return {
    dialect,
    owner,
    treeId,
    tree: row === undefined ? null : treeOf(row),
    heads,
    ...waysOf(tails),
    ...(foresees === undefined ? {} : { foreseen: foreseen(foresees, ground[0], taken) }),
  };
}

function waysOf(tails: Tails | undefined): Pick<Scope, 'ways'> {
  return tails === undefined ? {} : { ways: tails.ways };
}

const lockTree = `SELECT ${treeColumns} FROM tree WHERE id = $1 AND owner = $2`;
const noIds = { ids: new Set<string>(), taken: new Set<string>() };

/** The node that something is to hang below, on a tree whose row is known. */
function* groundOf({ tree, head }: Tail, treeId: TreeId, foresees: Foresight | undefined): Work<Foreseen['ground']> {
  const below = foresees?.below ?? tree.activeNodeId ?? tree.rootId;
  // It was just added: nothing hangs below it.
  if (head?.id === below) return { head, edge: null };
  if (foresees === undefined) return null;
  const found = yield* row(namedGround, treeId, below);
  return found === undefined ? null : { head: headOf(found), edge: textOrNull(found, 'edge') };
}

/** What a commit leaves of a tree; null where that has to be read. */
function tailOf(tree: StoredTree | null, { row: after, changes }: Settled): Tail | null {
  if (tree === null || tree.format !== 'tree') return null;
  let { activeNodeId } = tree;
  let last: Node | null = null;
  for (const change of changes) {
    if (change.op === 'pointed') activeNodeId = change.nodeId;
    else if (change.op !== 'added' || change.node.aliases.length > 0) return null;
    else last = change.node;
  }
  // Nothing was added after it, so nothing hangs below it.
  const head = last !== null && last.id === activeNodeId ? plainHead(last) : null;
  return { tree: grownTree(tree, after, activeNodeId), head };
}

// Spelt out, not spread: every message of a chat leaves one.
function grownTree(tree: StoredTree, after: Settled['row'], activeNodeId: StoredTree['activeNodeId']): StoredTree {
  return {
    id: tree.id,
    owner: tree.owner,
    rootId: tree.rootId,
    version: after.version,
    structureVersion: after.structureVersion,
    activeNodeId,
    nextSeq: after.nextSeq,
    createdAt: tree.createdAt,
    updatedAt: after.updatedAt,
    attributes: tree.attributes,
    hasAliases: tree.hasAliases,
    format: tree.format,
    linear: tree.linear,
  };
}

const groundColumns = `${of('n', headColumns)}, (SELECT max(e.position) FROM node e WHERE e.tree_id = $1 AND e.parent_id = n.id) AS edge`;
const namedGround = `SELECT ${groundColumns} FROM node n WHERE n.tree_id = $1 AND n.id = $2 AND n.removed_in IS NULL`;
const activeGround = `SELECT ${groundColumns} FROM node n
  WHERE n.tree_id = $1 AND n.id = (SELECT coalesce(t.active_node_id, t.root_id) FROM tree t WHERE t.id = $1) AND n.removed_in IS NULL`;

function foresight(dialect: Dialect, treeId: TreeId, { below, ids }: Foresight): Omit<Query, 'want'>[] {
  const ground =
    below === null ? { sql: activeGround, params: [treeId] } : { sql: namedGround, params: [treeId, below] };
  if (ids.length === 0) return [ground];
  return [ground, { sql: takenIds(dialect), params: [JSON.stringify(ids)] }];
}

function foreseen(
  { ids }: Foresight,
  ground: Parameters<typeof headOf>[0] | undefined,
  taken: readonly Parameters<typeof headOf>[0][],
): Foreseen {
  return {
    ground: ground === undefined ? null : { head: headOf(ground), edge: textOrNull(ground, 'edge') },
    ids: new Set(ids),
    taken: new Set(taken.map(idOf)),
  };
}

function* checked(
  scope: Scope,
  tree: TreeRow | null,
  attempt: () => Settled | null,
  expected: number,
): Work<Settled | null> {
  try {
    return attempt();
  } catch (error) {
    if (!isAppError(error) || error.code !== 'tree/version-conflict') throw error;
    throw staleError(scope.treeId, tree?.version ?? 0, expected, yield* hydratedLog(scope, expected, commitsTold));
  }
}

/** The tree that a list reads as; null where the tree has rows of its own. */
export function linearOf({ owner, options }: Keeping, tree: StoredTree | null): LinearTree | null {
  if (tree?.linear == null) return null;
  return linearTree(JSON.parse(tree.linear) as LinearRecord, owner, options.kit);
}

/** Writes the rows of a conversation that was still a list; its commit is in the log already. */
function* materialised(scope: Scope, linear: LinearTree): Work<Scope> {
  yield* exec('UPDATE tree SET linear_form = NULL WHERE id = $1', scope.treeId);
  yield* exec('DELETE FROM linear_node WHERE tree_id = $1', scope.treeId);
  yield* writeRows(scope, linear.settled);
  return { ...scope, tree: yield* treeRow(scope.owner, scope.treeId) };
}

/** Drives a reading with queries; a conversation that is still a list answers from the tree it reads as. */
export function* answered<T>(keeping: Keeping, scope: Scope, reading: Reading<T>, linear: LinearTree | null): Work<T> {
  let step = reading.next();
  let looks = 0;
  const others = new Map<TreeId, OtherList | null>();
  while (!step.done) {
    const read = step.value;
    // A planner that asks for the tree again and again has much to do: who drives it in turns lets others in here.
    if (read.ask === 'tree' && ++looks > 1) yield [];
    const known = linear === null ? atHand(scope, read) : undefined;
    if (known !== undefined) {
      step = reading.next(known);
      continue;
    }
    const from = 'treeId' in read ? read.treeId : undefined;
    const isElsewhere = from !== undefined && from !== scope.treeId;
    const other = isElsewhere ? yield* otherList(keeping, from, others) : null;
    if (other !== null) step = reading.next(yield* answerLinear(other.scope, other.linear, read));
    else
      step = reading.next(linear === null ? yield* answerRead(scope, read) : yield* answerLinear(scope, linear, read));
  }
  return step.value;
}

/** Another tree that is still a list: it has no rows that could answer. */
interface OtherList {
  readonly scope: Scope;
  readonly linear: LinearTree;
}

/** What another tree reads as where it is still a list; each is read once. */
function* otherList(keeping: Keeping, treeId: TreeId, known: Map<TreeId, OtherList | null>): Work<OtherList | null> {
  const before = known.get(treeId);
  if (before !== undefined) return before;
  const { dialect, owner } = keeping;
  const tree = yield* treeRow(owner, treeId);
  const linear = linearOf(keeping, tree);
  const found = linear === null ? null : { scope: { dialect, owner, treeId, tree }, linear };
  known.set(treeId, found);
  return found;
}

/** Stores some of the lists as trees, and tells how many are left. */
export function* backfillSome(
  keeping: Keeping,
  batch: number,
): Work<{ readonly stored: number; readonly left: number }> {
  const { dialect, owner, options } = keeping;
  if (!mayBranch(options.treeWrites, owner)) return { stored: 0, left: 0 };
  const open = "owner = $1 AND format = 'linear'";
  const found = yield* rows(`SELECT id FROM tree WHERE ${open} ORDER BY id LIMIT $2`, owner, batch);
  for (const one of found) {
    const treeId = asTreeId(text(one, 'id'));
    const scope: Scope = { dialect, owner, treeId, tree: yield* treeRow(owner, treeId, dialect.forUpdate) };
    const linear = linearOf(keeping, scope.tree);
    if (linear !== null) yield* materialised(scope, linear);
    yield* exec("UPDATE tree SET format = 'tree' WHERE id = $1", treeId);
  }
  const [left] = yield* rows(`SELECT count(*) AS n FROM tree WHERE ${open}`, owner);
  return { stored: found.length, left: left === undefined ? 0 : number(left, 'n') };
}
