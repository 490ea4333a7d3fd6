/** Runs one change of a tree in a database: locks the tree, plans, checks the version, and writes rows and log. */
import {
  type ChangeOptions,
  type ChangeResult,
  isAppError,
  type Node,
  type NodeHead,
  type Plan,
  type PlannerFactory,
  type Prefetch,
  type PreparedCommit,
  type ReadProgram,
  type RowChange,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import { isStale, makeVersionConflictError, prepareCommit } from '@coppice/core/store';
import { addBlobHashesOfPlan, findNewBlobReferences } from '../attachments.ts';
import { assertNoNewBranch } from '../linear.ts';
import { canBranch, type StoreOptions } from '../options.ts';
import type { UploadClaim, WaitingUploads } from '../waiting-uploads.ts';
import { answerFromPrefetch, answerRead } from './answers.ts';
import { countDownWaitingUploads, lockBlobs } from './attachments.ts';
import { readLogWithContents } from './log.ts';
import { inTreeByIdSql, treeNoSql } from './numbers.ts';
import {
  execute,
  type Query,
  queryCells,
  queryRows,
  queryRowsOfEach,
  readNumberColumn,
  type SqlCells,
  type SqlDialect,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import type { CachedRow, RowCache } from './row-cache.ts';
import {
  copyNodeHead,
  decodeNodeHead,
  nodeHeadCellCount,
  nodeHeadColumns,
  type StoredTree,
  selectCells,
  storedTreeOf,
  treeColumns,
} from './rows.ts';
import { nodeIdOfRow, type PrefetchedRows, type TreeScope, takenIdsSql } from './scope.ts';
import { isVisitMark, writeCommit } from './write.ts';

/** The maximum number of commits that the error of a stale write contains. */
const commitsReported = 500;

/** What a change needs to know about its store: owner, dialect, options and caches. */
export interface StoreScope {
  readonly dialect: SqlDialect;
  readonly owner: string;
  readonly options: StoreOptions;
  readonly rowCache: RowCache | undefined;
  readonly uploads: WaitingUploads;
}

/** Locks a tree, runs the planner, and writes its commit. With `inTurns` other work can run in between. */
export function* runChange<R>(
  store: StoreScope,
  treeId: TreeId,
  planning: PlannerFactory<R>,
  options: ChangeOptions,
  inTurns: boolean,
  claim: UploadClaim,
): SqlTask<ChangeResult<R>> {
  const scope = yield* lock(store, treeId, options.prefetch);
  const { tree } = scope;
  const stale = isStale(tree, options.expectedVersion);
  const branches = canBranch(store.options.treeWrites, store.owner);
  const plan = yield* planHoldingBlobs(store, scope, () => planning({ stale }));
  if (inTurns) yield [];
  const prepared = yield* checkCommit(
    scope,
    tree,
    () => prepareCommit(treeId, tree, plan, options),
    options.expectedVersion ?? 0,
  );
  if (prepared === null)
    return { result: plan.result, commit: null, version: tree?.version ?? 0, format: tree?.format };
  if (!branches) yield* driveReads(scope, assertNoNewBranch(treeId, plan.steps));
  if (inTurns) yield [];
  if (store.uploads.any(store.owner)) {
    const used = claim.take(yield* driveReads(scope, findNewBlobReferences(plan)));
    yield* countDownWaitingUploads(store.dialect, store.owner, used);
  }
  const changes = yield* writeCommit(inTurns ? { ...scope, inTurns } : scope, prepared);
  store.rowCache?.update(treeId, branches ? rowCacheOf(scope, prepared, changes) : null, changes);
  const format = branches ? 'tree' : (tree?.format ?? 'linear');
  if (format !== (tree?.format ?? 'tree')) yield* execute('UPDATE tree SET format = $2 WHERE id = $1', treeId, format);
  return { result: plan.result, commit: prepared.commit, version: prepared.commit.version, format };
}

/**
 * Runs a planner, and locks the attachments that the plan refers to. If some do not exist, a concurrent purge may have
 * deleted them together with messages that the plan copies; then the change is planned again.
 */
function* planHoldingBlobs<R>(
  store: StoreScope,
  scope: TreeScope,
  planning: () => ReadProgram<Plan<R>>,
): SqlTask<Plan<R>> {
  const { dialect, owner } = store;
  for (let known = 0; ; ) {
    const plan = yield* driveReads(scope, planning());
    if (dialect.forUpdate === '') return plan;
    const named = new Set<string>();
    addBlobHashesOfPlan(plan, named);
    const missing = named.size - (yield* lockBlobs(dialect, owner, named));
    // The same number is missing again, so the plan itself refers to attachments that do not exist.
    if (missing === known) return plan;
    known = missing;
  }
}

/**
 * Locks the row of a tree. The reads of the prefetch are sent in the same message, as separate statements: each
 * statement sees what is committed when it starts, which is after the lock is granted. If they were part of the locking
 * statement, they would see rows from before the wait.
 */
function* lock(store: StoreScope, treeId: TreeId, prefetch: Prefetch | undefined): SqlTask<TreeScope> {
  const { dialect, owner, rowCache } = store;
  const heads = new Map<string, NodeHead>();
  const cached = rowCache?.of(owner, treeId);
  // An id that the caller chose may be taken in any tree, so the cache cannot answer.
  if (cached !== undefined && (prefetch === undefined || prefetch.ids.length === 0)) {
    const parentInfo = yield* parentInfoOf(cached, prefetch);
    return {
      dialect,
      owner,
      treeId,
      tree: cached.tree,
      heads,
      parentOfActive: cached.head?.parentId ?? null,
      ...matchCacheOf(rowCache),
      prefetched: { parentInfo, ...noTakenIds },
    };
  }
  const locking = { sql: lockTree + dialect.forUpdate, params: [treeId, owner] };
  const [found = [], parentInfo = [], taken = []] = yield* queryRowsOfEach([
    locking,
    ...(prefetch === undefined ? [] : loadPrefetch(dialect, treeId, prefetch)),
  ]);
  const [row] = found;
  return {
    dialect,
    owner,
    treeId,
    tree: row === undefined ? null : storedTreeOf(row),
    heads,
    parentOfActive: Number(parentInfo[0]?.has_active ?? 0) === 1 ? (prefetch?.below ?? null) : null,
    ...matchCacheOf(rowCache),
    ...(prefetch === undefined ? {} : { prefetched: prefetchedRows(prefetch, parentInfo[0], taken) }),
  };
}

function matchCacheOf(rowCache: RowCache | undefined): Pick<TreeScope, 'matchCache'> {
  return rowCache === undefined ? {} : { matchCache: rowCache.matches };
}

const lockTree = `SELECT ${treeColumns} FROM tree WHERE id = $1 AND owner = $2`;
const noTakenIds = { ids: new Set<string>(), taken: new Set<string>() };

/**
 * Returns the parent of new nodes and its last position, for a tree whose row is cached. Null if no live node has the
 * id.
 */
function* parentInfoOf(
  { tree, head, parent }: CachedRow,
  prefetch: Prefetch | undefined,
): SqlTask<PrefetchedRows['parentInfo']> {
  const below = prefetch?.below ?? tree.activeNodeId ?? tree.rootId;
  // This node was just added, so it has no children.
  if (head?.id === below) return { head, edge: null };
  if (head !== null && parent?.id === below) return { head: { ...parent, lastChildId: head.id }, edge: head.position };
  if (prefetch === undefined) return null;
  const [found] = yield* queryCells(namedParent, tree.base, below);
  return found === undefined ? null : parentInfoFrom(found);
}

/** Returns the new cache entry of a tree after a commit; null if the tree has to be read again. */
function rowCacheOf(
  { tree, prefetched }: TreeScope,
  { row: after }: PreparedCommit,
  changes: readonly RowChange[],
): CachedRow | null {
  if (tree === null || tree.format !== 'tree') return null;
  let { activeNodeId } = tree;
  let last: Node | null = null;
  let added = 0;
  for (const change of changes) {
    if (change.op === 'added') added++;
    if (change.op === 'added' && change.node.aliases.length === 0) last = change.node;
    else if (change.op === 'tree' && change.attributes === undefined)
      activeNodeId = change.activeNodeId === undefined ? activeNodeId : change.activeNodeId;
    else if (!isVisitMark(change)) return null;
  }
  // No node was added after this one, so it has no children.
  const head = last !== null && last.id === activeNodeId ? copyNodeHead(last) : null;
  const parent = head === null || added > 1 ? null : parentOfLast(head, prefetched);
  return { tree: treeAfterCommit(tree, after, activeNodeId), head, parent };
}

/** Returns the parent of a node from the prefetch; null if it is not known or the node is not its last child. */
function parentOfLast({ parentId, position }: NodeHead, prefetched: PrefetchedRows | undefined): NodeHead | null {
  const known = prefetched?.parentInfo ?? null;
  if (known === null || known.head.id !== parentId) return null;
  return known.edge === null || position > known.edge ? known.head : null;
}

// The fields are listed instead of spread for speed, because this runs for every chat message.
function treeAfterCommit(
  tree: StoredTree,
  after: PreparedCommit['row'],
  activeNodeId: StoredTree['activeNodeId'],
): StoredTree {
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
    base: tree.base,
  };
}

const parentColumns = `${selectCells('n', nodeHeadColumns)}, (SELECT max(e.position) FROM node e WHERE e.parent_no = n.no) AS edge`;
const namedParent = `SELECT ${parentColumns} FROM node n WHERE ${inTreeByIdSql('n')} AND n.id = $2 AND n.removed_in IS NULL`;
// Sent together with the lock of the tree, when the tree's number is not known yet.
const ofTree = `JOIN tree t ON t.id = $1 AND t.no = ${treeNoSql('n')}`;
const foreseenParent = `SELECT ${parentColumns},
    CASE WHEN EXISTS (SELECT 1 FROM node a WHERE a.id = t.active_node_id AND a.parent_no = n.no) THEN 1 ELSE 0 END AS has_active
  FROM node n ${ofTree} WHERE n.id = $2 AND n.removed_in IS NULL`;
const activeParent = `SELECT ${parentColumns} FROM node n ${ofTree}
  WHERE n.id = (SELECT coalesce(a.active_node_id, a.root_id) FROM tree a WHERE a.id = $1) AND n.removed_in IS NULL`;

function loadPrefetch(dialect: SqlDialect, treeId: TreeId, { below, ids }: Prefetch): Omit<Query, 'want'>[] {
  const parentInfo =
    below === null ? { sql: activeParent, params: [treeId] } : { sql: foreseenParent, params: [treeId, below] };
  if (ids.length === 0) return [parentInfo];
  return [parentInfo, { sql: takenIdsSql(dialect), params: [JSON.stringify(ids)] }];
}

function prefetchedRows({ ids }: Prefetch, parentInfo: SqlRow | undefined, taken: readonly SqlRow[]): PrefetchedRows {
  return {
    parentInfo: parentInfo === undefined ? null : parentInfoFrom(Object.values(parentInfo)),
    ids: new Set(ids),
    taken: new Set(taken.map(nodeIdOfRow)),
  };
}

function parentInfoFrom(cells: SqlCells): NonNullable<PrefetchedRows['parentInfo']> {
  const edge = cells[nodeHeadCellCount];
  return { head: decodeNodeHead(cells), edge: typeof edge === 'string' ? edge : null };
}

function* checkCommit(
  scope: TreeScope,
  tree: TreeRow | null,
  attempt: () => PreparedCommit | null,
  expected: number,
): SqlTask<PreparedCommit | null> {
  try {
    return attempt();
  } catch (error) {
    if (!isAppError(error) || error.code !== 'tree/version-conflict') throw error;
    throw makeVersionConflictError(
      scope.treeId,
      tree?.version ?? 0,
      expected,
      yield* readLogWithContents(scope, expected, commitsReported),
    );
  }
}

/** Runs a read program, and answers its reads with queries. */
export function* driveReads<T>(scope: TreeScope, reading: ReadProgram<T>): SqlTask<T> {
  let step = reading.next();
  while (!step.done) {
    const read = step.value;
    // If the driver supports it, an empty list of statements yields to other work.
    if (read.ask === 'pause') yield [];
    const known = answerFromPrefetch(scope, read);
    step = reading.next(known === undefined ? yield* answerRead(scope, read) : known);
  }
  return step.value;
}

/** Converts a batch of lists to trees. Returns how many were converted and how many lists are left. */
export function* convertLinearConversations(
  { owner, options }: StoreScope,
  batch: number,
): SqlTask<{ readonly stored: number; readonly left: number }> {
  if (!canBranch(options.treeWrites, owner)) return { stored: 0, left: 0 };
  const open = "owner = $1 AND format = 'linear'";
  const stored = yield* execute(
    `UPDATE tree SET format = 'tree' WHERE id IN (SELECT id FROM tree WHERE ${open} ORDER BY id LIMIT $2)`,
    owner,
    batch,
  );
  const [left] = yield* queryRows(`SELECT count(*) AS n FROM tree WHERE ${open}`, owner);
  return { stored, left: left === undefined ? 0 : readNumberColumn(left, 'n') };
}
