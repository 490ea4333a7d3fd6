/**
 * Checks a database, one range of trees at a time: first the
 * invariants with SQL, then every tree with the check of core.
 */
import { type Answer, type FsckReport, isAppError, type TreeId, treeId } from '@coppice/core';
import { checkRows } from '@coppice/core/tree';
import { answerRead } from './answers.ts';
import { nodeNumbersPerTree, treeNoSql } from './numbers.ts';
import {
  queryRow,
  queryRows,
  readNumberColumn,
  readNumberColumnOrNull,
  readTextColumn,
  type SqlDialect,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import { findTreeOfFinding, repairDatabase } from './repair.ts';
import { readTreeBase, readTreeRow, type TreeScope } from './scope.ts';
import { findUnreadableCells, unreadableRowCode } from './unreadable.ts';

type DatabaseFinding = FsckReport['findings'][number];

/** A range of tree numbers, from `from` up to but not including `to`. */
export interface TreeRange {
  readonly from: number;
  readonly to: number;
}

// A range has about this many nodes, or a single larger tree. Its rows are in memory while one transaction checks them.
const nodesPerRange = 5_000;

/** Returns the condition that a node is live and in the tree `t`. */
const liveIn = (node: string): string =>
  `${node}.no >= t.no * ${nodeNumbersPerTree} AND ${node}.no < (t.no + 1) * ${nodeNumbersPerTree} AND ${node}.removed_in IS NULL`;

/**
 * Selects the rows that violate an invariant, with a code and an id. Both databases run the same statement. `nodes` and
 * `trees` are the live rows to check, and `anywhere` contains the rows that they may refer to. Other rows may only be
 * looked up by their keys.
 */
const invariants = `
SELECT 'I01 root-count' AS c, t.id AS id FROM trees t WHERE (SELECT count(*) FROM node n WHERE ${liveIn('n')} AND n.parent_no IS NULL)<>1
UNION ALL SELECT 'I02 root<=>null-parent', n.id FROM nodes n WHERE (n.role='root')<>(n.parent_no IS NULL)
UNION ALL SELECT 'I03 dangling-parent', n.id FROM nodes n LEFT JOIN anywhere p ON p.no=n.parent_no WHERE n.parent_no IS NOT NULL AND p.no IS NULL
UNION ALL SELECT 'I04 cross-conversation-parent', n.id FROM nodes n JOIN anywhere p ON p.no=n.parent_no WHERE p.tree_no<>n.tree_no
UNION ALL SELECT 'I05 node-without-conversation', n.id FROM nodes n LEFT JOIN tree t ON t.no=n.tree_no WHERE t.no IS NULL
UNION ALL SELECT 'I06 unreachable(cycle/orphan)', n.id FROM nodes n WHERE n.no NOT IN (WITH RECURSIVE r(no) AS (SELECT s.no FROM nodes s WHERE s.parent_no IS NULL UNION SELECT n.no FROM r JOIN node n ON n.parent_no = r.no WHERE n.removed_in IS NULL) SELECT no FROM r)
UNION ALL SELECT 'I07 duplicate-id', n.id FROM nodes n JOIN anywhere p ON p.id=n.id GROUP BY n.id HAVING count(*)>1
UNION ALL SELECT 'I08 active-missing-or-foreign', t.id FROM trees t LEFT JOIN node n ON n.id=t.active_node_id AND ${liveIn('n')} WHERE t.active_node_id IS NOT NULL AND n.id IS NULL
UNION ALL SELECT 'I09 active-is-root', t.id FROM trees t JOIN nodes n ON n.id=t.active_node_id WHERE n.role='root'
UNION ALL SELECT 'I10 active-null-iff-empty', t.id FROM trees t WHERE (t.active_node_id IS NULL)<>(NOT EXISTS(SELECT 1 FROM node n WHERE ${liveIn('n')} AND n.parent_no IS NOT NULL))
UNION ALL SELECT 'I11 bad-role', n.id FROM nodes n WHERE n.role NOT IN ('root','system','user','assistant','tool')
UNION ALL SELECT 'I12 tool_call_id<=>tool-role', n.id FROM nodes n WHERE (n.role='tool')<>(n.tool_call_id IS NOT NULL)
UNION ALL SELECT 'I13 bad-group', n.id FROM nodes n WHERE n.group_id<0 OR (n.role='root' AND n.group_id<>0)
UNION ALL SELECT 'I14 version-negative', t.id FROM trees t WHERE t.version<0
UNION ALL SELECT 'I15 root-has-content', n.id FROM nodes n WHERE n.role='root' AND n.content NOT IN ('','[]','{"parts":[]}')
UNION ALL SELECT 'I16 empty-content', n.id FROM nodes n WHERE n.role<>'root' AND (n.content IS NULL OR n.content IN ('','[]','null'))`;

const liveNodes = `SELECT x.no, x.id, ${treeNoSql('x')} AS tree_no, x.parent_no, x.role, x.content, x.tool_call_id, x.group_id
  FROM node x WHERE x.removed_in IS NULL`;

// Selects the trees with numbers from `$1` up to but not including `$2`.
const treesInRange = 'SELECT * FROM tree WHERE no >= CAST($1 AS BIGINT) AND no < CAST($2 AS BIGINT)';
const rowsInRange: Readonly<Record<string, string>> = {
  nodes: `(${liveNodes} AND x.no >= CAST($1 AS BIGINT) * ${nodeNumbersPerTree} AND x.no < CAST($2 AS BIGINT) * ${nodeNumbersPerTree})`,
  trees: `(${treesInRange})`,
  anywhere: `(${liveNodes})`,
};

function inRange(sql: string): string {
  return sql.replace(/\b(nodes|trees|anywhere)\b/g, (name) => rowsInRange[name] ?? name);
}

/**
 * Selects further faults in a range of trees: bookmarks and runs of nodes that do not exist, missing commits in the
 * log, and pending replies without a run.
 */
const references = `
SELECT 'bookmark-dangling' AS c, b.node_id AS id, t.id AS tree FROM trees t JOIN bookmark b ON b.tree_id=t.id LEFT JOIN node n ON n.id=b.node_id AND ${liveIn('n')} WHERE n.id IS NULL
UNION ALL SELECT 'run-dangling', r.id, t.id FROM trees t JOIN run r ON r.tree_id=t.id LEFT JOIN node n ON n.id=r.node_id AND ${liveIn('n')} WHERE n.id IS NULL
UNION ALL SELECT 'log-gap', t.id, t.id FROM trees t LEFT JOIN log_start l ON l.tree_id=t.id WHERE t.version-coalesce(l.version, 1)+1<>(SELECT count(*) FROM change c WHERE c.tree_id=t.id)
UNION ALL SELECT 'J27 pending-without-run', n.id, t.id FROM trees t JOIN node n ON ${treeNoSql('n')}=t.no AND n.status='pending' AND n.removed_in IS NULL WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.node_id=n.id AND r.tree_id=t.id)`;

/** Selects rows that refer to a tree that does not exist. */
const withoutTree = `
SELECT 'bookmark-dangling' AS c, b.node_id AS id, b.tree_id AS tree FROM bookmark b WHERE NOT EXISTS (SELECT 1 FROM tree t WHERE t.id=b.tree_id)
UNION ALL SELECT 'run-dangling', r.id, r.tree_id FROM run r WHERE NOT EXISTS (SELECT 1 FROM tree t WHERE t.id=r.tree_id)
UNION ALL SELECT 'share-dangling', s.id, s.tree_id FROM share s WHERE NOT EXISTS (SELECT 1 FROM tree t WHERE t.id=s.tree_id)`;

// A reply that no process writes any more, and a run without its reply. A run is recorded before its reply exists, so a
// crash in between leaves a run, which recovery ends later.
const warnings = new Set(['J27 pending-without-run', 'run-dangling']);

/** Returns the range that contains only this tree. */
export function* readTreeRange(id: TreeId): SqlTask<TreeRange> {
  const from = (yield* readTreeBase(id)) / nodeNumbersPerTree;
  return { from, to: from + 1 };
}

/**
 * Returns the next range to check; null after the last one. Ranges have no gaps, so that nodes without a tree are
 * checked too.
 */
export function* findNextTreeRange(from: number): SqlTask<TreeRange | null> {
  const begins = `no >= CAST($1 AS BIGINT) * ${nodeNumbersPerTree}`;
  const found = yield* queryRow(
    `SELECT (SELECT min(no) FROM tree WHERE no >= $1) AS tree, (SELECT min(n.no) / ${nodeNumbersPerTree} FROM node n WHERE n.${begins}) AS node,
      (SELECT n.no / ${nodeNumbersPerTree} FROM node n WHERE n.${begins} ORDER BY n.no LIMIT 1 OFFSET ${nodesPerRange}) AS later,
      (SELECT max(no) FROM tree) AS last_tree, (SELECT max(no) / ${nodeNumbersPerTree} FROM node) AS last_node`,
    from,
  );
  const number = (column: string) => (found === undefined ? null : readNumberColumnOrNull(found, column));
  const first = Math.min(number('tree') ?? Number.POSITIVE_INFINITY, number('node') ?? Number.POSITIVE_INFINITY);
  if (!Number.isFinite(first)) return null;
  const last = Math.max(number('last_tree') ?? 0, number('last_node') ?? 0) + 1;
  // The range ends before the tree that contains its last node, unless that tree is the only one.
  return { from: first, to: Math.max(first + 1, number('later') ?? last) };
}

export function* countTrees(): SqlTask<number> {
  return readNumberColumn((yield* queryRow('SELECT count(*) AS n FROM tree')) ?? { n: 0 }, 'n');
}

/** The report on a range, with the number of trees of all owners in it. */
export interface TreeRangeReport extends FsckReport {
  readonly covered: number;
}

/**
 * Checks the trees in a range: those of all owners with SQL, those of this owner also with core. With `repair`, what
 * can be repaired without a loss is repaired.
 */
export function* fsckRange(
  dialect: SqlDialect,
  owner: string,
  range: TreeRange,
  options: { readonly repair?: boolean; readonly treeId?: TreeId },
): SqlTask<TreeRangeReport> {
  const findings: DatabaseFinding[] = [];
  const { from, to } = range;
  const broken = yield* queryRows(`${inRange(invariants)} ORDER BY 1, 2`, from, to);
  yield* addFindings(findings, [...broken, ...(yield* queryRows(`${inRange(references)} ORDER BY 1, 2`, from, to))]);
  const trees = yield* queryRows(`SELECT t.id, t.owner FROM (${treesInRange}) AS t ORDER BY t.id`, from, to);
  const own = trees
    .filter((tree) => readTextColumn(tree, 'owner') === owner)
    .map((tree) => treeId(readTextColumn(tree, 'id')));
  const seen = new Set(findings.map((finding) => `${finding.code} ${finding.id}`));
  let nodes = 0;
  for (const id of own) nodes += yield* checkStoredTree(dialect, owner, id, seen, findings);
  const wanted =
    options.treeId === undefined
      ? findings
      : findings.filter((finding) => finding.treeId === null || finding.treeId === options.treeId);
  const repaired = options.repair === true ? yield* repairDatabase(dialect, owner, wanted) : [];
  return { trees: own.length, nodes, findings: wanted, repaired, covered: trees.length };
}

/** Checks the rows that refer to a tree that does not exist. */
export function* fsckOutsideTrees(
  dialect: SqlDialect,
  owner: string,
  options: { readonly repair?: boolean },
): SqlTask<FsckReport> {
  const findings: DatabaseFinding[] = [];
  yield* addFindings(findings, yield* queryRows(`${withoutTree} ORDER BY 1, 2`));
  const repaired = options.repair === true ? yield* repairDatabase(dialect, owner, findings) : [];
  return { trees: 0, nodes: 0, findings, repaired };
}

/** Converts the damage that the database reports to findings. */
export function toDamageFindings(damage: readonly string[]): DatabaseFinding[] {
  return damage.map((message) => ({ code: 'database', severity: 'error', id: '', message, treeId: null }));
}

function* addFindings(findings: DatabaseFinding[], rows: readonly SqlRow[]): SqlTask<void> {
  for (const found of rows) {
    const code = readTextColumn(found, 'c');
    const id = readTextColumn(found, 'id');
    findings.push({
      code,
      severity: warnings.has(code) ? 'warning' : 'error',
      id,
      message: `${code} at ${id}.`,
      treeId: 'tree' in found ? treeId(readTextColumn(found, 'tree')) : yield* findTreeOfFinding(id),
    });
  }
}

/** Adds the findings of core's check of one tree to `findings`. Returns the number of its nodes. */
function* checkStoredTree(
  dialect: SqlDialect,
  owner: string,
  id: TreeId,
  seen: ReadonlySet<string>,
  findings: DatabaseFinding[],
): SqlTask<number> {
  try {
    const scope: TreeScope = { dialect, owner, treeId: id, tree: yield* readTreeRow(owner, id) };
    if (scope.tree === null) return 0;
    const all: Answer = yield* answerRead(scope, { ask: 'rows' });
    if (all === null || typeof all !== 'object' || !('nodes' in all) || !('bookmarks' in all) || !('row' in all))
      return 0;
    for (const finding of checkRows(all.row, all.nodes, all.bookmarks))
      if (!seen.has(`${finding.code} ${finding.id}`)) findings.push({ ...finding, treeId: id });
    return all.nodes.length;
  } catch (error) {
    // The row contains invalid JSON or a value of a wrong type, which becomes a finding. Other errors are thrown.
    const isRow = isAppError(error) && error.code === 'store/damaged';
    if (!isRow && !(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
    const unreadable = yield* findUnreadableCells(id);
    for (const { id: at, column } of unreadable.cells)
      findings.push({
        code: unreadableRowCode,
        severity: 'error',
        id: at,
        message: `The ${column} of ${at} cannot be read.`,
        treeId: id,
      });
    if (unreadable.cells.length === 0)
      findings.push({ code: unreadableRowCode, severity: 'error', id, message: error.message, treeId: id });
    return unreadable.nodes;
  }
}
